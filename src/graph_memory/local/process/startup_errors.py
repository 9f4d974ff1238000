"""Why a local Neo4j did not come up, read from what it wrote."""

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


def ended(place: Home) -> GraphError:
    """Give the error for a server whose process ended while it started."""
    lines = tail(place.console_log, _LINES)
    causes = [match[1] for line in lines if (match := _CAUSE.search(line))]
    return _did_not_start(place, (causes or lines or ["it wrote nothing"])[-1])


def crashed(place: Home, run: Run) -> bool:
    """Tell whether Java itself broke down in that run, and not what it ran."""
    return (place.console_log.parent / f"hs_err_pid{run.pid}.log").is_file()


def slow(place: Home, settings: Settings) -> GraphError:
    """Give the error for a server that is still at it when `start_timeout` is over."""
    return _error(place, Code.STARTING, f"Neo4j is still starting after {settings.start_timeout:.0f} s")


def hung(place: Home, since: float) -> GraphError | None:
    """Give the error for a server that failed but does not end, which Neo4j does when its system database is broken.

    Only what it wrote after `since`, in seconds since the epoch, counts. None when it may still come up.
    """
    began = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%d %H:%M:%S")
    for line in reversed(tail(place.debug_log, _LINES)):
        entry = _entry(line)
        if entry.get("time", "") >= began and entry.get("message", "").startswith(_FATAL):
            reason = _CAUSE.findall(entry.get("stacktrace", "")) or [entry["message"]]
            return _did_not_start(place, reason[-1])
    return None


def _entry(line: str) -> dict[str, str]:
    result = read_json(line, dict[str, object]) or {}
    return {name: value for name, value in result.items() if isinstance(value, str)}


def without_home(place: Home, reason: str) -> str:
    """Give a reason of Neo4j's as it may be told to anybody: without the folder of the home."""
    return reason.replace(str(place.root.parent), "the home folder")


def _did_not_start(place: Home, reason: str) -> GraphError:
    return _error(place, Code.STORE_UNAVAILABLE, f"Neo4j did not start: {without_home(place, reason)}")


def _error(place: Home, code: Code, message: str) -> GraphError:
    hint = Hint("{graph-memory neo4j logs} shows what Neo4j wrote, {graph-memory doctor} checks what it needs.")
    return GraphError(code, message, {"hint": hint}, path=place.console_log)
