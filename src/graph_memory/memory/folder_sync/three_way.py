"""Compares both sides of a note with their last common state. Does no I/O."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Literal, TypeVar

from graph_memory.memory.branches.diff3 import merge_texts
from graph_memory.memory.folder_sync.entity_notes import EntityNote, is_same_value
from graph_memory.memory.folder_sync.state_file import Entry

Side = Literal["folder", "memory"]
T = TypeVar("T")
_EMPTY = EntityNote(name="", type="")


@dataclass(slots=True, kw_only=True)
class SyncedNote:
    """A note in the folder with its entity in the memory. One of them may be missing."""

    subject: str
    """The entity's id. A new entity has a provisional id."""
    path: PurePosixPath | None
    entry: Entry | None
    """The last common state, or None for a note that was never synchronised."""
    text: str | None = None
    """The file's text."""
    folder: EntityNote | None = None
    """The entity that the file describes. It is parsed only if a side changed."""
    memory: EntityNote | None = None
    is_folder_changed: bool = False
    is_memory_changed: bool = False
    folder_name: str = ""

    @property
    def has_file(self) -> bool:
        """Whether the folder contains the note."""
        return self.text is not None

    @property
    def needs_base(self) -> bool:
        """Whether the last common state is needed to merge both sides."""
        return self.is_folder_changed and self.is_memory_changed and self.has_file and self.memory is not None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The resulting state of a note on both sides. `note` is None if both sides delete it."""

    note: EntityNote | None
    conflicts: tuple[str, ...] = ()
    """The fields that both sides changed. If `is_settled` is true, all were resolved in favour of one side."""
    is_settled: bool = True


def decide(pair: SyncedNote, base: EntityNote | None, prefer: Side | None) -> Outcome:
    """Return the state that a note should have on both sides.

    If the last common state cannot be read, all differences are conflicts: an item on only one side may be new, or may
    have been deleted or erased on the other side.
    """
    if not pair.is_folder_changed:
        return Outcome(pair.memory)
    if not pair.is_memory_changed:
        return Outcome(pair.folder)
    folder, memory = pair.folder, pair.memory
    if folder is None and memory is None:
        return Outcome(None)
    if folder is None or memory is None:
        conflict = "deleted in the folder" if folder is None else "deleted in the memory"
        return Outcome(folder if prefer == "folder" else memory, (conflict,), is_settled=prefer is not None)
    if folder.key == memory.key:
        return Outcome(memory)
    if base is None and pair.entry is not None:
        fields = tuple(field.name for field in dataclasses.fields(folder) if _differ(folder, memory, field.name))
        return Outcome(folder if prefer == "folder" else memory, fields, is_settled=prefer is not None)
    merged, conflicts = _Merge(base or _EMPTY, folder, memory, prefer or "memory").run()
    return Outcome(merged, conflicts, is_settled=not conflicts or prefer is not None)


def _differ(folder: EntityNote, memory: EntityNote, field: str) -> bool:
    """Return whether two states of an entity differ in a field. The order of items in a list is ignored."""
    return replace(memory, **{field: getattr(folder, field)}).key != memory.key


class _Merge:
    """A merge of two states of an entity, field by field."""

    def __init__(self, base: EntityNote, folder: EntityNote, memory: EntityNote, prefer: Side) -> None:
        self._sides = base, folder, memory
        self._prefer = prefer
        self._conflicts: list[str] = []

    def run(self) -> tuple[EntityNote, tuple[str, ...]]:
        base, folder, memory = self._sides
        merged = EntityNote(
            name=self._value("name", base.name, folder.name, memory.name),
            type=self._value("type", base.type, folder.type, memory.type),
            text=self._text(),
            aliases=tuple(_items(base.aliases, folder.aliases, memory.aliases)),
            properties=self._properties(base.properties, folder.properties, memory.properties),
            observations=tuple(_items(base.observations, folder.observations, memory.observations)),
            relations=tuple(_items(base.relations, folder.relations, memory.relations)),
        )
        return merged, tuple(self._conflicts)

    def _value(self, field: str, base: T, folder: T, memory: T) -> T:
        if is_same_value(folder, memory) or is_same_value(memory, base):
            return folder
        if not is_same_value(folder, base):
            self._conflicts.append(field)
            return folder if self._prefer == "folder" else memory
        return memory

    def _text(self) -> str:
        base, folder, memory = (side.text for side in self._sides)
        merged = merge_texts(base, folder, memory)
        if merged is not None and merged.text is not None:
            return merged.text.strip("\n")
        return self._value("text", base, folder, memory)

    def _properties(self, *sides: Mapping[str, T]) -> dict[str, T]:
        base, folder, memory = sides
        merged = {
            key: self._value(f"property {key}", base.get(key), folder.get(key), memory.get(key))
            for key in dict.fromkeys([*memory, *folder])
        }
        return {key: value for key, value in merged.items() if value is not None}


def _items(base: Iterable[T], folder: Iterable[T], memory: Iterable[T]) -> list[T]:
    """Merge a list. Return the items that either side added, and the base's items that neither side removed."""
    base_items, ours, theirs = set(base), list(folder), list(memory)
    kept = [item for item in theirs if item not in base_items or item in ours]
    return list(dict.fromkeys([*kept, *(item for item in ours if item not in base_items or item in theirs)]))


def keep_links(memory: EntityNote, folder: EntityNote, deleted_names: set[str]) -> EntityNote:
    """Return the entity in the memory with the relations to deleted names that its note in the folder still has.

    The memory deletes relations together with an entity, but a note keeps its links, as relations to a name.
    """
    links = [link for link in folder.relations if link[1] in deleted_names]
    return replace(memory, relations=tuple(dict.fromkeys([*memory.relations, *links])))
