"""What the log is about: nodes, connections, observations, and how each is kept as a map of native properties.

A state holds everything that an event remembers of its subject. Names that begin with `_` belong to the
service, all others are the user's properties, so one map serves the event and the live graph alike.
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
"""What differs in two states that are otherwise the same, where a change would change nothing."""

ENTITY, MENTIONED, RELATION, PLACE, TEXT = "_entity", "_mentioned", "_relation", "_place", "_text"
"""What a state keeps of entities: the type as written, whether it is one yet, a relation's type, the order, a text."""
SUMMARY, SUMMARY_KEY = "SessionSummary", "session"
"""The type of what is kept of a session, and the property that has its id."""
BLOCK = "MemoryBlock"
"""The type of a text that an agent reads at the start of each session."""
PARENT = "_parent"
"""What a state keeps of the domain above."""
SUPERSEDES, ASKS = "_supersedes", "_asks"
"""What an observation keeps of others: which it took the place of, and which it may make out of date."""
ENTITY_NAME, FOLDED, IS_LONG = "_entity_name", "_folded", "_is_long"
"""What the live graph has beside a state: the name by which an entity is found, and the text that is searched once it
is indexed. Until then it has whether that is too long for an index: if not, it only waits."""
CALLED = "_called"
"""What the live graph has of an entity that has other names."""
LONGEST_INDEXED = 8_000
"""Units of UTF-16, of three bytes at most, of a text that is indexed: Neo4j takes 32,766 bytes."""
LONGEST_KEY = 1_000
"""Units of UTF-16 of a name that is indexed as it is."""

StoredValue = str | int | float | bool | datetime | Sequence[str]
State = dict[str, StoredValue]


def present(values: Mapping[str, StoredValue | None]) -> State:
    """Return the values that are set: Neo4j keeps no nulls."""
    return {key: value for key, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """The time in the world for which something holds; None is open."""

    valid_from: datetime | None = None
    valid_to: datetime | None = None

    def state(self) -> State:
        """Return the times as stored."""
        return present({"_valid_from": self.valid_from, "_valid_to": self.valid_to})

    def ended_by(self, moment: datetime) -> datetime | None:
        """Return the end of validity if it is not after `moment`, else None."""
        return self.valid_to if self.valid_to is not None and self.valid_to <= moment else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainState:
    """What a domain's log says of the domain: when it began, its fields, and for a branch, what it was made from.

    Its log goes on from number `forked_at` of that of `forked_from`; its own changes come after `begins_at`.
    """

    created: datetime
    forked_from: str | None = None
    forked_at: int | None = None
    begins_at: int | None = None
    compacted_to: int | None = None
    compacted: str | None = None
    """What was compacted, counted by sessions, as JSON."""
    merges: str | None = None
    protection: Protection | None = None
    description: str | None = None
    metadata: str | None = None
    """JSON text, always written the same way."""
    parent: str | None = None
    """The domain whose types it inherits."""

    def state(self) -> State:
        """Return what an event keeps of the domain."""
        return present(
            {
                "_created": self.created,
                "_forked_from": self.forked_from,
                "_forked_at": self.forked_at,
                "_begins_at": self.begins_at,
                "_compacted_to": self.compacted_to,
                "_compacted": self.compacted,
                "_merges": self.merges,
                PROTECTION: self.protection and self.protection.text(),
                "_description": self.description,
                "_metadata": self.metadata,
                PARENT: self.parent,
            }
        )

    @classmethod
    def from_state(cls, stored: Mapping[str, object]) -> DomainState:
        """Return the domain that an event's state describes."""
        known = cast("Mapping[str, Any]", stored)
        return cls(
            created=known["_created"],
            forked_from=known.get("_forked_from"),
            forked_at=known.get("_forked_at"),
            begins_at=known.get("_begins_at"),
            compacted_to=known.get("_compacted_to"),
            compacted=known.get("_compacted"),
            merges=known.get("_merges"),
            protection=stored_protection(known),
            description=known.get("_description"),
            metadata=known.get("_metadata"),
            parent=known.get(PARENT),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeState:
    """A node as it is after its last event."""

    id: str
    type: str
    version: int = 0
    created: datetime
    modified: datetime
    title: str
    """What its properties and its content make; `shown_title` is the one that it has."""
    content: ContentRef
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    tags: tuple[str, ...] = ()
    fields: NodeFields = field(default_factory=NodeFields)
    validity: Validity = field(default_factory=Validity)
    protection: Protection | None = None
    entity: str | None = None
    """The type of an entity as it was written; None for a node that is no entity."""
    mentioned: bool = False
    """Whether its name is only an end of relations: it becomes an entity when one of that name is created."""
    place: int = 0
    """Its place among those that were created at the same time."""

    def state(self) -> State:
        """Return what an event keeps of the node."""
        own = {
            "_created": self.created,
            "_modified": self.modified,
            "_tags": list(self.tags) or None,
            PROTECTION: self.protection and self.protection.text(),
            ENTITY: self.entity,
            MENTIONED: self.mentioned or None,
            PLACE: self.place or None,
            **self.fields.state(self.title),
        }
        return present({**self.properties, **own}) | content_state(self.content) | self.validity.state()

    @property
    def shown_title(self) -> str:
        """The title that was given, else the one that was made."""
        return self.fields.title or self.title

    @classmethod
    def from_live(cls, stored: Mapping[str, object]) -> NodeState:
        """Return the node that a live `_Node`'s property map describes."""
        own = _Reader(stored)
        return cls(
            id=own.text("_id"),
            type=own.text("_type"),
            version=own.number("_version"),
            created=own.moment("_created"),
            modified=own.moment("_modified"),
            title=derived_title(stored),
            content=own.content() or ContentRef(format="markdown", encoding="utf-8", size=0, sha256=""),
            properties=own.properties(),
            tags=tuple(cast("Sequence[str]", stored.get("_tags") or ())),
            fields=NodeFields.from_stored(stored),
            validity=own.validity(),
            protection=stored_protection(stored),
            entity=cast("str | None", stored.get(ENTITY)),
            mentioned=stored.get(MENTIONED) is True,
            place=cast("int", stored.get(PLACE, 0)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionState:
    """A connection as it is after its last event."""

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
    """The type of a relation between entities as it was written, where it is not the stored one."""
    place: int = 0
    """Its place among those that were created at the same time."""

    def state(self) -> State:
        """Return what an event keeps of the connection, beside its two ends."""
        own = {
            "_created": self.created,
            "_modified": self.modified,
            RELATION: self.relation,
            PLACE: self.place or None,
            IMPORTANCE: self.importance,
            PROTECTION: self.protection and self.protection.text(),
        }
        content = content_state(self.content) if self.content else {}
        made = {**self.strength.state(), **self.provenance.state()}
        return present({**self.properties, **own}) | content | self.validity.state() | made

    @classmethod
    def from_live(cls, stored: Mapping[str, object], from_node_id: str, to_node_id: str) -> ConnectionState:
        """Return the connection that a live relationship's property map describes."""
        own = _Reader(stored)
        return cls(
            id=own.text("_id"),
            type=own.text("_type"),
            from_node_id=from_node_id,
            to_node_id=to_node_id,
            version=own.number("_version"),
            created=own.moment("_created"),
            modified=own.moment("_modified"),
            content=own.content(),
            properties=own.properties(),
            validity=own.validity(),
            protection=stored_protection(stored),
            strength=Strength.from_state(stored),
            importance=cast("float | None", stored.get(IMPORTANCE)),
            provenance=Provenance.from_state(stored),
            relation=cast("str | None", stored.get(RELATION)),
            place=cast("int", stored.get(PLACE, 0)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationState:
    """What was observed of a node, as it is after its last event. The order of `created` and `place` is theirs."""

    text: str
    time: datetime
    """When it was observed."""
    created: datetime | None = None
    origin: str | None = None
    """Where it is from: a session, or a name."""
    confidence: float | None = None
    validity: Validity = field(default_factory=Validity)
    place: int = 0
    supersedes: tuple[str, ...] = ()
    """The observations that it took the place of."""
    asks: tuple[str, ...] = ()
    """Observations that it may make out of date: somebody is asked, and has not answered yet."""

    def state(self) -> State:
        """Return what an event keeps of the observation, beside its node."""
        own = {
            TEXT: self.text,
            "_time": self.time,
            "_created": self.created,
            "_origin": self.origin,
            "_confidence": self.confidence,
            PLACE: self.place or None,
            SUPERSEDES: list(self.supersedes) or None,
            ASKS: list(self.asks) or None,
        }
        return present(own) | self.validity.state()

    @classmethod
    def from_state(cls, stored: Mapping[str, object]) -> ObservationState:
        """Return the observation that an event's state describes."""
        own = _Reader(stored)
        return cls(
            text=own.text(TEXT),
            time=own.moment("_time"),
            created=cast("datetime | None", stored.get("_created")),
            origin=cast("str | None", stored.get("_origin")),
            confidence=cast("float | None", stored.get("_confidence")),
            validity=own.validity(),
            place=cast("int", stored.get(PLACE, 0)),
            supersedes=tuple(cast("Sequence[str]", stored.get(SUPERSEDES) or ())),
            asks=tuple(cast("Sequence[str]", stored.get(ASKS) or ())),
        )


def entity_key(name: str) -> str:
    """Return the text under which the name of an entity is indexed: itself, but for a long one only its length."""
    length = _length(name)
    return name if length <= LONGEST_KEY else f"{length}"


def searched(text: str) -> State:
    """Return what the live graph has of a new text that is searched: whether it is too long to be indexed behind."""
    return {IS_LONG: _length(text) > LONGEST_INDEXED}


def _length(text: str) -> int:
    """Return the length of a text in units of UTF-16, which is how the store counts."""
    return len(text.encode("utf-16-le")) // 2


def user_properties(stored: Mapping[str, object]) -> dict[str, PropertyValue]:
    """Return the properties of a stored map that are the user's."""
    return {key: cast("PropertyValue", value) for key, value in stored.items() if not key.startswith("_")}


def content_state(content: ContentRef) -> State:
    """Return what a state keeps of content: all but the bytes, which are found by their hash."""
    return {
        "_content_format": content.format,
        "_content_encoding": content.encoding,
        "_content_size": content.size,
        "_content_sha256": content.sha256,
    }


def content_ref(stored: Mapping[str, object]) -> ContentRef | None:
    """Return what a state keeps of content, None when it has none."""
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
    """Typed looks into a stored property map. What is absent or of another type is a fault of the store."""

    stored: Mapping[str, object]

    def text(self, key: str) -> str:
        return cast("str", self.stored[key])

    def number(self, key: str) -> int:
        return cast("int", self.stored[key])

    def moment(self, key: str) -> datetime:
        return cast("datetime", self.stored[key])

    def properties(self) -> dict[str, PropertyValue]:
        return user_properties(self.stored)

    def validity(self) -> Validity:
        times = cast("Mapping[str, datetime | None]", self.stored)
        return Validity(valid_from=times.get("_valid_from"), valid_to=times.get("_valid_to"))

    def content(self) -> ContentRef | None:
        return content_ref(self.stored)


def folded(text: str) -> str:
    """Return a text as entities are searched by it: in lower case as JavaScript has it, and in NFC."""
    return unicodedata.normalize("NFC", text.lower())


def is_of_pattern(key: str, value: object) -> bool:
    """Return whether a property stores the conditions or steps of a pattern. Its content says them in words."""
    beginning = _OF_PATTERN.get(key)
    return beginning is not None and isinstance(value, str) and value.startswith(beginning)


_OF_PATTERN = {"trigger": '{"conditions":', "procedure": '{"steps":'}
