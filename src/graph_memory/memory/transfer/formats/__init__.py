"""Readers and writers of other graph formats, all based on the same records."""
