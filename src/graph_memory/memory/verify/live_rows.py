"""Rows of the live graph that are compared with the log, and the statements that read them."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.memory.verify.facts import InverseRow, KeyRow, WindowRow
from graph_memory.storage.queries import query


@dataclass(frozen=True, slots=True)
class LiveNode:
    """A node in the live graph."""

    id: str
    labels: list[str]
    stored: dict[str, object]


@dataclass(frozen=True, slots=True)
class LiveConnection:
    """A connection in the live graph."""

    id: str
    type: str
    element: str
    from_id: str | None
    to_id: str | None
    stored: dict[str, object]


@dataclass(frozen=True, slots=True)
class LiveObservation:
    """An observation in the live graph."""

    id: str
    about: str | None
    stored: dict[str, object]


@dataclass(frozen=True, slots=True)
class LiveLink:
    """A link in the live graph. `leads` is true if its relationship leads to the right target."""

    id: str
    about: str | None
    leads: bool
    stored: dict[str, object]


@dataclass(frozen=True, slots=True)
class LiveNodeType:
    """A node type in the live graph."""

    id: str
    stored: dict[str, object]
    is_defined: bool


@dataclass(frozen=True, slots=True)
class LiveConnectionType:
    """A connection type in the live graph."""

    id: str
    stored: dict[str, object]
    is_defined: bool
    from_types: list[str]
    to_types: list[str]


LIVE_NODES = query("verify/live_nodes", LiveNode)
LIVE_CONNECTIONS = query("verify/live_connections", LiveConnection)
LOOSE_INVERSES = query("verify/loose_inverses", LiveConnection)
LIVE_OBSERVATIONS = query("verify/live_observations", LiveObservation)
LIVE_LINKS = query("verify/live_links", LiveLink)
LIVE_NODE_TYPES = query("verify/live_node_types", LiveNodeType)
LIVE_CONNECTION_TYPES = query("verify/live_connection_types", LiveConnectionType)
LIVE_ONTOLOGY = query("verify/live_ontology", dict[str, object])
KEYS = query("verify/keys", KeyRow)
WINDOWS = query("verify/windows", WindowRow)
INVERSES = query("verify/inverses", InverseRow)
