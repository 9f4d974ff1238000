"""Verification that the graph matches its log."""
