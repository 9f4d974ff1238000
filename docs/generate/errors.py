"""The page of error codes."""

from __future__ import annotations

from graph_memory.cli.errors import EXIT_STATUS
from graph_memory.model.errors import Code

from .tables import Lines, code, sentences, table, text

ERRORS = """
Every error has one of these codes. Over MCP, an error contains `{code, message, details}`, and `details.hint` says what
to do next. In Python, a `GraphError` has the same three attributes. The column `exit` shows the exit status of the
command line. There are other exit statuses: `verify` and `rebuild` exit with 1 if differences are left, `doctor` exits
with 1 if a check fails, and `neo4j status` exits with 3 if the local Neo4j is stopped. For symptoms and their remedies,
see [Troubleshooting](../guides/troubleshooting.md).
"""


def errors_page() -> Lines:
    """Yield the page of error codes, each with its sentence."""
    meanings = sentences(Code)
    rows = ((code(name), str(EXIT_STATUS[name]), meanings[name]) for name in Code)
    yield from text("Error codes", ERRORS)
    yield from table(("code", "exit", "meaning"), rows)
