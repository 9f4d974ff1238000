"""Adapters for agent frameworks. Each adapter needs the extra with its name, such as `graph-memory[anthropic]`."""
