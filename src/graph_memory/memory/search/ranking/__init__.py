"""Scores and ranks passages, and selects excerpts."""
