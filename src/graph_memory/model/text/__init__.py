"""Words of messages, and keys of texts."""
