"""Merges two changes of a type value by value: descriptions, rules, endpoints and enums. Does no I/O."""

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
    """Return the node or connection type that a version of a type subject defines."""
    return type_from_json(str(version.state["_definition"]))


def merge_type(item: MergeItem, take: ConflictSide | None) -> tuple[Version | None, Conflict | None]:
    """Return the merged type, and the conflict if both sides changed a value differently.

    The conflict is resolved with the values of the side `take`. If `take` is None, the result for a type with a
    conflict is the type in the target.
    """
    versions = (item.base, item.ours, item.theirs)
    base, ours, theirs = (values_of(type_of_version(version)) if version else Values() for version in versions)
    after: Values = {}
    conflicting_keys: list[Key] = []
    for key in {**ours, **theirs}:
        base_value, our_value, their_value = base.get(key), ours.get(key), theirs.get(key)
        value = _merge_value(base_value, our_value, their_value)
        if value is _CONFLICT:
            conflicting_keys.append(key)
            value = their_value if take is ConflictSide.THEIRS else our_value
        if value is not None:
            after[key] = cast("Value", value)
    conflict = _conflict(item, conflicting_keys) if conflicting_keys else None
    if conflicting_keys and take is None:
        return item.ours, conflict
    return _build_version(item, after, conflict)


_CONFLICT = object()


def _merge_value(base: Value | None, ours: Value | None, theirs: Value | None) -> object:
    """Return the merged value, None if a side removed it, or `_CONFLICT`. Merges lists that both sides changed."""
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
    base_reprs, our_reprs, their_reprs = ({repr(value) for value in values} for values in (base, ours, theirs))
    kept_values = [value for value in ours if repr(value) in their_reprs or repr(value) not in base_reprs]
    return (*kept_values, *(value for value in theirs if repr(value) not in base_reprs | our_reprs))


def _conflict(item: MergeItem, keys: Sequence[Key]) -> Conflict:
    names = join_parts([value_title(*key) for key in keys])
    reason = f"the target and the source declare {names} differently"
    return Conflict(subject=item.subject, kind=item.kind, clash=ConflictKind.ONTOLOGY, reason=reason)


def _build_version(item: MergeItem, after: Values, settled: Conflict | None) -> tuple[Version | None, Conflict | None]:
    """Return the type with the merged values, and `settled`.

    If the merged values contradict each other, returns the target's version, and a conflict that only `ours` can
    resolve.
    """
    ours = cast("Version", item.ours)
    our_type = type_of_version(ours)
    declaration = declaration_of(our_type.name, after)
    try:
        merged_type = connection_type_from(declaration) if "from_types" in declaration else node_type_from(declaration)
    except GraphError as error:
        reason = f"the declarations of the target and the source contradict each other: {error.message}"
        return ours, replace(_conflict(item, []), reason=reason, takes=frozenset({ConflictSide.OURS}))
    return replace(ours, state=type_state(merged_type)), settled
