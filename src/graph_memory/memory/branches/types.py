"""Two changes of one type merged, value by value: descriptions, rules, ends and enums. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from graph_memory.memory.branches.values import Conflict, ConflictKind, ConflictSide, ThreeWay, Version
from graph_memory.model.errors import GraphError
from graph_memory.model.ontology.ontology import ANY, connection_type_from, node_type_from
from graph_memory.model.ontology.ontology_diff import Value, declaration_of, told_name, values_of
from graph_memory.model.ontology.types import AnyType, type_state
from graph_memory.model.projection import declared_in
from graph_memory.model.text.wording import listed_parts

Key = tuple[str | None, str]
Values = dict[Key, Value]


def type_of_version(version: Version) -> AnyType:
    """Return what a version of a type declares."""
    return declared_in(str(version.state["_definition"]))


def merge_type(trio: ThreeWay, take: ConflictSide | None) -> tuple[Version | None, Conflict | None]:
    """Return what a type comes to that both sides changed, and the conflict where they changed a value differently.

    A side that is taken gives those values; without one it is as in the target.
    """
    base, ours, theirs = (values_of(type_of_version(version)) if version else Values() for version in _versions(trio))
    after: Values = {}
    both: list[Key] = []
    for key in {**ours, **theirs}:
        one, mine, other = base.get(key), ours.get(key), theirs.get(key)
        value = _merged(one, mine, other)
        if value is _CONFLICT:
            both.append(key)
            value = other if take is ConflictSide.THEIRS else mine
        if value is not None:
            after[key] = cast("Value", value)
    conflict = _conflict(trio, both) if both else None
    if both and take is None:
        return trio.ours, conflict
    return _version(trio, after, conflict)


_CONFLICT = object()


def _versions(trio: ThreeWay) -> Sequence[Version | None]:
    return trio.base, trio.ours, trio.theirs


def _merged(base: Value | None, ours: Value | None, theirs: Value | None) -> object:
    """Return what a value comes to, None for none; lists take what either side added and lose what either took away."""
    if repr(ours) == repr(theirs) or repr(theirs) == repr(base):
        return ours
    if repr(ours) == repr(base):
        return theirs
    if isinstance(base, tuple) and isinstance(ours, tuple) and isinstance(theirs, tuple):
        return _merged_list(base, ours, theirs) or _CONFLICT
    return _CONFLICT


def _merged_list(base: Sequence[Value], ours: Sequence[Value], theirs: Sequence[Value]) -> tuple[Value, ...]:
    if (ANY,) in (tuple(ours), tuple(theirs)):
        return (ANY,)
    known, mine, others = ({repr(value) for value in values} for values in (base, ours, theirs))
    kept = [value for value in ours if repr(value) in others or repr(value) not in known]
    return (*kept, *(value for value in theirs if repr(value) not in known | mine))


def _conflict(trio: ThreeWay, both: Sequence[Key]) -> Conflict:
    names = listed_parts([told_name(*key) for key in both])
    reason = f"the target and the source declare {names} differently"
    return Conflict(subject=trio.subject, kind=trio.kind, clash=ConflictKind.ONTOLOGY, reason=reason)


def _version(trio: ThreeWay, after: Values, settled: Conflict | None) -> tuple[Version | None, Conflict | None]:
    """Return the type of these values; where they contradict each other, that is a conflict which only ours settles."""
    like = cast("Version", trio.ours)
    before = type_of_version(like)
    data = declaration_of(before.name, after)
    try:
        declared = connection_type_from(data) if "from_types" in data else node_type_from(data)
    except GraphError as error:
        reason = f"what the target and the source declare contradicts itself: {error.message}"
        return like, replace(_conflict(trio, []), reason=reason, takes=frozenset({ConflictSide.OURS}))
    return replace(like, state=type_state(declared)), settled
