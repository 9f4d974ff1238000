"""Reads candidates from the index."""
