"""The MCP adapter."""
