"""The promises to a user, kept by the installed command and a real MCP client."""
