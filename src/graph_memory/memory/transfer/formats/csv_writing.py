"""Writes CSV for neo4j-admin: one file per type, and more files if the values of a property differ in type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import IO
from urllib.parse import quote

from graph_memory.files import open_private
from graph_memory.memory.transfer.formats.csv_reading import ARRAY_DELIMITER
from graph_memory.memory.transfer.formats.files import MAX_EMPTY_LINES
from graph_memory.memory.transfer.formats.records import NodeRecord, Record
from graph_memory.memory.transfer.formats.values import kind_of_value, unsupported_value_error
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.strength import NUMBERS

MAX_OPEN_FILES = 100
"""Maximum number of open files."""


@dataclass(slots=True)
class _CsvFile:
    """A file: the types of its property columns, and the names of its reserved columns."""

    name: str
    kinds: dict[str, str] = field(default_factory=dict[str, str])
    reserved_names: dict[str, None] = field(default_factory=dict[str, None])

    def accepts(self, kinds: Mapping[str, str]) -> bool:
        return all(self.kinds.get(name, kind) == kind for name, kind in kinds.items())


@dataclass(slots=True)
class _CsvFiles:
    """The files of a graph, keyed by type. A row is written to the first file of its type whose columns match."""

    files_by_type: dict[tuple[str, str], list[_CsvFile]] = field(default_factory=dict[tuple[str, str], list[_CsvFile]])
    names: set[str] = field(default_factory=set[str])

    def find_file(self, record: Record, kinds: Mapping[str, str]) -> _CsvFile:
        key = ("nodes", record.labels[0]) if isinstance(record, NodeRecord) else ("relationships", record.type)
        type_files = self.files_by_type.setdefault(key, [])
        matching_file = next((csv_file for csv_file in type_files if csv_file.accepts(kinds)), None)
        if matching_file is None:
            matching_file = _CsvFile(self._name(*key))
            type_files.append(matching_file)
        return matching_file

    def _name(self, group: str, type_name: str) -> str:
        """Return a name for a new file that is unique even on file systems that ignore case."""
        stem, number = f"{group}.{quote(type_name, safe='')[:150]}", 1
        name = f"{stem}.csv"
        while name.lower() in self.names:
            number += 1
            name = f"{stem}.{number}.csv"
        self.names.add(name.lower())
        return name


def write_csv(records: Callable[[], Iterable[Record]], folder: Path) -> None:
    """Write records into CSV files in a folder.

    Reads the records twice, since the header of a file depends on all its rows. Raises INVALID_ARGUMENT if the format
    cannot represent a value.
    """
    csv_files = _CsvFiles()
    file_of_record: list[_CsvFile] = []
    for record in records():
        _check_record(record)
        kinds = {name: kind_of_value(value) for name, value in record.properties.items()}
        csv_file = csv_files.find_file(record, kinds)
        csv_file.kinds |= kinds
        csv_file.reserved_names |= dict.fromkeys(_reserved_values(record))
        file_of_record.append(csv_file)
    with closing(_OpenFiles(folder)) as files:
        for record, csv_file in zip(records(), file_of_record, strict=True):
            stream, is_new = files.open(csv_file.name)
            if is_new:
                stream.write(_line(_header(record, csv_file)))
            stream.write(_line(_row(record, csv_file)))


class _OpenFiles:
    """The files to write. Only a limited number of them is open at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._created: set[str] = set()
        self._open: dict[str, IO[bytes]] = {}

    def open(self, name: str) -> tuple[IO[bytes], bool]:
        """Return an open file, and whether it is new."""
        if name in self._open:
            return self._open[name], False
        if len(self._open) == MAX_OPEN_FILES:
            self.close()
        is_new = name not in self._created
        path = self._folder / name
        self._open[name] = open_private(path) if is_new else path.open("ab")
        self._created.add(name)
        return self._open[name], is_new

    def close(self) -> None:
        for stream in self._open.values():
            stream.close()
        self._open.clear()


def _header(record: Record, csv_file: _CsvFile) -> Iterator[str]:
    yield from (":ID", ":LABEL") if isinstance(record, NodeRecord) else (":START_ID", ":END_ID", ":TYPE")
    for name in csv_file.reserved_names:
        kind = "string[]" if name == "_tags" else "double" if name in NUMBERS else "string"
        yield _cell(f"{name}:{kind}")
    yield from (_cell(f"{name}:{kind}") for name, kind in csv_file.kinds.items())


def _row(record: Record, csv_file: _CsvFile) -> Iterator[str]:
    if isinstance(record, NodeRecord):
        yield from (_cell(str(record.key)), _cell(record.labels[0]))
    else:
        yield from (_cell(str(record.start)), _cell(str(record.end)), _cell(record.type))
    reserved = _reserved_values(record)
    yield from (_cell(reserved.get(name)) for name in csv_file.reserved_names)
    yield from (_cell(record.properties.get(name)) for name in csv_file.kinds)


def _reserved_values(record: Record) -> dict[str, str]:
    reserved: dict[str, str | None] = {}
    if isinstance(record, NodeRecord):
        reserved |= {"_tags": ARRAY_DELIMITER.join(record.tags) or None, **record.reserved_fields}
        reserved |= {"_format": record.format, "_encoding": record.encoding}
    else:
        reserved |= {"_id": record.id, **record.reserved_texts()}
    reserved |= {"_content": record.content, "_valid_from": record.valid_from, "_valid_to": record.valid_to}
    return {name: text for name, text in reserved.items() if text is not None}


def _cell(value: PropertyValue | None) -> str:
    """Return a value as a cell. Quotes strings, so that an empty string differs from a missing value."""
    match value:
        case None:
            return ""
        case str():
            return '"' + value.replace('"', '""') + '"'
        case bool():
            return str(value).lower()
        case _:
            return repr(value)


def _line(cells: Iterable[str]) -> bytes:
    return (",".join(cells) + "\n").encode()


def _check_record(record: Record) -> None:
    """Raise INVALID_ARGUMENT if the type or a tag contains the list separator, or a text has too many empty lines."""
    texts = (
        value for value in (*_reserved_values(record).values(), *record.properties.values()) if isinstance(value, str)
    )
    if any(text.count("\n") > MAX_EMPTY_LINES and _longest_gap(text) > MAX_EMPTY_LINES for text in texts):
        raise unsupported_value_error(
            record, "CSV", f"a text has more than {MAX_EMPTY_LINES:,} consecutive empty lines"
        )
    if isinstance(record, NodeRecord):
        if ARRAY_DELIMITER in record.labels[0]:
            raise unsupported_value_error(record, "CSV", f"its type contains {ARRAY_DELIMITER}")
        if any(ARRAY_DELIMITER in tag for tag in record.tags):
            raise unsupported_value_error(record, "CSV", f"one of its tags contains {ARRAY_DELIMITER}")


def _longest_gap(text: str) -> int:
    """Return the largest number of consecutive empty lines in a text."""
    groups = groupby(text.split("\n"), lambda line: not line.strip())
    return max((sum(1 for _ in lines) for is_empty, lines in groups if is_empty), default=0)
