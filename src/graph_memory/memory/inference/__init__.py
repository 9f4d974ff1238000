"""Relations that follow from others, and contradictions."""
