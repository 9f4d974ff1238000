"""Java's ahead-of-time cache, for faster starts."""
