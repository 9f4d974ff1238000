"""What the writers of all formats share: the type of a value, and the error for what a format cannot carry."""

from __future__ import annotations

from graph_memory.memory.transfer.formats.records import NodeRecord, Record
from graph_memory.model.errors import GraphError
from graph_memory.model.text.wording import shown
from graph_memory.model.values.arguments import fault
from graph_memory.model.values.properties import PropertyValue


def kind_of_value(value: PropertyValue) -> str:
    """Return what other formats call the type of a value."""
    match value:
        case bool():
            return "boolean"
        case int():
            return "long"
        case float():
            return "double"
        case _:
            return "string"


def uncarried(record: Record, form: str, why: str) -> GraphError:
    """Return the error for a node or connection that a format cannot carry."""
    name = f"Node {record.key}" if isinstance(record, NodeRecord) else f"Connection {record.id}"
    return fault("format", f"{form} cannot carry {shown(name)}: {shown(why)}", "Export with --format jsonl.")
