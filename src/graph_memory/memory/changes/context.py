"""What a decision about changes looks at, read for all of them in a few statements."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from graph_memory.memory.changes import paging
from graph_memory.memory.changes.plan import Context, ends_of, unique_of
from graph_memory.memory.changes.stored_data_check import Stored, StoredRow
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
"""Subjects that are looked at in one statement."""
MOST_LOOKED_AT = 100_000
"""What is attached to nodes that become of another type."""


@dataclass(frozen=True, slots=True)
class AttachedRow:
    """A connection or observation that goes when its node goes."""

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
    """Who has a unique value."""

    kind: str
    type: str
    property: str
    value: str
    owner: str
    title: str | None


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node of a type, with its values of some properties."""

    id: str
    values: list[Any]


@dataclass(frozen=True, slots=True)
class StoredConnections:
    """The connections of a type that leave a node: lists of id, types of the ends, id of the target, and values."""

    source: str
    found: list[Any]

    def rows(self) -> Iterator[StoredRow]:
        """Give each connection."""
        for id_, from_type, to_type, target, values in self.found:
            yield StoredRow(id_, values, (self.source, target), (from_type, to_type))


ATTACHED = query("changes/attached", AttachedRow)
LIVING = query("changes/living", LivingRow)
OWNERS = query("changes/owners", OwnerRow)
STORED_NODES = query("changes/stored_nodes", StoredNode)
STORED_CONNECTIONS = query("changes/stored_connections", StoredConnections)


async def read_context(reader: Reader, head: Head, drafts: Sequence[Draft], *, most: int | None = None) -> Context:
    """Return what lives around changes: nodes to join, what is attached to nodes that go, who has unique values.

    Raises TooMany when more than the most is attached, by default more than one transaction takes.
    """
    kept = [draft for draft in drafts if draft.op is not Op.DELETE]
    ontology = ontology_after(head.ontology, kept)
    ends = {end for draft in kept if draft.op is Op.CREATE for end in ends_of(draft)}
    going = [draft.subject for draft in drafts if draft.op is Op.DELETE and draft.kind is Kind.NODE]
    return Context(
        ontology=head.ontology,
        living=await living_of(reader, head.domain, ends),
        attached=await attached_to(reader, head.domain, going, most),
        owners=await owners_of(reader, head.domain, {value for draft in kept for value in unique_of(draft, ontology)}),
    )


async def living_of(reader: Reader, domain: str, nodes: Collection[str]) -> Mapping[str, str]:
    """Return the types of those of these nodes that exist."""
    return {row.id: row.type for row in await in_parts(reader, LIVING, domain, ids=sorted(nodes))}


async def attached_to(
    reader: Reader, domain: str, nodes: Sequence[str], most: int | None = None
) -> Mapping[str, Sequence[Draft]]:
    """Return for each node the deletions of what is attached to it. Raises TooMany for more than the most."""
    attached: dict[str, list[Draft]] = {}
    most = paging.AT_ONCE if most is None else most
    count = 0
    for start in range(0, len(nodes), ROWS):
        rows = await reader.read(ATTACHED, domain=domain, nodes=nodes[start : start + ROWS], limit=most + 1)
        count += len(rows)
        paging.check_amount(count, most)
        for row in rows:
            attached.setdefault(row.node, []).append(detaching(row))
    return attached


async def attached_to_others(
    reader: Reader, domain: str, nodes: Sequence[str], ontology: Ontology
) -> Mapping[str, Sequence[Draft]]:
    """Return what is attached to nodes that become of another type, as far as its types ask what their ends are."""
    asks = any(ANY not in ends for type_ in ontology.connection_types for ends in (type_.from_types, type_.to_types))
    return await attached_to(reader, domain, nodes, MOST_LOOKED_AT) if asks else {}


async def owners_of(reader: Reader, domain: str, values: Collection[UniqueValue]) -> Owners:
    """Return who has which of these unique values."""
    owners: dict[UniqueValue, dict[str, str | None]] = {}
    for row in await in_parts(reader, OWNERS, domain, rows=[asdict(value) for value in values]):
        value = UniqueValue(Kind(row.kind), row.type, row.property, row.value)
        owners.setdefault(value, {})[row.owner] = row.title
    return owners


async def read_stored(reader: Reader, domain: str, changes: Iterable[TypeChange]) -> Mapping[str, Stored]:
    """Return by its subject, for each type that is to change and asks more then, what is stored of it."""
    results = [Stored(change) for change in changes if change.demands or change.changes_derived]
    for stored in results:
        async for _, rows in stored_rows(reader, domain, stored.change.after, stored.names):
            for row in rows:
                stored.look(row)
    return {stored.subject: stored for stored in results}


async def stored_rows(
    reader: Reader, domain: str, declared: AnyType, names: Sequence[str], after: str = ""
) -> AsyncIterator[tuple[str, Sequence[StoredRow]]]:
    """Yield what is stored of a type, with its values of these properties; each page with the node at which it ends."""
    arguments: dict[str, Any] = {"domain": domain, "type": declared.name, "names": list(names), "limit": ROWS}
    if isinstance(declared, NodeType):
        while nodes := await reader.read(STORED_NODES, after=after, **arguments):
            after = nodes[-1].id
            yield after, [StoredRow(node.id, node.values) for node in nodes]
        return
    while sources := await reader.read(STORED_CONNECTIONS, after=after, **arguments):
        after = sources[-1].source
        yield after, [row for source in sources for row in source.rows()]


def detaching(row: AttachedRow) -> Draft:
    """Return the event that deletes what goes with a node."""
    return Draft(
        op=Op.DELETE,
        kind=Kind(row.kind),
        subject=row.id,
        type=row.type,
        from_id=row.from_id,
        to_id=row.to_id,
        previous=row.version,
    )


async def in_parts(reader: Reader, statement: Query[R], domain: str, **rows: Sequence[object]) -> list[R]:
    """Return what a statement gives for rows, of which it is given some at a time."""
    [(name, every)] = rows.items()
    results: list[R] = []
    for start in range(0, len(every), ROWS):
        results += await reader.read(statement, domain=domain, **{name: every[start : start + ROWS]})
    return results
