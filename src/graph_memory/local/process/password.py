"""The generated password of a local Neo4j, set before its first start."""

from __future__ import annotations

from pathlib import Path

from graph_memory.local.home.home import Home
from graph_memory.local.process.admin import AdminError, run_admin
from graph_memory.local.process.startup_errors import without_home
from graph_memory.model.errors import Code, GraphError, Hint

_PATIENCE = 60.0


def ensure_password(place: Home, java: Path) -> None:
    """Have a password that the server knows or will read at its first start.

    Until the first start it is set anew each time, so that an attempt that broke off anywhere does no harm. The
    command reads it from our file, so that no list of processes shows it.
    """
    if not place.beginning.exists():
        _require_password(place)
        return
    if place.password() is None:
        place.new_password()
    try:
        run_admin(place, java, "dbms", "set-initial-password", f"@{place.password_file}", timeout=_PATIENCE)
    except AdminError as error:
        raise GraphError(
            Code.STORE_UNAVAILABLE,
            f"the first password of the local Neo4j could not be set: {without_home(place, str(error))}",
            {"hint": Hint("{graph-memory doctor} checks Java, the jars and the disk.")},
        ) from error


def _require_password(place: Home) -> None:
    if place.password() is None:
        raise GraphError(
            Code.STORE_UNAVAILABLE,
            "the password of the local Neo4j is missing or cannot be read: `neo4j/run/password` in the home folder",
            {"hint": "Put that file back, or move `neo4j/data` away to start with an empty database."},
            path=place.password_file,
        )
