"""Branches, and merging them."""
