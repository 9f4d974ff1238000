"""Writes the entities that a synchronisation changes, in transactions of its session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from graph_memory.memory.core import Core, within
from graph_memory.memory.entities.aliases import aliases_property
from graph_memory.memory.entities.deletes import delete_entities, delete_observations, delete_relations
from graph_memory.memory.entities.edits import EntityEdit
from graph_memory.memory.entities.relations import create_relations
from graph_memory.memory.entities.updating import update_entity
from graph_memory.memory.entities.writes import add_observations, create_entities
from graph_memory.memory.entity_graph.values import request
from graph_memory.memory.folder_sync.entity_notes import EntityNote, Relation, is_same_value
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.content import content_from
from graph_memory.model.values.properties import check_properties
from graph_memory.storage.log.writing import utc_now

T = TypeVar("T")
_MAX_CHANGES = 8_000
"""Maximum number of changes per transaction. The limit is 10,000, and new entities' types count too."""
_DELETION = 20
"""Estimated number of changes for deleting an entity with its observations and relations."""


class ConcurrentWrite(Exception):  # noqa: N818 - it is not an error: the comparison is repeated
    """Raised if another writer changed the domain after it was read."""


class _DryRunRollback(Exception):  # noqa: N818 - it ends the transaction of a dry run
    """Raised to discard the changes of a dry run."""


@dataclass(slots=True)
class Changes:
    """The entities to create, update and delete. Existing entities are identified by their current names."""

    created: list[EntityNote] = field(default_factory=list[EntityNote])
    updated: list[tuple[EntityNote, EntityNote]] = field(default_factory=list[tuple[EntityNote, EntityNote]])
    """Each entity's note before and after the update."""
    deleted: list[str] = field(default_factory=list[str])

    def __len__(self) -> int:
        return len(self.created) + len(self.updated) + len(self.deleted)


async def write_changes(
    core: Core, domain: str, seq: int, changes: Changes, name_of: Callable[[str], str], *, dry_run: bool
) -> int:
    """Write the changes to a domain whose last event is `seq`, and return the number of the new last event.

    `name_of` returns the name of a relation's endpoint. The changes are written as one batch, or as several batches if
    they exceed `_MAX_CHANGES`. A dry run writes the first batch and rolls it back. Raises ConcurrentWrite if the domain
    has later events, and the errors that `Entities` raises.
    """
    is_first = True
    for part in _parts(changes):
        with suppress(_DryRunRollback):
            async with within(core, domain) as (inner, log):
                if is_first and log.position.seq != seq:
                    raise ConcurrentWrite
                if dry_run:
                    trial = replace(inner, contents=inner.contents.without_writes())
                    await _write_part(trial, domain, part, name_of)
                    raise _DryRunRollback
                await _write_part(inner, domain, part, name_of)
                seq = log.position.seq
        if dry_run:
            break
        is_first = False
    return seq


def _parts(changes: Changes) -> Iterator[Changes]:
    """Split changes into one part per transaction: deletions first, then updates, then creations."""
    single_changes = [(_DELETION, Changes(deleted=[name])) for name in changes.deleted]
    single_changes += [(_size(*pair), Changes(updated=[pair])) for pair in changes.updated]
    single_changes += [(_size(note), Changes(created=[note])) for note in changes.created]
    part, size = Changes(), 0
    for weight, single in single_changes:
        if size and size + weight > _MAX_CHANGES:
            yield part
            part, size = Changes(), 0
        part.created += single.created
        part.updated += single.updated
        part.deleted += single.deleted
        size += weight
    if size:
        yield part


def _size(*notes: EntityNote) -> int:
    return 2 + sum(len(note.observations) + 2 * len(note.relations) for note in notes)


async def _write_part(core: Core, domain: str, changes: Changes, name_of: Callable[[str], str]) -> None:
    if changes.deleted:
        await delete_entities(core, domain, changes.deleted)
    for before, after in changes.updated:
        await _update(core, domain, before, after)
    await _create(core, domain, changes.created)
    pairs = [*changes.updated, *((EntityNote(name="", type=""), note) for note in changes.created)]
    texts = ((after.name, _missing(after.observations, before.observations)) for before, after in pairs if before.name)
    if added := [{"entityName": name, "contents": new} for name, new in texts if new]:
        await add_observations(core, domain, request.new_observations(added, utc_now()))
    texts = ((after.name, _missing(before.observations, after.observations)) for before, after in pairs)
    if removed := [{"entityName": name, "observations": old} for name, old in texts if old]:
        await delete_observations(core, domain, request.removals(removed))
    if old := _relations(
        name_of, ((after.name, _missing(before.relations, after.relations)) for before, after in pairs)
    ):
        await delete_relations(core, domain, request.relations_to_delete(old))
    if new := _relations(
        name_of, ((after.name, _missing(after.relations, before.relations)) for before, after in pairs)
    ):
        await create_relations(core, domain, request.new_relations(new, lenient=True))


async def _create(core: Core, domain: str, notes: Sequence[EntityNote]) -> None:
    if not notes:
        return
    values = [
        {
            "name": note.name,
            "type": note.type,
            "description": note.text,
            "properties": {**note.properties, **(aliases_property(note.aliases) if note.aliases else {})},
            "observations": list(note.observations),
        }
        for note in notes
    ]
    created = await create_entities(core, domain, request.new_entities(values, utc_now()))
    names = {entity.name for entity in created.entities}
    if taken := next((note.name for note in notes if note.name not in names), None):
        hint = "Give the note another title, or remove the alias from the entity."
        raise invalid_argument("folder", f"{quote(taken)} is already the name or an alias of an entity", hint)


async def _update(core: Core, domain: str, before: EntityNote, after: EntityNote) -> None:
    """Update an entity's changed name, type, text, aliases and properties. Removed properties become empty."""
    properties = {
        key: value for key, value in after.properties.items() if not is_same_value(before.properties.get(key), value)
    }
    properties |= dict.fromkeys(before.properties.keys() - after.properties.keys(), "")
    if sorted(before.aliases) != sorted(after.aliases):
        properties |= aliases_property(after.aliases)
    is_text_new = before.text != after.text
    if not properties and not is_text_new and (before.name, before.type) == (after.name, after.type):
        return
    edit = EntityEdit(
        name=before.name,
        new_name=after.name if after.name != before.name else None,
        type=after.type if after.type != before.type else None,
        content=content_from(after.text, "utf-8", "markdown") if is_text_new else None,
        properties=check_properties(properties),
    )
    try:
        await update_entity(core, domain, edit)
    except GraphError as error:
        if error.code is not Code.UNIQUE_PROPERTY_TAKEN:
            raise
        hint = "Give the note another title."
        raise GraphError(error.code, error.message, {**error.details, "hint": hint}) from error


def _missing(items: Iterable[T], others: Iterable[T]) -> list[T]:
    present = set(others)
    return [item for item in items if item not in present]


def _relations(name_of: Callable[[str], str], pairs: Iterable[tuple[str, list[Relation]]]) -> list[dict[str, str]]:
    values: list[dict[str, str]] = []
    for start, relations in pairs:
        values += [
            {"from": start, "to": end, "relationType": kind} for kind, subject in relations if (end := name_of(subject))
        ]
    return values
