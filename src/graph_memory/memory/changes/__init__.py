"""Many subjects in one write."""
