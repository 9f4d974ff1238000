"""Loading of foreign data."""
