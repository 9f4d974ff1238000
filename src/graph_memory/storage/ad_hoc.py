"""Checks callers' Cypher statements: they may only read, and only from the graph.

A statement is checked three times: by its words, by Neo4j's plan for it, and by Neo4j, which runs it in a transaction
that cannot write (docs/decisions/0038).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString, cast

import anyio
from neo4j import AsyncSession, AsyncTransaction, ResultSummary
from neo4j.exceptions import Neo4jError

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.visible import escape_invisible
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.fields import check_json
from graph_memory.storage.driver_errors import LOST, unavailable_error
from graph_memory.storage.driver_values import to_json_value
from graph_memory.storage.queries import check_text
from graph_memory.storage.statement_rights import check_ad_hoc
from graph_memory.storage.store import Store

SECONDS = 10.0
"""A statement's time limit in seconds."""
MAX_LENGTH = 10_000
"""Maximum number of characters of a statement."""
_MAX_MESSAGE = 500
_EXPECTED = re.compile(r": expected .{80,}(?= \(line)")
"""Matches a long list of expected words in an error message of Neo4j."""
_SILENCE_SECONDS = 3.0
"""Maximum time in seconds after the time limit for Neo4j to report that it has stopped the statement."""
_AUTHOR_ERROR_CODES = (
    "Neo.ClientError.Statement.",
    "Neo.ClientError.Schema.",
    "Neo.DatabaseError.Statement.",
    "Neo.TransientError.General.MemoryPoolOutOfMemoryError",
    "Neo.TransientError.General.TransactionOutOfMemoryError",
)
"""Prefixes of error codes for errors that a statement's author can correct."""

_STRINGS_AND_COMMENTS = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|//[^\n\r]*|/\*.*?\*/", re.DOTALL)
"""Matches a string or a comment in Cypher."""
_TOKEN = re.compile(rf"(?P<skipped>{_STRINGS_AND_COMMENTS.pattern})|`(?P<quoted>(?:[^`]|``)*)`|(?P<other>.)", re.DOTALL)
_FUNCTION = re.compile(r"\b(\w+)(?:\s*\.\s*\w+)+\s*\(")
"""Matches a call of a function in a namespace, such as a plugin's function."""
_USE_CLAUSE = re.compile(r"(?<![\w.:$])(?<!\bAS )USE(?: \w| ?\()", re.IGNORECASE)
_UNLIMITED_FUNCTIONS = re.compile(r"(?<![\w.:$])(?:reduce|(?<!\bUNWIND )range) ?\(", re.IGNORECASE)
"""Matches calls of functions whose time or memory use Neo4j does not limit."""
_NOT_WORD = re.compile(r"\W")
_NAMESPACES = frozenset({"date", "datetime", "duration", "localdatetime", "localtime", "point", "time", "vector"})
"""The allowed namespaces. Their functions only compute a value."""
_READING_OPERATORS = re.compile(
    r"(?:Partitioned)?(?:"
    r"\w*(?:Scan|Seek|SeekByRange|CountFromCountStore|HashJoin|SemiApply|Aggregation|ShortestPath|Lookup)"
    r"|(?:Optional|VarLength|Pruning|BFSPruning)?Expand|VarLengthExpand|(?:Bidirectional)?Repeat|StatefulShortestPath"
    r"|AssertSameNode|AssertSameRelationship|Anti|Apply|Argument|ArgumentTracker|CacheProperties|CartesianProduct"
    r"|ConditionalApply|AntiConditionalApply|Distinct|OrderedDistinct|Eager|EmptyRow|ExhaustiveLimit|Filter|Limit"
    r"|NullifyMetadata|Optional|OrderedUnion|PartialSort|PartialTop|ProduceResults|ProjectEndpoints|Projection"
    r"|RemoteBatchProperties|RollUpApply|Skip|Sort|Top|Top1WithTies|Triadic\w+|Union|Unwind|ValueHashJoin"
    r")(?:\(\w+\))?"
)
"""Matches the names of plan operators that only read the graph. Statements with other operators are rejected."""


@dataclass(frozen=True, slots=True)
class AdHocRows:
    """The result of a caller's statement: column names, rows of JSON values, and whether there are more rows."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    has_more: bool


async def read_ad_hoc(store: Store, statement: str, params: Mapping[str, object], limit: int) -> AdHocRows:
    """Run a caller's statement that only reads the graph, and return at most `limit` rows.

    Raises INVALID_ARGUMENT if the statement may do more than read or Neo4j rejects it, TIMEOUT after the time limit,
    and INSUFFICIENT_RIGHTS if the caller may not administer all domains.
    """
    check_ad_hoc()
    check_words(statement)
    values = cast("dict[str, object]", check_json("parameters", params))
    check_text({"statement": statement, "parameters": json.dumps(values, ensure_ascii=False)})
    text = cast("LiteralString", statement)

    async def read(session: AsyncSession) -> AdHocRows:
        async with await session.begin_transaction({"app": "graph-memory", "query": "ad hoc"}, SECONDS) as inner:
            return await _run_once(inner, text, values, limit)

    try:
        return await store.read_in_session(SECONDS, read, rows_at_once=limit + 1)
    except GraphError as error:
        if isinstance(cause := error.__cause__, Neo4jError) and (cause.code or "").startswith(_AUTHOR_ERROR_CODES):
            raise syntax_error(cause) from cause
        raise


async def _run_once(inner: AsyncTransaction, text: LiteralString, values: dict[str, object], limit: int) -> AdHocRows:
    """Check a statement's plan, and run it. Failures are not retried, because the statement may cause them."""
    try:
        with anyio.fail_after(SECONDS + _SILENCE_SECONDS):
            check_plan(await (await inner.run(f"EXPLAIN {text}", values)).consume())
            result = await inner.run(text, values)
            records = await result.fetch(limit + 1)
    except TimeoutError as error:
        message = f"Neo4j did not stop the statement after {SECONDS:.0f} s, and may still be running it"
        raise GraphError(Code.TIMEOUT, message, {"hint": "Use shorter lists in its expressions."}) from error
    except LOST as error:
        hint = "Neo4j may have needed too much memory. Use smaller lists and strings in expressions."
        raise unavailable_error("Neo4j was lost while it ran the statement", hint) from error
    rows = [[to_json_value(value) for value in record.values()] for record in records[:limit]]
    return AdHocRows(result.keys(), rows, len(records) > limit)


def check_words(statement: str) -> None:
    """Raise INVALID_ARGUMENT if a statement is too long, or could access other databases, files or networks."""
    if not statement.strip():
        raise _rejection("The statement is empty", "Pass a statement such as MATCH (n:_Node) RETURN n._title LIMIT 10.")
    if len(statement) > MAX_LENGTH:
        raise _rejection(f"The statement has more than {MAX_LENGTH:,} characters", "Pass long values as parameters.")
    if "\\u" in statement.lower():
        raise _rejection(r"The statement has the escape \u", "Write the character itself, or pass it as a parameter.")
    words = " ".join(_words_of(statement).split())
    if _USE_CLAUSE.search(words):
        raise _rejection("USE is not allowed", "Leave it out: a statement reads the database of the memory.")
    if match := _UNLIMITED_FUNCTIONS.search(words):
        name = match[0].rstrip("( ")
        raise _rejection(
            f"{name}() is not allowed here", "Use UNWIND range(…), and aggregates such as sum and collect."
        )
    for match in _FUNCTION.finditer(words):
        if match[1].lower() not in _NAMESPACES:
            name = "".join(match[0].split())
            hint = "Use the clauses and functions of Cypher, without procedures and plugins."
            raise _rejection(f"The call {quote(name + ')')} is not allowed", hint)


def _words_of(statement: str) -> str:
    """Return the statement with strings and comments replaced by spaces, and without backticks around names."""

    def replacement_of(match: re.Match[str]) -> str:
        if match["skipped"] is not None:
            return " '' " if match["skipped"][0] in "'\"" else " "
        return match["other"] if match["quoted"] is None else f" {_NOT_WORD.sub('_', match['quoted'])} "

    return _TOKEN.sub(replacement_of, statement)


def check_plan(summary: ResultSummary) -> None:
    """Raise INVALID_ARGUMENT if a statement's plan does more than read the graph."""
    if summary.query_type != "r":
        raise _rejection(
            "The statement writes", "Use the tools that change nodes and connections: they record changes in the log."
        )
    for name in _operator_names(cast("Mapping[str, Any]", summary.plan or {})):
        if not _READING_OPERATORS.fullmatch(name):
            hint = "Use MATCH, UNWIND, WITH, UNION, CALL { … } and RETURN; no procedures, LOAD CSV or SHOW."
            raise _rejection(f"The statement needs {quote(name)}, which is not allowed", hint)


def _operator_names(plan: Mapping[str, Any]) -> Iterator[str]:
    yield str(plan.get("operatorType", "")).partition("@")[0]
    for child in plan.get("children", ()):
        yield from _operator_names(child)


def syntax_error(error: Neo4jError) -> GraphError:
    """Return the error for a statement that Neo4j rejects, with Neo4j's message."""
    message = _EXPECTED.sub("", (error.message or "").split("\n", 1)[0])
    message = escape_invisible(message[:_MAX_MESSAGE])
    return _rejection(
        f"Neo4j rejected the statement: {message}" if message else "Neo4j rejected the statement",
        Hint("Correct the statement.", " Use {get_schema} to see the labels, types and properties."),
    )


def _rejection(message: str, hint: str) -> GraphError:
    return invalid_argument("statement", message, hint)
