"""MCP transports: stdio and HTTP."""
