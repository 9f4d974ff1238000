"""Splits texts into passages."""
