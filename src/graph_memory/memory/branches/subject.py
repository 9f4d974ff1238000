"""Merges one subject: takes over changes made on one side. Different changes on both sides are conflicts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from graph_memory.memory.branches.diff3 import Chunk, merge_texts
from graph_memory.memory.branches.types import merge_type
from graph_memory.memory.branches.values import (
    WRITTEN,
    Choices,
    Conflict,
    ConflictKind,
    ConflictSide,
    MergeItem,
    Resolution,
    Version,
    check_value_resolution,
    is_same_version,
)
from graph_memory.model.subjects.kinds import CONTENT, ONTOLOGY_KINDS, TYPES, Kind
from graph_memory.model.subjects.subjects import (
    ENTITY,
    MENTIONED,
    State,
    StoredValue,
    content_ref,
    content_state,
    without_nulls,
)
from graph_memory.model.text.wording import quote
from graph_memory.model.values.content import Content
from graph_memory.model.values.exact import same_value
from graph_memory.model.values.fields import COMPUTED, NodeFields
from graph_memory.model.values.strength import CREATED_BY
from graph_memory.model.values.titles import derived_title, title_of

_TEXT = "_text"
_TAGS = "_tags"
_FORMAT = "_content_format"
_CONTENT_ATTRIBUTES = frozenset({"_content_encoding", "_content_size", "_content_sha256"})


@dataclass(frozen=True, slots=True)
class MergedSubject:
    """The merged version of a subject, its unresolved conflicts, and its conflicts that a choice resolved.

    If a conflict about a value is unresolved, `after` has the target's value.
    """

    after: Version | None
    conflicts: tuple[Conflict, ...] = ()
    settled: tuple[Conflict, ...] = ()


def merge_subject(item: MergeItem, choices: Choices, property_names: Collection[str] = ()) -> MergedSubject:
    """Merge the versions of one subject. Raises INVALID_ARGUMENT if a resolution is invalid.

    `property_names` are the properties that the target's ontology declares for the subject's type.
    """
    value_resolutions = choices.value_resolutions(item.subject)
    for resolution in value_resolutions:
        check_value_resolution(resolution, item, property_names)
    if is_same_version(item.theirs, item.base) or is_same_version(item.ours, item.theirs) or _is_kept(item):
        return MergedSubject(_ValueMerge(item, choices).apply_resolutions(item.ours, value_resolutions))
    if conflict := _find_whole_conflict(item):
        return _settle_whole_conflict(item, conflict, choices)
    if item.theirs is None:
        return MergedSubject(None)
    if is_same_version(item.ours, item.base) and not value_resolutions:
        return MergedSubject(complete_version(item, dict(item.theirs.state), item.theirs.content))
    if item.kind in TYPES:
        return _merge_type(item, choices)
    return _ValueMerge(item, choices).merge(value_resolutions)


def _merge_type(item: MergeItem, choices: Choices) -> MergedSubject:
    after, conflict = merge_type(item, None)
    if conflict is None:
        return MergedSubject(after)
    take = choices.take(conflict)
    if take is None:
        return MergedSubject(item.ours, conflicts=(conflict,))
    after = item.ours if take is ConflictSide.OURS else merge_type(item, take)[0]
    return MergedSubject(after, settled=(conflict,))


def _is_kept(item: MergeItem) -> bool:
    """Return whether the target keeps a subject deleted in the source: a type, or a mention that became an entity."""
    if item.theirs is not None:
        return False
    became_entity = item.base and item.ours and MENTIONED in item.base.state and MENTIONED not in item.ours.state
    return item.kind in ONTOLOGY_KINDS or bool(became_entity)


def _find_whole_conflict(item: MergeItem) -> Conflict | None:
    """Return the conflict about the whole subject, such as a deletion, or None if its values can be merged."""
    base, ours, theirs = item.base, item.ours, item.theirs
    if theirs is None:
        reason = "the source deleted it, but the target changed it"
        return None if is_same_version(ours, base) else _conflict(item, ConflictKind.CHANGED, reason)
    if theirs.identity != _target_identity(item, theirs):
        reason = "its id has another type or other ends in the target"
        return _conflict(item, ConflictKind.TYPE, reason, takes=frozenset({ConflictSide.OURS}))
    if ours is None:
        reason = "the target deleted it, but the source changed it"
        return None if base is None else _conflict(item, ConflictKind.DELETED, reason)
    if base is None and item.kind in ONTOLOGY_KINDS:
        reason = "the target and the source declare it differently"
        takes = frozenset(ConflictSide) if item.kind in TYPES else frozenset({ConflictSide.OURS})
        return _conflict(item, ConflictKind.ONTOLOGY, reason, takes=takes)
    if base is None:
        return _conflict(item, ConflictKind.CREATED, "the target and the source both created it, but differently")
    return None


def _target_identity(item: MergeItem, theirs: Version) -> object:
    """Return the identity of the subject in the target, or its last identity there if the target deleted it."""
    if item.ours is not None:
        return item.ours.identity
    if item.last is None:
        return theirs.identity
    draft = item.last.draft
    return draft.kind, theirs.identity[1] and draft.type, draft.from_id, draft.to_id


def _settle_whole_conflict(item: MergeItem, conflict: Conflict, choices: Choices) -> MergedSubject:
    value_merge = _ValueMerge(item, choices)
    match choices.take(conflict):
        case None:
            return MergedSubject(item.ours, conflicts=(conflict,))
        case ConflictSide.OURS:
            after = item.ours
        case ConflictSide.THEIRS:
            after = item.theirs and complete_version(item, dict(item.theirs.state), item.theirs.content)
    return MergedSubject(
        value_merge.apply_resolutions(after, choices.value_resolutions(item.subject)), settled=(conflict,)
    )


def _conflict(
    item: MergeItem, clash: ConflictKind, reason: str, takes: frozenset[ConflictSide] = frozenset(ConflictSide)
) -> Conflict:
    return Conflict(subject=item.subject, kind=item.kind, clash=clash, reason=reason, takes=takes)


class _ValueMerge:
    """Merges the property values, attributes and content of one subject."""

    def __init__(self, item: MergeItem, choices: Choices) -> None:
        self.item = item
        self.choices = choices
        self.conflicts: dict[str, Conflict] = {}
        self.base, self.ours, self.theirs = (
            version.state if version else {} for version in (item.base, item.ours, item.theirs)
        )
        self.after: State = {}
        self.content = item.ours.content if item.ours else None

    def merge(self, value_resolutions: Sequence[Resolution]) -> MergedSubject:
        for name in sorted((self.base.keys() | self.ours.keys() | self.theirs.keys()) - WRITTEN - _CONTENT_ATTRIBUTES):
            self._merge_value(name)
        self._merge_content()
        settled = [
            self.conflicts[resolution.name] for resolution in value_resolutions if resolution.name in self.conflicts
        ]
        for resolution in value_resolutions:
            self._take_resolution(resolution)
        for name, conflict in [*self.conflicts.items()]:
            if (take := self.choices.take(conflict)) is not None:
                self._choose(name, take)
                settled.append(self.conflicts.pop(name))
        return MergedSubject(
            complete_version(self.item, self._merged_state(), self.content),
            tuple(self.conflicts.values()),
            tuple(settled),
        )

    def apply_resolutions(self, version: Version | None, value_resolutions: Sequence[Resolution]) -> Version | None:
        """Return the version of one side with the resolved values, or None if the subject does not exist there."""
        if version is None or not value_resolutions or version.kind is not self.item.kind:
            return version
        self.after, self.content = dict(version.state), version.content
        for resolution in value_resolutions:
            self._take_resolution(resolution)
        return complete_version(self.item, self._merged_state(), self.content, template=version)

    def _merge_value(self, name: str) -> None:
        base, ours, theirs = (state.get(name) for state in (self.base, self.ours, self.theirs))
        if same_value(theirs, base) or same_value(ours, theirs):
            return self._put(name, ours)
        if same_value(ours, base):
            return self._put(name, theirs)
        if name == _TAGS:
            return self._put(name, merge_tags(*map(_tags, (base, ours, theirs))) or None)
        self._put(name, ours)
        chunks: tuple[Chunk, ...] = ()
        if name == _TEXT and isinstance(base, str) and isinstance(ours, str) and isinstance(theirs, str):
            merge = merge_texts(base, ours, theirs)
            if merge is not None and merge.text is not None:
                return self._put(name, merge.text)
            chunks = merge.conflicts if merge else ()
        self._add_conflict(name, ConflictKind.PROPERTY, (base, ours, theirs), chunks)
        return None

    def _merge_content(self) -> None:
        base, ours, theirs = map(_content_key, (self.base, self.ours, self.theirs))
        self._take(CONTENT, ConflictSide.OURS)
        if theirs in (base, ours):
            return
        if ours == base:
            self._take(CONTENT, ConflictSide.THEIRS)
            return
        text_merge = merge_texts(*texts) if (texts := self._texts()) else None
        if text_merge is not None and text_merge.text is not None:
            self._put_text(text_merge.text)
            return
        hashes = [key and key[1] for key in (base, ours, theirs)]
        self._add_conflict(CONTENT, ConflictKind.CONTENT, hashes, text_merge.conflicts if text_merge else ())

    def _texts(self) -> tuple[str, str, str] | None:
        if not self.item.needs_lines:
            return None
        contents = (version and version.content for version in (self.item.base, self.item.ours, self.item.theirs))
        base, ours, theirs = (content and content.text for content in contents)
        return None if base is None or ours is None or theirs is None else (base, ours, theirs)

    def _add_conflict(
        self, name: str, clash: ConflictKind, sides: Sequence[StoredValue | None], chunks: tuple[Chunk, ...]
    ) -> None:
        value_label = "its content" if name == CONTENT else quote(name.removeprefix("_"))
        place_count_text = f", in {len(chunks)} places" if len(chunks) > 1 else ""
        conflict = _conflict(self.item, clash, f"both domains changed {value_label} differently{place_count_text}")
        base, ours, theirs = sides
        self.conflicts[name] = replace(conflict, name=name, base=base, ours=ours, theirs=theirs, chunks=chunks)

    def _take_resolution(self, resolution: Resolution) -> None:
        name = cast("str", resolution.name)
        self.conflicts.pop(name, None)
        if resolution.take is not None:
            self._choose(name, resolution.take)
        elif name == CONTENT:
            self._put_text(str(resolution.value))
        else:
            self._put(name, resolution.value)

    def _choose(self, name: str, take: ConflictSide) -> None:
        """Set a value to the value of one side. For content, also sets the format."""
        self._take(name, take)
        if name == CONTENT:
            self._take(_FORMAT, take)

    def _take(self, name: str, take: ConflictSide) -> None:
        version = self.item.ours if take is ConflictSide.OURS else self.item.theirs
        state = version.state if version else {}
        if name != CONTENT:
            return self._put(name, state.get(name))
        self.content = version.content if version else None
        for key in _CONTENT_ATTRIBUTES:
            self._put(key, state.get(key))
        if _FORMAT not in self.after:
            self._put(_FORMAT, state.get(_FORMAT))
        return None

    def _put_text(self, text: str) -> None:
        content_format = self.after.get(_FORMAT) or self.theirs.get(_FORMAT) or "markdown"
        self.content = Content(text.encode(), "utf-8", str(content_format))
        self.after.update(content_state(self.content.ref))

    def _put(self, name: str, value: StoredValue | None) -> None:
        if value is None:
            self.after.pop(name, None)
        else:
            self.after[name] = value

    def _merged_state(self) -> State:
        if "_content_sha256" not in self.after:
            self.after.pop(_FORMAT, None)
        return self.after


def complete_version(
    item: MergeItem, state: State, content: Content | None, template: Version | None = None
) -> Version:
    """Return a version with the values that a write sets: the earliest creation time, computed fields and the title.

    The kind and endpoints come from `template`, by default the source's version. The version has no content if the
    target's content is the same.
    """
    template = template or cast("Version", item.theirs)
    template = replace(template, type=_type_of(item, template, state))
    states = [version.state for version in (item.base, item.ours, item.theirs) if version is not None]
    if created := [cast("datetime", state["_created"]) for state in states if "_created" in state]:
        state["_created"] = min(created)
    if creators := [state[CREATED_BY] for state in states if CREATED_BY in state]:
        state[CREATED_BY] = creators[0]
    if template.kind is Kind.NODE:
        stored_values = {name: value for name, value in state.items() if name not in COMPUTED}
        state = stored_values | _computed_fields(item, template, state, content)
    if content is not None and _FORMAT in state:
        content = replace(content, format=cast("str", state[_FORMAT]))
    is_stored = item.ours is not None and _content_key(item.ours.state) == _content_key(state)
    return replace(template, state=state, content=None if is_stored else content)


def _type_of(item: MergeItem, template: Version, state: State) -> str | None:
    """Return the type of the merged subject. An entity gets the type of the version whose entity data was kept."""
    entity_data = state.get(ENTITY)
    versions = (
        version
        for version in (template, item.theirs, item.ours, item.base)
        if version and version.kind is template.kind
    )
    return next((version.type for version in versions if version.state.get(ENTITY) == entity_data), template.type)


def _computed_fields(item: MergeItem, template: Version, state: State, content: Content | None) -> State:
    """Return the computed fields of a merged subject: its titles, and the time of its summary."""
    fields = NodeFields.from_stored(state)
    sides = (NodeFields.from_stored(version.state) for version in (item.ours, item.theirs, item.base) if version)
    times = (side.summary_timestamp for side in sides if side.content_summary == fields.content_summary)
    fields = replace(fields, summary_timestamp=next(times, None))
    return without_nulls(fields.state(_merged_title(item, template, state, content)))


def _merged_title(item: MergeItem, template: Version, state: State, content: Content | None) -> str:
    """Return the title that follows from the properties and the text.

    If the text is not loaded, returns the title of a side that has the same text.
    """
    properties = replace(template, state=state).properties
    sides = [
        version.state
        for version in (item.ours, item.theirs)
        if version and _content_key(version.state) == _content_key(state)
    ]
    known_title = next((derived_title(side) for side in sides if "_title" in side), None)
    return title_of(
        template.type or "", properties, content.text if content else None, previous=None if content else known_title
    )


def merge_tags(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return the tags of both sides, except tags that either side removed. The target's tags come first."""
    kept_tags = [tag for tag in ours if tag in theirs or tag not in base]
    return [*kept_tags, *(tag for tag in theirs if tag not in base and tag not in ours)]


def _tags(value: StoredValue | None) -> Sequence[str]:
    return cast("Sequence[str]", value or ())


def _content_key(state: Mapping[str, object]) -> tuple[str, str] | None:
    ref = content_ref(state)
    return ref and (ref.encoding, ref.sha256)
