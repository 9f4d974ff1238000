"""Operations on entities, observations and relations by their names: the arguments of their tools, read one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast

from graph_memory.memory.batch.operations import ByName
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
from graph_memory.model.values.plain import Fields, Located
from graph_memory.storage.log.writing import utc_now

NAMED_VERBS: Mapping[str, tuple[str, ...]] = {
    "create_entities": ("entities",),
    "add_observations": ("observations",),
    "create_relations": ("relations", "lenient"),
    "delete_entities": ("entity_names",),
    "delete_observations": ("deletions",),
    "delete_relations": ("relations",),
}
"""What each takes: a list first, which it needs."""
_REF = "ref"
Read = tuple[str, ByName, str | None]
"""The id that something would get, what is asked for, and the name that later operations use for it."""


def read_by_name(verb: str, fields: Fields, references: References) -> Iterator[Read]:
    """Give what an operation asks for. Raises INVALID_ARGUMENT, INVALID_PROPERTY and NotCreated."""
    located = fields.need(NAMED_VERBS[verb][0])
    for item in located.items():
        match verb:
            case "create_entities":
                yield _entity(item, references)
            case "add_observations":
                yield from _observations(item, references)
            case "create_relations":
                lenient = fields.get("lenient")
                relation = new_relation(item, lenient=None if lenient is None else lenient.flag())
                relation = replace(relation, id=references.new("conn"))
                relation = replace(relation, **_ends(relation.from_name, relation.to_name, references))
                yield relation.id, relation, None
            case "delete_entities":
                yield references.new("mem"), EntityRemoval(name=references.named(text_of(item))), None
            case "delete_observations":
                found = removal(item)
                for text in found.texts:
                    yield references.new("obs"), Removal(name=references.named(found.name), texts=(text,)), None
            case _:
                relation = new_relation(item, lenient=True)
                relation = replace(relation, **_ends(relation.from_name, relation.to_name, references))
                yield references.new("conn"), RelationRemoval(relation=relation), None


def names_made(entries: Mapping[str, Located]) -> Iterator[tuple[object, object]]:
    """Give the names and refs of the entities that an operation would have made, as far as they can be read."""
    found = entries["entities"].value if "entities" in entries else None
    for item in cast("list[object]", found) if isinstance(found, list) else ():
        if isinstance(item, Mapping):
            own = cast("Mapping[object, object]", item)
            yield own.get("name"), own.get(_REF)


def _entity(item: Located, references: References) -> Read:
    entries = item.entries()
    own = {key: entry.value for key, entry in entries.items() if key != _REF}
    entity = replace(new_entity(Located(own, item.at), utc_now()), id=references.new("mem"))
    ref = check_ref(entries[_REF].text()) if _REF in entries else None
    if ref is not None:
        references.name(ref, entity.id)
    return entity.id, entity, ref


def _observations(item: Located, references: References) -> Iterator[Read]:
    observations = observations_of(item, utc_now())
    for observation in observations.observations:
        one = replace(observation, id=references.new("obs"))
        yield one.id, NewObservations(name=references.named(observations.name), observations=(one,)), None


def _ends(start: str, end: str, references: References) -> dict[str, str]:
    return {"from_name": references.named(start), "to_name": references.named(end)}
