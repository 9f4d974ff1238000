"""Reads Markdown notes with links, as Obsidian and basic-memory write them. Each note becomes an entity."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import cast

from graph_memory.memory.transfer.formats.memories.exact_notes import MARK, PROPERTIES
from graph_memory.memory.transfer.formats.memories.link_targets import LinkNames, LinkTargets
from graph_memory.memory.transfer.formats.memories.note_files import read_text, walk_files
from graph_memory.memory.transfer.formats.memories.notes import (
    Link,
    Note,
    fits_property,
    names_of,
    note_of,
    to_property_value,
)
from graph_memory.memory.transfer.formats.memories.rows import (
    EntityRow,
    ObservationRow,
    RelationRow,
    Rows,
    scalars_of,
    text_in,
)
from graph_memory.memory.transfer.formats.records import InvalidRecord, InvalidSourceValue, SourcePosition
from graph_memory.memory.transfer.formats.records import Note as SourceNote
from graph_memory.model.errors import Code
from graph_memory.model.text.name_list import listed_names
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.properties import MOST_PROPERTIES, PropertyValue

NOTE = "note"
"""The entity type of a note without a type in its front matter."""
MAX_NOTES = 200_000
_TIME_KEYS = ("created", "created_at", "date")
_NOT_PROPERTIES = {"title", "type", "tags", "tag", "aliases", "alias"}
_LIST_KEYS = {"tags": ("tags", "tag"), "aliases": ("aliases", "alias")}
EndOf = Callable[[Link, PurePosixPath], str | None]
"""Returns the target entity of a link in the note at a path, or None if the target is not a note."""


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A note and its path in the folder."""

    path: PurePosixPath
    note: Note

    @property
    def own_title(self) -> str:
        """The title in the front matter, or "" if it has none."""
        title = text_in(self.note.front, "title") or ""
        return title if self.note.exact else title.strip()

    @property
    def title(self) -> str:
        """The title in the front matter, otherwise the file name without its extension."""
        return self.own_title or unicodedata.normalize("NFC", self.path.stem)

    @property
    def link_names(self) -> LinkNames:
        """The names that links can use for the note."""
        permalink = text_in(self.note.front, "permalink") or ""
        return LinkNames(path=self.path, title=self.title, permalink=permalink, aliases=tuple(self.names("aliases")))

    def names(self, kind: str) -> list[str]:
        """Return the tags or aliases in the front matter. `kind` is `tags` or `aliases`."""
        return [name for key in _LIST_KEYS[kind] for name in names_of(self.note.front.get(key))]

    def place(self, line: int = 0) -> SourcePosition:
        """Return the position of a line, for error messages."""
        return SourcePosition(str(self.path), line)


def read_markdown(path: Path) -> Rows:
    """Yield the rows of a folder's notes, or of a single note. Does not follow symbolic links."""
    targets, files = LinkTargets(), list[NoteFile]()
    for entry in _entries(path):
        if isinstance(entry, NoteFile):
            files.append(entry)
        elif isinstance(entry, PurePosixPath):
            targets.add_other(entry)
        else:
            yield entry
    names = _note_names(files)
    targets.index((file.link_names, names[file.path]) for file in files)

    def end_of(link: Link, at: PurePosixPath) -> str | None:
        return targets.find(link, at) or targets.missing_name(link, at)

    for file in files:
        yield from entity_rows(file, names[file.path], end_of)
    for file in files:
        yield from relation_rows(file, names[file.path], end_of)


def entity_rows(file: NoteFile, name: str, end_of: EndOf) -> Rows:
    """Yield the entity of a note and its observations."""
    front = file.note.front
    if fault := file.note.fault:
        text = f"the front matter of {printable(file.path)} is kept as text: {fault.message}"
        yield SourceNote(file.place(fault.line), text)
    properties = _properties(file)
    if skipped := [*map(quote, file.note.unfit), *(key for key in front if not _is_kept(file, key, properties))]:
        limit = f"the note has more than {MOST_PROPERTIES:,} properties"
        why = f"the value is nested, the key is reserved, it cannot be stored, or {limit}"
        yield SourceNote(file.place(1), f"skipped {printable(', '.join(skipped))} in the front matter: {why}")
    metadata = front.get("metadata")  # where Claude Code's auto-memory keeps the type
    nested = cast("Mapping[str, object]", metadata if isinstance(metadata, dict) else {})
    kind = text_in(front, "type") or text_in(nested, "type") or NOTE
    body = file.note.body(lambda link: bool(end_of(link, file.path)))
    yield EntityRow(place=file.place(1), name=name, type=kind, description=body, properties=properties)
    time = text_in(front, *_TIME_KEYS)
    for line, text in file.note.observations:
        yield ObservationRow(place=file.place(line), entity=name, text=text, time=time, source=str(file.path))


def relation_rows(
    file: NoteFile, name: str, end_of: EndOf, by_name: Callable[[str], str] = str
) -> Iterator[RelationRow]:
    """Yield the relations of a note.

    `by_name` returns the target entity of a relation that is written as a name instead of a link.
    """
    for link in file.note.links:
        if end := end_of(link, file.path):
            yield RelationRow(place=file.place(link.line), start=name, end=end, type=link.type)
    for kind, end in file.note.exact.relations if file.note.exact else ():
        yield RelationRow(place=file.place(), start=name, end=by_name(end), type=kind)


def _entries(path: Path) -> Iterator[NoteFile | PurePosixPath | InvalidRecord | SourceNote]:
    if not path.is_dir():
        yield _read(path, PurePosixPath(path.name))
        return
    count = 0
    for file, at in walk_files(path, PurePosixPath()):
        if isinstance(at, SourceNote) or not at.name.lower().endswith(".md"):
            yield at
            continue
        count += 1
        if count > MAX_NOTES:
            raise invalid_argument(
                "source", f"The folder contains more than {MAX_NOTES:,} notes", "Import the subfolders one at a time."
            )
        yield _read(file, at)


def _read(file: Path, at: PurePosixPath) -> NoteFile | InvalidRecord:
    place = SourcePosition(str(at))
    try:
        return NoteFile(at, note_of(read_text(file)))
    except InvalidSourceValue as error:
        return error.at(place)
    except OSError as error:
        return InvalidRecord(place, Code.INVALID_SOURCE, f"The note cannot be read: {error.strerror or error}")


def _note_names(files: Sequence[NoteFile]) -> dict[PurePosixPath, str]:
    """Return the name of each note: its title, or its path if several notes have the same title."""
    counts = Counter(file.title for file in files)
    return {file.path: file.title if counts[file.title] == 1 else str(file.path.with_suffix("")) for file in files}


def _properties(file: NoteFile) -> dict[str, PropertyValue]:
    """Return a note's path, tags, aliases and front matter, up to the number of properties that a node can have."""
    properties: dict[str, PropertyValue] = {"path": str(file.path)}
    lists = ("aliases",) if file.note.exact else _LIST_KEYS
    properties |= {kind: _names_text(names) for kind in lists if (names := file.names(kind))}
    properties |= scalars_of(*_scalars(file.note))
    return dict(
        islice(((key, value) for key, value in properties.items() if fits_property(key, value)), MOST_PROPERTIES)
    )


def _scalars(note: Note) -> tuple[Mapping[str, object], set[str]]:
    """Return the front matter values that may become properties, and the keys that must not become properties."""
    if note.exact:
        values = note.front.get(PROPERTIES)
        return cast("Mapping[str, object]", values if isinstance(values, dict) else {}), {"path", "aliases"}
    values = {key: value for key, item in note.front.items() if (value := to_property_value(item)) is not None}
    return values, {*_NOT_PROPERTIES, "path"}


def _names_text(names: Sequence[str]) -> str:
    """Return tags or aliases as a property value: separated by commas if that is unambiguous, or as a JSON list."""
    text = ", ".join(names)
    is_clear = [name.strip() for name in listed_names(text)] == list(names)
    return text if is_clear else json.dumps(names, ensure_ascii=False)


def _is_kept(file: NoteFile, key: str, properties: Mapping[str, PropertyValue]) -> bool:
    """Return whether the import keeps a front matter value as title, type, tags, aliases or property.

    Also returns True if the value is empty.
    """
    value = file.note.front[key]
    if value in (None, "", []) or (file.note.exact and key in (MARK, PROPERTIES)):
        return True
    if key in ("title", "type"):
        return isinstance(value, str)
    if kind := next((kind for kind, keys in _LIST_KEYS.items() if key in keys), None):
        return bool(names_of(value)) and kind in properties
    return key in properties and key != "path"
