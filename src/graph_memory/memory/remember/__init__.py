"""Storing of sentences as facts: judge, ask, supersede."""
