"""The stored data around changes, read for all of them in a few statements."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from graph_memory.memory.changes import paging
from graph_memory.memory.changes.plan import Context, ends_of, unique_of
from graph_memory.memory.changes.stored_data_check import StoredRow, StoredType
from graph_memory.memory.changes.types import ontology_after
from graph_memory.memory.changes.values import Owners, UniqueValue
from graph_memory.model.events import Draft, Head, Op
from graph_memory.model.ontology.ontology import ANY, Ontology
from graph_memory.model.ontology.ontology_diff import TypeChange
from graph_memory.model.ontology.types import AnyType, NodeType
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.queries import Query, query
from graph_memory.storage.store import Reader

R = TypeVar("R")

ROWS = 2_000
"""Maximum number of subjects per statement."""
MAX_ATTACHED = 100_000
"""Maximum number of subjects that are attached to nodes whose type changes."""


@dataclass(frozen=True, slots=True)
class AttachedRow:
    """A connection or observation that is deleted with its node."""

    node: str
    kind: str
    id: str
    type: str | None
    from_id: str
    to_id: str | None
    version: int


@dataclass(frozen=True, slots=True)
class LivingRow:
    """A node that exists."""

    id: str
    type: str


@dataclass(frozen=True, slots=True)
class OwnerRow:
    """The owner of a unique value."""

    kind: str
    type: str
    property: str
    value: str
    owner: str
    title: str | None


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A stored node with the values of some properties."""

    id: str
    values: list[Any]


@dataclass(frozen=True, slots=True)
class StoredConnections:
    """A node's outgoing connections of one type. Each is a list: id, type of each end, target id, and values."""

    source: str
    connections: list[Any]

    def rows(self) -> Iterator[StoredRow]:
        """Yield the connections."""
        for subject_id, from_type, to_type, target, values in self.connections:
            yield StoredRow(subject_id, values, (self.source, target), (from_type, to_type))


ATTACHED = query("changes/attached", AttachedRow)
LIVING = query("changes/living", LivingRow)
OWNERS = query("changes/owners", OwnerRow)
STORED_NODES = query("changes/stored_nodes", StoredNode)
STORED_CONNECTIONS = query("changes/stored_connections", StoredConnections)


async def read_context(reader: Reader, head: Head, drafts: Sequence[Draft], *, maximum: int | None = None) -> Context:
    """Return the data that changes depend on: ends of connections, subjects attached to deleted nodes, unique values.

    Raises TooMany if more than `maximum` subjects are attached (by default, as many as one transaction can delete).
    """
    remaining = [draft for draft in drafts if draft.op is not Op.DELETE]
    ontology = ontology_after(head.ontology, remaining)
    ends = {end for draft in remaining if draft.op is Op.CREATE for end in ends_of(draft)}
    deleted_nodes = [draft.subject for draft in drafts if draft.op is Op.DELETE and draft.kind is Kind.NODE]
    return Context(
        ontology=head.ontology,
        living=await living_of(reader, head.domain, ends),
        attached=await read_attachments(reader, head.domain, deleted_nodes, maximum),
        owners=await owners_of(
            reader, head.domain, {value for draft in remaining for value in unique_of(draft, ontology)}
        ),
    )


async def living_of(reader: Reader, domain: str, nodes: Collection[str]) -> Mapping[str, str]:
    """Return the types of the nodes that exist."""
    return {row.id: row.type for row in await read_in_parts(reader, LIVING, domain, ids=sorted(nodes))}


async def read_attachments(
    reader: Reader, domain: str, nodes: Sequence[str], maximum: int | None = None
) -> Mapping[str, Sequence[Draft]]:
    """Return the deletions of the subjects attached to each node. Raises TooMany for more than `maximum`."""
    attached: dict[str, list[Draft]] = {}
    maximum = paging.AT_ONCE if maximum is None else maximum
    count = 0
    for start in range(0, len(nodes), ROWS):
        rows = await reader.read(ATTACHED, domain=domain, nodes=nodes[start : start + ROWS], limit=maximum + 1)
        count += len(rows)
        paging.check_amount(count, maximum)
        for row in rows:
            attached.setdefault(row.node, []).append(detachment_draft(row))
    return attached


async def read_attachments_of_retyped(
    reader: Reader, domain: str, nodes: Sequence[str], ontology: Ontology
) -> Mapping[str, Sequence[Draft]]:
    """Return the subjects attached to nodes whose type changes, or nothing if no connection type restricts its ends."""
    restricts_ends = any(
        ANY not in ends for declared in ontology.connection_types for ends in (declared.from_types, declared.to_types)
    )
    return await read_attachments(reader, domain, nodes, MAX_ATTACHED) if restricts_ends else {}


async def owners_of(reader: Reader, domain: str, values: Collection[UniqueValue]) -> Owners:
    """Return the owners of unique values."""
    owners: dict[UniqueValue, dict[str, str | None]] = {}
    for row in await read_in_parts(reader, OWNERS, domain, rows=[asdict(value) for value in values]):
        value = UniqueValue(Kind(row.kind), row.type, row.property, row.value)
        owners.setdefault(value, {})[row.owner] = row.title
    return owners


async def read_stored(reader: Reader, domain: str, changes: Iterable[TypeChange]) -> Mapping[str, StoredType]:
    """Check the stored data of each type whose change adds constraints, and return the data by the id of the type."""
    results = [StoredType(change) for change in changes if change.demands or change.changes_derived]
    for stored in results:
        async for _, rows in stored_rows(reader, domain, stored.change.after, stored.names):
            for row in rows:
                stored.add(row)
    return {stored.subject: stored for stored in results}


async def stored_rows(
    reader: Reader, domain: str, declared: AnyType, names: Sequence[str], after: str = ""
) -> AsyncIterator[tuple[str, Sequence[StoredRow]]]:
    """Yield pages of a type's stored subjects, with the named properties, each page with the id of its last node."""
    arguments: dict[str, Any] = {"domain": domain, "type": declared.name, "names": list(names), "limit": ROWS}
    if isinstance(declared, NodeType):
        while nodes := await reader.read(STORED_NODES, after=after, **arguments):
            after = nodes[-1].id
            yield after, [StoredRow(node.id, node.values) for node in nodes]
        return
    while sources := await reader.read(STORED_CONNECTIONS, after=after, **arguments):
        after = sources[-1].source
        yield after, [row for source in sources for row in source.rows()]


def detachment_draft(row: AttachedRow) -> Draft:
    """Return a draft that deletes the subject, which is attached to a node."""
    return Draft(
        op=Op.DELETE,
        kind=Kind(row.kind),
        subject=row.id,
        type=row.type,
        from_id=row.from_id,
        to_id=row.to_id,
        previous=row.version,
    )


async def read_in_parts(reader: Reader, statement: Query[R], domain: str, **rows: Sequence[object]) -> list[R]:
    """Run a statement on a limited number of rows at a time, and return all of its results."""
    [(name, items)] = rows.items()
    results: list[R] = []
    for start in range(0, len(items), ROWS):
        results += await reader.read(statement, domain=domain, **{name: items[start : start + ROWS]})
    return results
