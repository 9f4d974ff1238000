"""Entities that both sides created under one name: the source's entity is joined with the target's.

A mention is a node that exists only as an end of relations. It is joined with the target's entity of the same name. For
two full entities, the caller decides. The joined entity has the target's id, and all observations and relations.
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
    """Return whether a node exists only as an end of relations."""
    return version is not None and version.kind is Kind.NODE and MENTIONED in version.state


def names_missing_in_target(item: MergeItem) -> list[UniqueValue]:
    """Return the earlier and current names of a source's entity that is not in the target."""
    sides = (
        [version for version in (item.base, item.theirs) if version and version.kind is Kind.NODE]
        if item.ours is None
        else []
    )
    return [name for side in sides if (name := entity_name(side.state))]


def find_earlier_joins(items: Mapping[str, MergeItem], owners: Owners) -> dict[str, str]:
    """Return the target's id of each source entity that an earlier merge, in either direction, joined with another.

    Such an entity is in the base, but was never in the log of the side whose entity it was joined with.
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
    """Return the versions of the target's entity, with the source's version of the entity that it was joined with."""
    return replace(item, base=item.base or source.base, theirs=source.theirs)


def as_created_by_source(item: MergeItem) -> MergeItem:
    """Return an item as created by the source if it is a mention that became an entity and the target lacks it."""
    became_entity = is_mention(item.base) and item.theirs is not None and not is_mention(item.theirs)
    return replace(item, base=None) if became_entity and item.ours is None else item


def is_joined_without_choice(item: MergeItem, holder: Version) -> bool:
    """Return whether the source's entity is joined with the target's entity of its name without a resolution."""
    return item.theirs is None or is_mention(item.theirs) or (is_mention(holder) and item.base is None)


def same_name_conflict(item: MergeItem, holder: str) -> Conflict:
    """Return the conflict of two entities with the same name."""
    name = quote(cast("Version", item.theirs).state.get("name"))
    reason = (
        f"the target has another entity of the name {name}, {holder}. Observations and relations of both are kept: "
        f'{{"subject": "{item.subject}", "take": "ours"}} keeps the type, properties and description of the target\'s, '
        '"theirs" keeps the source\'s'
    )
    return Conflict(subject=item.subject, kind=item.kind, clash=ConflictKind.UNIQUE, reason=reason, name="name")


def take_over_entity(item: MergeItem, source: MergeItem) -> MergeItem:
    """Return the target's entity with the values of the source's entity."""
    ours, theirs = cast("Version", item.ours), cast("Version", source.theirs)
    copy = replace(item, base=None, theirs=theirs)
    version = complete_version(copy, dict(theirs.state), theirs.content)
    if is_mention(ours):
        at = {"_created": cast("datetime", theirs.state["_created"]), PLACE: theirs.state.get(PLACE)}
        state = {key: value for key, value in {**version.state, **at}.items() if value is not None}
        version = replace(version, state=state)
    return replace(item, theirs=version)


def redirect_ends(item: MergeItem, target_ids: Mapping[str, str]) -> MergeItem:
    """Return the versions with each joined end replaced by the target's entity."""
    if not any(end in target_ids for side in (item.base, item.theirs) if side for end in side.ends):
        return item
    base, theirs = (side and _redirect_version(side, target_ids) for side in (item.base, item.theirs))
    return replace(item, base=base, theirs=theirs)


def _redirect_version(version: Version, target_ids: Mapping[str, str]) -> Version:
    from_id, to_id = (end and target_ids.get(end, end) for end in (version.from_id, version.to_id))
    return replace(version, from_id=from_id, to_id=to_id)
