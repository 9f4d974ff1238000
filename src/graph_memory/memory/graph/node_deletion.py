"""Deletes a node with its connections and observations, in one transaction or, if there are many of them, in pages.

The connections are deleted first and the node last, so that no connection ever lacks its start or end node.
"""

from __future__ import annotations

from graph_memory.memory.changes import paging
from graph_memory.memory.changes.context import ATTACHED, detachment_draft, read_attachments
from graph_memory.memory.changes.paging import Batch, TooManyEvents, is_busy_with_job
from graph_memory.memory.changes.plan import Changeset, Context, node_not_found_error
from graph_memory.memory.core import Core, check_version
from graph_memory.memory.domains.lineage import POSITION
from graph_memory.memory.graph.nodes import read_node
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Draft, Event, Head, Op
from graph_memory.model.results import NodeDeletionResult
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.storage.log.protection import SubjectScope
from graph_memory.storage.log.reads import last_event
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader

DELETING_NODE = "deleting_node"


async def delete_node(core: Core, domain: str, node_id: str, expected_version: int | None) -> NodeDeletionResult:
    """Delete a node with its connections and observations. See `Memory.delete_node`."""

    async def read(reader: Reader, head: Head) -> tuple[NodeState, Context]:
        node = await read_node(reader, domain, node_id)
        return node, Context(ontology=head.ontology, attached=await read_attachments(reader, domain, [node_id]))

    def decide(_: Head, stored: tuple[NodeState, Context]) -> Decision[None]:
        node, context = stored
        return Decision(Changeset.of(context, [deletion_draft(node, expected_version)]).in_order(), None)

    try:
        written = await core.log.write("delete_node", domain, core.origin, read, decide)
    except GraphError as error:
        if not isinstance(error, TooManyEvents) and not is_busy_with_job(error, DELETING_NODE):
            raise
        return await _delete_in_pages(core, domain, node_id, expected_version)
    changes = written.receipt.changes
    return NodeDeletionResult(version=changes[-1].seq, connections=len(changes) - 1)


def deletion_draft(node: NodeState, expected_version: int | None) -> Draft:
    """Return the draft that deletes only the node. Raises VERSION_CONFLICT if it does not have the expected version."""
    check_version("Node", node.id, node.version, expected_version)
    return Draft(op=Op.DELETE, kind=Kind.NODE, subject=node.id, type=node.type, previous=node.version)


async def _delete_in_pages(core: Core, domain: str, node_id: str, expected_version: int | None) -> NodeDeletionResult:
    """Delete a node in pages, or continue an interrupted deletion. The version is checked before the first page."""
    batch = await Batch.begin(core, domain, DELETING_NODE, {"node_id": node_id}, {}, reach=SubjectScope(node_id))
    last = await last_event(core.store, domain, node_id)
    try:
        if batch.job.progress.done == 0:
            _check_exists(domain, node_id, last, expected_version)
        while last is not None and last.draft.op is not Op.DELETE:
            await _delete_page(batch, last)
            last = await last_event(core.store, domain, node_id)
    except GraphError:
        await batch.abandon()
        raise
    await batch.end()
    begin = await core.store.first_row(POSITION, domain=domain, event=batch.id)
    version, first = last.seq if last else 0, begin.seq if begin and begin.seq else 0
    # The events of the batch are consecutive, so the difference of the positions is the number of deletions.
    return NodeDeletionResult(version=version, connections=version - first, resumed=batch.job.is_resumed or None)


def _check_exists(domain: str, node_id: str, last: Event | None, expected_version: int | None) -> None:
    if last is None or last.draft.kind is not Kind.NODE or last.draft.op is Op.DELETE:
        raise node_not_found_error(domain, node_id)
    check_version("Node", node_id, last.seq, expected_version)


async def _delete_page(batch: Batch, node: Event) -> None:
    """Delete a page of the node's connections and observations. The last page also deletes the node."""
    core, domain, subject = batch.core, batch.job.domain, node.draft.subject
    rows = await core.store.read(ATTACHED, domain=domain, nodes=[subject], limit=paging.PAGE)
    node_draft = Draft(op=Op.DELETE, kind=Kind.NODE, subject=subject, type=node.draft.type, previous=node.seq)
    await batch.page([*map(detachment_draft, rows), *([node_draft] if len(rows) < paging.PAGE else [])])
