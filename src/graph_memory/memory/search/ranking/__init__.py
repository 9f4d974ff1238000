"""Scores, order and excerpts of passages."""
