"""Finds observations by text, and moves observations."""
