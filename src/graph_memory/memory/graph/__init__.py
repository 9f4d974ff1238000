"""Nodes, connections and types: writes and queries."""
