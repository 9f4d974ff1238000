"""Servers of entities beside each other: ours, the official one, and others that are given by their commands."""
