"""Sets the generated password of a local Neo4j before its first start."""

from __future__ import annotations

from pathlib import Path

from graph_memory.local.home.home import HomeFolder
from graph_memory.local.process.admin import AdminError, run_admin
from graph_memory.local.process.startup_errors import without_home
from graph_memory.model.errors import Code, GraphError, Hint

_TIMEOUT = 60.0


def ensure_password(home: HomeFolder, java: Path) -> None:
    """Set the initial password before the first start. Later, only check that the password file is readable.

    Until the first start has succeeded, the password is set before each start, in case an attempt was interrupted. The
    command reads it from the password file, so that process lists do not show it. Raises STORE_UNAVAILABLE if the
    password cannot be set or read.
    """
    if not home.first_start_mark.exists():
        if home.password() is None:
            raise GraphError(
                Code.STORE_UNAVAILABLE,
                "The password of the local Neo4j is missing or cannot be read: `neo4j/run/password` in the home folder",
                {"hint": "Put that file back, or move `neo4j/data` away to start with an empty database."},
                path=home.password_file,
            )
        return
    if home.password() is None:
        home.generate_password()
    try:
        run_admin(home, java, "dbms", "set-initial-password", f"@{home.password_file}", timeout=_TIMEOUT)
    except AdminError as error:
        raise GraphError(
            Code.STORE_UNAVAILABLE,
            f"The first password of the local Neo4j could not be set: {without_home(home, str(error))}",
            {"hint": Hint("Check Java, the jars and the disk with {graph-memory doctor}.")},
        ) from error
