"""Writing of a Cypher script that creates a graph in Neo4j 5 or newer. Texts in it are literals, never code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

from graph_memory.memory.transfer.formats.records import NodeRecord, Record
from graph_memory.memory.transfer.formats.shape import unsupported_value
from graph_memory.model.values.properties import PropertyValue

LABEL = "_Exported"
"""The label of all nodes, with which the script finds the ends of connections."""
MAX_ROWS = 500
"""Maximum number of rows of a statement."""
MAX_CHARACTERS = 1_000_000
"""Approximate maximum number of characters of a statement."""
_HEAD = f"""\
// A graph, written by graph-memory. Run it in an empty Neo4j: cypher-shell --file FILE.cypher
CREATE CONSTRAINT exported_id IF NOT EXISTS FOR (n:{LABEL}) REQUIRE n._id IS UNIQUE;
"""
_SPECIAL = re.compile(r"""\\u|[\x00-\x1f"\\\x7f]""")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\u": '\\\\" + "u'}
"""Escapes of characters. No backslash stays before a `u`: Neo4j would read a Unicode escape."""
_Value = PropertyValue | Sequence[str] | Mapping[str, "_Value"]


@dataclass(slots=True)
class _Rows:
    """The rows that the script's next statement will create."""

    rows: list[str] = field(default_factory=list[str])
    size: int = 0

    def add(self, row: str) -> bool:
        """Add a row. Return whether the statement is full."""
        self.rows.append(row)
        self.size += len(row)
        return len(self.rows) == MAX_ROWS or self.size >= MAX_CHARACTERS


def write_cypher(records: Callable[[], Iterable[Record]], stream: IO[bytes]) -> None:
    """Write records, nodes first. Raises INVALID_ARGUMENT for a name that cannot be written."""
    stream.write(_HEAD.encode())
    for statement in _statements(records()):
        stream.write(statement.encode())


def _statements(records: Iterable[Record]) -> Iterator[str]:
    waiting: dict[tuple[bool, str], _Rows] = {}
    for record in records:
        _check_names(record)
        is_node = isinstance(record, NodeRecord)
        if not is_node and any(of_nodes for of_nodes, _ in waiting):
            yield from _flush(waiting)
        kind = (is_node, record.labels[0] if isinstance(record, NodeRecord) else record.type)
        if waiting.setdefault(kind, _Rows()).add(_row(record)):
            yield _statement(kind, waiting.pop(kind).rows)
    yield from _flush(waiting)


def _flush(waiting: dict[tuple[bool, str], _Rows]) -> Iterator[str]:
    for kind, rows in waiting.items():
        yield _statement(kind, rows.rows)
    waiting.clear()


def _statement(kind: tuple[bool, str], rows: Sequence[str]) -> str:
    is_node, name = kind
    unwind = "UNWIND [\n" + ",\n".join(rows) + "\n] AS row\n"
    if is_node:
        return f"{unwind}CREATE (n:{LABEL}:{_quoted_name(name)})\nSET n = row;\n"
    ends = f"MATCH (a:{LABEL} {{_id: row.source}})\nMATCH (b:{LABEL} {{_id: row.target}})\n"
    return f"{unwind}{ends}CREATE (a)-[r:{_quoted_name(name)}]->(b)\nSET r = row.properties;\n"


def _row(record: Record) -> str:
    reserved: dict[str, _Value | None] = {
        "_content": record.content,
        "_valid_from": record.valid_from,
        "_valid_to": record.valid_to,
    }
    if isinstance(record, NodeRecord):
        reserved |= {"_id": str(record.key), "_tags": list(record.tags) or None, **record.reserved_fields}
        reserved |= {"_format": record.format, "_encoding": record.encoding}
        return _literal({**record.properties, **_present(reserved)})
    properties = {
        **record.properties,
        **_present({"_id": record.id, **reserved}),
        **record.numbers(),
        **record.reserved_provenance,
    }
    return _literal({"source": str(record.start), "target": str(record.end), "properties": properties})


def _present(values: Mapping[str, _Value | None]) -> dict[str, _Value]:
    return {name: value for name, value in values.items() if value is not None}


def _literal(value: _Value) -> str:
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
            return f'"{_SPECIAL.sub(_escape, value)}"'
        case Mapping():
            return "{" + ", ".join(f"{_quoted_name(name)}: {_literal(item)}" for name, item in value.items()) + "}"
        case _:
            return "[" + ", ".join(map(_literal, value)) + "]"


def _escape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04x}"


def _check_names(record: Record) -> None:
    """Raise INVALID_ARGUMENT if Cypher would read a Unicode escape in a name."""
    kind = record.labels[0] if isinstance(record, NodeRecord) else record.type
    for name in (kind, *record.properties):
        if "\\u" in name:
            raise unsupported_value(record, "Cypher", f"{name} has a backslash before a u")


def _quoted_name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
