"""Recall that fits a budget: what is told of a memory, how much of it, and in which words."""
