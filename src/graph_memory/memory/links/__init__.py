"""Links from nodes of one domain to nodes of another."""
