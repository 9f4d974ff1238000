"""Verifies that the graph matches its log."""
