"""Errors for a local Neo4j that did not start. They give the reason found in its logs."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from graph_memory.local.home.home import Home, Run
from graph_memory.local.home.notes import read_json, tail
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.settings import Settings

_FATAL = "Failed to start DatabaseId"
_CAUSE = re.compile(r"Caused by: [\w.$]*?(?:Exception|Error): (.*)")
_LINES = 200


def exit_error(home: Home) -> GraphError:
    """Return the error for a server whose process ended while it started."""
    lines = tail(home.console_log, _LINES)
    causes = [match[1] for line in lines if (match := _CAUSE.search(line))]
    return _did_not_start(home, (causes or lines or ["it wrote nothing"])[-1])


def has_crashed(home: Home, run: Run) -> bool:
    """Return whether Java itself crashed in the run."""
    return (home.console_log.parent / f"hs_err_pid{run.pid}.log").is_file()


def timeout_error(home: Home, settings: Settings) -> GraphError:
    """Return the error for a server that is still starting after `start_timeout` seconds."""
    return _error(home, Code.STARTING, f"Neo4j is still starting after {settings.start_timeout:.0f} s")


def hang_error(home: Home, since: float) -> GraphError | None:
    """Return the error for a server that failed but still runs, as Neo4j does if its system database is damaged.

    Only log entries after `since` (seconds since the epoch) count. Returns None if the server may still start.
    """
    start = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%d %H:%M:%S")
    for line in reversed(tail(home.debug_log, _LINES)):
        entry = _entry(line)
        if entry.get("time", "") >= start and entry.get("message", "").startswith(_FATAL):
            reason = _CAUSE.findall(entry.get("stacktrace", "")) or [entry["message"]]
            return _did_not_start(home, reason[-1])
    return None


def _entry(line: str) -> dict[str, str]:
    result = read_json(line, dict[str, object]) or {}
    return {name: value for name, value in result.items() if isinstance(value, str)}


def without_home(home: Home, reason: str) -> str:
    """Return the reason without the path of the home, because messages must not contain it."""
    return reason.replace(str(home.root.parent), "the home folder")


def _did_not_start(home: Home, reason: str) -> GraphError:
    return _error(home, Code.STORE_UNAVAILABLE, f"Neo4j did not start: {without_home(home, reason)}")


def _error(home: Home, code: Code, message: str) -> GraphError:
    hint = Hint("{graph-memory neo4j logs} shows Neo4j's messages, {graph-memory doctor} checks its requirements.")
    return GraphError(code, message, {"hint": hint}, path=home.console_log)
