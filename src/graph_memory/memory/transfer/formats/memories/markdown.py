"""Reading of Markdown notes with links, as Obsidian and basic-memory keep them. Each note becomes an entity."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import cast

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
from graph_memory.memory.transfer.formats.records import Note as Told
from graph_memory.memory.transfer.formats.records import Place, Refused, Unfit
from graph_memory.model.errors import Code
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.properties import MOST_PROPERTIES, PropertyValue

NOTE = "note"
"""The type of notes whose front matter names no type."""
MAX_NOTES = 200_000
_TIMES = ("created", "created_at", "date")
_LEFT_OUT = {"title", "type", "tags", "tag", "aliases", "alias"}
_LISTS = {"tags": ("tags", "tag"), "aliases": ("aliases", "alias")}
_ATTACHMENT = re.compile(
    r".*\.(avif|bmp|gif|heic|jpe?g|png|svg|tiff?|webp|3gp|aac|flac|m4a|mp3|og[ag]|opus|wav|webm|avi|m4v|mkv|mov|mp4"
    r"|mpeg|ogv|pdf|canvas|base|docx?|od[tsp]|pptx?|xlsx?|zip)",
    re.IGNORECASE | re.DOTALL,
)
"""Names of files that are not notes, even if they are not in the folder."""


@dataclass(frozen=True, slots=True)
class _NoteFile:
    """A note and its path in the folder."""

    path: PurePosixPath
    note: Note

    @property
    def title(self) -> str:
        return (text_in(self.note.front, "title") or "").strip() or unicodedata.normalize("NFC", self.path.stem)

    @property
    def link_names(self) -> tuple[list[str], ...]:
        """Names by which links can reach the note, by precedence: path, title, end of the path, aliases."""
        parts = self.path.with_suffix("").parts
        paths = ["/".join(parts), (text_in(self.note.front, "permalink") or "").strip("/")]
        ends = ["/".join(parts[at:]) for at in range(len(parts) - 1, 0, -1)] or [parts[-1]]
        return paths, [self.title], ends, self.names("aliases")

    def names(self, kind: str) -> list[str]:
        """Return the tags or aliases of the front matter."""
        return [name for key in _LISTS[kind] for name in names_of(self.note.front.get(key))]

    def place(self, line: int = 0) -> Place:
        return Place(str(self.path), line)


@dataclass(slots=True)
class _Folder:
    """The notes and other files of a folder."""

    notes: list[_NoteFile] = field(default_factory=list[_NoteFile])
    others: set[str] = field(default_factory=set[str])
    """Paths and names of the files that are not notes."""
    targets: dict[tuple[bool, str], str] = field(default_factory=dict[tuple[bool, str], str])
    """The note for each name in a link: as written, and regardless of case."""

    def index(self, names: Mapping[PurePosixPath, str]) -> None:
        """Map each name to its note. If several notes have a name, precedence and then order decide."""
        for rank in range(len(self.notes[0].link_names)) if self.notes else ():
            for file in self.notes:
                for name in file.link_names[rank]:
                    for key in _keys(name):
                        self.targets.setdefault(key, names[file.path])

    def end_of(self, link: Link, file: _NoteFile) -> str | None:
        """Return the name of the note to which a link leads, or None for other files and places outside the folder."""
        near = [posixpath.normpath(f"{file.path.parent}/{name}") for name in link.names]
        far = [name.lstrip("/") for name in link.names]
        for key in chain.from_iterable(map(_keys, chain.from_iterable(zip(near, far, strict=True)))):
            if key in self.targets:
                return self.targets[key]
        if any(_comparison_key(name) in self.others or _ATTACHMENT.fullmatch(name) for name in (*near, *far)):
            return None
        if not far or (link.is_path and not link.is_markdown_path):
            return None
        return unicodedata.normalize("NFC", posixpath.normpath(f"/{near[-1]}")[1:] if link.is_path else far[-1])


def read_markdown(path: Path) -> Rows:
    """Yield the rows of the notes of a folder, or of one note. Links in the file system are not followed."""
    folder = _Folder()
    for entry in _entries(path):
        if isinstance(entry, _NoteFile):
            folder.notes.append(entry)
        elif isinstance(entry, PurePosixPath):
            folder.others |= {_comparison_key(str(entry)), _comparison_key(entry.name)}
        else:
            yield entry
    names = _note_names(folder.notes)
    folder.index(names)
    for file in folder.notes:
        yield from _entity(
            file, names[file.path], file.note.body(lambda link, file=file: bool(folder.end_of(link, file)))
        )
    for file in folder.notes:
        for link in file.note.links:
            if end := folder.end_of(link, file):
                yield RelationRow(place=file.place(link.line), start=names[file.path], end=end, type=link.type)


def _comparison_key(name: str) -> str:
    """Return a name or path in a form that ignores case and the encoding of accents."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _keys(name: str) -> tuple[tuple[bool, str], tuple[bool, str]]:
    return (True, unicodedata.normalize("NFC", name)), (False, _comparison_key(name))


def _entries(path: Path) -> Iterator[_NoteFile | PurePosixPath | Refused | Told]:
    if not path.is_dir():
        yield _read(path, PurePosixPath(path.name))
        return
    count = 0
    for file, at in walk_files(path, PurePosixPath()):
        if isinstance(at, Told) or not _is_note(at):
            yield at
            continue
        count += 1
        if count > MAX_NOTES:
            raise invalid_argument(
                "source", f"The folder has more than {MAX_NOTES:,} notes", "Import the subfolders one at a time."
            )
        yield _read(file, at)


def _is_note(path: PurePosixPath) -> bool:
    return path.name.lower().endswith(".md")


def _read(file: Path, at: PurePosixPath) -> _NoteFile | Refused:
    place = Place(str(at))
    try:
        return _NoteFile(at, note_of(read_text(file)))
    except Unfit as error:
        return error.at(place)
    except OSError as error:
        return Refused(place, Code.INVALID_SOURCE, f"The note cannot be read: {error.strerror or error}")


def _note_names(files: list[_NoteFile]) -> dict[PurePosixPath, str]:
    """Return the name of each note: its title, or its path if several notes have this title."""
    counts: dict[str, int] = {}
    for file in files:
        counts[file.title] = counts.get(file.title, 0) + 1
    return {file.path: file.title if counts[file.title] == 1 else str(file.path.with_suffix("")) for file in files}


def _entity(file: _NoteFile, name: str, body: str) -> Rows:
    front = file.note.front
    if fault := file.note.fault:
        text = f"the front matter of {printable(file.path)} is kept as text: {fault.message}"
        yield Told(file.place(fault.line), text)
    properties = _properties(file)
    if skipped := [*map(quote, file.note.unfit), *(key for key in front if not _is_kept(file, key, properties))]:
        limit = f"the note has more than {MOST_PROPERTIES:,} properties"
        why = f"the value is nested, the key is reserved, it cannot be stored, or {limit}"
        yield Told(file.place(1), f"skipped {printable(', '.join(skipped))} in the front matter: {why}")
    metadata = front.get("metadata")  # where Claude Code's auto-memory keeps the type
    nested = cast("Mapping[str, object]", metadata if isinstance(metadata, dict) else {})
    kind = text_in(front, "type") or text_in(nested, "type") or NOTE
    yield EntityRow(place=file.place(1), name=name, type=kind, description=body, properties=properties)
    time = text_in(front, *_TIMES)
    for line, text in file.note.observations:
        yield ObservationRow(place=file.place(line), entity=name, text=text, time=time, source=str(file.path))


def _properties(file: _NoteFile) -> dict[str, PropertyValue]:
    """Return a note's path, tags, aliases and front matter, up to the number of properties that a node can have."""
    properties: dict[str, PropertyValue] = {"path": str(file.path)}
    properties |= {kind: ", ".join(lines) for kind in _LISTS if (lines := file.names(kind))}
    values = {key: lines for key, value in file.note.front.items() if (lines := to_property_value(value)) is not None}
    properties |= scalars_of(values, {*_LEFT_OUT, "path"})
    return dict(
        islice(((key, value) for key, value in properties.items() if fits_property(key, value)), MOST_PROPERTIES)
    )


def _is_kept(file: _NoteFile, key: str, properties: Mapping[str, PropertyValue]) -> bool:
    """Return whether a front matter value is empty, or is stored as property, title, type, tags or aliases."""
    value = file.note.front[key]
    if value in (None, "", []):
        return True
    if key in ("title", "type"):
        return isinstance(value, str)
    if kind := next((kind for kind, keys in _LISTS.items() if key in keys), None):
        return bool(names_of(value)) and kind in properties
    return key in properties and key != "path"
