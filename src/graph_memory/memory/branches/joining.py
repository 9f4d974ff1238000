"""Entities that both sides made under one name: what the source has of one goes to the one of the target. Pure.

What is only named as an end of relations has nothing but its name, so it is the target's of that name. Of two
entities one says which is kept: it stays under the target's id, and observations and relations of both are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import cast

from graph_memory.memory.branches.subject import finished
from graph_memory.memory.branches.values import Conflict, ConflictKind, ThreeWay, Version
from graph_memory.memory.changes.plan import entity_name
from graph_memory.memory.changes.values import Owners, UniqueValue
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import MENTIONED, PLACE
from graph_memory.model.text.wording import quoted


def is_mention(version: Version | None) -> bool:
    """Say whether it is only named as an end of relations."""
    return version is not None and version.kind is Kind.NODE and MENTIONED in version.state


def names_lacking(trio: ThreeWay) -> list[UniqueValue]:
    """Return the names, before and now, of an entity of the source that the target does not have."""
    sides = (
        [version for version in (trio.base, trio.theirs) if version and version.kind is Kind.NODE]
        if trio.ours is None
        else []
    )
    return [name for side in sides if (name := entity_name(side.state))]


def paired(trios: Mapping[str, ThreeWay], owners: Owners) -> dict[str, str]:
    """Return which of the source's entities became one of the target's in an earlier merge, in either direction.

    The log of one side never had the entity of the other, although the state that both come from has it.
    """
    found: dict[str, str] = {}
    new = {name: trio.subject for trio in trios.values() if trio.base is None for name in names_lacking(trio)}
    for trio in trios.values():
        if trio.base is None or trio.kind is not Kind.NODE:
            continue
        if trio.ours is None and trio.last is None:
            holders = (one for name in names_lacking(trio) for one in owners.get(name, ()))
            if holder := next((holder for holder in holders if _is_only_ours(trios.get(holder))), None):
                found[trio.subject] = holder
        elif trio.theirs is None and trio.is_unknown:
            names = (entity_name(version.state) for version in (trio.ours, trio.base) if version)
            if same_name := next((new[name] for name in names if name in new), None):
                found[same_name] = trio.subject
    return found


def _is_only_ours(trio: ThreeWay | None) -> bool:
    return trio is not None and trio.ours is not None and trio.theirs is None and trio.base is None


def as_one(trio: ThreeWay, source: ThreeWay) -> ThreeWay:
    """Return the target's entity, given the one of the source that it became one with."""
    return replace(trio, base=trio.base or source.base, theirs=source.theirs)


def as_new(trio: ThreeWay) -> ThreeWay:
    """Return what was only named, became an entity and is not in the target any more as one that the source made."""
    became_entity = is_mention(trio.base) and trio.theirs is not None and not is_mention(trio.theirs)
    return replace(trio, base=None) if became_entity and trio.ours is None else trio


def is_one(trio: ThreeWay, holder: Version) -> bool:
    """Say whether nobody has to be asked whether the source's entity is the one of its name in the target."""
    return trio.theirs is None or is_mention(trio.theirs) or (is_mention(holder) and trio.base is None)


def two_of_a_name(trio: ThreeWay, holder: str) -> Conflict:
    """Return the conflict of two entities."""
    name = quoted(cast("Version", trio.theirs).state.get("name"))
    reason = (
        f"the target has another entity of the name {name}, {holder}. Observations and relations of both are kept: "
        f'{{"subject": "{trio.subject}", "take": "ours"}} keeps the type, properties and description of the target\'s, '
        '"theirs" those of the source\'s'
    )
    return Conflict(subject=trio.subject, kind=trio.kind, clash=ConflictKind.UNIQUE, reason=reason, name="name")


def taken_over(trio: ThreeWay, source: ThreeWay) -> ThreeWay:
    """Return the target's entity, which gets what the source's has beside observations and relations."""
    ours, theirs = cast("Version", trio.ours), cast("Version", source.theirs)
    way = replace(trio, base=None, theirs=theirs)
    version = finished(way, dict(theirs.state), theirs.content)
    if is_mention(ours):
        at = {"_created": cast("datetime", theirs.state["_created"]), PLACE: theirs.state.get(PLACE)}
        state = {key: value for key, value in {**version.state, **at}.items() if value is not None}
        version = replace(version, state=state)
    return replace(trio, theirs=version)


def with_ends(trio: ThreeWay, stands_for: Mapping[str, str]) -> ThreeWay:
    """Return a connection or observation whose ends in the source are those that stand for them in the target."""
    if not any(end in stands_for for side in (trio.base, trio.theirs) if side for end in side.ends):
        return trio
    base, theirs = (side and _with_ends(side, stands_for) for side in (trio.base, trio.theirs))
    return replace(trio, base=base, theirs=theirs)


def _with_ends(version: Version, stands_for: Mapping[str, str]) -> Version:
    start, end = (one and stands_for.get(one, one) for one in (version.from_id, version.to_id))
    return replace(version, from_id=start, to_id=end)
