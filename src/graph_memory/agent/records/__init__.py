"""How the types of `memory.agent` are stored as nodes."""
