"""CLI commands, one module per noun."""
