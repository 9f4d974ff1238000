"""What a batch looks at, read under the lock: last events of ids, what goes with nodes, and what names stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from graph_memory.memory.batch.fold import Known
from graph_memory.memory.batch.named_steps import KnownByName
from graph_memory.memory.batch.operations import Deletion, Fault, Operation, Parsed
from graph_memory.memory.changes.context import attached_to, attached_to_others, in_parts
from graph_memory.memory.changes.paging import TooMany
from graph_memory.memory.core import Core
from graph_memory.memory.entity_graph.entity_queries import NAMED, observed, only_ends, related, states_of
from graph_memory.memory.entity_graph.graph import NamedGraph
from graph_memory.memory.entity_graph.names import entity_not_found
from graph_memory.memory.entity_graph.other_names import meant_by
from graph_memory.memory.entity_graph.values.request import (
    EntityRemoval,
    NewEntity,
    NewObservations,
    NewRelation,
    RelationRemoval,
    Removal,
)
from graph_memory.memory.graph.nodes import NodeEdit
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Head
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import fault
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.store import Reader

MOST_ATTACHED = 10_000
"""What one batch deletes along with nodes."""
_NEAR = 3
"""Unknown names for which near ones are looked for."""


async def read_known(core: Core, reader: Reader, head: Head, parsed: Parsed) -> Known:
    """Return what the operations are decided by. Raises INVALID_ARGUMENT where more goes with nodes than one takes."""
    operations = parsed.operations
    names = _Names(reader, head.domain, operations)
    graph = await names.read()
    deleted = (
        operation.subject
        for operation in operations
        if isinstance(operation.asked, Deletion) and operation.asked.kind is Kind.NODE
    )
    going = [names.standing.get(each, each) for each in deleted]
    named = {operation.subject: None for operation in operations if operation.is_named} | dict.fromkeys(parsed.lost)
    named |= dict.fromkeys(
        names.standing[operation.subject]
        for operation in operations
        if operation.ref and operation.subject in names.standing
    )
    named |= dict.fromkeys((*names.going, *names.mentions))
    events = map(Event.from_row, await in_parts(reader, LAST_EVENTS, head.domain, subjects=list(named)))
    try:
        attached = await attached_to(reader, head.domain, list(dict.fromkeys([*going, *names.going])), MOST_ATTACHED)
    except TooMany as many:
        message = f"More than {MOST_ATTACHED:,} connections, observations and links would go with the nodes"
        hint = Hint("Delete nodes that have many with {delete_node}, which has no limit.")
        raise fault("operations", message, hint) from many
    severed = [draft for node in names.going for draft in attached.get(node, ())] + names.severed
    cut = sum(
        isinstance(operation.asked, Deletion) and operation.asked.kind is Kind.CONNECTION for operation in operations
    )
    ends = await only_ends(reader, head.domain, severed, names.going, cut + sum(map(len, attached.values())))
    return Known(
        head=head,
        last={event.draft.subject: event for event in events},
        attached=attached,
        lost=parsed.lost,
        open_type_limit=core.open_type_limit,
        origin=core.origin,
        by_name=KnownByName(
            graph=graph,
            ends={row.id: row for row in ends},
            attached=await attached_to_others(reader, head.domain, names.mentions, head.ontology),
            lost=parsed.lost_names,
        ),
    )


class _Names:
    """Reads what the names of operations stand for."""

    def __init__(self, reader: Reader, domain: str, operations: Sequence[Operation]) -> None:
        self._reader = reader
        self._domain = domain
        self._asked = [operation.asked for operation in operations]
        self._edits = [
            (operation.subject, operation.asked) for operation in operations if isinstance(operation.asked, NodeEdit)
        ]
        self.going: Sequence[str] = ()
        """Nodes that would be deleted by their names."""
        self.mentions: Sequence[str] = ()
        """What is only an end of relations and would become an entity."""
        self.standing: Mapping[str, str] = {}
        """By the ids that entities would get, those of the ones that are there."""
        self.severed: list[Draft] = []
        """Relations that would be deleted by the names of their ends."""
        self._by_id: Mapping[str, str] = {}
        self._former: dict[str, list[str]] = {}

    async def read(self) -> NamedGraph:
        """Return what is known of all names."""
        graph = NamedGraph()
        made, going = list[str](), list[str]()
        texts, relations = list[tuple[str, Iterable[str]]](), list[NewRelation]()
        for asked in self._asked:
            match asked:
                case NewEntity():
                    made.append(asked.name)
                case EntityRemoval(name=name):
                    going.append(name)
                case NewObservations(name=name, observations=found):
                    texts.append((name, [observation.text for observation in found]))
                case Removal(name=name, texts=found):
                    texts.append((name, found))
                case NewRelation():
                    relations.append(asked)
                case RelationRemoval(relation=relation):
                    relations.append(relation)
                case _:
                    pass
        ends = (end for relation in relations for end in (relation.from_name, relation.to_name))
        arguments = dict.fromkeys((*made, *going, *(name for name, _ in texts), *ends))
        if not arguments:
            return graph
        entities = [one for one in self._asked if isinstance(one, NewEntity)]
        given_ids = (*arguments, *(subject for subject, _ in self._edits))
        called = await meant_by(self._reader, self._domain, given_ids, ends=True)
        by_id = {**called, **{entity.id: entity.name for entity in entities}}
        self._note_meanings(by_id)
        names = dict.fromkeys((*arguments, *by_id.values()))
        rows = await in_parts(self._reader, NAMED, self._domain, names=list(names))
        ids = {row.name: row.id for row in rows}
        self.going = [ids[name] for each in going for name in self._meant(each) if name in ids]
        meant = {entity.id: called.get(entity.name, entity.name) for entity in entities}
        self.standing = {subject: ids[name] for subject, name in meant.items() if name in ids}
        wanted = set(made)
        self.mentions = [row.id for row in rows if row.is_mentioned and row.name in wanted]
        graph.note_named(rows, (await states_of(self._reader, self._domain, self.mentions)).values())
        graph.note_called(called)
        pairs = [(name, results) for each, results in texts for name in self._meant(each)]
        graph.note_observed(await observed(self._reader, self._domain, pairs))
        await self._relate(graph, relations)
        return graph

    def _note_meanings(self, by_id: Mapping[str, str]) -> None:
        """Note what ids stand for, and the former names of what operations give another."""
        self._by_id = by_id
        for subject, edit in self._edits:
            name = edit.properties.get("name")
            if isinstance(name, str) and subject in by_id:
                self._former.setdefault(name, []).append(by_id[subject])

    def _meant(self, given: str) -> list[str]:
        """Return the names under which there may be what a name or an id stands for when its operation is made."""
        name = self._by_id.get(given, given)
        return [name, *self._former.get(name, ())]

    async def _relate(self, graph: NamedGraph, values: Sequence[NewRelation]) -> None:
        relations = [
            replace(relation, from_name=start, to_name=end)
            for relation in values
            for start in self._meant(relation.from_name)
            for end in self._meant(relation.to_name)
        ]
        for one, row in zip(relations, await related(self._reader, self._domain, relations), strict=True):
            graph.note_related(one, row)
            self.severed += row.deletions


async def near_names(reader: Reader, domain: str, faults: Sequence[Fault]) -> Mapping[str, GraphError]:
    """Return the errors for the first names of no entity, with the nearest name that there is."""
    names = [name for fault in faults if (name := _unknown(fault)) is not None][:_NEAR]
    return {name: await entity_not_found(reader, domain, name) for name in dict.fromkeys(names)}


def with_near_names(faults: Sequence[Fault], near: Mapping[str, GraphError]) -> list[Fault]:
    """Return faults; those about names of no entity with the nearest name, as far as it was looked for."""
    return [replace(fault, error=near.get(_unknown(fault) or "", fault.error)) for fault in faults]


def _unknown(fault: Fault) -> str | None:
    name = fault.error.details.get("name") if fault.error.code is Code.NODE_NOT_FOUND else None
    return name if isinstance(name, str) else None
