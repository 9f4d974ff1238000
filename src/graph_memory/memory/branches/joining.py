"""Joins entities that both sides created with the same name: the source's entity becomes part of the target's.

A mention is a node that exists only as an endpoint of relations. It is joined with the target's entity of the same
name. If neither node is a mention, the caller decides whose values to keep. The joined entity has the target's id, and
the observations and relations of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import cast

from graph_memory.memory.branches.subject import complete_version
from graph_memory.memory.branches.values import Conflict, ConflictKind, MergeItem, Version
from graph_memory.memory.changes.plan import entity_name
from graph_memory.memory.changes.values import Owners, UniqueValue
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import MENTIONED, PLACE
from graph_memory.model.text.wording import quote


def is_mention(version: Version | None) -> bool:
    """Return whether a node exists only as an endpoint of relations."""
    return version is not None and version.kind is Kind.NODE and MENTIONED in version.state


def names_missing_in_target(item: MergeItem) -> list[UniqueValue]:
    """Return the names of an entity in the base and in the source. If the target has it, returns an empty list."""
    sides = (
        [version for version in (item.base, item.theirs) if version and version.kind is Kind.NODE]
        if item.ours is None
        else []
    )
    return [name for side in sides if (name := entity_name(side.state))]


def find_merged_entities(items: Mapping[str, MergeItem], owners: Owners) -> dict[str, str]:
    """Map each source entity to the target entity that an earlier merge, in either direction, joined it with.

    Of two joined entities, only one is in the base. The log of the other entity's side has never contained it.
    """
    target_ids: dict[str, str] = {}
    new_by_name = {
        name: item.subject for item in items.values() if item.base is None for name in names_missing_in_target(item)
    }
    for item in items.values():
        if item.base is None or item.kind is not Kind.NODE:
            continue
        if item.ours is None and item.last is None:
            holders = (owner for name in names_missing_in_target(item) for owner in owners.get(name, ()))
            if holder := next((holder for holder in holders if _is_only_ours(items.get(holder))), None):
                target_ids[item.subject] = holder
        elif item.theirs is None and item.is_unknown:
            names = (entity_name(version.state) for version in (item.ours, item.base) if version)
            if same_name := next((new_by_name[name] for name in names if name in new_by_name), None):
                target_ids[same_name] = item.subject
    return target_ids


def _is_only_ours(item: MergeItem | None) -> bool:
    return item is not None and item.ours is not None and item.theirs is None and item.base is None


def with_source_entity(item: MergeItem, source: MergeItem) -> MergeItem:
    """Return the target's entity as a merge item, with the joined source entity as the source's version."""
    return replace(item, base=item.base or source.base, theirs=source.theirs)


def as_created_by_source(item: MergeItem) -> MergeItem:
    """Treat a mention as newly created by the source if it became an entity there and the target does not have it."""
    became_entity = is_mention(item.base) and item.theirs is not None and not is_mention(item.theirs)
    return replace(item, base=None) if became_entity and item.ours is None else item


def is_joined_without_choice(item: MergeItem, holder: Version) -> bool:
    """Return whether entities of the same name are joined without a resolution, because one is only a mention."""
    return item.theirs is None or is_mention(item.theirs) or (is_mention(holder) and item.base is None)


def same_name_conflict(item: MergeItem, holder: str) -> Conflict:
    """Return the conflict of two entities with the same name."""
    name = quote(cast("Version", item.theirs).state.get("name"))
    reason = (
        f"the target has another entity with the name {name}, {holder}. Observations and relations of both are kept: "
        f'{{"subject": "{item.subject}", "take": "ours"}} keeps the target\'s type, properties and description, '
        '"theirs" keeps the source\'s'
    )
    return Conflict(subject=item.subject, kind=item.kind, clash=ConflictKind.UNIQUE, reason=reason, name="name")


def join_entity(item: MergeItem, source: MergeItem) -> MergeItem:
    """Return the target's entity as a merge item. The source's version has the values of the source's entity."""
    ours, theirs = cast("Version", item.ours), cast("Version", source.theirs)
    new_item = replace(item, base=None, theirs=theirs)
    version = complete_version(new_item, dict(theirs.state), theirs.content)
    if is_mention(ours):
        creation_values = {"_created": cast("datetime", theirs.state["_created"]), PLACE: theirs.state.get(PLACE)}
        state = {key: value for key, value in {**version.state, **creation_values}.items() if value is not None}
        version = replace(version, state=state)
    return replace(item, theirs=version)


def redirect_ends(item: MergeItem, target_ids: Mapping[str, str]) -> MergeItem:
    """In the versions of the base and the source, replace each joined source entity with the target's entity."""
    if not any(end in target_ids for side in (item.base, item.theirs) if side for end in side.ends):
        return item
    base, theirs = (side and _redirect_version(side, target_ids) for side in (item.base, item.theirs))
    return replace(item, base=base, theirs=theirs)


def _redirect_version(version: Version, target_ids: Mapping[str, str]) -> Version:
    from_id, to_id = (end and target_ids.get(end, end) for end in (version.from_id, version.to_id))
    return replace(version, from_id=from_id, to_id=to_id)
