"""Types of nodes and connections, their rules, and how they are written."""
