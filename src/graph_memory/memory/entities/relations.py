"""Relations between entities, by the names of their ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.batch.run import make_constraints
from graph_memory.memory.changes.context import ROWS
from graph_memory.memory.changes.plan import Changeset, Context
from graph_memory.memory.changes.rules import check_rules, until_rules_hold
from graph_memory.memory.core import Core
from graph_memory.memory.entities.asked import NewRelation
from graph_memory.memory.entities.drafting import Drafting
from graph_memory.memory.entities.names import entity_not_found
from graph_memory.memory.entities.results import Relation, RelationsCreated
from graph_memory.memory.entities.spelling import RELATION, stored_name
from graph_memory.memory.entities.writes import Decided, in_domain
from graph_memory.memory.graph.ontology import ad_hoc_types
from graph_memory.model.events import Draft, Event, Head
from graph_memory.model.kinds import Kind
from graph_memory.model.rules import BrokenLink, link_rules
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class RelatedRow:
    """The ends of a relation, and what is the same: lists of id, stored type and version."""

    place: int
    from_id: str | None
    from_type: str | None
    to_id: str | None
    to_type: str | None
    found: list[tuple[str, str, int]]

    @property
    def ends(self) -> dict[str, str]:
        """The ends that are there, with their types."""
        ends = ((self.from_id, self.from_type), (self.to_id, self.to_type))
        return {id_: kind or "" for id_, kind in ends if id_ is not None}


RELATED = query("entities/related", RelatedRow)


async def create_relations(core: Core, domain: str, wanted: Sequence[NewRelation]) -> RelationsCreated:
    """Create the relations that are new. `Entities.create_relations` tells the rest."""
    if not wanted:
        return RelationsCreated(relations=())

    async def write() -> RelationsCreated:
        await make_type_constraints(core, domain, wanted)
        return await until_rules_hold(lambda broken: _Writing(core, domain, wanted, broken).written())

    return await in_domain(core, domain, write)


async def make_type_constraints(core: Core, domain: str, wanted: Sequence[NewRelation]) -> None:
    """Make the constraints of the types that relations would add, also that of the general one if not all have room."""
    names = list(dict.fromkeys(stored_name(one.type, RELATION) for one in wanted))
    cached = core.log.cached_ontology(domain)
    if cached is not None and all(cached.has(Kind.CONNECTION, name) for name in names):
        return
    ontology = await core.log.require_ontology(domain)
    is_tight = ad_hoc_types(ontology) + len(names) + 2 > core.open_type_limit
    await make_constraints(core, domain, [RELATION, *names] if is_tight else names)


@dataclass(slots=True)
class _Writing:
    """One attempt at the write: what it found new is kept for what is told afterwards."""

    core: Core
    domain: str
    wanted: Sequence[NewRelation]
    broken: Mapping[str, BrokenLink]
    created: Sequence[NewRelation] = ()

    async def written(self) -> RelationsCreated:
        """Write them; what the rules of their types ask is looked at before it is committed."""
        ontology = await self.core.log.require_ontology(self.domain)
        names = {stored_name(one.type, RELATION) for one in self.wanted}
        has_rules = any(link_rules(ontology.find_connection_type(name)) for name in names)

        async def check(reader: Reader, events: Sequence[Event]) -> None:
            await check_rules(reader, self.domain, events, ontology, in_turn=True)

        await self.core.log.write(
            "create_relations",
            self.domain,
            self.core.origin,
            self._read,
            self._decide,
            after_write=check if has_rules else None,
        )
        told = [
            Relation(**{"from": one.from_name, "to": one.to_name, "relationType": one.type}) for one in self.created
        ]
        return RelationsCreated(relations=tuple(told))

    async def _read(self, reader: Reader, head: Head) -> Decided:
        rows = await related(reader, self.domain, self.wanted)
        drafting = Drafting(head, self.core.origin, self.core.open_type_limit)
        living = {end: kind for row in rows for end, kind in row.ends.items()}
        self.created = await draft_relations(reader, drafting, self.wanted, rows, {})
        return drafting.drafts, Context(ontology=head.ontology, living=living, broken=self.broken)

    def _decide(self, head: Head, decided: Decided) -> Sequence[Draft]:
        drafts, context = decided
        return Changeset.of(context, drafts).checked(head.domain) if drafts else ()


async def draft_relations(
    reader: Reader,
    drafting: Drafting,
    wanted: Sequence[NewRelation],
    rows: Sequence[RelatedRow],
    made: Mapping[str, str],
) -> list[NewRelation]:
    """Make the relations that are new, and return them; `made` are the ids of entities that the same write makes.

    Raises NODE_NOT_FOUND, with the nearest name, for an end of which there is no entity, unless it is lenient.
    """
    ids = dict(made)
    created: list[NewRelation] = []
    for one, row in zip(wanted, rows, strict=True):
        if row.found:
            continue
        for name, end in ((one.from_name, row.from_id), (one.to_name, row.to_id)):
            if end is None and name not in ids and not one.lenient:
                raise await entity_not_found(reader, drafting.head.domain, name)
            ids[name] = ids.get(name) or end or drafting.mention(name)
        drafting.relation(one, ids[one.from_name], ids[one.to_name])
        created.append(one)
    return created


async def related(reader: Reader, domain: str, wanted: Sequence[NewRelation]) -> list[RelatedRow]:
    """Return the ends of each relation, and what is the same."""
    asked = [
        {"place": place, "from": one.from_name, "to": one.to_name, "type": one.type} for place, one in enumerate(wanted)
    ]
    found: list[RelatedRow] = []
    for start in range(0, len(asked), ROWS):
        found += await reader.read(RELATED, domain=domain, rows=asked[start : start + ROWS])
    return sorted(found, key=lambda row: row.place)
