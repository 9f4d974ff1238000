"""Recall: select what the memory knows about a query and render it within a token budget."""
