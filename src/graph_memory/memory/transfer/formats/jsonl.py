"""JSON Lines with a node or connection per line: `{"node": {…}}`, `{"connection": {…}}`, or in APOC's format."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Annotated, Literal, TypeVar, cast

from pydantic import Field, StringConstraints

from graph_memory.memory.transfer.formats.files import Lines, open_source
from graph_memory.memory.transfer.formats.records import (
    ConnectionRecord,
    InvalidSourceValue,
    Item,
    Items,
    Key,
    NodeRecord,
    Record,
    SourceOptions,
    SourcePosition,
    UnreadableSource,
)
from graph_memory.memory.transfer.formats.values import from_json
from graph_memory.memory.transfer.values import FileModel, InvalidEvent, read
from graph_memory.model.errors import GraphError, Hint
from graph_memory.model.values.fields import STORED, check_metadata
from graph_memory.model.values.plain import NotJson, parse_json_strictly
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.strength import PROVENANCE_KEYS

_M = TypeVar("_M", bound=FileModel)
_Text = Annotated[str, StringConstraints(min_length=1)]
_Properties = Annotated[dict[str, object], Field(default_factory=dict[str, object])]
_HINT = 'Write {"node": {"id": "1", "type": "Person"}} or {"connection": {"type": "KNOWS", "from": "1", "to": "2"}}.'
_LOG_HINT = Hint("Import it with {graph-memory import}.")


class _Node(FileModel):
    id: _Text
    type: _Text | None = None
    labels: list[_Text] | None = None
    properties: _Properties
    content: str | None = None
    format: str | None = None
    encoding: str | None = None
    tags: list[str] | None = None
    path: str | None = None
    namespace: str | None = None
    title: str | None = None
    content_summary: str | None = None
    metadata: dict[str, object] | None = None
    valid_from: str | None = None
    valid_to: str | None = None


class _Connection(FileModel):
    id: _Text | None = None
    type: _Text | None = None
    from_: Annotated[_Text, Field(alias="from")]
    to: _Text
    properties: _Properties
    strength: dict[str, object] | float | None = None
    importance: float | None = None
    creation_method: str | None = None
    created_by: str | None = None
    evidence: str | None = None
    content: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None


class _ApocEnd(FileModel):
    id: _Text
    labels: list[_Text] | None = None
    properties: _Properties


class _ApocNode(_ApocEnd):
    type: Literal["node"]


class _ApocRelationship(FileModel):
    type: Literal["relationship"]
    id: _Text | None = None
    label: _Text
    start: _ApocEnd
    end: _ApocEnd
    properties: _Properties


def read_jsonl(path: Path, options: SourceOptions) -> Items:
    """Yield the nodes, connections and rejected records of a file of JSON Lines. Raises UnreadableSource."""
    with open_source(path) as stream:
        lines = Lines(stream, path.name)
        for line in lines:
            if line.strip():
                yield _read_item(line, lines.place, options)


def _read_item(line: bytes, place: SourcePosition, options: SourceOptions) -> Item:
    try:
        return _record(_parse_object(line, place), place, options)
    except InvalidSourceValue as error:
        return error.at(place)


def _parse_object(line: bytes, place: SourcePosition) -> Mapping[str, object]:
    try:
        value = parse_json_strictly(line.rstrip())
    except NotJson as error:
        column = str(error.column) if error.column else None
        raise InvalidSourceValue(f"The line is not valid JSON: {error.problem}", _HINT, column) from error
    if not isinstance(value, dict):
        raise InvalidSourceValue("The line is not an object", _HINT)
    record = cast("Mapping[str, object]", value)
    if record.get("format") == "graph-memory log":
        raise UnreadableSource(place, "This is an export of a domain with its log", _LOG_HINT)
    return record


def _record(record: Mapping[str, object], place: SourcePosition, options: SourceOptions) -> Record:
    if set(record) == {"node"}:
        return _node(_validate(_Node, record["node"], "node"), place, options)
    if set(record) == {"connection"}:
        return _connection(_validate(_Connection, record["connection"], "connection"), place, options)
    if record.get("type") == "node":
        node = _validate(_ApocNode, record, "")
        return _node(_Node(id=node.id, labels=node.labels, properties=node.properties), place, options)
    if record.get("type") == "relationship":
        relationship = _validate(_ApocRelationship, record, "")
        return ConnectionRecord(
            place=place,
            type=relationship.label,
            start=Key(relationship.start.id),
            end=Key(relationship.end.id),
            id=relationship.id,
            properties=_properties(relationship.properties, options),
        )
    raise InvalidSourceValue("The line is neither a node nor a connection", _HINT)


def _validate(model: type[_M], value: object, column: str) -> _M:
    if not isinstance(value, dict):
        raise InvalidSourceValue(f"{column} must be an object", _HINT, column)
    try:
        return read(model, cast("Mapping[str, object]", value))
    except InvalidEvent as error:
        raise InvalidSourceValue(f"The {column or 'line'} {error}", _HINT, column or None) from error


def _node(node: _Node, place: SourcePosition, options: SourceOptions) -> NodeRecord:
    labels = tuple(node.labels or ()) if node.type is None else (node.type, *(node.labels or ()))
    labels = tuple(dict.fromkeys(labels)) or ((options.node_type,) if options.node_type else ())
    if not labels:
        raise InvalidSourceValue("The node has no type", "Add one, or use --node-type.", "type")
    return NodeRecord(
        place=place,
        key=Key(node.id),
        labels=labels,
        properties=_properties(node.properties, options),
        content=node.content,
        format=node.format,
        encoding=node.encoding,
        tags=tuple(node.tags or ()),
        fields=_fields(node),
        valid_from=node.valid_from,
        valid_to=node.valid_to,
    )


def _connection(connection: _Connection, place: SourcePosition, options: SourceOptions) -> ConnectionRecord:
    connection_type = connection.type or options.connection_type
    if connection_type is None:
        raise InvalidSourceValue("The connection has no type", "Add one, or use --connection-type.", "type")
    return ConnectionRecord(
        place=place,
        type=connection_type,
        start=Key(connection.from_),
        end=Key(connection.to),
        id=connection.id,
        properties=_properties(connection.properties, options),
        strength=connection.strength,
        importance=connection.importance,
        made={name: getattr(connection, name) for name in PROVENANCE_KEYS if getattr(connection, name) is not None},
        content=connection.content,
        valid_from=connection.valid_from,
        valid_to=connection.valid_to,
    )


def _fields(node: _Node) -> dict[str, str]:
    """Return the fields of a node as text. Converts the metadata from an object to JSON text."""
    fields = {name: getattr(node, name) for name in STORED if getattr(node, name) is not None}
    if node.metadata is None:
        return fields
    try:
        return {**fields, "metadata": check_metadata(node.metadata) or "{}"}
    except GraphError as error:
        raise InvalidSourceValue(error.message, error.hint, "metadata") from error


def _properties(json_values: Mapping[str, object], options: SourceOptions) -> dict[str, PropertyValue]:
    values = {name: from_json(value, options, name) for name, value in json_values.items()}
    return {name: value for name, value in values.items() if value is not None}


def write_jsonl(records: Iterable[Record], stream: IO[bytes]) -> None:
    """Write records as JSON Lines, one record per line."""
    for record in records:
        line = (
            {"node": _node_line(record)} if isinstance(record, NodeRecord) else {"connection": _connection_line(record)}
        )
        stream.write(json.dumps(line, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n")


def _node_line(node: NodeRecord) -> dict[str, object]:
    metadata = {"metadata": json.loads(node.fields["metadata"])} if "metadata" in node.fields else {}
    optional = {"format": node.format, "encoding": node.encoding, "tags": list(node.tags), **node.fields, **metadata}
    return {"id": str(node.key), "type": node.labels[0], **_common_fields(node), **_without_empty(optional)}


def _connection_line(connection: ConnectionRecord) -> dict[str, object]:
    ends = {"type": connection.type, "from": str(connection.start), "to": str(connection.end)}
    optional = {"strength": connection.strength, "importance": connection.importance, **connection.made}
    return {**_without_empty({"id": connection.id}), **ends, **_common_fields(connection), **_without_empty(optional)}


def _common_fields(record: Record) -> dict[str, object]:
    optional = {"content": record.content, "valid_from": record.valid_from, "valid_to": record.valid_to}
    return _without_empty({"properties": dict(record.properties)}) | _without_empty(optional)


def _without_empty(values: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None and value not in ([], {})}
