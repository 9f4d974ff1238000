"""Word lists, one language a module."""
