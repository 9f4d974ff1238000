"""Walks along connections."""
