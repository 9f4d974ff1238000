"""Writes a Cypher script that creates a graph in Neo4j 5 or newer. Texts in it are literals, never code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

from graph_memory.memory.transfer.formats.records import NodeRecord, Record
from graph_memory.memory.transfer.formats.values import unsupported_value_error
from graph_memory.model.values.properties import PropertyValue

LABEL = "_Exported"
"""The label of all nodes. The script uses it to find the endpoints of connections."""
MAX_ROWS = 500
"""Maximum number of rows per statement."""
MAX_CHARACTERS = 1_000_000
"""Approximate maximum number of characters per statement."""
_HEAD = f"""\
// A graph, written by graph-memory. Run it in an empty Neo4j: cypher-shell --file FILE.cypher
CREATE CONSTRAINT exported_id IF NOT EXISTS FOR (n:{LABEL}) REQUIRE n._id IS UNIQUE;
"""
_SPECIAL_CHARACTERS = re.compile(r"""\\u|[\x00-\x1f"\\\x7f]""")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\u": '\\\\" + "u'}
"""Replacements for special characters. No backslash may precede a `u`, since Neo4j would read a Unicode escape."""
_Value = PropertyValue | Sequence[str] | Mapping[str, "_Value"]


@dataclass(slots=True)
class _Rows:
    """Rows of one node or connection type that no statement contains yet."""

    rows: list[str] = field(default_factory=list[str])
    size: int = 0

    def add(self, row: str) -> bool:
        """Add a row. Return whether the statement is full."""
        self.rows.append(row)
        self.size += len(row)
        return len(self.rows) == MAX_ROWS or self.size >= MAX_CHARACTERS


def write_cypher(records: Callable[[], Iterable[Record]], stream: IO[bytes]) -> None:
    """Write a script that creates the nodes, then the connections.

    Raises INVALID_ARGUMENT if a name cannot be written in Cypher.
    """
    stream.write(_HEAD.encode())
    for statement in _render_statements(records()):
        stream.write(statement.encode())


def _render_statements(records: Iterable[Record]) -> Iterator[str]:
    pending_rows: dict[tuple[bool, str], _Rows] = {}
    for record in records:
        _check_names(record)
        is_node = isinstance(record, NodeRecord)
        if not is_node and any(is_for_nodes for is_for_nodes, _ in pending_rows):
            yield from _flush(pending_rows)
        kind = (is_node, record.labels[0] if isinstance(record, NodeRecord) else record.type)
        if pending_rows.setdefault(kind, _Rows()).add(_render_row(record)):
            yield _render_statement(kind, pending_rows.pop(kind).rows)
    yield from _flush(pending_rows)


def _flush(pending_rows: dict[tuple[bool, str], _Rows]) -> Iterator[str]:
    for kind, rows in pending_rows.items():
        yield _render_statement(kind, rows.rows)
    pending_rows.clear()


def _render_statement(kind: tuple[bool, str], rows: Sequence[str]) -> str:
    is_node, name = kind
    unwind = "UNWIND [\n" + ",\n".join(rows) + "\n] AS row\n"
    if is_node:
        return f"{unwind}CREATE (n:{LABEL}:{_quoted_name(name)})\nSET n = row;\n"
    ends = f"MATCH (a:{LABEL} {{_id: row.source}})\nMATCH (b:{LABEL} {{_id: row.target}})\n"
    return f"{unwind}{ends}CREATE (a)-[r:{_quoted_name(name)}]->(b)\nSET r = row.properties;\n"


def _render_row(record: Record) -> str:
    reserved: dict[str, _Value | None] = {
        "_content": record.content,
        "_valid_from": record.valid_from,
        "_valid_to": record.valid_to,
    }
    if isinstance(record, NodeRecord):
        reserved |= {"_id": str(record.key), "_tags": list(record.tags) or None, **record.reserved_fields}
        reserved |= {"_format": record.format, "_encoding": record.encoding}
        return _render_literal({**record.properties, **_without_missing(reserved)})
    properties = {
        **record.properties,
        **_without_missing({"_id": record.id, **reserved}),
        **record.numbers(),
        **record.reserved_provenance,
    }
    return _render_literal({"source": str(record.start), "target": str(record.end), "properties": properties})


def _without_missing(values: Mapping[str, _Value | None]) -> dict[str, _Value]:
    return {name: value for name, value in values.items() if value is not None}


def _render_literal(value: _Value) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int() if value == -(2**63):
            return "(-9223372036854775807 - 1)"  # this number without its sign exceeds Cypher's limit
        case int():
            return str(value)
        case float():
            return repr(value)
        case str():
            escaped = _SPECIAL_CHARACTERS.sub(lambda match: _ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04x}", value)
            return f'"{escaped}"'
        case Mapping():
            return (
                "{" + ", ".join(f"{_quoted_name(name)}: {_render_literal(item)}" for name, item in value.items()) + "}"
            )
        case _:
            return "[" + ", ".join(map(_render_literal, value)) + "]"


def _check_names(record: Record) -> None:
    """Raise INVALID_ARGUMENT if Cypher would read a Unicode escape in a name."""
    kind = record.labels[0] if isinstance(record, NodeRecord) else record.type
    for name in (kind, *record.properties):
        if "\\u" in name:
            raise unsupported_value_error(record, "Cypher", f"{name} contains a backslash before a u")


def _quoted_name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
