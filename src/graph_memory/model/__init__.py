"""The pure part: values, rules and events. No input or output."""
