"""Command arguments and options."""
