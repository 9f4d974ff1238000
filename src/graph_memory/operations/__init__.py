"""The operations of the memory, one module a toolset. MCP tools, `graph-memory call` and the reference follow them."""
