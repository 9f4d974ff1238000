"""Entities as nodes of the graph: how they are read and written."""
