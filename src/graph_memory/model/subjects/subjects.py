"""Subjects of the log (nodes, connections, observations, domains), and their states as maps of native properties.

A state contains all data that an event stores about its subject. Names that begin with `_` are reserved. All other
names are user properties. Events and the live graph can therefore use the same map.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from graph_memory.model.subjects.protection import PROTECTION, Protection, stored_protection
from graph_memory.model.values.content import ContentRef, Encoding
from graph_memory.model.values.fields import NodeFields
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.strength import IMPORTANCE, Provenance, Strength
from graph_memory.model.values.titles import derived_title

MODIFIED = frozenset({"_modified"})
"""The properties that are ignored when two states are compared."""

ENTITY, MENTIONED, RELATION, PLACE, TEXT = "_entity", "_mentioned", "_relation", "_place", "_text"
"""Properties of entities, relations and observations: an entity's type as written, whether an entity is only mentioned,
a relation's type as written, the position among subjects created at the same time, and an observation's text."""
SUMMARY, SUMMARY_KEY = "SessionSummary", "session"
"""The node type of session summaries, and the property with the session's id."""
SOURCE, TOOL = "source", "tool"
"""The property with the source of a node's text, and its value for a tool's output."""
BLOCK = "MemoryBlock"
"""The node type of texts that an agent reads at the start of each session."""
PARENT = "_parent"
"""The property of a domain that contains the name of its parent."""
SUPERSEDES, ASKS = "_supersedes", "_asks"
"""Properties of an observation: the ids of observations that it supersedes, and of observations that it may
supersede."""
ENTITY_NAME, FOLDED, IS_LONG = "_entity_name", "_folded", "_is_long"
"""Properties that exist only in the live graph: the key of an entity's name, the indexed text of an entity or
observation and, until the text is indexed, whether it is too long for an index."""
CALLED = "_called"
"""The property in the live graph that marks entities with aliases."""
LONGEST_INDEXED = 8_000
"""Maximum length of an indexed text in UTF-16 units. Each has at most three bytes, and Neo4j's limit is 32,766
bytes."""
LONGEST_KEY = 1_000
"""Maximum length of an indexed name in UTF-16 units. For longer names, only the length is indexed."""

StoredValue = str | int | float | bool | datetime | Sequence[str]
State = dict[str, StoredValue]


def without_nulls(values: Mapping[str, StoredValue | None]) -> State:
    """Return the values without None values, because Neo4j stores no nulls."""
    return {key: value for key, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """The period in which a node, connection or observation is valid. None means no limit."""

    valid_from: datetime | None = None
    valid_to: datetime | None = None

    def state(self) -> State:
        """Return the start and end of validity as stored properties. None is omitted."""
        return without_nulls({"_valid_from": self.valid_from, "_valid_to": self.valid_to})

    def end_if_past(self, moment: datetime) -> datetime | None:
        """Return the end of validity if it is at or before `moment`.

        If it is later, or there is no end, return None.
        """
        return self.valid_to if self.valid_to is not None and self.valid_to <= moment else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainState:
    """A domain's state after its last event.

    A branch is a copy of the state of `forked_from` after the event `forked_at`. Its own changes follow `begins_at`.
    """

    created: datetime
    forked_from: str | None = None
    forked_at: int | None = None
    begins_at: int | None = None
    compacted_to: int | None = None
    compacted: str | None = None
    """JSON text with the sessions whose changes were compacted."""
    merges: str | None = None
    protection: Protection | None = None
    description: str | None = None
    metadata: str | None = None
    """The domain's metadata as JSON text in canonical form."""
    parent: str | None = None
    """The domain from which this domain inherits types."""

    def state(self) -> State:
        """Return the stored state of the domain."""
        return without_nulls(
            {
                "_created": self.created,
                "_forked_from": self.forked_from,
                "_forked_at": self.forked_at,
                "_begins_at": self.begins_at,
                "_compacted_to": self.compacted_to,
                "_compacted": self.compacted,
                "_merges": self.merges,
                PROTECTION: self.protection and self.protection.to_json(),
                "_description": self.description,
                "_metadata": self.metadata,
                PARENT: self.parent,
            }
        )

    @classmethod
    def from_state(cls, stored: Mapping[str, object]) -> DomainState:
        """Return the domain with this stored state."""
        values = cast("Mapping[str, Any]", stored)
        return cls(
            created=values["_created"],
            forked_from=values.get("_forked_from"),
            forked_at=values.get("_forked_at"),
            begins_at=values.get("_begins_at"),
            compacted_to=values.get("_compacted_to"),
            compacted=values.get("_compacted"),
            merges=values.get("_merges"),
            protection=stored_protection(values),
            description=values.get("_description"),
            metadata=values.get("_metadata"),
            parent=values.get(PARENT),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeState:
    """A node's state after its last event."""

    id: str
    type: str
    version: int = 0
    created: datetime
    modified: datetime
    title: str
    """The title derived from properties and content. `shown_title` prefers a title set by a caller."""
    content: ContentRef
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    tags: tuple[str, ...] = ()
    fields: NodeFields = field(default_factory=NodeFields)
    validity: Validity = field(default_factory=Validity)
    protection: Protection | None = None
    entity: str | None = None
    """An entity's type as the caller wrote it, or None if the node is not an entity."""
    mentioned: bool = False
    """Whether the node exists only as an endpoint of relations. If an entity with its name is created, it becomes that
    entity."""
    place: int = 0
    """The node's position among nodes created at the same time."""

    def state(self) -> State:
        """Return the stored state of the node."""
        fields = {
            "_created": self.created,
            "_modified": self.modified,
            "_tags": list(self.tags) or None,
            PROTECTION: self.protection and self.protection.to_json(),
            ENTITY: self.entity,
            MENTIONED: self.mentioned or None,
            PLACE: self.place or None,
            **self.fields.state(self.title),
        }
        return without_nulls({**self.properties, **fields}) | content_state(self.content) | self.validity.state()

    @property
    def shown_title(self) -> str:
        """The title set by a caller, or else the derived title."""
        return self.fields.title or self.title

    @classmethod
    def from_live(cls, stored: Mapping[str, object]) -> NodeState:
        """Return a node's state, given the properties of its `_Node` in the live graph."""
        reader = _Reader(stored)
        return cls(
            id=reader.text("_id"),
            type=reader.text("_type"),
            version=reader.number("_version"),
            created=reader.moment("_created"),
            modified=reader.moment("_modified"),
            title=derived_title(stored),
            content=content_ref(stored) or ContentRef(format="markdown", encoding="utf-8", size=0, sha256=""),
            properties=user_properties(stored),
            tags=tuple(cast("Sequence[str]", stored.get("_tags") or ())),
            fields=NodeFields.from_stored(stored),
            validity=reader.validity(),
            protection=stored_protection(stored),
            entity=cast("str | None", stored.get(ENTITY)),
            mentioned=stored.get(MENTIONED) is True,
            place=cast("int", stored.get(PLACE, 0)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionState:
    """A connection's state after its last event."""

    id: str
    type: str
    from_node_id: str
    to_node_id: str
    version: int = 0
    created: datetime
    modified: datetime
    content: ContentRef | None = None
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    validity: Validity = field(default_factory=Validity)
    strength: Strength = field(default_factory=Strength)
    importance: float | None = None
    provenance: Provenance = field(default_factory=Provenance)
    protection: Protection | None = None
    relation: str | None = None
    """A relation's type as the caller wrote it, or None if it equals the stored type."""
    place: int = 0
    """The connection's position among connections created at the same time."""

    def state(self) -> State:
        """Return the connection's stored state, without its endpoints' ids."""
        fields = {
            "_created": self.created,
            "_modified": self.modified,
            RELATION: self.relation,
            PLACE: self.place or None,
            IMPORTANCE: self.importance,
            PROTECTION: self.protection and self.protection.to_json(),
        }
        content = content_state(self.content) if self.content else {}
        details = {**self.strength.state(), **self.provenance.state()}
        return without_nulls({**self.properties, **fields}) | content | self.validity.state() | details

    @classmethod
    def from_live(cls, stored: Mapping[str, object], from_node_id: str, to_node_id: str) -> ConnectionState:
        """Return a connection's state, given the properties of its relationship in the live graph."""
        reader = _Reader(stored)
        return cls(
            id=reader.text("_id"),
            type=reader.text("_type"),
            from_node_id=from_node_id,
            to_node_id=to_node_id,
            version=reader.number("_version"),
            created=reader.moment("_created"),
            modified=reader.moment("_modified"),
            content=content_ref(stored),
            properties=user_properties(stored),
            validity=reader.validity(),
            protection=stored_protection(stored),
            strength=Strength.from_state(stored),
            importance=cast("float | None", stored.get(IMPORTANCE)),
            provenance=Provenance.from_state(stored),
            relation=cast("str | None", stored.get(RELATION)),
            place=cast("int", stored.get(PLACE, 0)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationState:
    """An observation's state after its last event. Observations are ordered by `created`, then by `place`."""

    text: str
    time: datetime
    """The time at which the fact was observed."""
    created: datetime | None = None
    origin: str | None = None
    """The observation's source: a session or a name."""
    confidence: float | None = None
    validity: Validity = field(default_factory=Validity)
    place: int = 0
    supersedes: tuple[str, ...] = ()
    """Ids of the observations that this one supersedes."""
    asks: tuple[str, ...] = ()
    """Ids of observations that this one may supersede. The question is still open."""

    def state(self) -> State:
        """Return the observation's stored state, without its entity's id."""
        fields = {
            TEXT: self.text,
            "_time": self.time,
            "_created": self.created,
            "_origin": self.origin,
            "_confidence": self.confidence,
            PLACE: self.place or None,
            SUPERSEDES: list(self.supersedes) or None,
            ASKS: list(self.asks) or None,
        }
        return without_nulls(fields) | self.validity.state()

    @classmethod
    def from_state(cls, stored: Mapping[str, object]) -> ObservationState:
        """Return the observation with this stored state."""
        reader = _Reader(stored)
        return cls(
            text=reader.text(TEXT),
            time=reader.moment("_time"),
            created=cast("datetime | None", stored.get("_created")),
            origin=cast("str | None", stored.get("_origin")),
            confidence=cast("float | None", stored.get("_confidence")),
            validity=reader.validity(),
            place=cast("int", stored.get(PLACE, 0)),
            supersedes=tuple(cast("Sequence[str]", stored.get(SUPERSEDES) or ())),
            asks=tuple(cast("Sequence[str]", stored.get(ASKS) or ())),
        )


def entity_key(name: str) -> str:
    """Return the key under which an entity's name is indexed: the name or, for a long name, its length."""
    length = _length(name)
    return name if length <= LONGEST_KEY else f"{length}"


def length_state(text: str) -> State:
    """Return the stored flag for a searchable text that is too long to be indexed."""
    return {IS_LONG: _length(text) > LONGEST_INDEXED}


def _length(text: str) -> int:
    """Return a text's length in UTF-16 units, because Neo4j counts these."""
    return len(text.encode("utf-16-le")) // 2


DIFFERENT = "different_from_ids"
"""The property of an entity with the ids of similar but different entities. Searches and recalls omit it."""


def user_properties(stored: Mapping[str, object]) -> dict[str, PropertyValue]:
    """Return the user properties among stored properties. Their names do not begin with `_`."""
    return {key: cast("PropertyValue", value) for key, value in stored.items() if not key.startswith("_")}


def content_state(content: ContentRef) -> State:
    """Return content's stored properties: format, encoding, size and hash. The bytes are stored elsewhere."""
    return {
        "_content_format": content.format,
        "_content_encoding": content.encoding,
        "_content_size": content.size,
        "_content_sha256": content.sha256,
    }


def content_ref(stored: Mapping[str, object]) -> ContentRef | None:
    """Return the reference to a subject's content in its state, or None if it has no content."""
    if "_content_sha256" not in stored:
        return None
    return ContentRef(
        format=cast("str", stored["_content_format"]),
        encoding=cast("Encoding", stored["_content_encoding"]),
        size=cast("int", stored["_content_size"]),
        sha256=cast("str", stored["_content_sha256"]),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Typed access to a stored property map. Types are not checked. A missing value raises KeyError."""

    stored: Mapping[str, object]

    def text(self, key: str) -> str:
        return cast("str", self.stored[key])

    def number(self, key: str) -> int:
        return cast("int", self.stored[key])

    def moment(self, key: str) -> datetime:
        return cast("datetime", self.stored[key])

    def validity(self) -> Validity:
        times = cast("Mapping[str, datetime | None]", self.stored)
        return Validity(valid_from=times.get("_valid_from"), valid_to=times.get("_valid_to"))


def fold_entity_text(text: str) -> str:
    """Return the text in lower case and NFC. Entity search compares texts in this form."""
    return unicodedata.normalize("NFC", text.lower())


def is_pattern_data(key: str, value: object) -> bool:
    """Return whether a property stores a pattern's conditions or steps. The content repeats them as text."""
    prefix = _PATTERN_PREFIXES.get(key)
    return prefix is not None and isinstance(value, str) and value.startswith(prefix)


_PATTERN_PREFIXES = {"trigger": '{"conditions":', "procedure": '{"steps":'}
