"""A Neo4j of our own: resolved, started, shared between processes and stopped, with nothing installed but Python."""

from graph_memory.local.aot_use import FastStart, fast_start
from graph_memory.local.progress import Progress
from graph_memory.local.server import (
    LocalServer,
    State,
    Status,
    console_log,
    ensure_running,
    password_file,
    status,
    stop,
)

__all__ = [
    "FastStart",
    "LocalServer",
    "Progress",
    "State",
    "Status",
    "console_log",
    "ensure_running",
    "fast_start",
    "password_file",
    "status",
    "stop",
]
