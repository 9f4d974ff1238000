"""Strict reading of JSON files and lines of bounded size."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, cast

from graph_memory.memory.transfer.formats.files import MAX_BYTES, Lines, open_source, translate_unpack_errors
from graph_memory.memory.transfer.formats.memories.rows import Rows
from graph_memory.memory.transfer.formats.records import InvalidSourceValue, SourcePosition, UnreadableSource
from graph_memory.model.text.wording import kind_of
from graph_memory.model.values.plain import STRICT_JSON, NotJson, parse_json_strictly

_CHUNK = 1 << 20
Object = Mapping[str, object]


def lines_of(path: Path, rows_of: Callable[[Object, SourcePosition], Rows]) -> Rows:
    """Yield the rows of each line of a file. An invalid line becomes an invalid record with the line number."""
    try:
        with open_source(path) as stream:
            lines = Lines(stream, path.name)
            for line in lines:
                if line.strip():
                    place = lines.place
                    yield from rows_or_invalid_record(place, lambda line=line, at=place: rows_of(as_object(line), at))
    except UnreadableSource as error:
        yield error.invalid_record


def rows_or_invalid_record(place: SourcePosition, rows: Callable[[], Rows]) -> Rows:
    """Yield the rows of an entry in a source. An error becomes an invalid record with the position, and ends them."""
    try:
        yield from rows()
    except InvalidSourceValue as error:
        yield error.at(place)
    except UnreadableSource as error:
        yield error.invalid_record


def first_line(path: Path) -> bytes:
    """Return the first line that is not blank, or empty bytes if there is none.

    Raises UnreadableSource if the file cannot be read that far.
    """
    with open_source(path) as stream:
        return next((line for line in Lines(stream, path.name) if line.strip()), b"")


def as_object(line: bytes) -> Object:
    """Parse a line as a JSON object. Raises InvalidSourceValue if it is not a JSON object."""
    value = _parse_json(line, "line")
    if not isinstance(value, dict):
        raise InvalidSourceValue(f"The line is {kind_of(value)}, not an object")
    return cast("Object", value)


def read_json_file(path: Path) -> object:
    """Return the parsed value of a JSON file.

    Raises UnreadableSource if it is too long or not JSON, and INVALID_ARGUMENT if it cannot be opened.
    """
    place = SourcePosition(path.name)
    with open_source(path) as stream, translate_unpack_errors(place):
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UnreadableSource(place, f"The file is longer than {MAX_BYTES:,} bytes", "Divide it.")
    try:
        return _parse_json(data.removeprefix(b"\xef\xbb\xbf"), "file")
    except InvalidSourceValue as error:
        raise UnreadableSource(place, error.message, error.hint) from error


def json_elements(stream: IO[bytes], file: str) -> Iterator[object]:
    """Yield the elements of a JSON array without loading all of it.

    Raises UnreadableSource, with the number of the element, if the array is damaged.
    """
    array, number = _Array(stream, file), 0
    if array.take() != "[":
        raise UnreadableSource(SourcePosition(file, 1), "The file is not a list", "Pass the file as it was exported.")
    mark = array.take() if array.peek() == "]" else ","
    while mark == ",":
        number += 1
        yield array.parse_element(SourcePosition(file, element=f"element {number}"))
        mark = array.take()
    if mark != "]":
        raise _damaged_json_error(SourcePosition(file, element=f"element {number}"))
    if array.peek():
        raise UnreadableSource(SourcePosition(file), "Text follows the end of the list", _AGAIN)


class _Array:
    """The text of a JSON array. Keeps at most twice the length of the longest element in memory."""

    def __init__(self, stream: IO[bytes], file: str) -> None:
        self._stream = stream
        self._file = file
        self._decoder = getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._position = 0

    def peek(self) -> str:
        """Return the next character that is not white space, or an empty string at the end of the file."""
        while self._skip_space() and self._read_more():
            pass
        return self._text[self._position : self._position + 1]

    def take(self) -> str:
        """Return the next character that is not white space, and advance past it."""
        character = self.peek()
        self._position += len(character)
        return character

    def parse_element(self, place: SourcePosition) -> object:
        """Return the JSON value at the current position, and advance past it.

        Raises UnreadableSource if the value is damaged or too long.
        """
        self.peek()
        while True:
            try:
                value, end = STRICT_JSON.raw_decode(self._text, self._position)
            except NotJson as error:
                raise UnreadableSource(place, f"The element is not valid JSON: {error}", _AGAIN) from error
            except (ValueError, RecursionError) as error:
                if len(self._text) - self._position > MAX_BYTES or not self._read_more():
                    raise _damaged_json_error(place) from error
            else:
                if end < len(self._text) or not self._read_more():  # a number could continue
                    self._position = end
                    return value

    def _skip_space(self) -> bool:
        """Skip white space, and return whether the loaded text ends there."""
        while self._text.startswith(_SPACE, self._position):
            self._position += 1
        return self._position == len(self._text)

    def _read_more(self) -> bool:
        """Load more text, or return False at the end of the file.

        Loads at least as much text as is still unparsed, so that parsing takes linear time.
        """
        unparsed = self._text[self._position :]
        data = self._stream.read(max(_CHUNK, len(unparsed)))
        try:
            self._text, self._position = unparsed + self._decoder.decode(data, final=not data), 0
        except UnicodeDecodeError as error:
            raise UnreadableSource(SourcePosition(self._file), "The file is not UTF-8", "Save it as UTF-8.") from error
        return bool(data)


_SPACE = tuple(" \t\r\n")
_AGAIN = "Export or download it again."


def _damaged_json_error(place: SourcePosition) -> UnreadableSource:
    return UnreadableSource(place, "The file ends early or is not valid JSON", _AGAIN)


def _parse_json(data: bytes, name: str) -> object:
    try:
        return parse_json_strictly(data.rstrip())
    except NotJson as error:
        raise InvalidSourceValue(f"The {name} is not valid JSON: {error}") from error


def rows_of_entries(values: object, name: str, file: str, rows_of: Callable[[Object, SourcePosition], Rows]) -> Rows:
    """Yield the rows of each object in the list `values`, the field `name` of a file.

    Raises InvalidSourceValue if `values` is not a list of objects.
    """
    if not isinstance(values, list):
        raise InvalidSourceValue(f"{name} is {kind_of(values)}; it must be a list", None, name)
    for number, entry in enumerate(cast("Sequence[object]", values), 1):
        if not isinstance(entry, dict):
            raise InvalidSourceValue(
                f"Entry {number:,} of {name} is {kind_of(entry)}; it must be an object", None, name
            )
        place = SourcePosition(file, element=f"{name} {number}")
        yield from rows_or_invalid_record(place, partial(rows_of, cast("Object", entry), place))
