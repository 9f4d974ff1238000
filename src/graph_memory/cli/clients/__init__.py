"""Installing graph-memory in the configuration of clients."""
