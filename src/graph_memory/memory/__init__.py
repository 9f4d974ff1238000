"""The memory's use cases, one package per topic."""
