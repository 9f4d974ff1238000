"""A folder of Markdown notes with links, as Obsidian and basic-memory keep them: a note is an entity."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from graph_memory.memory.transfer.formats.memories.notes import Note, note_of, texts_of
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
from graph_memory.model.arguments import fault
from graph_memory.model.errors import Code
from graph_memory.model.wording import shown

NOTE = "note"
"""The type of notes whose front matter tells none."""
NOTE_BYTES = 4 * 1024 * 1024
DEEPEST = 50
MOST_NOTES = 200_000
_TIMES = ("created", "created_at", "date")
_LEFT_OUT = {"title", "type", "tags", "aliases", "alias"}


@dataclass(frozen=True, slots=True)
class _File:
    """A note, and where in the folder it stands."""

    path: PurePosixPath
    note: Note

    @property
    def title(self) -> str:
        return text_in(self.note.front, "title") or self.path.stem

    def place(self, line: int = 0) -> Place:
        return Place(str(self.path), line)


def read_markdown(path: Path) -> Rows:
    """Yield what is in the notes of a folder, or in one note. Links in the file system are not followed."""
    files: list[_File] = []
    for found in _found(path):
        if isinstance(found, _File):
            files.append(found)
        else:
            yield found
    names = _names(files)
    targets = _targets(files, names)
    for file in files:
        yield from _entity(file, names[file.path])
    for file in files:
        yield from _relations(file, names[file.path], targets)


def _found(path: Path) -> Iterator[_File | Refused | Told]:
    if not path.is_dir():
        yield _read(path, PurePosixPath(path.name))
        return
    for count, (file, at) in enumerate(_walk(path, PurePosixPath(), 0), 1):
        if count > MOST_NOTES:
            raise fault("source", f"The folder has more than {MOST_NOTES:,} notes", "Import parts of it.")
        yield at if isinstance(at, Told) else _read(file, at)


def _walk(folder: Path, at: PurePosixPath, depth: int) -> Iterator[tuple[Path, PurePosixPath | Told]]:
    """Yield the notes of a folder in the order of their names, and notes on what is passed by."""
    if depth > DEEPEST:
        raise fault("source", f"Folders are nested more than {DEEPEST} deep", "Import a part of them.")
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        inside = at / entry.name
        if entry.name.startswith("."):
            continue
        if entry.is_symlink():
            yield Path(entry.path), Told(Place(str(inside)), "links in the file system are not followed")
        elif entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), inside, depth + 1)
        elif entry.is_file(follow_symlinks=False) and entry.name.lower().endswith(".md"):
            yield Path(entry.path), inside


def _read(file: Path, at: PurePosixPath) -> _File | Refused:
    place = Place(str(at))
    try:
        return _File(at, note_of(_text(file), place))
    except Unfit as error:
        return error.at(place)
    except UnicodeDecodeError as error:
        return Refused(place, Code.INVALID_SOURCE, f"Byte {error.start + 1} is not UTF-8", "Save the file as UTF-8.")
    except OSError as error:
        return Refused(place, Code.INVALID_SOURCE, f"The note cannot be read: {error.strerror or error}")


def _text(file: Path) -> str:
    """Return the text of a file that is one: not of a device, nor of what a link leads to that was put there since."""
    opened = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(opened, "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise Unfit("The note is no file")
        data = stream.read(NOTE_BYTES + 1)
    if len(data) > NOTE_BYTES:
        raise Unfit(f"The note is longer than {NOTE_BYTES:,} bytes", "Divide it.")
    return data.decode("utf-8-sig")


def _names(files: list[_File]) -> dict[PurePosixPath, str]:
    """Return what each note is called: its title, or its path where several have that title."""
    counts: dict[str, int] = {}
    for file in files:
        counts[file.title] = counts.get(file.title, 0) + 1
    return {file.path: file.title if counts[file.title] == 1 else str(file.path.with_suffix("")) for file in files}


def _targets(files: list[_File], names: Mapping[PurePosixPath, str]) -> dict[str, str]:
    """Return which note a link may mean, by all that a note can be called, whatever the case; the nearest wins."""
    found: dict[str, str] = {}
    for rank in range(len(_called(files[0]))) if files else ():
        for file in files:
            for called in _called(file)[rank]:
                found.setdefault(called.casefold(), names[file.path])
    return found


def _called(file: _File) -> tuple[list[str], ...]:
    """Return what a note can be called: its path, its title, the name of its file, its other names."""
    front = file.note.front
    path = [str(file.path.with_suffix("")), text_in(front, "permalink") or ""]
    return path, [file.title], [file.path.stem], texts_of([front.get("aliases"), front.get("alias")])


def _entity(file: _File, name: str) -> Rows:
    front = file.note.front
    properties = scalars_of(front, _LEFT_OUT) | {"path": str(file.path)}
    for key in ("tags", "aliases"):
        if told := texts_of(front.get(key)):
            properties[key] = ", ".join(told)
    kept = {*properties, *_LEFT_OUT}
    lost = [key for key, value in front.items() if key not in kept and value is not None and not texts_of(value)]
    if lost:
        yield Told(file.place(1), f"{shown(', '.join(lost))} of the front matter is left out: it is no text or number")
    kind = text_in(front, "type") or NOTE
    yield EntityRow(place=file.place(1), name=name, type=kind, description=file.note.body, properties=properties)
    time = text_in(front, *_TIMES)
    for line, text in file.note.observations:
        yield ObservationRow(place=file.place(line), entity=name, text=text, time=time, source=str(file.path))


def _relations(file: _File, name: str, targets: Mapping[str, str]) -> Rows:
    for link in file.note.links:
        near = str(file.path.parent / link.target)
        end = targets.get(near.casefold()) or targets.get(link.target.casefold()) or link.target
        yield RelationRow(place=file.place(link.line), start=name, end=end, type=link.type)
