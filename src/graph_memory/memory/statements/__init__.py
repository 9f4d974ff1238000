"""Comparison of two sentences about the same entity."""
