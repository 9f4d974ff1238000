"""Deleting a node with all that is attached to it: in one transaction, or in pages when that is more than one takes.

In pages the connections go first and the node goes last, so that no connection ever lacks an end.
"""

from __future__ import annotations

from graph_memory.memory.changes import paging
from graph_memory.memory.changes.context import ATTACHED, attached_to, detaching
from graph_memory.memory.changes.paging import Batch, TooMany, goes_on
from graph_memory.memory.changes.plan import Changeset, Context, node_not_found
from graph_memory.memory.core import Core, check_version
from graph_memory.memory.domains.lineage import POSITION
from graph_memory.memory.graph.nodes import the_node
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Draft, Event, Head, Op
from graph_memory.model.results import NodeDeleted
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.storage.log.protection import One
from graph_memory.storage.log.reads import last_event
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader

DELETING_NODE = "deleting_node"


async def delete_node(core: Core, domain: str, node_id: str, expected_version: int | None) -> NodeDeleted:
    """Delete a node with its connections and the observations about it. `Memory.delete_node` tells the rest."""

    async def read(reader: Reader, head: Head) -> tuple[NodeState, Context]:
        node = await the_node(reader, domain, node_id)
        return node, Context(ontology=head.ontology, attached=await attached_to(reader, domain, [node_id]))

    def decide(_: Head, pair: tuple[NodeState, Context]) -> Decision[None]:
        return Decision(decide_delete(*pair, expected_version), None)

    try:
        written = await core.log.write("delete_node", domain, core.origin, read, decide)
    except TooMany:
        return await _delete_in_pages(core, domain, node_id, expected_version)
    except GraphError as error:
        if not goes_on(error, DELETING_NODE):
            raise
        return await _delete_in_pages(core, domain, node_id, expected_version)
    changes = written.receipt.changes
    return NodeDeleted(version=changes[-1].seq, connections=len(changes) - 1)


def decide_delete(node: NodeState, context: Context, expected_version: int | None) -> list[Draft]:
    """Return the events that delete a node, after those of all that goes with it. Raises VERSION_CONFLICT."""
    return Changeset.of(context, [deletion(node, expected_version)]).ordered()


def deletion(node: NodeState, expected_version: int | None) -> Draft:
    """Return the change that deletes a node, without those of what goes with it. Raises VERSION_CONFLICT."""
    check_version("Node", node.id, node.version, expected_version)
    return Draft(op=Op.DELETE, kind=Kind.NODE, subject=node.id, type=node.type, previous=node.version)


async def _delete_in_pages(core: Core, domain: str, node_id: str, expected_version: int | None) -> NodeDeleted:
    """Delete a node in pages, or go on with it; its version is compared before the first page."""
    batch = await Batch.begin(core, domain, DELETING_NODE, {"node_id": node_id}, {}, reach=One(node_id))
    last = await last_event(core.store, domain, node_id)
    try:
        if batch.job.progress.done == 0:
            _check_lives(domain, node_id, last, expected_version)
        while last is not None and last.draft.op is not Op.DELETE:
            await _delete_page(batch, last)
            last = await last_event(core.store, domain, node_id)
    except GraphError:
        await batch.give_up()
        raise
    await batch.end()
    return await _deleted(batch, last)


def _check_lives(domain: str, node_id: str, last: Event | None, expected_version: int | None) -> None:
    if last is None or last.draft.kind is not Kind.NODE or last.draft.op is Op.DELETE:
        raise node_not_found(domain, node_id)
    check_version("Node", node_id, last.seq, expected_version)


async def _delete_page(batch: Batch, node: Event) -> None:
    """Delete a page of what is attached to a node, with the last of it the node."""
    core, domain, subject = batch.core, batch.job.domain, node.draft.subject
    rows = await core.store.read(ATTACHED, domain=domain, nodes=[subject], limit=paging.PAGE)
    own = Draft(op=Op.DELETE, kind=Kind.NODE, subject=subject, type=node.draft.type, previous=node.seq)
    await batch.page([*map(detaching, rows), *([own] if len(rows) < paging.PAGE else [])])


async def _deleted(batch: Batch, last: Event | None) -> NodeDeleted:
    """Return what was deleted: the events of the batch stand next to each other, and that of the node is the last."""
    begin = await batch.core.store.one(POSITION, domain=batch.job.domain, event=batch.id)
    version, first = last.seq if last else 0, begin.seq if begin and begin.seq else 0
    return NodeDeleted(version=version, connections=version - first, resumed=batch.job.is_resumed or None)
