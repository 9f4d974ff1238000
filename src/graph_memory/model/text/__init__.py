"""Text utilities: name comparison, message wording, search windows."""
