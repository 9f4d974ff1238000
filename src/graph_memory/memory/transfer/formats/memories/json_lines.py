"""JSON of other memories: whole files and lines, of bounded size, that everybody reads alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from graph_memory.memory.transfer.formats.files import LONGEST, Lines, opened, unpacking
from graph_memory.memory.transfer.formats.memories.rows import Rows
from graph_memory.memory.transfer.formats.records import Place, Unfit, Unreadable
from graph_memory.model.text.wording import kind_of
from graph_memory.model.values.plain import NotJson, parse_json_strictly

Object = Mapping[str, object]


def lines_of(path: Path, rows_of: Callable[[Object, Place], Rows]) -> Rows:
    """Yield what each line of a file gives; a line that cannot be read is refused with its number."""
    try:
        with opened(path) as stream:
            lines = Lines(stream, path.name)
            for line in lines:
                if line.strip():
                    yield from fitting(lines.place, lambda line=line, at=lines.place: rows_of(as_object(line), at))
    except Unreadable as error:
        yield error.refused


def fitting(place: Place, rows: Callable[[], Rows]) -> Rows:
    """Yield rows, and what is wrong in place of the rest."""
    try:
        yield from rows()
    except Unfit as error:
        yield error.at(place)


def first_line(path: Path) -> bytes:
    """Return the first line of a file that is not empty. Raises Unreadable."""
    with opened(path) as stream:
        return next((line for line in Lines(stream, path.name) if line.strip()), b"")


def as_object(line: bytes) -> Object:
    """Return the object that a line is. Raises Unfit."""
    value = _parsed(line, "line")
    if not isinstance(value, dict):
        raise Unfit(f"The line is {kind_of(value)}, not an object")
    return cast("Object", value)


def whole(path: Path) -> object:
    """Return what a file of JSON says. Raises Unreadable, and INVALID_ARGUMENT for one that cannot be opened."""
    place = Place(path.name)
    with opened(path) as stream, unpacking(place):
        data = stream.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise Unreadable(place, f"The file is longer than {LONGEST:,} bytes", "Divide it.")
    try:
        return _parsed(data.removeprefix(b"\xef\xbb\xbf"), "file")
    except Unfit as error:
        refused = error.at(place)
        raise Unreadable(place, refused.message, refused.hint) from error


def _parsed(data: bytes, what: str) -> object:
    try:
        return parse_json_strictly(data.rstrip())
    except NotJson as error:
        raise Unfit(f"The {what} is not JSON: {error}") from error


def entries_of(given: object, name: str, file: str) -> Iterator[tuple[Place, Object]]:
    """Yield the objects of a list, each with its place. Raises Unfit for what is no list, or an entry that is none."""
    if not isinstance(given, list):
        raise Unfit(f"{name} is {kind_of(given)}; it must be a list", None, name)
    for number, entry in enumerate(cast("Sequence[object]", given), 1):
        if not isinstance(entry, dict):
            raise Unfit(f"Entry {number:,} of {name} is {kind_of(entry)}; it must be an object", None, name)
        yield Place(file, element=f"{name} {number}"), cast("Object", entry)
