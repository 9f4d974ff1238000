"""Renders recall results within a token budget."""
