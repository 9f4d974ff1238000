"""Whether the graph is what its log says."""
