"""Loads data from other programs."""
