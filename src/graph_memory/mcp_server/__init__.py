"""The viewer, and the MCP server over stdio and over HTTP."""
