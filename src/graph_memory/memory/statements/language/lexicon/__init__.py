"""Word lists, with one module per language."""
