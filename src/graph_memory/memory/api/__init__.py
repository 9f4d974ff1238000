"""The public facades of a memory, one class per module."""
