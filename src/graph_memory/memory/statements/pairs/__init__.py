"""Compares and judges pairs of sentences."""
