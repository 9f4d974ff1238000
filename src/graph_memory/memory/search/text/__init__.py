"""Text analysis for search: terms, names and words."""
