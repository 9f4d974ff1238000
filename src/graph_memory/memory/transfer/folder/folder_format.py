"""The folder format of a domain: its current state, without the log, as files for people and other programs.

`_system/registry.json` contains the domain with its nodes, connections, observations and links, and
`_system/ontology.yaml` the types. `_content/` contains a file for each content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Annotated, Literal, TypeVar, cast

from pydantic import AfterValidator, Field

from graph_memory.memory.transfer.folder.folder_entries import DomainEntry, LinkEntry
from graph_memory.memory.transfer.values import FileModel, InvalidEvent, Moment, Size, Word, read
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.protection import Protection, read_protection
from graph_memory.model.subjects.subjects import ConnectionState, NodeState, ObservationState, Validity
from graph_memory.model.text.wording import quote
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.values.arguments import check_tags
from graph_memory.model.values.content import Content, ContentRef, Encoding, content_from
from graph_memory.model.values.fields import NodeFields, check_metadata
from graph_memory.model.values.plain import parse_json_strictly
from graph_memory.model.values.properties import check_properties
from graph_memory.model.values.strength import Provenance, check_fraction, check_strength
from graph_memory.model.values.titles import title_of

REGISTRY = "_system/registry.json"
ONTOLOGY = "_system/ontology.yaml"
_M = TypeVar("_M", bound=FileModel)


def _check_in_folder(path: str) -> str:
    """Return the path of a content file. Raises ValueError if it is outside the folder."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or not path.isprintable() or set(path) & {*"\\:"}:
        raise ValueError("a path inside the folder")
    return path


class _Content(FileModel):
    path: Annotated[str, AfterValidator(_check_in_folder)]
    format: str = "markdown"
    size: Size | None = None
    encoding: str | None = None


def _check_protection(protection: dict[str, object]) -> dict[str, object]:
    try:
        read_protection(protection)
    except ValueError as error:
        raise ValueError(f"a valid protection, but {error}") from error
    return protection


Place = Annotated[int, Field(ge=0, lt=2**53)]


class _StoredEntry(FileModel):
    id: str | None = None
    created: Moment | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    place: Place = 0
    """The subject's position among entities, relations or observations with the same creation time."""

    @property
    def validity(self) -> Validity:
        return Validity(valid_from=self.valid_from, valid_to=self.valid_to)


class _DatedEntry(_StoredEntry):
    type: str
    modified: Moment | None = None
    properties: dict[str, object] = Field(default_factory=dict[str, object])
    protection: Annotated[dict[str, object], AfterValidator(_check_protection)] | None = None

    def times(self, at: datetime) -> tuple[datetime, datetime]:
        """Return the times of creation and of the last change. `at` replaces missing times."""
        created = self.created or self.modified or at
        return created, self.modified or created

    @property
    def protected(self) -> Protection | None:
        return None if self.protection is None else read_protection(self.protection)


class NodeEntry(_DatedEntry):
    """The registry entry of a node."""

    content: _Content
    tags: list[str] = Field(default_factory=list[str])
    path: str | None = None
    namespace: str | None = None
    title: str | None = None
    content_summary: str | None = None
    summary_timestamp: Moment | None = None
    metadata: dict[str, object] | None = None
    entity: str | None = None
    """The original spelling of an entity's type."""
    mentioned: bool = False

    def draft(self, subject: str, content: Content | None, at: datetime) -> Draft:
        """Return the event that creates the node.

        Raises INVALID_PROPERTY for an invalid property, and INVALID_ARGUMENT for an invalid tag.
        """
        created, modified = self.times(at)
        properties = check_properties(self.properties)
        state = NodeState(
            id=subject,
            type=self.type,
            created=created,
            modified=modified,
            title=title_of(self.type, properties, content and content.text),
            content=(content or Content(b"", "utf-8", "markdown")).ref,
            properties=properties,
            tags=check_tags(self.tags),
            fields=self._fields(modified),
            validity=self.validity,
            protection=self.protected,
            entity=self.entity,
            mentioned=self.mentioned,
            place=self.place,
        ).state()
        return Draft(op=Op.CREATE, kind=Kind.NODE, subject=subject, type=self.type, state=state)

    def _fields(self, modified: datetime) -> NodeFields:
        """Return the node's fields. A summary without a time gets the time of the node's last modification."""
        return NodeFields(
            path=self.path,
            namespace=self.namespace,
            title=self.title,
            content_summary=self.content_summary,
            summary_timestamp=None if self.content_summary is None else self.summary_timestamp or modified,
            metadata=check_metadata(self.metadata or {}),
        )


class ConnectionEntry(_DatedEntry):
    """The registry entry of a connection."""

    from_: Annotated[str, Field(alias="from")]
    to: str
    content: _Content | None = None
    strength: dict[str, object] | float | None = None
    importance: float | None = None
    creation_method: Literal["automatic", "inferred"] | None = None
    created_by: Word | None = None
    evidence: Word | None = None
    relation: str | None = None
    """The original spelling of a relation's type, if it differs from the connection type."""

    def draft(self, subject: str, content: Content | None, at: datetime) -> Draft:
        """Return the event that creates the connection.

        Raises INVALID_PROPERTY if a property is invalid, and INVALID_ARGUMENT if the strength or importance is invalid.
        """
        created, modified = self.times(at)
        state = ConnectionState(
            id=subject,
            type=self.type,
            from_node_id=self.from_,
            to_node_id=self.to,
            created=created,
            modified=modified,
            content=content and content.ref,
            properties=check_properties(self.properties),
            validity=self.validity,
            protection=self.protected,
            strength=check_strength(self.strength),
            importance=None if self.importance is None else check_fraction("importance", self.importance),
            provenance=Provenance(
                method=self.creation_method or "manual",
                evidence=self.evidence,
                actor=self.created_by,
            ),
            relation=self.relation,
            place=self.place,
        ).state()
        return Draft(
            op=Op.CREATE,
            kind=Kind.CONNECTION,
            subject=subject,
            type=self.type,
            from_id=self.from_,
            to_id=self.to,
            state=state,
        )


class ObservationEntry(_StoredEntry):
    """The registry entry of an observation."""

    node: str
    text: str
    time: Moment | None = None
    source: str | None = None
    confidence: float | None = None
    supersedes: list[str] = Field(default_factory=list[str])
    asks: list[str] = Field(default_factory=list[str])

    def draft(self, subject: str, at: datetime) -> Draft:
        """Return the event that creates the observation. Raises INVALID_ARGUMENT for an invalid confidence."""
        state = ObservationState(
            text=self.text,
            time=self.time or self.created or at,
            created=self.created or at,
            origin=self.source,
            confidence=None if self.confidence is None else check_fraction("confidence", self.confidence),
            validity=self.validity,
            place=self.place,
            supersedes=tuple(self.supersedes),
            asks=tuple(self.asks),
        ).state()
        return Draft(op=Op.CREATE, kind=Kind.OBSERVATION, subject=subject, from_id=self.node, state=state)


Entry = NodeEntry | ConnectionEntry
_EntryType = TypeVar("_EntryType", NodeEntry, ConnectionEntry, ObservationEntry, LinkEntry)


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of a registry, keyed by id."""

    domain: DomainEntry
    nodes: Mapping[str, NodeEntry]
    connections: Mapping[str, ConnectionEntry]
    observations: Mapping[str, ObservationEntry]
    links: Mapping[str, LinkEntry]

    def __len__(self) -> int:
        return len(self.nodes) + len(self.connections) + len(self.observations) + len(self.links)


class _Registry(FileModel):
    domain: dict[str, object] = Field(default_factory=dict[str, object])
    nodes: dict[str, object] = Field(default_factory=dict[str, object])
    connections: dict[str, object] = Field(default_factory=dict[str, object])
    observations: dict[str, object] = Field(default_factory=dict[str, object])
    links: dict[str, object] = Field(default_factory=dict[str, object])


def node_entry(node: NodeState, content: str) -> dict[str, object]:
    """Return the registry entry of a node with its content in the file `content`."""
    entry: dict[str, object] = {
        "id": node.id,
        "type": node.type,
        **_common_entry(node),
        "properties": dict(node.properties),
    }
    entry["content"] = _content_entry(content, node.content)
    entry |= ({"tags": list(node.tags)} if node.tags else {}) | _fields(node.fields)
    entry |= {} if node.entity is None else {"entity": node.entity}
    return entry | ({"mentioned": True} if node.mentioned else {})


def _fields(fields: NodeFields) -> dict[str, object]:
    at = fields.summary_timestamp
    more = {"metadata": fields.data, "summary_timestamp": rfc3339(at) if at is not None else None}
    return {**fields.non_defaults, **{name: value for name, value in more.items() if value is not None}}


def connection_entry(connection: ConnectionState, content: str) -> dict[str, object]:
    """Return the registry entry of a connection with its content, if it has any, in the file `content`."""
    entry: dict[str, object] = {"id": connection.id, "type": connection.type}
    entry |= {"from": connection.from_node_id, "to": connection.to_node_id, **_common_entry(connection)}
    entry["properties"] = dict(connection.properties)
    entry |= {"strength": connection.strength.to_dict()} if connection.strength.to_dict() else {}
    entry |= {} if connection.importance is None else {"importance": connection.importance}
    entry |= connection.provenance.to_dict()
    entry |= {} if connection.relation is None else {"relation": connection.relation}
    return entry | ({"content": _content_entry(content, connection.content)} if connection.content else {})


def observation_entry(subject: str, node: str, observation: ObservationState) -> dict[str, object]:
    """Return the registry entry of an observation of a node."""
    lists = {"supersedes": list(observation.supersedes), "asks": list(observation.asks)}
    optional = {"source": observation.origin, "confidence": observation.confidence}
    entry: dict[str, object] = {
        "id": subject,
        "node": node,
        "text": observation.text,
        "time": rfc3339(observation.time),
    }
    entry |= _time_entries(created=observation.created) | _validity_entry(observation)
    entry |= {name: value for name, value in optional.items() if value is not None}
    return entry | {name: value for name, value in lists.items() if value}


def _common_entry(subject: NodeState | ConnectionState) -> dict[str, object]:
    protection = {"protection": subject.protection.to_dict()} if subject.protection else {}
    return {
        **_time_entries(created=subject.created, modified=subject.modified),
        **_validity_entry(subject),
        **protection,
    }


def _validity_entry(subject: NodeState | ConnectionState | ObservationState) -> dict[str, object]:
    bounds = _time_entries(valid_from=subject.validity.valid_from, valid_to=subject.validity.valid_to)
    return {**bounds, "place": subject.place} if subject.place else bounds


def _time_entries(**times: datetime | None) -> dict[str, object]:
    return {name: rfc3339(time) for name, time in times.items() if time is not None}


def _content_entry(path: str, ref: ContentRef) -> dict[str, object]:
    entry: dict[str, object] = {"path": path, "format": ref.format, "size": ref.size}
    return entry if ref.is_text else {**entry, "encoding": ref.encoding}


def entries_of(text: str, ontology: Ontology) -> Entries:
    """Return the entries of a registry. Raises INVALID_ARCHIVE with the id of an invalid entry.

    Checks only the structure and types of entries, because the import checks their events like the events of any file.
    """
    registry = _parse_entry(_Registry, REGISTRY, _parse_registry(text))
    nodes = _parse_entries(NodeEntry, registry.nodes)
    connections = _parse_entries(ConnectionEntry, registry.connections)
    observations = _parse_entries(ObservationEntry, registry.observations)
    links = _parse_entries(LinkEntry, registry.links)
    for subject, count in Counter([*nodes, *connections, *observations, *links]).items():
        if count > 1:
            raise folder_error(subject, "is the id of more than one node, connection, observation or link")
    for subject, entry in (*nodes.items(), *connections.items()):
        find = ontology.find_node_type if isinstance(entry, NodeEntry) else ontology.find_connection_type
        if find(entry.type) is None:
            raise folder_error(subject, f"has the type {quote(entry.type)}, which {ONTOLOGY} does not declare")
    return Entries(_parse_entry(DomainEntry, "domain", registry.domain), nodes, connections, observations, links)


def _parse_entries(model: type[_EntryType], values: Mapping[str, object]) -> Mapping[str, _EntryType]:
    entries = {subject: _parse_entry(model, subject, value) for subject, value in values.items()}
    for subject, entry in entries.items():
        if entry.id not in (None, subject):
            raise folder_error(subject, f"has another id, {quote(entry.id)}")
    return entries


def content_from_file(data: bytes, entry: _Content, *, is_text: bool) -> Content:
    """Return the content of a file. If the entry has no encoding, valid UTF-8 becomes text, and other data binary.

    Raises INVALID_ENCODING if the data does not have the encoding, INVALID_ARGUMENT if the format is invalid, and
    InvalidEvent if the registry states another size.
    """
    if entry.size not in (None, len(data)):
        raise InvalidEvent(f"declares content of {entry.size:,} bytes, but {quote(entry.path)} has {len(data):,} bytes")
    return content_from(data, entry.encoding or ("utf-8" if is_text else _encoding_of(data)), entry.format)


def _encoding_of(data: bytes) -> Encoding:
    try:
        data.decode()
    except UnicodeDecodeError:
        return "base64"
    return "utf-8"


def _parse_registry(text: str) -> object:
    try:
        return parse_json_strictly(text.encode())
    except ValueError as error:
        raise folder_error(REGISTRY, f"is not valid JSON: {error}") from error


def _parse_entry(model: type[_M], subject: str, value: object) -> _M:
    if not isinstance(value, dict):
        raise folder_error(subject, "is not an object")
    try:
        return read(model, cast("Mapping[str, object]", value))
    except InvalidEvent as fault:
        raise folder_error(subject, str(fault)) from fault


def folder_error(subject: str, fault: str) -> GraphError:
    """Return the error for a folder that cannot be imported."""
    is_file = subject in (ONTOLOGY, REGISTRY)
    hint = f"Correct {subject if is_file else f'the entry in {REGISTRY}'}, or export the folder again."
    message = f"{subject if is_file else f'Entry {quote(subject)}'} {fault}"
    return GraphError(Code.INVALID_ARCHIVE, message, {"subject": subject[:200], "hint": hint})
