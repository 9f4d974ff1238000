"""One subject merged: what one side changed is taken from it, what both changed differently is a conflict. Pure."""

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
    Resolution,
    ThreeWay,
    Version,
    check_resolution,
    same,
)
from graph_memory.model.subjects.kinds import CONTENT, ONTOLOGY_KINDS, TYPES, Kind
from graph_memory.model.subjects.subjects import (
    ENTITY,
    MENTIONED,
    State,
    StoredValue,
    content_ref,
    content_state,
    present,
)
from graph_memory.model.values.content import Content
from graph_memory.model.values.exact import same_value
from graph_memory.model.values.fields import COMPUTED, NodeFields
from graph_memory.model.values.strength import CREATED_BY
from graph_memory.model.values.titles import derived_title, title_of

_TEXT = "_text"
_TAGS = "_tags"
_FORMAT = "_content_format"
_CONTENT = frozenset({"_content_encoding", "_content_size", "_content_sha256"})


@dataclass(frozen=True, slots=True)
class Merged:
    """What a subject comes to in the target; the conflicts that nothing settled, and those that a choice did.

    Where there are conflicts left, what they are about is as in the target.
    """

    after: Version | None
    conflicts: tuple[Conflict, ...] = ()
    settled: tuple[Conflict, ...] = ()


def merge_subject(trio: ThreeWay, choices: Choices, declared: Collection[str] = ()) -> Merged:
    """Return what one subject comes to, looked at by itself. Raises INVALID_ARGUMENT for an unfit resolution.

    `declared` are the properties that the target's ontology declares for its type.
    """
    named = choices.named(trio.subject)
    for resolution in named:
        check_resolution(resolution, trio, declared)
    if same(trio.theirs, trio.base) or same(trio.ours, trio.theirs) or _is_kept(trio):
        return Merged(_ByValue(trio, choices).changed(trio.ours, named))
    if conflict := _as_a_whole(trio):
        return _settled_as_a_whole(trio, conflict, choices)
    if trio.theirs is None:
        return Merged(None)
    if same(trio.ours, trio.base) and not named:
        return Merged(finished(trio, dict(trio.theirs.state), trio.theirs.content))
    if trio.kind in TYPES:
        return _merged_type(trio, choices)
    return _ByValue(trio, choices).merged(named)


def _merged_type(trio: ThreeWay, choices: Choices) -> Merged:
    after, conflict = merge_type(trio, None)
    if conflict is None:
        return Merged(after)
    take = choices.take(conflict)
    if take is None:
        return Merged(trio.ours, conflicts=(conflict,))
    after = trio.ours if take is ConflictSide.OURS else merge_type(trio, take)[0]
    return Merged(after, settled=(conflict,))


def _is_kept(trio: ThreeWay) -> bool:
    """Say whether the target keeps what the source has no more: a type, or what is only mentioned there."""
    if trio.theirs is not None:
        return False
    became_entity = trio.base and trio.ours and MENTIONED in trio.base.state and MENTIONED not in trio.ours.state
    return trio.kind in ONTOLOGY_KINDS or bool(became_entity)


def _as_a_whole(trio: ThreeWay) -> Conflict | None:
    """Return the conflict that is not about single values, if there is one."""
    base, ours, theirs = trio.base, trio.ours, trio.theirs
    if theirs is None:
        reason = "the source deleted it, but the target changed it"
        return None if same(ours, base) else _conflict(trio, ConflictKind.CHANGED, reason)
    if theirs.identity != _known(trio, theirs):
        reason = "its id has another type or other ends in the target"
        return _conflict(trio, ConflictKind.TYPE, reason, takes=frozenset({ConflictSide.OURS}))
    if ours is None:
        reason = "the target deleted it, but the source changed it"
        return None if base is None else _conflict(trio, ConflictKind.DELETED, reason)
    if base is None and trio.kind in ONTOLOGY_KINDS:
        reason = "the target and the source declare it differently"
        takes = frozenset(ConflictSide) if trio.kind in TYPES else frozenset({ConflictSide.OURS})
        return _conflict(trio, ConflictKind.ONTOLOGY, reason, takes=takes)
    if base is None:
        return _conflict(trio, ConflictKind.CREATED, "the target and the source both created it, but differently")
    return None


def _known(trio: ThreeWay, theirs: Version) -> object:
    """Return what the target knows under that id, also if it was deleted."""
    if trio.ours is not None:
        return trio.ours.identity
    if trio.last is None:
        return theirs.identity
    draft = trio.last.draft
    return draft.kind, theirs.identity[1] and draft.type, draft.from_id, draft.to_id


def _settled_as_a_whole(trio: ThreeWay, conflict: Conflict, choices: Choices) -> Merged:
    values = _ByValue(trio, choices)
    match choices.take(conflict):
        case None:
            return Merged(trio.ours, conflicts=(conflict,))
        case ConflictSide.OURS:
            after = trio.ours
        case ConflictSide.THEIRS:
            after = trio.theirs and finished(trio, dict(trio.theirs.state), trio.theirs.content)
    return Merged(values.changed(after, choices.named(trio.subject)), settled=(conflict,))


def _conflict(
    trio: ThreeWay, clash: ConflictKind, reason: str, takes: frozenset[ConflictSide] = frozenset(ConflictSide)
) -> Conflict:
    return Conflict(subject=trio.subject, kind=trio.kind, clash=clash, reason=reason, takes=takes)


class _ByValue:
    """The merge of a subject value by value."""

    def __init__(self, trio: ThreeWay, choices: Choices) -> None:
        self.trio = trio
        self.choices = choices
        self.conflicts: dict[str, Conflict] = {}
        self.base, self.ours, self.theirs = (
            version.state if version else {} for version in (trio.base, trio.ours, trio.theirs)
        )
        self.after: State = {}
        self.content = trio.ours.content if trio.ours else None

    def merged(self, named: Sequence[Resolution]) -> Merged:
        for name in sorted((self.base.keys() | self.ours.keys() | self.theirs.keys()) - WRITTEN - _CONTENT):
            self._merge_value(name)
        self._merge_content()
        settled = [self.conflicts[resolution.name] for resolution in named if resolution.name in self.conflicts]
        for resolution in named:
            self._take_as_told(resolution)
        for name, conflict in [*self.conflicts.items()]:
            if (take := self.choices.take(conflict)) is not None:
                self._choose(name, take)
                settled.append(self.conflicts.pop(name))
        return Merged(finished(self.trio, self._whole(), self.content), tuple(self.conflicts.values()), tuple(settled))

    def changed(self, version: Version | None, named: Sequence[Resolution]) -> Version | None:
        """Return a version, which was taken as a whole, with the values that are told by name."""
        if version is None or not named or version.kind is not self.trio.kind:
            return version
        self.after, self.content = dict(version.state), version.content
        for resolution in named:
            self._take_as_told(resolution)
        return finished(self.trio, self._whole(), self.content, like=version)

    def _merge_value(self, name: str) -> None:
        base, ours, theirs = (state.get(name) for state in (self.base, self.ours, self.theirs))
        if same_value(theirs, base) or same_value(ours, theirs):
            return self._put(name, ours)
        if same_value(ours, base):
            return self._put(name, theirs)
        if name == _TAGS:
            return self._put(name, merged_tags(*map(_tags, (base, ours, theirs))) or None)
        self._put(name, ours)
        chunks: tuple[Chunk, ...] = ()
        if name == _TEXT and isinstance(base, str) and isinstance(ours, str) and isinstance(theirs, str):
            merge = merge_texts(base, ours, theirs)
            if merge is not None and merge.text is not None:
                return self._put(name, merge.text)
            chunks = merge.conflicts if merge else ()
        self._clash(name, ConflictKind.PROPERTY, (base, ours, theirs), chunks)
        return None

    def _merge_content(self) -> None:
        base, ours, theirs = map(_content_key, (self.base, self.ours, self.theirs))
        self._take(CONTENT, ConflictSide.OURS)
        if theirs in (base, ours):
            return
        if ours == base:
            self._take(CONTENT, ConflictSide.THEIRS)
            return
        merge = merge_texts(*texts) if (texts := self._texts()) else None
        if merge is not None and merge.text is not None:
            self._put_text(merge.text)
            return
        hashes = [key and key[1] for key in (base, ours, theirs)]
        self._clash(CONTENT, ConflictKind.CONTENT, hashes, merge.conflicts if merge else ())

    def _texts(self) -> tuple[str, str, str] | None:
        if not self.trio.needs_lines:
            return None
        contents = (version and version.content for version in (self.trio.base, self.trio.ours, self.trio.theirs))
        base, ours, theirs = (content and content.text for content in contents)
        return None if base is None or ours is None or theirs is None else (base, ours, theirs)

    def _clash(
        self, name: str, clash: ConflictKind, sides: Sequence[StoredValue | None], chunks: tuple[Chunk, ...]
    ) -> None:
        what = "its content" if name == CONTENT else name.removeprefix("_").replace("_", " ")
        where = f", in {len(chunks)} places" if len(chunks) > 1 else ""
        conflict = _conflict(self.trio, clash, f"both changed {what} differently{where}")
        base, ours, theirs = sides
        self.conflicts[name] = replace(conflict, name=name, base=base, ours=ours, theirs=theirs, chunks=chunks)

    def _take_as_told(self, resolution: Resolution) -> None:
        name = cast("str", resolution.name)
        self.conflicts.pop(name, None)
        if resolution.take is not None:
            self._choose(name, resolution.take)
        elif name == CONTENT:
            self._put_text(str(resolution.value))
        else:
            self._put(name, resolution.value)

    def _choose(self, name: str, take: ConflictSide) -> None:
        """Take one side's value; content that was chosen keeps its format."""
        self._take(name, take)
        if name == CONTENT:
            self._take(_FORMAT, take)

    def _take(self, name: str, take: ConflictSide) -> None:
        version = self.trio.ours if take is ConflictSide.OURS else self.trio.theirs
        state = version.state if version else {}
        if name != CONTENT:
            return self._put(name, state.get(name))
        self.content = version.content if version else None
        for key in _CONTENT:
            self._put(key, state.get(key))
        if _FORMAT not in self.after:
            self._put(_FORMAT, state.get(_FORMAT))
        return None

    def _put_text(self, text: str) -> None:
        shown = self.after.get(_FORMAT) or self.theirs.get(_FORMAT) or "markdown"
        self.content = Content(text.encode(), "utf-8", str(shown))
        self.after.update(content_state(self.content.ref))

    def _put(self, name: str, value: StoredValue | None) -> None:
        if value is None:
            self.after.pop(name, None)
        else:
            self.after[name] = value

    def _whole(self) -> State:
        if "_content_sha256" not in self.after:
            self.after.pop(_FORMAT, None)
        return self.after


def finished(trio: ThreeWay, state: State, content: Content | None, like: Version | None = None) -> Version:
    """Return the version, by default like the source's, with what a write sets by itself: oldest creation, title.

    Its content is that which is to be written, None where the target has it.
    """
    like = like or cast("Version", trio.theirs)
    like = replace(like, type=_type_of(trio, like, state))
    known = [version.state for version in (trio.base, trio.ours, trio.theirs) if version is not None]
    if created := [cast("datetime", state["_created"]) for state in known if "_created" in state]:
        state["_created"] = min(created)
    if creators := [state[CREATED_BY] for state in known if CREATED_BY in state]:
        state[CREATED_BY] = creators[0]
    if like.kind is Kind.NODE:
        state = _without_computed(state) | _computed(trio, like, state, content)
    if content is not None and _FORMAT in state:
        content = replace(content, format=cast("str", state[_FORMAT]))
    has_it = trio.ours is not None and _content_key(trio.ours.state) == _content_key(state)
    return replace(like, state=state, content=None if has_it else content)


def _type_of(trio: ThreeWay, like: Version, state: State) -> str | None:
    """Return the type of what has a state: of an entity that of the side from which it has what it is."""
    written = state.get(ENTITY)
    sides = (version for version in (like, trio.theirs, trio.ours, trio.base) if version and version.kind is like.kind)
    return next((side.type for side in sides if side.state.get(ENTITY) == written), like.type)


def _without_computed(state: State) -> State:
    return {name: value for name, value in state.items() if name not in COMPUTED}


def _computed(trio: ThreeWay, like: Version, state: State, content: Content | None) -> State:
    """Return what fields make: the titles, and the time of the summary on a side that has it."""
    fields = NodeFields.from_stored(state)
    sides = (NodeFields.from_stored(version.state) for version in (trio.ours, trio.theirs, trio.base) if version)
    times = (side.summary_timestamp for side in sides if side.content_summary == fields.content_summary)
    fields = replace(fields, summary_timestamp=next(times, None))
    return present(fields.state(_title(trio, like, state, content)))


def _title(trio: ThreeWay, like: Version, state: State, content: Content | None) -> str:
    """Return the title that properties and text make; that of a side with the same text where it is not at hand."""
    properties = replace(like, state=state).properties
    sides = [
        version.state
        for version in (trio.ours, trio.theirs)
        if version and _content_key(version.state) == _content_key(state)
    ]
    before = next((derived_title(side) for side in sides if "_title" in side), None)
    return title_of(like.type or "", properties, content.text if content else None, before=None if content else before)


def merged_tags(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return the tags of both sides without those that either took away, in the order of ours."""
    kept = [tag for tag in ours if tag in theirs or tag not in base]
    return [*kept, *(tag for tag in theirs if tag not in base and tag not in ours)]


def _tags(value: StoredValue | None) -> Sequence[str]:
    return cast("Sequence[str]", value or ())


def _content_key(state: Mapping[str, object]) -> tuple[str, str] | None:
    ref = content_ref(state)
    return ref and (ref.encoding, ref.sha256)
