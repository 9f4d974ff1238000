"""The page of error codes."""

from __future__ import annotations

from graph_memory.cli.errors import EXIT_STATUS
from graph_memory.model.errors import Code

from .tables import Lines, code, sentences, table, text

ERRORS = """
Every error has one of these codes. A tool error has `{code, message, details}`, and `details.hint` says what to do
next. In Python it is `GraphError` with the same three. The number is the exit status of the command line. In addition,
`verify` and `rebuild` exit with 1 if differences are left, `doctor` if a check fails, and `neo4j status` with 3 if the
local Neo4j is stopped. [Troubleshooting](../guides/troubleshooting.md) lists symptoms with their remedies.
"""


def errors_page() -> Lines:
    """Yield the page of error codes, each with its sentence."""
    meanings = sentences(Code)
    rows = ((code(name), str(EXIT_STATUS[name]), meanings[name]) for name in Code)
    yield from text("Error codes", ERRORS)
    yield from table(("code", "exit", "meaning"), rows)
