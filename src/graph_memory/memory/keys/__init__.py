"""Keys of clients over HTTP."""
