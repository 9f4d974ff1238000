"""Text analysis of search: terms, names and words."""
