"""Creates, reads and updates nodes. A write first reads the stored state, then decides what to log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from graph_memory.memory.changes.context import owners_of, read_context
from graph_memory.memory.changes.plan import Changeset, Context, node_not_found_error, unique_values
from graph_memory.memory.contents import content_of
from graph_memory.memory.core import Core, LastState, SubjectRow, check_version, last_state, used_ids, version_after
from graph_memory.memory.graph.describe import protection_info
from graph_memory.memory.graph.ontology import with_ad_hoc_type
from graph_memory.model.events import Draft, Head, Op
from graph_memory.model.results import ChangeResult, NodeContent, NodeCreationResult, NodeInfo
from graph_memory.model.rules import check_subject
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ENTITY, MODIFIED, NodeState
from graph_memory.model.values.arguments import check_tags, invalid_argument
from graph_memory.model.values.content import DEFAULT_FORMAT, Content, check_content_format
from graph_memory.model.values.exact import same_state
from graph_memory.model.values.fields import NAMESPACE, ROOT, NodeFields
from graph_memory.model.values.properties import PropertyValue, check_properties
from graph_memory.model.values.titles import title_of
from graph_memory.storage.log.work import Decision
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

GET = query("graph/node", SubjectRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNode:
    """A node to create. Its arguments are already validated."""

    id: str
    type: str
    content: Content
    properties: Mapping[str, PropertyValue]
    tags: tuple[str, ...]
    fields: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    windows: tuple[str, ...] | None = None
    """The search windows of the content, or None if the write computes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeEdit:
    """The validated changes of an update. None leaves a value unchanged."""

    properties: Mapping[str, PropertyValue]
    content: Content | None
    format: str | None
    tags: tuple[str, ...] | None
    fields: Mapping[str, str | None]
    """The fields to change. The value None resets a field to its default."""
    expected_version: int | None
    windows: tuple[str, ...] | None = None
    """The search windows of the content, or None if the write computes them."""


async def create_node(core: Core, domain: str, node: NewNode, *, has_requested_id: bool) -> NodeCreationResult:
    """Create a node and return its id. See `Memory.create_node`."""
    await _check_before_blob(core, domain, node)
    node = replace(node, windows=await _store_content(core, domain, node.content))

    async def read(reader: Reader, head: Head) -> Context:
        used = await used_ids(reader, domain, node.id if has_requested_id else None)
        return replace(await read_context(reader, head, [creation_draft(head, node)]), used_ids=used)

    def decide(head: Head, context: Context) -> Decision[None]:
        return Decision(decide_create(head, node, context, open_type_limit=core.open_type_limit), None)

    written = await core.log.write("create_node", domain, core.origin, read, decide)
    return NodeCreationResult(node_id=node.id, version=version_after(written.receipt.version_of(node.id), 0))


async def new_node(
    node_id: str,
    type_name: str,
    content: str | bytes | Path,
    *,
    encoding: str,
    content_format: str,
    properties: Mapping[str, object] | None,
    tags: Sequence[str] | None,
    fields: Mapping[str, str | None],
) -> NewNode:
    """Validate the arguments of a new node, and return the node to create.

    Raises INVALID_PROPERTY if a property is invalid, INVALID_ENCODING if the content does not match its encoding, and
    INVALID_ARGUMENT if a tag or the format is invalid.
    """
    return NewNode(
        id=node_id,
        type=type_name,
        properties=check_properties(properties or {}),
        tags=check_tags(tags or ()),
        fields=fields,
        content=await content_of(content, encoding, content_format),
    )


async def _check_before_blob(core: Core, domain: str, node: NewNode) -> None:
    """Validate a node before its blob is stored. The write validates it again, under the lock."""
    if not core.contents.is_inline(node.content.ref):
        head = Head(domain, 0, utc_now(), await core.log.require_ontology(domain))
        if not head.ontology.open or head.ontology.find_node_type(node.type) is not None:
            check_subject(creation_draft(head, node), head.ontology)


async def _store_content(core: Core, domain: str, content: Content) -> tuple[str, ...]:
    """Store the content of a node, and return its search windows."""
    await core.contents.put(domain, content)
    return await core.contents.split_windows(content)


def decide_create(head: Head, node: NewNode, context: Context, *, open_type_limit: int) -> list[Draft]:
    """Return the events that create a node.

    Raises INVALID_NODE_TYPE, REQUIRED_PROPERTY_MISSING, INVALID_PROPERTY, UNIQUE_PROPERTY_TAKEN, NODE_ALREADY_EXISTS
    and TYPE_LIMIT_REACHED.
    """
    return Changeset.of(context, with_ad_hoc_type(head, creation_draft(head, node), open_type_limit)).validate(
        head.domain
    )


def creation_draft(head: Head, node: NewNode) -> Draft:
    """Return the draft that creates a node, without validating it."""
    state = NodeState(
        id=node.id,
        type=node.type,
        created=head.at,
        modified=head.at,
        title=title_of(node.type, node.properties, node.content.text),
        content=node.content.ref,
        properties=node.properties,
        tags=node.tags,
        fields=NodeFields().with_changes(node.fields, head.at),
    )
    return _draft(Op.CREATE, state, node.content, node.windows)


async def get_node(core: Core, domain: str, node_id: str) -> NodeInfo:
    """Return a node without its content. See `Memory.get_node`."""
    node = await read_node(core.store, domain, node_id)
    core.accesses.record(domain, [node.id])
    return node_info(node)


def node_info(node: NodeState) -> NodeInfo:
    """Return the details of a node. Fields with default values are None."""
    fields = node.fields
    return NodeInfo(
        id=node.id,
        type=node.type,
        created=node.created,
        modified=node.modified,
        title=node.shown_title,
        properties=dict(node.properties),
        content_format=node.content.format,
        content_encoding=node.content.encoding,
        content_size=node.content.size,
        version=node.version,
        tags=node.tags or None,
        path=None if fields.path == ROOT else fields.path,
        namespace=None if fields.namespace == NAMESPACE else fields.namespace,
        content_summary=fields.content_summary,
        summary_timestamp=fields.summary_timestamp,
        metadata=fields.data,
        valid_from=node.validity.valid_from,
        valid_to=node.validity.valid_to,
        protection=protection_info(node.protection, utc_now()),
    )


async def get_node_content(core: Core, domain: str, node_id: str) -> NodeContent:
    """Return the content of a node. See `Memory.get_node_content`."""
    row = await _read_last_state(core.store, domain, node_id, with_text=True)
    node = NodeState.from_live(row.state)
    content = await core.contents.fetch(domain, node.content, row.text)
    core.accesses.record(domain, [node.id])
    return NodeContent(content=content.encoded, encoding=content.encoding, format=content.format)


async def update_node(core: Core, domain: str, node_id: str, edit: NodeEdit) -> ChangeResult:
    """Update a node and return its version. See `Memory.update_node`."""
    if edit.content is not None:
        if not core.contents.is_inline(edit.content.ref):
            await read_node(core.store, domain, node_id)
        edit = replace(edit, windows=await _store_content(core, domain, edit.content))

    async def read(reader: Reader, head: Head) -> tuple[NodeState, Context]:
        node = await read_node(reader, domain, node_id)
        entity = {} if node.entity is None else {ENTITY: node.entity}
        values = unique_values(Kind.NODE, node.type, {**edit.properties, **entity}, head.ontology)
        return node, Context(ontology=head.ontology, owners=await owners_of(reader, domain, values))

    def decide(head: Head, stored: tuple[NodeState, Context]) -> Decision[int]:
        node, context = stored
        return Decision(decide_update(head, node, edit, context), node.version)

    written = await core.log.write("update_node", domain, core.origin, read, decide)
    return ChangeResult(version=version_after(written.receipt.version_of(node_id), written.report))


def decide_update(head: Head, node: NodeState, edit: NodeEdit, context: Context) -> list[Draft]:
    """Return the event that updates a node, or no event if nothing changes.

    Raises VERSION_CONFLICT, REQUIRED_PROPERTY_MISSING, INVALID_PROPERTY and UNIQUE_PROPERTY_TAKEN.
    """
    draft = update_draft(head, node, edit)
    drafts = Changeset.of(context, [draft]).validate(head.domain)
    return [] if same_state(draft.state or {}, node.state(), MODIFIED) else drafts


def update_draft(head: Head, node: NodeState, edit: NodeEdit) -> Draft:
    """Return the draft that updates a node, without validating the new values. Raises VERSION_CONFLICT."""
    check_version("Node", node.id, node.version, edit.expected_version)
    properties = {**node.properties, **edit.properties}
    content = edit.content.ref if edit.content else node.content
    becomes_text = content.is_text and not node.content.is_text
    content = replace(content, format=edit.format or (DEFAULT_FORMAT if becomes_text else node.content.format))
    new_content = None if content.is_same(node.content) else edit.content
    text, title = (edit.content.text, None) if edit.content else (None, node.title)
    after = replace(
        node,
        properties=properties,
        content=content,
        title=title_of(node.type, properties, text, previous=title),
        tags=node.tags if edit.tags is None else edit.tags,
        fields=node.fields.with_changes(edit.fields, head.at, is_rewritten=new_content is not None),
        modified=head.at,
    )
    return _draft(Op.UPDATE, after, new_content, edit.windows)


async def edit_of(
    *,
    properties: Mapping[str, object] | None,
    content: str | bytes | Path | None,
    encoding: str | None,
    content_format: str | None,
    tags: Sequence[str] | None,
    fields: Mapping[str, str | None],
    expected_version: int | None,
) -> NodeEdit:
    """Validate the requested changes to a node, and return them.

    Raises INVALID_ENCODING if the content does not match its encoding (by default utf-8), INVALID_PROPERTY if a
    property is invalid, and INVALID_ARGUMENT if an encoding is given without content or no field is given.
    """
    if content is None and encoding is not None:
        raise invalid_argument("encoding", "encoding was given without content", "Pass both, or neither.")
    if not fields and all(argument is None for argument in (properties, content, content_format, tags)):
        hint = "Pass properties, content, format, tags, path, title or another field."
        raise invalid_argument("properties", "Nothing to update", hint)
    return NodeEdit(
        properties=check_properties(properties or {}),
        content=await content_of(content, encoding or "utf-8", content_format or "kept")
        if content is not None
        else None,
        format=check_content_format(content_format) if content_format is not None else None,
        tags=check_tags(tags) if tags is not None else None,
        fields=fields,
        expected_version=expected_version,
    )


async def read_node(reader: Reader, domain: str, node_id: str) -> NodeState:
    """Return the current state of a node. Raises ONTOLOGY_NOT_FOUND and NODE_NOT_FOUND."""
    return NodeState.from_live((await _read_last_state(reader, domain, node_id)).state)


async def _read_last_state(reader: Reader, domain: str, node_id: str, *, with_text: bool = False) -> LastState:
    row = await last_state(reader, GET, domain, node_id, with_text=with_text)
    if row is None:
        raise node_not_found_error(domain, node_id)
    return row


def _draft(op: Op, node: NodeState, content: Content | None, windows: tuple[str, ...] | None) -> Draft:
    return Draft(
        op=op,
        kind=Kind.NODE,
        subject=node.id,
        type=node.type,
        previous=node.version or None,
        state=node.state(),
        content=content,
        windows=windows if content is not None else None,
    )
