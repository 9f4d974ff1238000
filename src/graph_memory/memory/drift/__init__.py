"""Changes that were made past the memory."""
