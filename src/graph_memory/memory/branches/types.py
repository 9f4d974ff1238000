"""Merges two changes of one type value by value, without I/O: descriptions, rules, ends and enums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from graph_memory.memory.branches.values import Conflict, ConflictKind, ConflictSide, MergeItem, Version
from graph_memory.model.errors import GraphError
from graph_memory.model.ontology.ontology import ANY, connection_type_from, node_type_from
from graph_memory.model.ontology.ontology_diff import Value, declaration_of, value_title, values_of
from graph_memory.model.ontology.types import AnyType, type_state
from graph_memory.model.projection import type_from_json
from graph_memory.model.text.wording import join_parts

Key = tuple[str | None, str]
Values = dict[Key, Value]


def type_of_version(version: Version) -> AnyType:
    """Return the type that a version declares."""
    return type_from_json(str(version.state["_definition"]))


def merge_type(item: MergeItem, take: ConflictSide | None) -> tuple[Version | None, Conflict | None]:
    """Return the merge of a type that both sides changed, and the conflict if they changed a value differently.

    `take` is the side whose values settle the conflict. Without it, a type in conflict is the target's.
    """
    base, ours, theirs = (values_of(type_of_version(version)) if version else Values() for version in _versions(item))
    after: Values = {}
    conflicting: list[Key] = []
    for key in {**ours, **theirs}:
        base_value, our_value, their_value = base.get(key), ours.get(key), theirs.get(key)
        value = _merge_value(base_value, our_value, their_value)
        if value is _CONFLICT:
            conflicting.append(key)
            value = their_value if take is ConflictSide.THEIRS else our_value
        if value is not None:
            after[key] = cast("Value", value)
    conflict = _conflict(item, conflicting) if conflicting else None
    if conflicting and take is None:
        return item.ours, conflict
    return _version(item, after, conflict)


_CONFLICT = object()


def _versions(item: MergeItem) -> Sequence[Version | None]:
    return item.base, item.ours, item.theirs


def _merge_value(base: Value | None, ours: Value | None, theirs: Value | None) -> object:
    """Return the merged value, None for no value, or `_CONFLICT`. Lists get the changes of both sides."""
    if repr(ours) == repr(theirs) or repr(theirs) == repr(base):
        return ours
    if repr(ours) == repr(base):
        return theirs
    if isinstance(base, tuple) and isinstance(ours, tuple) and isinstance(theirs, tuple):
        return _merge_list(base, ours, theirs) or _CONFLICT
    return _CONFLICT


def _merge_list(base: Sequence[Value], ours: Sequence[Value], theirs: Sequence[Value]) -> tuple[Value, ...]:
    if (ANY,) in (tuple(ours), tuple(theirs)):
        return (ANY,)
    known, mine, others = ({repr(value) for value in values} for values in (base, ours, theirs))
    kept = [value for value in ours if repr(value) in others or repr(value) not in known]
    return (*kept, *(value for value in theirs if repr(value) not in known | mine))


def _conflict(item: MergeItem, keys: Sequence[Key]) -> Conflict:
    names = join_parts([value_title(*key) for key in keys])
    reason = f"the target and the source declare {names} differently"
    return Conflict(subject=item.subject, kind=item.kind, clash=ConflictKind.ONTOLOGY, reason=reason)


def _version(item: MergeItem, after: Values, settled: Conflict | None) -> tuple[Version | None, Conflict | None]:
    """Return the type with these values. If they contradict each other, only the target's side settles that."""
    ours = cast("Version", item.ours)
    before = type_of_version(ours)
    data = declaration_of(before.name, after)
    try:
        declared = connection_type_from(data) if "from_types" in data else node_type_from(data)
    except GraphError as error:
        reason = f"the declarations of the target and the source contradict each other: {error.message}"
        return ours, replace(_conflict(item, []), reason=reason, takes=frozenset({ConflictSide.OURS}))
    return replace(ours, state=type_state(declared)), settled
