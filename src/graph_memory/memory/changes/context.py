"""Reads the stored data on which a set of changes depends, in a few statements for all changes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from graph_memory.memory.changes import paging
from graph_memory.memory.changes.plan import Context, ends_of, unique_values_of
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
"""Maximum number of subjects that one statement reads."""
MAX_ATTACHED = 100_000
"""Maximum number of attachments that are read for nodes whose type changes."""


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
class ExistingNodeRow:
    """The id and type of an existing node."""

    id: str
    type: str


@dataclass(frozen=True, slots=True)
class OwnerRow:
    """A unique value of a type's property, and the subject that has it."""

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
    """A node's outgoing connections of one type. Each is a list: id, types of both endpoints, target id, values."""

    source: str
    connections: list[Any]

    def rows(self) -> Iterator[StoredRow]:
        """Yield each connection as a row for the check of its type."""
        for subject_id, from_type, to_type, target, values in self.connections:
            yield StoredRow(subject_id, values, (self.source, target), (from_type, to_type))


ATTACHED = query("changes/attached", AttachedRow)
LIVING = query("changes/living", ExistingNodeRow)
OWNERS = query("changes/owners", OwnerRow)
STORED_NODES = query("changes/stored_nodes", StoredNode)
STORED_CONNECTIONS = query("changes/stored_connections", StoredConnections)


async def read_context(reader: Reader, head: Head, drafts: Sequence[Draft], *, maximum: int | None = None) -> Context:
    """Return the data that changes depend on: endpoints, subjects attached to deleted nodes, and unique values.

    Raises TooManyEvents if more than `maximum` subjects are attached (by default, as many as one transaction can
    delete).
    """
    remaining = [draft for draft in drafts if draft.op is not Op.DELETE]
    ontology = ontology_after(head.ontology, remaining)
    ends = {end for draft in remaining if draft.op is Op.CREATE for end in ends_of(draft)}
    deleted_nodes = [draft.subject for draft in drafts if draft.op is Op.DELETE and draft.kind is Kind.NODE]
    return Context(
        ontology=head.ontology,
        existing_node_types=await types_of_existing(reader, head.domain, ends),
        attached=await read_attachments(reader, head.domain, deleted_nodes, maximum),
        owners=await owners_of(
            reader, head.domain, {value for draft in remaining for value in unique_values_of(draft, ontology)}
        ),
    )


async def types_of_existing(reader: Reader, domain: str, nodes: Collection[str]) -> Mapping[str, str]:
    """Return the type of each given node that exists, keyed by node id."""
    return {row.id: row.type for row in await read_in_parts(reader, LIVING, domain, ids=sorted(nodes))}


async def read_attachments(
    reader: Reader, domain: str, nodes: Sequence[str], maximum: int | None = None
) -> Mapping[str, Sequence[Draft]]:
    """Return the drafts that delete each node's attachments. Raises TooManyEvents if there are more than `maximum`."""
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
    """Return the drafts that delete each node's attachments, to check whether they fit the node's new type.

    Returns an empty mapping if no connection type restricts its endpoints, because then every node type fits.
    """
    restricts_ends = any(
        ANY not in ends
        for connection_type in ontology.connection_types
        for ends in (connection_type.from_types, connection_type.to_types)
    )
    return await read_attachments(reader, domain, nodes, MAX_ATTACHED) if restricts_ends else {}


async def owners_of(reader: Reader, domain: str, values: Collection[UniqueValue]) -> Owners:
    """Return the subjects that currently have the given unique values, keyed by value."""
    owners: dict[UniqueValue, dict[str, str | None]] = {}
    for row in await read_in_parts(reader, OWNERS, domain, rows=[asdict(value) for value in values]):
        value = UniqueValue(Kind(row.kind), row.type, row.property, row.value)
        owners.setdefault(value, {})[row.owner] = row.title
    return owners


async def read_stored(reader: Reader, domain: str, changes: Iterable[TypeChange]) -> Mapping[str, StoredType]:
    """Check the stored subjects of types whose change adds constraints. Returns results keyed by type id."""
    stored_types = [StoredType(change) for change in changes if change.demands or change.changes_derived]
    for stored_type in stored_types:
        async for _, rows in stored_rows(reader, domain, stored_type.change.after, stored_type.names):
            for row in rows:
                stored_type.add(row)
    return {stored_type.subject: stored_type for stored_type in stored_types}


async def stored_rows(
    reader: Reader, domain: str, subject_type: AnyType, names: Sequence[str], after: str = ""
) -> AsyncIterator[tuple[str, Sequence[StoredRow]]]:
    """Yield the stored subjects of a type in pages, with the values of the properties `names`.

    Yields each page with the id of its last node or source node, which is the `after` of the next page.
    """
    arguments: dict[str, Any] = {"domain": domain, "type": subject_type.name, "names": list(names), "limit": ROWS}
    if isinstance(subject_type, NodeType):
        while nodes := await reader.read(STORED_NODES, after=after, **arguments):
            after = nodes[-1].id
            yield after, [StoredRow(node.id, node.values) for node in nodes]
        return
    while sources := await reader.read(STORED_CONNECTIONS, after=after, **arguments):
        after = sources[-1].source
        yield after, [row for source in sources for row in source.rows()]


def detachment_draft(row: AttachedRow) -> Draft:
    """Return the draft that deletes an attachment of a node."""
    return Draft(
        op=Op.DELETE,
        kind=Kind(row.kind),
        subject=row.id,
        type=row.type,
        from_id=row.from_id,
        to_id=row.to_id,
        previous=row.version,
    )


async def read_in_parts(reader: Reader, statement: Query[R], domain: str, **arguments: Sequence[object]) -> list[R]:
    """Run a statement repeatedly, each time with part of its list argument. Returns all results."""
    [(name, values)] = arguments.items()
    results: list[R] = []
    for start in range(0, len(values), ROWS):
        results += await reader.read(statement, domain=domain, **{name: values[start : start + ROWS]})
    return results
