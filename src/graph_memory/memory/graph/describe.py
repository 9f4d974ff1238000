"""Reads short descriptions and properties of many nodes or connections at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from graph_memory.memory.background import task_group
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.model.errors import GraphError
from graph_memory.model.events import GENERATED_ID, Draft, Event, Op
from graph_memory.model.matching import Criteria
from graph_memory.model.results import (
    ConnectedCount,
    ConnectionBrief,
    ConnectionSummary,
    NodeBrief,
    NodeDescription,
    ProtectionInfo,
)
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.protection import Protection
from graph_memory.model.subjects.subjects import content_ref, user_properties
from graph_memory.model.text.wording import printable, with_title
from graph_memory.model.values.arguments import check_limit
from graph_memory.model.values.content import ContentRef
from graph_memory.model.values.fields import NodeFields
from graph_memory.model.values.titles import shown_title
from graph_memory.storage.log.reads import CONTENTS, last_events
from graph_memory.storage.queries import query


@dataclass(frozen=True, slots=True)
class DegreeRow:
    """A node, and the number of its connections."""

    id: str
    edges: int


STATES = query("graph/states", dict[str, object])
MOST_CONNECTED = query("graph/most_connected", DegreeRow)
CANDIDATES = 10
"""Number of candidate nodes whose connections are counted for each node that `most_connected` returns."""
AT_ONCE = 500
"""Maximum number of ids per statement."""


@dataclass(frozen=True, slots=True)
class DescribedRow:
    """A node or connection after an event, with the title of the node, or the titles of the connection's endpoints."""

    id: str
    type: str
    title: str
    from_id: str
    from_title: str
    to_id: str
    to_title: str
    modified: datetime
    version: int
    event: Mapping[str, object]

    @property
    def node(self) -> NodeBrief:
        """The id, type and title of a node."""
        return NodeBrief(id=self.id, type=self.type, title=self.title)

    @property
    def titled_node(self) -> NodeBrief:
        """The short description of a node. If the node has no title, a property serves as the title."""
        return self.node.model_copy(update={"title": shown_title(self.type, self.title, user_properties(self.event))})

    @property
    def connection(self) -> ConnectionBrief:
        """The id and type of a connection, and the ids and titles of its start and end nodes."""
        return ConnectionBrief(
            id=self.id,
            type=self.type,
            from_id=self.from_id,
            from_title=self.from_title,
            to_id=self.to_id,
            to_title=self.to_title,
        )

    def connection_under(self, criteria: Criteria) -> ConnectionBrief:
        """Return the short description of a connection. If the filter has an inverse name, swaps start and end."""
        if not criteria.is_reversed(self.type, (self.from_id, self.to_id)):
            return self.connection
        return ConnectionBrief(
            id=self.id,
            type=criteria.type or self.type,
            from_id=self.to_id,
            from_title=self.to_title,
            to_id=self.from_id,
            to_title=self.from_title,
            inferred=True,
        )

    @property
    def summary_fields(self) -> Mapping[str, Any]:
        """The fields that a summary contains in addition to the short description."""
        return {"modified": self.modified, "version": self.version, "properties": user_properties(self.event)}


DESCRIBED = query("graph/described", DescribedRow)


async def node_briefs(core: Core, domain: str, ids: Sequence[str], at: int = END) -> tuple[NodeBrief, ...]:
    """Return short descriptions of nodes at a log position, in the order of the ids. Missing nodes are omitted."""
    return tuple(row.node for row in await fetch_descriptions(core, domain, Kind.NODE, ids, at))


async def most_connected(core: Core, domain: str, limit: int) -> tuple[ConnectedCount, ...]:
    """Return the nodes with the most connections. See `Memory.get_most_connected_nodes`."""
    await core.log.require_ontology(domain)
    maximum = check_limit(limit)
    rows = await core.store.read(MOST_CONNECTED, domain=domain, candidates=maximum * CANDIDATES, limit=maximum)
    descriptions = await fetch_descriptions(core, domain, Kind.NODE, [row.id for row in rows])
    briefs = {row.id: row.titled_node for row in descriptions}
    return tuple(
        ConnectedCount(**briefs[row.id].model_dump(), connections=row.edges) for row in rows if row.id in briefs
    )


async def connection_briefs(
    core: Core, domain: str, ids: Sequence[str], criteria: Criteria, at: int = END
) -> tuple[ConnectionBrief, ...]:
    """Return short descriptions of connections in the order of the ids, with the type names that the filter uses."""
    return tuple(
        row.connection_under(criteria) for row in await fetch_descriptions(core, domain, Kind.CONNECTION, ids, at)
    )


async def describe_nodes(core: Core, domain: str, ids: Sequence[str], at: int = END) -> tuple[NodeDescription, ...]:
    """Return nodes at a log position with their properties and fields, in the order of the ids."""
    rows = await fetch_descriptions(core, domain, Kind.NODE, ids, at)
    return tuple(map(_describe_node, rows))


def _describe_node(row: DescribedRow) -> NodeDescription:
    fields, ref = NodeFields.from_stored(row.event), content_ref(row.event)
    return NodeDescription(
        **row.node.model_dump(),
        **row.summary_fields,
        created=cast("datetime", row.event["_created"]),
        metadata=fields.data,
        path=fields.path,
        content_size=ref.size if ref else 0,
    )


async def describe_connections(
    core: Core, domain: str, ids: Sequence[str], at: int = END
) -> tuple[ConnectionSummary, ...]:
    """Return connections at a log position with their properties, in the order of the ids."""
    rows = await fetch_descriptions(core, domain, Kind.CONNECTION, ids, at)
    return tuple(ConnectionSummary(**row.connection.model_dump(), **row.summary_fields) for row in rows)


async def titles_of(core: Core, domain: str, drafts: Sequence[Draft], at: int) -> Mapping[str, str]:
    """Return the titles of the subjects that drafts change, at a log position before the changes.

    The title of a connection consists of the titles of its start and end nodes. The title of an observation is its
    text.
    """
    nodes = [draft for draft in drafts if draft.kind is Kind.NODE]
    ends = {
        draft.subject: (draft.from_id or "", draft.to_id or "") for draft in drafts if draft.kind is Kind.CONNECTION
    }
    titles = {node.subject: str(node.state["_title"]) for node in nodes if node.state}
    node_ids = {node.subject for node in nodes}.union(*ends.values())
    titles |= {node.id: node.title for node in await node_briefs(core, domain, sorted(node_ids - titles.keys()), at)}
    titles |= {link: " → ".join(titles.get(end, end) for end in pair) for link, pair in ends.items()}
    return titles | await _observation_texts(
        core, domain, [draft for draft in drafts if draft.kind is Kind.OBSERVATION], at
    )


async def last_titles(core: Core, domain: str, events: Sequence[Event]) -> Mapping[str, str]:
    """Return the titles of the events' subjects. A deleted subject has its title before the deletion."""
    existing_drafts = [event.draft for event in events if event.draft.op is not Op.DELETE]
    titles = dict(await titles_of(core, domain, existing_drafts, END))
    for event in events:
        if event.draft.op is Op.DELETE:
            titles |= await titles_of(core, domain, [event.draft], event.seq - 1)
    return titles


_QUOTED = re.compile(r'("(?:[^"\\]|\\.)*")')


async def with_titles(core: Core, domain: str, texts: Sequence[str]) -> list[str]:
    """Return the texts with each generated id preceded by the title of its subject."""
    ids = sorted({match[0] for text in texts for match in GENERATED_ID.finditer(text)})
    events = await last_events(core.store, domain, ids) if ids else []
    titles = await last_titles(core, domain, events)

    def add_title(match: re.Match[str]) -> str:
        has_title = match.string[match.start() - 1 : match.end() + 1] == f"({match[0]})"
        has_title |= match.string[match.end() : match.end() + 2] == " ("
        return match[0] if has_title else with_title(match[0], titles.get(match[0]))

    def add_titles(text: str) -> str:
        """Add titles to the ids outside quotations. In a quotation, a quotation mark in a title could end it."""
        parts = _QUOTED.split(text)
        return "".join(part if number % 2 else GENERATED_ID.sub(add_title, part) for number, part in enumerate(parts))

    return [add_titles(text) for text in texts]


async def _observation_texts(core: Core, domain: str, drafts: Sequence[Draft], at: int) -> dict[str, str]:
    """Return the texts of observations. The text of a deleted observation is read at the log position `at`."""
    deleted = [draft.subject for draft in drafts if draft.state is None]
    states = {str(state["_subject"]): state for state in await states_of(core, domain, deleted, at)} | {
        draft.subject: draft.state for draft in drafts if draft.state
    }
    return {subject: printable(state["_text"]) for subject, state in states.items() if "_text" in state}


async def states_of(core: Core, domain: str, subjects: Sequence[str], at: int = END) -> list[Mapping[str, object]]:
    """Return the last event of each subject up to a log position. Missing subjects are omitted."""
    results: list[Mapping[str, object]] = []
    for start in range(0, len(subjects), AT_ONCE):
        results += await core.store.read(STATES, domain=domain, ids=list(subjects[start : start + AT_ONCE]), at=at)
    return results


async def fetch_descriptions(
    core: Core, domain: str, kind: Kind, ids: Sequence[str], at: int = END
) -> list[DescribedRow]:
    """Return nodes or connections in their state at a log position, in the order of the ids."""
    rows: dict[str, DescribedRow] = {}
    for start in range(0, len(ids), AT_ONCE):
        arguments = {"kind": kind, "ids": list(ids[start : start + AT_ONCE]), "at": at}
        rows.update((row.id, row) for row in await core.store.read(DESCRIBED, domain=domain, **arguments))
    return [rows[subject_id] for subject_id in ids if subject_id in rows]


async def texts_of(core: Core, domain: str, rows: Iterable[DescribedRow]) -> dict[str, str]:
    """Return the text contents of nodes and connections, keyed by id. Contents that cannot be read are omitted."""
    refs = {row.id: ref for row in rows if (ref := content_ref(row.event)) is not None and ref.is_text}
    hashes = sorted({ref.sha256 for ref in refs.values()})
    contents = await core.store.read(CONTENTS, domain=domain, hashes=hashes) if hashes else []
    inline = {row.sha256: row.text for row in contents}
    texts: dict[str, str] = {}

    async def fetch(subject: str, ref: ContentRef) -> None:
        with suppress(GraphError):
            content = await core.contents.fetch(domain, ref, inline.get(ref.sha256))
            texts[subject] = content.text or ""

    async with task_group() as tasks:
        for subject, ref in refs.items():
            tasks.start_soon(fetch, subject, ref)
    return texts


def protection_info(protection: Protection | None, now: datetime) -> ProtectionInfo | None:
    """Return the protection of a subject or domain, even if it has expired. Returns None if there is no protection."""
    if protection is None:
        return None
    return ProtectionInfo(
        is_read_only=protection.is_active(now),
        locked_by=protection.locked_by,
        locked_at=protection.locked_at,
        reason=protection.reason,
        expires_at=protection.expires_at,
        can_be_unprotected_by=protection.can_be_unprotected_by or None,
    )
