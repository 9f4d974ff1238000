"""Functions for text: comparing names, wording messages, and splitting text for search."""
