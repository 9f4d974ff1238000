"""Wording and fitting of what recall returns."""
