"""Starts and manages a local Neo4j server. No other program needs to be installed."""

from graph_memory.local.aot.fast_start import BEING_CREATED, FastStart, fast_start
from graph_memory.local.server.server import (
    LocalServer,
    State,
    Status,
    console_log,
    ensure_running,
    password_file,
    status,
    stop,
)
from graph_memory.progress import Progress

__all__ = [
    "BEING_CREATED",
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
