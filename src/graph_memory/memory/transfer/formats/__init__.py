"""Formats in which other programs keep graphs: each is read into, and written from, the same plain records."""
