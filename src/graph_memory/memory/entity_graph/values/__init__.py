"""Checked requests, query rows and type spellings of the entity graph."""
