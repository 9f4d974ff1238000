"""`merge_entities`: several names of one thing made one entity, in one write that can be reverted as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from graph_memory.memory.changes.context import in_parts, read_context
from graph_memory.memory.changes.paging import AT_ONCE
from graph_memory.memory.changes.plan import Context
from graph_memory.memory.changes.rules import check_rules, until_rules_hold
from graph_memory.memory.core import Core
from graph_memory.memory.entities.aliases import ALIASES, aliases_of, with_aliases
from graph_memory.memory.entities.cleaning.results import EntitiesMerged, MergeConflict
from graph_memory.memory.entities.cleaning.side_by_side import Pair, ask_beside, pairs_in_doubt
from graph_memory.memory.entities.names.find_entities import name_of_entity
from graph_memory.memory.entities.observations.attached import moved
from graph_memory.memory.entities.observations.moving import Moving
from graph_memory.memory.entities.writes import Decided, checked
from graph_memory.memory.entity_graph.names import not_found
from graph_memory.memory.entity_graph.reading import NAMED, states_of
from graph_memory.memory.graph.nodes import NodeEdit, editing
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Event, Head, Op
from graph_memory.model.rules import BrokenLink, link_rules
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.model.text.wording import shown
from graph_memory.model.values.arguments import fault
from graph_memory.model.values.content import Content
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.log.reads import CONTENTS
from graph_memory.storage.store import Reader

MOST = 50
"""Entities that are merged into one at once."""


async def merge_entities(core: Core, domain: str, names: Sequence[str], into: str, *, dry_run: bool) -> EntitiesMerged:
    """Make several entities one. `Entities.merge_entities` tells the rest."""
    try:
        target = await name_of_entity(core.store, domain, into)
        others = [await name_of_entity(core.store, domain, name, also_mentioned=True) for name in names]
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        raise not_found(into) from error
    gone = [name for name in dict.fromkeys(others) if name != target]
    if not gone or len(gone) > MOST:
        hint = f"Give names of 1 to {MOST} other entities, which become names of {into}."
        raise fault("names", "There is nothing to merge" if not gone else f"{len(gone)} are too many", hint)
    made: dict[str, str] = {}
    doubtful = await pairs_in_doubt(core, domain, target, gone)
    return await until_rules_hold(
        lambda broken: _Merge(core, domain, target, gone, broken, made, doubtful).written(dry_run=dry_run)
    )


@dataclass(slots=True)
class _Merge:
    """One attempt: what it came to is kept for what is told afterwards."""

    core: Core
    domain: str
    into: str
    names: Sequence[str]
    broken: Mapping[str, BrokenLink]
    made: dict[str, str]
    doubtful: Sequence[Pair]
    told: EntitiesMerged = field(init=False)

    async def written(self, *, dry_run: bool) -> EntitiesMerged:
        """Write it; what the rules of connection types ask is looked at before it is committed."""
        ontology = await self.core.log.require_ontology(self.domain)
        has_rules = any(link_rules(declared) for declared in ontology.connection_types)

        async def check(reader: Reader, events: Sequence[Event], _: None) -> None:
            await check_rules(reader, self.domain, events, ontology, in_turn=True)

        written = await self.core.log.write(
            "merge_entities",
            self.domain,
            self.core.origin,
            self._read,
            checked,
            after_write=check if has_rules and not dry_run else None,
            dry_run=dry_run,
        )
        if dry_run:
            questions = [one.model_copy(update={"id": None}) for one in self.told.questions or ()]
            return self.told.model_copy(update={"dry_run": True, "questions": tuple(questions) or None})
        return self.told.model_copy(update={"since": written.receipt.changes[0].seq, "until": written.receipt.seq})

    async def _read(self, reader: Reader, head: Head) -> Decided:
        states = await _states(reader, self.domain, [self.into, *self.names])
        target, sources = states[self.into], [states[name] for name in self.names]
        moving = await moved(reader, head, target.id, [one.id for one in sources], self.made)
        questions = ask_beside(moving, self.doubtful)
        properties, conflicts = merged_properties(target, sources)
        content = await self._description(reader, target, sources, conflicts)
        conflicts += _differences(moving, {one.id: str(one.properties["name"]) for one in sources})
        aliases = chain.from_iterable((str(one.properties["name"]), *aliases_of(one.properties)) for one in sources)
        properties |= with_aliases(target.properties, self.into, aliases)
        tags = tuple(dict.fromkeys(chain(target.tags, *(one.tags for one in sources))))
        edit = NodeEdit(
            properties=properties,
            content=content,
            format=None,
            tags=tags,
            fields={},
            expected_version=None,
            windows=await self.core.contents.windows(content) if content else (),
        )
        going = [
            Draft(op=Op.DELETE, kind=Kind.NODE, subject=one.id, type=one.type, previous=one.version) for one in sources
        ]
        drafts = [*going, editing(head, target, edit), *moving.drafts]
        self.told = EntitiesMerged(
            into=self.into,
            id=target.id,
            merged=tuple(self.names),
            observations_moved=moving.count(Kind.OBSERVATION),
            observations_known=moving.known_observations,
            relations_moved=moving.count(Kind.CONNECTION),
            relations_known=moving.known_relations,
            aliases=tuple(aliases_of({**target.properties, **properties})),
            conflicts=tuple(conflicts),
            questions=tuple(questions) or None,
        )
        return drafts, await self._context(reader, head, drafts)

    async def _context(self, reader: Reader, head: Head, drafts: Sequence[Draft]) -> Context:
        context = await read_context(reader, head, drafts, most=AT_ONCE // 2)
        return replace(context, broken=self.broken)

    async def _description(
        self, reader: Reader, target: NodeState, sources: Sequence[NodeState], conflicts: list[MergeConflict]
    ) -> Content | None:
        """Return the description that the entity gets, None where it has one or there is none; others are conflicts."""
        every = [one for one in (target, *sources) if one.content.size]
        if not every:
            return None
        hashes = list(dict.fromkeys(one.content.sha256 for one in every))
        texts = {row.sha256: row.text for row in await in_parts(reader, CONTENTS, self.domain, hashes=hashes)}
        kept = every[0].content
        for one in every[1:]:
            if not one.content.is_same(kept):
                said = [shown(texts.get(each.sha256) or f"{each.size:,} bytes") for each in (kept, one.content)]
                name = str(one.properties["name"])
                conflicts.append(MergeConflict(what="description", kept=said[0], not_taken=said[1], of=name))
        if every[0] is target:
            return None
        return await self.core.contents.fetch(self.domain, kept, texts.get(kept.sha256))


async def _states(reader: Reader, domain: str, names: Sequence[str]) -> Mapping[str, NodeState]:
    """Return entities by their names. Raises NODE_NOT_FOUND."""
    rows = await in_parts(reader, NAMED, domain, names=names)
    states = await states_of(reader, domain, [row.id for row in rows])
    lacking = next((name for name in names if name not in states), None)
    if lacking is not None:
        raise not_found(lacking)
    return states


def merged_properties(
    target: NodeState, sources: Sequence[NodeState]
) -> tuple[dict[str, PropertyValue], list[MergeConflict]]:
    """Return the properties that an entity gets of others, of which it keeps its own, and where they differ. Pure."""
    taken: dict[str, PropertyValue] = {}
    conflicts: list[MergeConflict] = []
    for one in sources:
        name = str(one.properties["name"])
        if not one.mentioned and one.entity != target.entity:
            kind = MergeConflict(what="type", kept=str(target.entity), not_taken=str(one.entity), of=name)
            conflicts.append(kind)
        for key, value in one.properties.items():
            if key in ("name", ALIASES):
                continue
            known = {**taken, **target.properties}.get(key)
            if known is None:
                taken[key] = value
            elif known != value:
                conflicts.append(MergeConflict(what=key, kept=shown(known), not_taken=shown(value), of=name))
    return taken, conflicts


def _differences(moving: Moving, names: Mapping[str, str]) -> list[MergeConflict]:
    """Return what relations that were known already say otherwise."""
    return [
        MergeConflict(
            what=f"relation {one.relation.draft.type}: {one.property}",
            kept=shown(one.kept),
            not_taken=shown(one.not_taken),
            of=names.get(one.relation.draft.from_id or "") or names.get(one.relation.draft.to_id or "", ""),
        )
        for one in moving.differences
    ]
