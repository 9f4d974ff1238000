"""A domain as a folder: what is in it now, as files that people and other programs read. It holds no log.

`_system/registry.json` lists nodes and connections, `_system/ontology.yaml` the types, and `_content/` holds a file for
each content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import cast

from graph_memory.model.arguments import check_new_id
from graph_memory.model.content import ContentRef
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology import Ontology
from graph_memory.model.properties import PropertyValue, check_properties
from graph_memory.model.results import rfc3339
from graph_memory.model.subjects import ConnectionState, NodeState
from graph_memory.model.wording import shown

REGISTRY = "_system/registry.json"
ONTOLOGY = "_system/ontology.yaml"
_EXTENSIONS = {"markdown": "md", "text": "txt", "plain": "txt", "jpeg": "jpg"}
_PLAIN = re.compile(r"[a-z0-9]{1,10}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A node or connection as the registry has it; a connection has ends."""

    id: str
    type: str
    ends: tuple[str, str] | None
    properties: Mapping[str, PropertyValue]
    file: str | None
    format: str
    encoding: str
    tags: tuple[str, ...]
    path: str | None
    valid_from: datetime | None = None
    valid_to: datetime | None = None


class Paths:
    """Gives each content a file of its own, also where `Foo.md` and `foo.md` are one: the later gets a number."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, kind: str, subject: str, ref: ContentRef) -> str:
        """Return where the content of a node or connection is kept."""
        known = ref.format if _PLAIN.fullmatch(ref.format) else ("txt" if ref.is_text else "bin")
        name, ending = f"_content/{kind}/{subject.replace(':', '%3A')}", _EXTENSIONS.get(ref.format, known)
        path, number = f"{name}.{ending}", 1
        while path.lower() in self._taken:
            number += 1
            path = f"{name}~{number}.{ending}"
        self._taken.add(path.lower())
        return path


def node_entry(node: NodeState, content: str) -> dict[str, object]:
    """Return a node as the registry has it, with its content in the file `content`."""
    own: dict[str, object] = {"id": node.id, "type": node.type, **_dated(node), "properties": dict(node.properties)}
    own["content"] = _content(content, node.content)
    return own | ({"tags": list(node.tags)} if node.tags else {}) | ({"path": node.path} if node.path else {})


def connection_entry(connection: ConnectionState, content: str) -> dict[str, object]:
    """Return a connection as the registry has it, with its content, if it has any, in the file `content`."""
    own: dict[str, object] = {"id": connection.id, "type": connection.type}
    own |= {"from": connection.from_node_id, "to": connection.to_node_id, **_dated(connection)}
    own["properties"] = dict(connection.properties)
    return own | ({"content": _content(content, connection.content)} if connection.content else {})


def _dated(subject: NodeState | ConnectionState) -> dict[str, object]:
    bounds = {"valid_from": subject.validity.valid_from, "valid_to": subject.validity.valid_to}
    held = {name: rfc3339(bound) for name, bound in bounds.items() if bound is not None}
    return {"created": rfc3339(subject.created), "modified": rfc3339(subject.modified), **held}


def _content(path: str, ref: ContentRef) -> dict[str, object]:
    told: dict[str, object] = {"path": path, "format": ref.format, "size": ref.size}
    return told if ref.is_text else {**told, "encoding": ref.encoding}


def entries_of(registry: object, ontology: Ontology) -> tuple[list[Entry], list[Entry]]:
    """Return the nodes and the connections of a registry, each checked against the ontology.

    Raises INVALID_ARCHIVE, naming what is at fault.
    """
    nodes = [_read(at, ontology) for at in _all(registry, "nodes")]
    types = {node.id: node.type for node in nodes}
    connections = [_read(at, ontology, types) for at in _all(registry, "connections")]
    return nodes, connections


def _all(registry: object, kind: str) -> list[tuple[str, Mapping[str, object]]]:
    found = cast("Mapping[str, object]", registry).get(kind, {}) if isinstance(registry, dict) else None
    if not isinstance(found, dict):
        raise wrong(REGISTRY, f"has no object {kind}")
    return [(subject, _object(subject, value)) for subject, value in cast("Mapping[str, object]", found).items()]


def _object(subject: str, value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise wrong(subject, "is not an object")
    return cast("Mapping[str, object]", value)


def _read(at: tuple[str, Mapping[str, object]], ontology: Ontology, types: Mapping[str, str] | None = None) -> Entry:
    subject, value = at
    content = _object(subject, value.get("content") or {})
    ends = None if types is None else (_text(at, value, "from"), _text(at, value, "to"))
    file = _file(at, content) if content else None
    if types is None and file is None:
        raise wrong(subject, "has no content")
    tags = value.get("tags", [])
    if not isinstance(tags, list):
        raise wrong(subject, "has tags that are no list")
    entry = Entry(
        id=subject,
        type=_text(at, value, "type"),
        ends=ends,
        properties=cast("Mapping[str, PropertyValue]", _object(subject, value.get("properties", {}))),
        file=file,
        format=_text(at, content, "format", "markdown"),
        encoding=_text(at, content, "encoding", "utf-8"),
        tags=tuple(cast("list[str]", tags)),
        path=_text(at, value, "path") if "path" in value else None,
        valid_from=_time(at, value, "valid_from"),
        valid_to=_time(at, value, "valid_to"),
    )
    if entry.valid_from and entry.valid_to and entry.valid_to <= entry.valid_from:
        raise wrong(subject, "holds until valid_to, which is not after its valid_from")
    try:
        _check(entry, ontology, types or {})
    except GraphError as error:
        raise wrong(subject, f"breaks a rule: {error.message}") from error
    return entry


def _check(entry: Entry, ontology: Ontology, types: Mapping[str, str]) -> None:
    check_new_id("id", entry.id)
    properties = check_properties(entry.properties)
    if entry.ends is None:
        return ontology.check_node(entry.type, properties)
    for end in entry.ends:
        if end not in types:
            raise GraphError(Code.NODE_NOT_FOUND, f"there is no node {shown(end)}")
    ontology.connection_type(entry.type)
    ontology.check_topology(entry.type, types[entry.ends[0]], types[entry.ends[1]])
    return ontology.check_connection(entry.type, properties)


def _text(at: tuple[str, object], value: Mapping[str, object], name: str, default: str | None = None) -> str:
    found = value.get(name, default)
    if not isinstance(found, str):
        raise wrong(at[0], f"has no text {name}")
    return found


def _time(at: tuple[str, object], value: Mapping[str, object], name: str) -> datetime | None:
    """Return a bound of when it holds, in UTC unless it says otherwise."""
    if name not in value:
        return None
    try:
        found = datetime.fromisoformat(_text(at, value, name))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise wrong(at[0], f"has no time as {name}") from error


def _file(at: tuple[str, object], content: Mapping[str, object]) -> str:
    """Return where content is, which must be within the folder."""
    path = _text(at, content, "path")
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or "\\" in path or ":" in path:
        raise wrong(at[0], f"has its content outside of the folder: {shown(path)}")
    return path


def wrong(what: str, fault: str) -> GraphError:
    """Return the error for a folder that cannot be imported."""
    hint = f"Correct it in {REGISTRY}, or export the folder again."
    return GraphError(Code.INVALID_ARCHIVE, f"{shown(what)} {fault}", {"subject": what[:200], "hint": hint})
