"""Writing CSV for neo4j-admin: a file for each type, and another where values of one property differ in type."""

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
from graph_memory.memory.transfer.formats.files import MOST_EMPTY
from graph_memory.memory.transfer.formats.records import NodeRecord, Record
from graph_memory.memory.transfer.formats.shape import kind_of_value, uncarried
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.strength import NUMBERS

_TAGS = "_tags:string[]"
MOST_OPEN = 100
"""Files that are open at once."""


@dataclass(slots=True)
class _Sheet:
    """A file: the columns of its properties, each with its type, and those of our own."""

    name: str
    kinds: dict[str, str] = field(default_factory=dict[str, str])
    own: dict[str, None] = field(default_factory=dict[str, None])

    def takes(self, kinds: Mapping[str, str]) -> bool:
        return all(self.kinds.get(name, kind) == kind for name, kind in kinds.items())


@dataclass(slots=True)
class _Sheets:
    """The files of a graph, found by its types. A row goes to the first file of its type that has room for it."""

    of: dict[tuple[str, str], list[_Sheet]] = field(default_factory=dict[tuple[str, str], list[_Sheet]])
    names: set[str] = field(default_factory=set[str])

    def sheet(self, record: Record, kinds: Mapping[str, str]) -> _Sheet:
        """Return the file for a record, a new one where none fits."""
        about, kind = ("nodes", record.labels[0]) if isinstance(record, NodeRecord) else ("relationships", record.type)
        sheets = self.of.setdefault((about, kind), [])
        found = next((sheet for sheet in sheets if sheet.takes(kinds)), None)
        if found is None:
            found = _Sheet(self._name(about, kind))
            sheets.append(found)
        return found

    def _name(self, about: str, kind: str) -> str:
        """Return the name of a new file, also where types differ in case only."""
        stem, number = f"{about}.{quote(kind, safe='')[:150]}", 1
        name = f"{stem}.csv"
        while name.lower() in self.names:
            number += 1
            name = f"{stem}.{number}.csv"
        self.names.add(name.lower())
        return name


def write_csv(records: Callable[[], Iterable[Record]], folder: Path) -> None:
    """Write records into files of a folder. They are gone through twice, as headers come first.

    Raises INVALID_ARGUMENT for what the format cannot carry.
    """
    sheets = _Sheets()
    placed: list[_Sheet] = []
    for record in records():
        _check(record)
        kinds = {name: kind_of_value(value) for name, value in record.properties.items()}
        sheet = sheets.sheet(record, kinds)
        sheet.kinds |= kinds
        sheet.own |= dict.fromkeys(_own(record))
        placed.append(sheet)
    with closing(_Files(folder)) as files:
        for record, sheet in zip(records(), placed, strict=True):
            stream, is_new = files.open(sheet.name)
            if is_new:
                stream.write(_line(_header(record, sheet)))
            stream.write(_line(_row(record, sheet)))


class _Files:
    """The files that are written, of which few are open at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._begun: set[str] = set()
        self._open: dict[str, IO[bytes]] = {}

    def open(self, name: str) -> tuple[IO[bytes], bool]:
        """Return a file to write on, and whether it is new."""
        if name in self._open:
            return self._open[name], False
        if len(self._open) == MOST_OPEN:
            self.close()
        is_new = name not in self._begun
        path = self._folder / name
        self._open[name] = open_private(path) if is_new else path.open("ab")
        self._begun.add(name)
        return self._open[name], is_new

    def close(self) -> None:
        """Close all that are open."""
        for stream in self._open.values():
            stream.close()
        self._open.clear()


def _header(record: Record, sheet: _Sheet) -> Iterator[str]:
    yield from (":ID", ":LABEL") if isinstance(record, NodeRecord) else (":START_ID", ":END_ID", ":TYPE")
    yield from (_cell(_declared(name)) for name in sheet.own)
    yield from (_cell(f"{name}:{kind}") for name, kind in sheet.kinds.items())


def _declared(name: str) -> str:
    """Return how the header names a column of our own."""
    return _TAGS if name == "_tags" else f"{name}:{'double' if name in NUMBERS else 'string'}"


def _row(record: Record, sheet: _Sheet) -> Iterator[str]:
    if isinstance(record, NodeRecord):
        yield from (_cell(str(record.key)), _cell(record.labels[0]))
    else:
        yield from (_cell(str(record.start)), _cell(str(record.end)), _cell(record.type))
    own = _own(record)
    yield from (_cell(own.get(name)) for name in sheet.own)
    yield from (_cell(record.properties.get(name)) for name in sheet.kinds)


def _own(record: Record) -> dict[str, str]:
    own: dict[str, str | None] = {}
    if isinstance(record, NodeRecord):
        own |= {"_tags": ARRAY_DELIMITER.join(record.tags) or None, **record.own_fields}
        own |= {"_format": record.format, "_encoding": record.encoding}
    else:
        own |= {"_id": record.id, **{name: repr(value) for name, value in record.numbers().items()}, **record.own_made}
    own |= {"_content": record.content, "_valid_from": record.valid_from, "_valid_to": record.valid_to}
    return {name: text for name, text in own.items() if text is not None}


def _cell(value: PropertyValue | None) -> str:
    """Return a value as a cell: text in quotes, so that empty text is not taken for no value."""
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


def _check(record: Record) -> None:
    """Raise INVALID_ARGUMENT for what is told by a separator and has it, and for more empty lines than are read."""
    texts = (value for value in (*_own(record).values(), *record.properties.values()) if isinstance(value, str))
    if any(text.count("\n") > MOST_EMPTY and _empty_lines(text) > MOST_EMPTY for text in texts):
        raise uncarried(record, "CSV", f"a text has more than {MOST_EMPTY:,} empty lines one after the other")
    if isinstance(record, NodeRecord):
        if ARRAY_DELIMITER in record.labels[0]:
            raise uncarried(record, "CSV", f"its type has a {ARRAY_DELIMITER}")
        if any(ARRAY_DELIMITER in tag for tag in record.tags):
            raise uncarried(record, "CSV", f"one of its tags has a {ARRAY_DELIMITER}")


def _empty_lines(text: str) -> int:
    """Return how many empty lines of a text follow each other at most."""
    groups = groupby(text.split("\n"), lambda line: not line.strip())
    return max((sum(1 for _ in lines) for is_empty, lines in groups if is_empty), default=0)
