"""The kinds of subjects that events change, such as nodes and connections, and their states."""
