"""Access keys of HTTP clients."""
