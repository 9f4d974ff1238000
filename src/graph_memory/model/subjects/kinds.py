"""The kinds of subjects in a log, each with a record of its properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from graph_memory.model.subjects.links import STORED as LINK
from graph_memory.model.subjects.protection import PROTECTION
from graph_memory.model.values.strength import NUMBERS


class Kind(StrEnum):
    """The kind of an event's subject."""

    DOMAIN = "domain"
    ONTOLOGY = "ontology"
    NODE_TYPE = "node_type"
    CONNECTION_TYPE = "connection_type"
    NODE = "node"
    CONNECTION = "connection"
    OBSERVATION = "observation"
    LINK = "link"


class Step(StrEnum):
    """The statements of a projection, in execution order."""

    DROP_INVERSES = "drop_inverses"
    DROP_CONNECTIONS = "drop_connections"
    DROP_OBSERVATIONS = "drop_observations"
    DROP_LINKS = "drop_links"
    DROP_NODES = "drop_nodes"
    DROP_KEYS = "drop_keys"
    DROP_WINDOWS = "drop_windows"
    DROP_TYPES = "drop_types"
    PUT_DOMAIN = "put_domain"
    PUT_ONTOLOGY = "put_ontology"
    PUT_NODE_TYPES = "put_node_types"
    PUT_CONNECTION_TYPES = "put_connection_types"
    CREATE_NODES = "create_nodes"
    PUT_NODES = "put_nodes"
    CREATE_CONNECTIONS = "create_connections"
    PUT_CONNECTIONS = "put_connections"
    PUT_INVERSES = "put_inverses"
    CREATE_OBSERVATIONS = "create_observations"
    PUT_OBSERVATIONS = "put_observations"
    PUT_LINKS = "put_links"
    PUT_KEYS = "put_keys"
    PUT_WINDOWS = "put_windows"


CONTENT = "_content"
"""The name of the content in the attributes of a node or connection."""
_VALIDITY = frozenset({"_valid_from", "_valid_to"})
_FIELDS = frozenset({"_path", "_namespace", "_given_title", "_content_summary", "_metadata"})


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRecord:
    """The properties of a kind of subject. `put` and `drop` are the steps that write and delete a subject of the kind.

    Subjects of a kind without `drop` are never deleted.
    """

    put: Step
    create: Step | None = None
    """The step that creates a subject and appends its event with one row."""
    drop: Step | None = None
    is_ontology: bool = False
    """Whether changes to these subjects change the ontology."""
    is_data: bool = False
    """Whether users write, erase, copy and revert these subjects, and can choose their ids."""
    type_kind: Kind | None = None
    """The kind that declares these subjects' types, or None if they have no types."""
    ends: int = 0
    """The number of nodes that such a subject is attached to. It is deleted with any of them."""
    attributes: frozenset[str] = frozenset()
    """The reserved properties in the state that a caller can set."""
    required: frozenset[str] = frozenset()
    """The attributes that every such subject must have."""


KINDS: Mapping[Kind, KindRecord] = {
    Kind.DOMAIN: KindRecord(put=Step.PUT_DOMAIN),
    Kind.ONTOLOGY: KindRecord(put=Step.PUT_ONTOLOGY, is_ontology=True),
    Kind.NODE_TYPE: KindRecord(put=Step.PUT_NODE_TYPES, drop=Step.DROP_TYPES, is_ontology=True),
    Kind.CONNECTION_TYPE: KindRecord(put=Step.PUT_CONNECTION_TYPES, drop=Step.DROP_TYPES, is_ontology=True),
    Kind.NODE: KindRecord(
        put=Step.PUT_NODES,
        create=Step.CREATE_NODES,
        drop=Step.DROP_NODES,
        is_data=True,
        type_kind=Kind.NODE_TYPE,
        attributes=_VALIDITY | _FIELDS | {CONTENT, "_content_format", "_tags", PROTECTION, "_entity", "_mentioned"},
        required=frozenset({CONTENT, "_content_format"}),
    ),
    Kind.CONNECTION: KindRecord(
        put=Step.PUT_CONNECTIONS,
        create=Step.CREATE_CONNECTIONS,
        drop=Step.DROP_CONNECTIONS,
        is_data=True,
        type_kind=Kind.CONNECTION_TYPE,
        ends=2,
        attributes=_VALIDITY | {*NUMBERS, CONTENT, "_content_format", PROTECTION, "_relation"},
        required=frozenset({"_content_format"}),
    ),
    Kind.OBSERVATION: KindRecord(
        put=Step.PUT_OBSERVATIONS,
        create=Step.CREATE_OBSERVATIONS,
        drop=Step.DROP_OBSERVATIONS,
        is_data=True,
        ends=1,
        attributes=_VALIDITY | {"_text", "_time", "_origin", "_confidence", "_supersedes", "_asks"},
        required=frozenset({"_text", "_time"}),
    ),
    Kind.LINK: KindRecord(
        put=Step.PUT_LINKS,
        drop=Step.DROP_LINKS,
        is_data=True,
        ends=1,
        attributes=LINK,
        required=LINK - {"_description", "_metadata"},
    ),
}
"""The records in creation order: each kind follows the kinds that it needs."""


def _kinds_where(predicate: Callable[[KindRecord], bool]) -> tuple[Kind, ...]:
    return tuple(kind for kind, record in KINDS.items() if predicate(record))


TYPE_OF = {kind: record.type_kind for kind, record in KINDS.items() if record.type_kind is not None}
"""For each kind with user properties, the kind that declares its types."""
TYPES = tuple(TYPE_OF.values())
ONTOLOGY_KINDS = _kinds_where(lambda record: record.is_ontology)
DATA = _kinds_where(lambda record: record.is_data)
ATTACHED = _kinds_where(lambda record: record.ends > 0)
ATTACHED_TO_ONE_NODE = _kinds_where(lambda record: record.ends == 1)
"""The kinds whose subjects are attached to exactly one node."""


DECLARED = "_declared"
"""The property of a changed type with the number of the event that declared it, so that the type keeps its position."""


def type_subject(kind: Kind, name: str) -> str:
    """Return a type's subject id. Unlike the ids of nodes and connections, it contains a slash."""
    return f"{kind}/{name}"


def type_name(subject: str) -> str:
    """Return the name of the type that has this subject id."""
    return subject.partition("/")[2]
