"""Nodes, connections and types: the verbs and the queries."""
