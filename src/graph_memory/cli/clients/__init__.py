"""Adds graph-memory to clients' configuration files, and removes it."""
