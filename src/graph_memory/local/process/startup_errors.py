"""Builds the errors for a local Neo4j that did not start, with the reason from its logs."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from graph_memory.local.home.home import HomeFolder, Run
from graph_memory.local.home.notes import read_json, read_last_lines
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.settings import Settings

_FATAL = "Failed to start DatabaseId"
_CAUSE = re.compile(r"Caused by: [\w.$]*?(?:Exception|Error): (.*)")
_MAX_LOG_LINES = 200


def exit_error(home: HomeFolder) -> GraphError:
    """Return the STORE_UNAVAILABLE error for a server whose process ended during its start."""
    lines = read_last_lines(home.console_log, _MAX_LOG_LINES)
    causes = [match[1] for line in lines if (match := _CAUSE.search(line))]
    return _start_failure(home, (causes or lines or ["it wrote nothing"])[-1])


def has_crashed(home: HomeFolder, run: Run) -> bool:
    """Return whether the JVM itself crashed in this run and left a crash report with the pid."""
    return (home.console_log.parent / f"hs_err_pid{run.pid}.log").is_file()


def timeout_error(home: HomeFolder, settings: Settings) -> GraphError:
    """Return the STARTING error for a server that has not answered within `start_timeout` seconds."""
    return _startup_error(home, Code.STARTING, f"Neo4j is still starting after {settings.start_timeout:.0f} s")


def hang_error(home: HomeFolder, since: float) -> GraphError | None:
    """Return the error for a server that still runs although a database failed to start, or None.

    Neo4j keeps running if its system database is damaged. Log entries before `since`, in seconds since the epoch, are
    ignored.
    """
    start = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%d %H:%M:%S")
    for line in reversed(read_last_lines(home.debug_log, _MAX_LOG_LINES)):
        data = read_json(line, dict[str, object]) or {}
        entry = {name: value for name, value in data.items() if isinstance(value, str)}
        if entry.get("time", "") >= start and entry.get("message", "").startswith(_FATAL):
            reason = _CAUSE.findall(entry.get("stacktrace", "")) or [entry["message"]]
            return _start_failure(home, reason[-1])
    return None


def without_home(home: HomeFolder, reason: str) -> str:
    """Return the reason without the home folder's path, because messages must not contain it."""
    return reason.replace(str(home.root.parent), "the home folder")


def _start_failure(home: HomeFolder, reason: str) -> GraphError:
    return _startup_error(home, Code.STORE_UNAVAILABLE, f"Neo4j did not start: {without_home(home, reason)}")


def _startup_error(home: HomeFolder, code: Code, message: str) -> GraphError:
    hint = Hint(
        "Read its messages with {graph-memory neo4j logs}, and check its requirements with {graph-memory doctor}."
    )
    return GraphError(code, message, {"hint": hint}, path=home.console_log)
