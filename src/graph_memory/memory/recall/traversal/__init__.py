"""Following connections: walks from nodes, paths between two, and what is next to one."""
