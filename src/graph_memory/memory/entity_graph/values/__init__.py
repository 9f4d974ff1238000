"""Spelling of names and rows of entities."""
