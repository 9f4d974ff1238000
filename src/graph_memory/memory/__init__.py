"""The use cases of the memory, one package per topic."""
