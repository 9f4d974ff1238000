"""The page of error codes."""

from __future__ import annotations

from graph_memory.cli.errors import EXIT_STATUS
from graph_memory.model.errors import Code

from .tables import Lines, code, sentences, table, text

ERRORS = """
Every failure is one of these. A tool error carries `{code, message, details}`; `details.hint` says what to do next. In
Python it is `GraphError` with the same three. The number is the exit status of the command line. Besides, `verify`
and `rebuild` exit with 1 when differences are left, `doctor` when a check failed, and `neo4j status` with 3 when the
local Neo4j is stopped. [Troubleshooting](../guides/troubleshooting.md) goes from what you see to what helps.
"""


def errors_page() -> Lines:
    """Give the page of error codes; every code has its sentence."""
    meanings = sentences(Code)
    rows = ((code(name), str(EXIT_STATUS[name]), meanings[name]) for name in Code)
    yield from text("Error codes", ERRORS)
    yield from table(("code", "exit", "meaning"), rows)
