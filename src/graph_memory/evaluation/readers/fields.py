"""Records of a question set with strictly checked fields and their positions in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from graph_memory.memory.transfer.formats.files import Lines, open_source
from graph_memory.memory.transfer.formats.memories.json_lines import as_object, json_elements
from graph_memory.memory.transfer.formats.records import InvalidSourceValue, SourcePosition, UnreadableSource
from graph_memory.model.text.wording import kind_of
from graph_memory.model.values.arguments import is_encodable

_HINT = "Use the original, unmodified file. The guide on evaluating describes each format."
_NOT_LINES = "Pass a JSON array, or JSON Lines with an object in each line."
_PEEKED_BYTES = 4_096
_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[")
"""The beginning of a JSON array, after a byte order mark and white space."""


@dataclass(frozen=True, slots=True)
class Record:
    """An object in a file. Its methods raise UnreadableSource if a field is missing or has the wrong type."""

    values: Mapping[str, object]
    place: SourcePosition

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """Return a string or number field as text, or the default if the field is missing."""
        value = self.values.get(name)
        if value is None and default is not None:
            return default
        return as_text(value, self.at(name))

    def statement(self, name: str) -> str:
        """Return a field as text. Raises UnreadableSource if it is missing or blank."""
        text = self.text(name)
        if not text.strip():
            raise UnreadableSource(self.at(name), "The text is empty", _HINT)
        return text

    def list(self, name: str) -> Sequence[object]:
        """Return a field as a list, or an empty list if the field is missing."""
        return as_list(() if self.values.get(name) is None else self.values[name], self.at(name))

    def records(self, name: str) -> list[Record]:
        """Return a field as a list of records, or an empty list if the field is missing."""
        return as_records(self.list(name), self.at(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a field as texts, or an empty tuple if the field is missing."""
        return tuple(as_text(value, self.at(name)) for value in self.list(name))

    def record(self, name: str) -> Record:
        """Return a field as a record. The field must be an object."""
        return as_record(self.values.get(name), self.at(name))

    def at(self, name: str) -> SourcePosition:
        """Return the position of a field in the file, for error messages."""
        return replace(self.place, element=f"{self.place.element or 'record'}: {name}")


def as_text(value: object, place: SourcePosition) -> str:
    """Return a string or number as text. Raises UnreadableSource if it is neither, or cannot be stored."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise UnreadableSource(place, f"The value is {kind_of(value)}, not text", _HINT)
    if not is_encodable(value):
        raise UnreadableSource(place, "The text has a lone surrogate, which cannot be stored", "Repair the file.")
    return value


def as_list(value: object, place: SourcePosition) -> Sequence[object]:
    """Return the value as a list. Raises UnreadableSource if it is not a list."""
    if not isinstance(value, list | tuple):
        raise UnreadableSource(place, f"The value is {kind_of(value)}, not a list", _HINT)
    return cast("Sequence[object]", value)


def as_record(value: object, place: SourcePosition) -> Record:
    """Return the value as a record. Raises UnreadableSource if it is not an object."""
    if not isinstance(value, dict):
        raise UnreadableSource(place, f"The value is {kind_of(value)}, not an object", _HINT)
    return Record(cast("Mapping[str, object]", value), place)


def as_records(value: object, place: SourcePosition) -> list[Record]:
    """Return a list of objects as records, each with its position.

    Raises UnreadableSource if the value is not a list of objects.
    """
    return [
        as_record(entry, replace(place, element=f"{place.element or 'entry'} {number}"))
        for number, entry in enumerate(as_list(value, place), 1)
    ]


def read_records(path: Path) -> Iterator[Record]:
    """Yield the objects of a JSON array or of JSON Lines, without loading the whole file.

    Raises UnreadableSource if the file is damaged, and INVALID_ARGUMENT if it cannot be opened.
    """
    with open_source(path) as stream:
        is_array = _START.match(stream.read(_PEEKED_BYTES)) is not None
        stream.seek(0)
        if is_array:
            for number, element in enumerate(json_elements(stream, path.name), 1):
                yield as_record(element, SourcePosition(path.name, element=f"element {number}"))
            return
        lines = Lines(stream, path.name)
        for line in lines:
            if line.strip():
                try:
                    yield Record(as_object(line), lines.place)
                except InvalidSourceValue as error:
                    raise UnreadableSource(lines.place, error.message, _NOT_LINES) from error
