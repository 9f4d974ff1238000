"""`python -m graph_memory` is the command `graph-memory`."""

from graph_memory.cli.main import run

run()
