"""Defines all operations. MCP tools, `graph-memory call` and the reference pages are generated from them."""
