"""Validation and planning of a set of changes before it is written."""
