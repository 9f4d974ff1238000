"""Parses operations on entities, observations and relations by name, with the arguments of the matching tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast

from graph_memory.memory.batch.operations import ChangeByName
from graph_memory.memory.batch.references import References, check_ref
from graph_memory.memory.entity_graph.values.request import (
    EntityRemoval,
    NewObservations,
    RelationRemoval,
    Removal,
    new_entity,
    new_relation,
    observations_of,
    removal,
    text_of,
)
from graph_memory.model.values.plain import Fields, LocatedValue
from graph_memory.storage.log.writing import utc_now

NAMED_VERBS: Mapping[str, tuple[str, ...]] = {
    "create_entities": ("entities",),
    "add_observations": ("observations",),
    "create_relations": ("relations", "lenient"),
    "delete_entities": ("entity_names",),
    "delete_observations": ("deletions",),
    "delete_relations": ("relations",),
}
"""The arguments of each operation that refers to entities by name. The first argument is a required list."""
_REF = "ref"
ParsedChange = tuple[str, ChangeByName, str | None]
"""The id of a new subject, the change, and the reference by which later operations refer to the subject."""


def read_named_operation(verb: str, fields: Fields, references: References) -> Iterator[ParsedChange]:
    """Yield the changes that an operation requests, one per item of its list.

    Raises INVALID_ARGUMENT or INVALID_PROPERTY if the operation is invalid, and FailedDependency if it refers to an
    invalid operation.
    """
    located = fields.need(NAMED_VERBS[verb][0])
    for item in located.items():
        match verb:
            case "create_entities":
                yield _read_entity(item, references)
            case "add_observations":
                yield from _read_observations(item, references)
            case "create_relations":
                lenient = fields.get("lenient")
                relation = new_relation(item, lenient=None if lenient is None else lenient.flag())
                relation = replace(relation, id=references.new("conn"))
                relation = replace(relation, **_resolve_ends(relation.from_name, relation.to_name, references))
                yield relation.id, relation, None
            case "delete_entities":
                yield references.new("mem"), EntityRemoval(name=references.resolve_name(text_of(item))), None
            case "delete_observations":
                deletion = removal(item)
                for text in deletion.texts:
                    yield (
                        references.new("obs"),
                        Removal(name=references.resolve_name(deletion.name), texts=(text,)),
                        None,
                    )
            case _:
                relation = new_relation(item, lenient=True)
                relation = replace(relation, **_resolve_ends(relation.from_name, relation.to_name, references))
                yield references.new("conn"), RelationRemoval(relation=relation), None


def created_names(entries: Mapping[str, LocatedValue]) -> Iterator[tuple[object, object]]:
    """Yield the names and references of the entities that an invalid operation would create, if they can be read."""
    entities = entries["entities"].value if "entities" in entries else None
    for item in cast("list[object]", entities) if isinstance(entities, list) else ():
        if isinstance(item, Mapping):
            entity = cast("Mapping[object, object]", item)
            yield entity.get("name"), entity.get(_REF)


def _read_entity(item: LocatedValue, references: References) -> ParsedChange:
    entries = item.entries()
    values = {key: entry.value for key, entry in entries.items() if key != _REF}
    entity = replace(new_entity(LocatedValue(values, item.at), utc_now()), id=references.new("mem"))
    ref = check_ref(entries[_REF].text()) if _REF in entries else None
    if ref is not None:
        references.define(ref, entity.id)
    return entity.id, entity, ref


def _read_observations(item: LocatedValue, references: References) -> Iterator[ParsedChange]:
    observations = observations_of(item, utc_now())
    for observation in observations.observations:
        new_observation = replace(observation, id=references.new("obs"))
        yield (
            new_observation.id,
            NewObservations(name=references.resolve_name(observations.name), observations=(new_observation,)),
            None,
        )


def _resolve_ends(start: str, end: str, references: References) -> dict[str, str]:
    return {"from_name": references.resolve_name(start), "to_name": references.resolve_name(end)}
