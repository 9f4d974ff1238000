"""Limits, usage and pruning."""
