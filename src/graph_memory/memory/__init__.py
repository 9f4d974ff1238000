"""Use cases: what can be asked of a memory, one module per verb family."""
