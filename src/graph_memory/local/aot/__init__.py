"""Java's ahead-of-time (AOT) cache, which makes starts faster."""
