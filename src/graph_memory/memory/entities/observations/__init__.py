"""Which observation a text means, and moves of observations."""
