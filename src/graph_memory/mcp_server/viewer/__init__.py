"""The viewer in a browser: its HTTP API, which calls the operations, and its files."""
