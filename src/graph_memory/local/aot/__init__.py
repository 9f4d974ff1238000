"""Java's cache for a fast start."""
