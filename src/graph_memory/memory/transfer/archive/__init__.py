"""The format of an exported domain: write, read, check, import."""
