"""Search: what is found, how it is ranked, and why."""
