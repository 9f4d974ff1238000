"""Splitting of texts into passages."""
