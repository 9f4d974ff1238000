"""Strict reading of JSON files and lines of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from graph_memory.memory.transfer.formats.files import MAX_BYTES, Lines, open_source, unpacking
from graph_memory.memory.transfer.formats.memories.rows import Rows
from graph_memory.memory.transfer.formats.records import Place, Unfit, Unreadable
from graph_memory.model.text.wording import kind_of
from graph_memory.model.values.plain import NotJson, parse_json_strictly

Object = Mapping[str, object]


def lines_of(path: Path, rows_of: Callable[[Object, Place], Rows]) -> Rows:
    """Yield the rows of each line of a file. An unreadable line is refused with its number."""
    try:
        with open_source(path) as stream:
            lines = Lines(stream, path.name)
            for line in lines:
                if line.strip():
                    yield from rows_or_refusal(
                        lines.place, lambda line=line, at=lines.place: rows_of(as_object(line), at)
                    )
    except Unreadable as error:
        yield error.refused


def rows_or_refusal(place: Place, rows: Callable[[], Rows]) -> Rows:
    """Yield rows. If a row is invalid, yield a refusal in its place and stop."""
    try:
        yield from rows()
    except Unfit as error:
        yield error.at(place)


def first_line(path: Path) -> bytes:
    """Return the first non-empty line of a file. Raises Unreadable."""
    with open_source(path) as stream:
        return next((line for line in Lines(stream, path.name) if line.strip()), b"")


def as_object(line: bytes) -> Object:
    """Parse a line as a JSON object. Raises Unfit."""
    value = _parse_json(line, "line")
    if not isinstance(value, dict):
        raise Unfit(f"The line is {kind_of(value)}, not an object")
    return cast("Object", value)


def read_json_file(path: Path) -> object:
    """Return the value of a JSON file. Raises Unreadable, and INVALID_ARGUMENT if it cannot be opened."""
    place = Place(path.name)
    with open_source(path) as stream, unpacking(place):
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Unreadable(place, f"The file is longer than {MAX_BYTES:,} bytes", "Divide it.")
    try:
        return _parse_json(data.removeprefix(b"\xef\xbb\xbf"), "file")
    except Unfit as error:
        refused = error.at(place)
        raise Unreadable(place, refused.message, refused.hint) from error


def _parse_json(data: bytes, name: str) -> object:
    try:
        return parse_json_strictly(data.rstrip())
    except NotJson as error:
        raise Unfit(f"The {name} is not JSON: {error}") from error


def entries_of(values: object, name: str, file: str) -> Iterator[tuple[Place, Object]]:
    """Yield each object of the list with its place in the file. Raises Unfit if it is not a list of objects."""
    if not isinstance(values, list):
        raise Unfit(f"{name} is {kind_of(values)}; it must be a list", None, name)
    for number, entry in enumerate(cast("Sequence[object]", values), 1):
        if not isinstance(entry, dict):
            raise Unfit(f"Entry {number:,} of {name} is {kind_of(entry)}; it must be an object", None, name)
        yield Place(file, element=f"{name} {number}"), cast("Object", entry)
