"""Many nodes or connections at once: what lists show of them, and their properties."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_memory.memory.background import task_group
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.model.errors import GraphError
from graph_memory.model.events import WHOLE_ID, Draft, Event, Op
from graph_memory.model.matching import Wanted
from graph_memory.model.results import ConnectionBrief, ConnectionSummary, NodeBrief, NodeSummary, ProtectionInfo
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.protection import Protection
from graph_memory.model.subjects.subjects import content_ref, user_properties
from graph_memory.model.text.wording import shown, with_title
from graph_memory.model.values.content import ContentRef
from graph_memory.model.values.titles import shown_title
from graph_memory.storage.log.reads import CONTENTS, last_events
from graph_memory.storage.queries import query

STATES = query("graph/states", dict[str, object])
AT_ONCE = 500
"""Ids that one statement describes."""


@dataclass(frozen=True, slots=True)
class DescribedRow:
    """A node or connection after an event; a connection has the titles of its ends, and a node its own."""

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
        """What a node is, in short."""
        return NodeBrief(id=self.id, type=self.type, title=self.title)

    @property
    def named(self) -> NodeBrief:
        """The same with a property for a title where there is none."""
        return self.node.model_copy(update={"title": shown_title(self.type, self.title, user_properties(self.event))})

    @property
    def connection(self) -> ConnectionBrief:
        """What a connection is, in short."""
        return ConnectionBrief(
            id=self.id,
            type=self.type,
            from_id=self.from_id,
            from_title=self.from_title,
            to_id=self.to_id,
            to_title=self.to_title,
        )

    def seen(self, wanted: Wanted) -> ConnectionBrief:
        """Return what a connection is, in short, from the end from which it is looked at."""
        if not wanted.is_turned(self.type, (self.from_id, self.to_id)):
            return self.connection
        return ConnectionBrief(
            id=self.id,
            type=wanted.type or self.type,
            from_id=self.to_id,
            from_title=self.to_title,
            to_id=self.from_id,
            to_title=self.from_title,
            inferred=True,
        )

    @property
    def rest(self) -> Mapping[str, Any]:
        """What a summary tells besides."""
        return {"modified": self.modified, "version": self.version, "properties": user_properties(self.event)}


DESCRIBED = query("graph/described", DescribedRow)


async def node_briefs(core: Core, domain: str, ids: Sequence[str], at: int = END) -> tuple[NodeBrief, ...]:
    """Return nodes in the order of the ids, as they were after a number of the log; what was not there is left out."""
    return tuple(row.node for row in await described(core, domain, Kind.NODE, ids, at))


async def connection_briefs(
    core: Core, domain: str, ids: Sequence[str], wanted: Wanted, at: int = END
) -> tuple[ConnectionBrief, ...]:
    """Return connections, as `node_briefs` does nodes, each as it is seen under the name that is wanted."""
    return tuple(row.seen(wanted) for row in await described(core, domain, Kind.CONNECTION, ids, at))


async def describe_nodes(core: Core, domain: str, ids: Sequence[str], at: int = END) -> tuple[NodeSummary, ...]:
    """Return nodes with their properties, as `node_briefs` does without."""
    rows = await described(core, domain, Kind.NODE, ids, at)
    return tuple(NodeSummary(**row.node.model_dump(), **row.rest) for row in rows)


async def describe_connections(
    core: Core, domain: str, ids: Sequence[str], at: int = END
) -> tuple[ConnectionSummary, ...]:
    """Return connections with their properties, as `node_briefs` does nodes without."""
    rows = await described(core, domain, Kind.CONNECTION, ids, at)
    return tuple(ConnectionSummary(**row.connection.model_dump(), **row.rest) for row in rows)


async def titles_of(core: Core, domain: str, drafts: Sequence[Draft], at: int) -> Mapping[str, str]:
    """Return titles for changes that come after a number of the log: of connections the titles of their ends.

    The title of an observation is its text.
    """
    nodes = [draft for draft in drafts if draft.kind is Kind.NODE]
    ends = {
        draft.subject: (draft.from_id or "", draft.to_id or "") for draft in drafts if draft.kind is Kind.CONNECTION
    }
    known = {node.subject: str(node.state["_title"]) for node in nodes if node.state}
    wanted = {node.subject for node in nodes}.union(*ends.values())
    known |= {node.id: node.title for node in await node_briefs(core, domain, sorted(wanted - known.keys()), at)}
    known |= {link: " → ".join(known.get(end, end) for end in pair) for link, pair in ends.items()}
    return known | await _observed_texts(
        core, domain, [draft for draft in drafts if draft.kind is Kind.OBSERVATION], at
    )


async def last_titles(core: Core, domain: str, events: Sequence[Event]) -> Mapping[str, str]:
    """Return titles for the subjects of last events; for a deleted subject, its title before it was deleted."""
    living = [event.draft for event in events if event.draft.op is not Op.DELETE]
    titles = dict(await titles_of(core, domain, living, END))
    for event in events:
        if event.draft.op is Op.DELETE:
            titles |= await titles_of(core, domain, [event.draft], event.seq - 1)
    return titles


_QUOTED = re.compile(r'("(?:[^"\\]|\\.)*")')


async def with_titles(core: Core, domain: str, texts: Sequence[str]) -> list[str]:
    """Return texts in which ids that the service made stand beside their titles."""
    ids = sorted({match[0] for text in texts for match in WHOLE_ID.finditer(text)})
    events = await last_events(core.store, domain, ids) if ids else []
    titles = await last_titles(core, domain, events)

    def named(match: re.Match[str]) -> str:
        has_title = match.string[match.start() - 1 : match.end() + 1] == f"({match[0]})"
        has_title |= match.string[match.end() : match.end() + 2] == " ("
        return match[0] if has_title else with_title(match[0], titles.get(match[0]))

    def outside_quotes(text: str) -> str:
        """Return a text with titles, save in what is quoted: it was stored, and would end its quotation marks."""
        parts = _QUOTED.split(text)
        return "".join(part if number % 2 else WHOLE_ID.sub(named, part) for number, part in enumerate(parts))

    return [outside_quotes(text) for text in texts]


async def _observed_texts(core: Core, domain: str, drafts: Sequence[Draft], at: int) -> dict[str, str]:
    """Return the texts of observations; of deleted ones as they were after a number of the log."""
    gone = [draft.subject for draft in drafts if draft.state is None]
    before: list[Mapping[str, object]] = []
    for start in range(0, len(gone), AT_ONCE):
        before += await core.store.read(STATES, domain=domain, ids=gone[start : start + AT_ONCE], at=at)
    states = {str(one["_subject"]): one for one in before} | {
        draft.subject: draft.state for draft in drafts if draft.state
    }
    return {subject: shown(state["_text"]) for subject, state in states.items() if "_text" in state}


async def described(core: Core, domain: str, kind: Kind, ids: Sequence[str], at: int = END) -> list[DescribedRow]:
    """Return nodes or connections in the order of the ids, as they were after a number of the log."""
    rows: dict[str, DescribedRow] = {}
    for start in range(0, len(ids), AT_ONCE):
        arguments = {"kind": kind, "ids": list(ids[start : start + AT_ONCE]), "at": at}
        rows.update((row.id, row) for row in await core.store.read(DESCRIBED, domain=domain, **arguments))
    return [rows[id_] for id_ in ids if id_ in rows]


async def texts_of(core: Core, domain: str, rows: Iterable[DescribedRow]) -> dict[str, str]:
    """Return by id the contents of nodes and connections that are text; one that cannot be read is left out."""
    refs = {row.id: ref for row in rows if (ref := content_ref(row.event)) is not None and ref.is_text}
    hashes = sorted({ref.sha256 for ref in refs.values()})
    kept = await core.store.read(CONTENTS, domain=domain, hashes=hashes) if hashes else []
    inline = {row.sha256: row.text for row in kept}
    found: dict[str, str] = {}

    async def fetch(subject: str, ref: ContentRef) -> None:
        with suppress(GraphError):
            content = await core.contents.fetch(domain, ref, inline.get(ref.sha256))
            found[subject] = content.text or ""

    async with task_group() as tasks:
        for subject, ref in refs.items():
            tasks.start_soon(fetch, subject, ref)
    return found


def protection_info(protection: Protection | None, now: datetime) -> ProtectionInfo | None:
    """Return how something is protected, None when it is not; what has expired says so."""
    if protection is None:
        return None
    return ProtectionInfo(
        is_read_only=protection.holds(now),
        locked_by=protection.locked_by,
        locked_at=protection.locked_at,
        reason=protection.reason,
        expires_at=protection.expires_at,
        can_be_unprotected_by=protection.can_be_unprotected_by or None,
    )
