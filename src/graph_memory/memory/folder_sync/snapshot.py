"""Reads a domain's entities at a point in its log as notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import NEXT_EVENTS, event_id_at, revision_of
from graph_memory.memory.folder_sync.entity_notes import PATH, EntityNote, entity_note
from graph_memory.memory.folder_sync.folder_ends import NAME, NODE
from graph_memory.memory.transfer.folder.folders import check_still_readable, existing_subjects
from graph_memory.memory.transfer.formats.memories.note_files import NOTE_BYTES
from graph_memory.model.events import Draft
from graph_memory.model.projection import live_state
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import (
    ENTITY,
    MENTIONED,
    PLACE,
    RELATION,
    TEXT,
    NodeState,
    content_ref,
)
from graph_memory.progress import Progress
from graph_memory.storage.log.writing import utc_now

_MAX_TEXT = NOTE_BYTES // 2
"""Maximum size of a description in bytes, so that it fits into a note with the other parts."""


@dataclass(slots=True)
class Snapshot:
    """A domain's entities as notes.

    A relation's endpoint is `#` with an entity's id, or `=` with a name that no entity has.
    """

    seq: int
    notes: dict[str, EntityNote] = field(default_factory=dict[str, EntityNote])
    """The notes by entity id."""
    paths: dict[str, object] = field(default_factory=dict[str, object])
    """The values of the property `path`, by entity id."""
    left_out: dict[str, str] = field(default_factory=dict[str, str])
    """The names of entities that are omitted because their description does not fit into a note, by id."""
    event: str = ""
    """The id of the event with the number `seq`."""


async def read_snapshot(
    core: Core, domain: str, seq: int, progress: Progress, *, moment: datetime | None = None
) -> Snapshot:
    """Return the entities as of event `seq`, without facts that had ended by `moment` (default: the event's time).

    Raises ONTOLOGY_NOT_FOUND if the domain does not exist, HISTORY_COMPACTED if the event was compacted, and
    CONTENT_READ_FAILED if content cannot be read.
    """
    place = await revision_of(core.store, domain, seq)
    if moment is None:
        rows = await core.store.read(NEXT_EVENTS, domain=place.domain, numbers=[place.seq])
        moment = rows[0].at if rows else utc_now()
    nodes: list[tuple[NodeState, str]] = []
    mentions: dict[str, str] = {}
    attached: list[Draft] = []
    snapshot = Snapshot(seq, event=await event_id_at(core.store, place))
    async for event, text in existing_subjects(core, place, (Kind.NODE, Kind.OBSERVATION, Kind.CONNECTION), progress):
        draft, state = event.draft, event.draft.state or {}
        if draft.kind is not Kind.NODE:
            valid_to = state.get("_valid_to")
            if not isinstance(valid_to, datetime) or valid_to > moment:
                attached.append(draft)
        elif MENTIONED in state:
            mentions[draft.subject] = str(state.get("name", ""))
        elif ENTITY in state:
            node = NodeState.from_live(live_state(event))
            if (ref := content_ref(state)) is not None and (not ref.is_text or ref.size > _MAX_TEXT):
                snapshot.left_out[node.id] = str(node.properties.get("name", ""))
                continue
            content = await core.contents.fetch(place.domain, ref, text) if ref is not None else None
            nodes.append((node, (content.text or "") if content else ""))
    await check_still_readable(core, place)
    ends = {name: f"{NAME}{text}" for name, text in (mentions | snapshot.left_out).items()}
    ends |= {node.id: f"{NODE}{node.id}" for node, _ in nodes}
    nodes.sort(key=lambda item: (item[0].created, item[0].place or 0, item[0].id))
    attached.sort(key=_draft_order)
    _add_notes(snapshot, nodes, attached, ends)
    return snapshot


def _add_notes(
    snapshot: Snapshot, nodes: Sequence[tuple[NodeState, str]], attached: Sequence[Draft], ends: Mapping[str, str]
) -> None:
    observations: dict[str, list[str]] = {}
    relations: dict[str, list[tuple[str, str]]] = {}
    for draft in attached:
        state, start = draft.state or {}, draft.from_id or ""
        if draft.kind is Kind.OBSERVATION:
            observations.setdefault(start, []).append(str(state.get(TEXT, "")))
        elif (end := ends.get(draft.to_id or "")) is not None:
            relations.setdefault(start, []).append((str(state.get(RELATION) or draft.type), end))
    for node, text in nodes:
        snapshot.notes[node.id] = entity_note(
            name=str(node.properties.get("name", "")),
            type=node.entity or "",
            text=text,
            properties=node.properties,
            observations=observations.get(node.id, ()),
            relations=relations.get(node.id, ()),
        )
        if PATH in node.properties:
            snapshot.paths[node.id] = node.properties[PATH]


def _draft_order(draft: Draft) -> tuple[str, int, str]:
    state = draft.state or {}
    created, place = state.get("_created"), state.get(PLACE)
    return str(created), place if isinstance(place, int) else 0, draft.subject
