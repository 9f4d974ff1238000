"""Notes: nodes with a text and a unique key, created or changed in one write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.changes.context import owners_of, read_in_parts
from graph_memory.memory.changes.plan import Context, unique_values
from graph_memory.memory.core import Core
from graph_memory.memory.entities.writes import validate
from graph_memory.memory.entity_graph.domain import write_to_domain
from graph_memory.memory.graph.nodes import NewNode, NodeEdit, creation_draft, update_draft
from graph_memory.memory.graph.ontology import check_type_limit
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Head, new_id
from graph_memory.model.ontology.ontology import NodeType
from graph_memory.model.ontology.types import PropertyRule
from graph_memory.model.projection import live_state, new_type_draft
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import MODIFIED, NodeState
from graph_memory.model.text.wording import quote
from graph_memory.model.values.content import Content, content_from
from graph_memory.model.values.exact import same_state
from graph_memory.model.values.properties import PropertyType, PropertyValue
from graph_memory.storage.log.reads import CONTENTS, LAST_EVENTS
from graph_memory.storage.log.work import Decision
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

NOTES = query("sessions/notes", str)


@dataclass(frozen=True, slots=True)
class NoteKind:
    """A kind of note: the type of its nodes, and the name of the property that contains the key."""

    type: str
    key: str
    description: str

    @property
    def node_type(self) -> NodeType:
        """The node type that is added to an open ontology."""
        rule = PropertyRule(self.key, PropertyType.STRING, unique=True)
        return NodeType(self.type, description=self.description, properties=(rule,), ad_hoc=True)


@dataclass(frozen=True, slots=True)
class Note:
    """A stored note."""

    node: NodeState
    text: str

    @property
    def properties(self) -> Mapping[str, PropertyValue]:
        """The properties of the note's node."""
        return self.node.properties


@dataclass(frozen=True, slots=True)
class DesiredNote:
    """The desired state of a note."""

    text: str
    title: str
    properties: Mapping[str, PropertyValue]
    expected_version: int | None = None


async def notes_of(
    core: Core,
    reader: Reader,
    domain: str,
    kind: NoteKind,
    *,
    keys: Sequence[str] | None = None,
    limit: int = 100,
    unreadable: list[GraphError] | None = None,
) -> list[Note]:
    """Return notes of a kind, most recently changed first. If `keys` is given, only notes with one of these keys.

    If `unreadable` is given, notes whose text cannot be read are omitted, and their errors are added to it. Otherwise
    raises CONTENT_READ_FAILED.
    """
    nodes = await find_notes(reader, domain, kind, keys=keys, limit=limit)
    return await read_notes(core, reader, domain, kind, nodes, unreadable)


async def find_notes(
    reader: Reader, domain: str, kind: NoteKind, *, keys: Sequence[str] | None = None, limit: int = 100
) -> list[NodeState]:
    """Return the nodes of notes of a kind, without their texts. See `notes_of`."""
    ids = await reader.read(NOTES, domain=domain, type=kind.type, property=kind.key, keys=keys, limit=limit)
    rows = await read_in_parts(reader, LAST_EVENTS, domain, subjects=ids)
    events = {event.draft.subject: event for event in map(Event.from_row, rows)}
    return [NodeState.from_live(live_state(events[node_id])) for node_id in ids if node_id in events]


async def read_notes(
    core: Core,
    reader: Reader,
    domain: str,
    kind: NoteKind,
    nodes: Sequence[NodeState],
    unreadable: list[GraphError] | None = None,
) -> list[Note]:
    """Return notes with their texts, in the order of their nodes. See `notes_of`."""
    hashes = list({node.content.sha256 for node in nodes})
    texts = {row.sha256: row.text for row in await read_in_parts(reader, CONTENTS, domain, hashes=hashes)}
    notes: list[Note] = []
    for node in nodes:
        try:
            content = await core.contents.fetch(domain, node.content, texts.get(node.content.sha256))
        except GraphError as error:
            if unreadable is None or error.code is not Code.CONTENT_READ_FAILED:
                raise
            key = node.properties.get(kind.key, node.id)
            message = f"{kind.type} {quote(key)} cannot be read: {error.message}"
            unreadable.append(GraphError(error.code, message, {**error.details, kind.key: key}))
            continue
        notes.append(Note(node, content.text or ""))
    return notes


@dataclass(frozen=True, slots=True)
class WrittenNote:
    """A note after a write, and whether the write changed it."""

    id: str
    version: int
    wanted: DesiredNote
    changed: bool


async def write_note(
    core: Core, domain: str, name: str, kind: NoteKind, key: str | None, decide: Callable[[Note | None], DesiredNote]
) -> WrittenNote:
    """Create or change the note with the given key. If `key` is None, always create a new note.

    `decide` gets the stored note, or None if there is none, and returns the desired note. Raises the errors of
    `decide`, INVALID_NODE_TYPE if a closed ontology lacks the type, and TYPE_LIMIT_REACHED if the type cannot be added.
    """
    new = new_id("mem")

    async def read(reader: Reader, head: Head) -> _StoredNote:
        stored = await notes_of(core, reader, domain, kind, keys=[key], limit=1) if key is not None else []
        before = stored[0] if stored else None
        desired = decide(before)
        content = await core.contents.put(domain, content_from(desired.text, "utf-8", "markdown"))
        windows = await core.contents.split_windows(content)
        properties = desired.properties.items()
        changed = {name: value for name, value in properties if before is None or before.properties.get(name) != value}
        values = unique_values(Kind.NODE, kind.type, changed, head.ontology)
        context = Context(ontology=head.ontology, owners=await owners_of(reader, domain, values))
        return _StoredNote(before, content, windows, context)

    def draft(head: Head, stored: _StoredNote) -> Decision[tuple[Note | None, DesiredNote]]:
        desired = decide(stored.before)
        drafts = _drafts(core, head, kind, stored, desired, new)
        return Decision(validate(head, drafts, stored.context), (stored.before, desired))

    async def write() -> WrittenNote:
        written = await core.log.write(name, domain, core.origin, read, draft)
        before, desired = written.report
        subject, version = (new, 0) if before is None else (before.node.id, before.node.version)
        changed = written.receipt.version_of(subject)
        return WrittenNote(subject, version if changed is None else changed, desired, changed is not None)

    return await write_to_domain(core, domain, write)


@dataclass(frozen=True, slots=True)
class _StoredNote:
    """The note that is stored under a key, if there is one, and its new text."""

    before: Note | None
    content: Content
    windows: tuple[str, ...]
    context: Context


def _drafts(core: Core, head: Head, kind: NoteKind, stored: _StoredNote, desired: DesiredNote, new: str) -> list[Draft]:
    """Return the drafts that create or change a note, or none if it is unchanged."""
    if stored.before is None:
        new_node = NewNode(
            id=new,
            type=kind.type,
            content=stored.content,
            properties=desired.properties,
            tags=(),
            fields={"title": desired.title},
            windows=stored.windows,
        )
        return [*_missing_type_drafts(core, head, kind), creation_draft(head, new_node)]
    edit = NodeEdit(
        properties=desired.properties,
        content=stored.content,
        format=None,
        tags=None,
        fields={},
        expected_version=desired.expected_version,
        windows=stored.windows,
    )
    draft = update_draft(head, stored.before.node, edit)
    return [] if same_state(draft.state or {}, stored.before.node.state(), MODIFIED) else [draft]


def _missing_type_drafts(core: Core, head: Head, kind: NoteKind) -> list[Draft]:
    """Return the draft that declares the notes' type, if an open ontology lacks it."""
    if head.ontology.find_node_type(kind.type) is not None:
        return []
    if not head.ontology.open:
        rule = f'{{"name": "{kind.key}", "unique": true}}'
        call = f'{{"type_name": "{kind.type}", "properties": [{rule}]}}'
        declare = " Declare the type with {add_node_type}: {call}."
        hint = Hint("This domain accepts only declared types.", declare, call=call)
        message = f"Node type {kind.type}, which is needed for this, is not defined"
        raise GraphError(Code.INVALID_NODE_TYPE, message, {"type": kind.type, "hint": hint})
    check_type_limit(head.ontology, head.domain, core.open_type_limit)
    return [new_type_draft(kind.node_type)]
