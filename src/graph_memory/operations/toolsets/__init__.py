"""Operation definitions, one module per toolset."""
