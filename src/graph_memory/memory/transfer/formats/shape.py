"""Helper functions for the writers of all formats: type names of values, and the error for unsupported values."""

from __future__ import annotations

from graph_memory.memory.transfer.formats.records import NodeRecord, Record
from graph_memory.model.errors import GraphError
from graph_memory.model.text.wording import printable
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.properties import PropertyValue


def kind_of_value(value: PropertyValue) -> str:
    """Return the name of a value's type in other formats."""
    match value:
        case bool():
            return "boolean"
        case int():
            return "long"
        case float():
            return "double"
        case _:
            return "string"


def unsupported_value_error(record: Record, format_name: str, reason: str) -> GraphError:
    """Return the error for a node or connection that a format cannot represent."""
    name = f"Node {record.key}" if isinstance(record, NodeRecord) else f"Connection {record.id}"
    return invalid_argument(
        "format",
        f"{format_name} cannot represent {printable(name)}: {printable(reason)}",
        "Export with --format jsonl.",
    )
