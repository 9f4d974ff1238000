"""Rendering of recall results within a token budget."""
