"""The types of nodes and connections, their rules, and their representation as YAML and JSON."""
