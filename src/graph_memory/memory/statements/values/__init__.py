"""Numbers, units, dates and other values in sentences."""
