"""Operations, with one module per toolset. MCP tools, `graph-memory call` and the reference are generated from them."""
