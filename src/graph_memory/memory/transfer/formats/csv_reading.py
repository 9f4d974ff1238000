"""CSV with the headers of neo4j-admin: `:ID`, `:LABEL`, `:START_ID`, `:END_ID`, `:TYPE` and typed columns.

An empty cell without quotes means no value, and `""` means empty text. Cells may contain line breaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graph_memory.memory.transfer.formats.files import MAX_BYTES, Lines, decode_line, open_source, too_long
from graph_memory.memory.transfer.formats.records import (
    RESERVED_CONNECTION_NAMES,
    RESERVED_NODE_NAMES,
    ConnectionRecord,
    Items,
    Key,
    NodeRecord,
    Note,
    Place,
    Refused,
    SourceOptions,
    Unfit,
    Unreadable,
)
from graph_memory.memory.transfer.formats.values import AS_TEXT, PARSERS, Parser, join_list, parse_value, string
from graph_memory.model.errors import GraphError
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.properties import PropertyValue, check_key

ARRAY_DELIMITER = ";"
DELIMITERS = ",;\t|"
_ROLES = ("ID", "LABEL", "START_ID", "END_ID", "TYPE", "IGNORE")
_TYPE = rf"(?P<kind>{'|'.join((*_ROLES, *PARSERS))})(?P<list>\[\])?(?:\((?P<space>[^)]*)\))?(?:\{{.*\}})?"
_FIELD = re.compile(rf"(?P<name>.*?)(?::{_TYPE})?", re.IGNORECASE | re.DOTALL)
_Row = Sequence[str | None]
_HEADER_HINT = "A header names columns such as personId:ID, name, age:int, :LABEL; or :START_ID, :END_ID, :TYPE."
_KINDS_HINT = f"Types are {', '.join(PARSERS)}, and lists of them such as string[]."


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the header, with its role or the name of its property."""

    name: str
    role: str | None
    kind: str
    is_list: bool
    space: str

    @property
    def is_reserved(self) -> bool:
        """Whether the column has a role, so that its values are not properties."""
        return self.name.startswith("_")

    @property
    def parse(self) -> Parser:
        """The parser for the column's cells."""
        return PARSERS.get(self.kind, string)


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a file, and the positions of those with a role."""

    columns: Sequence[Column]
    delimiter: str
    roles: dict[str, int]

    @property
    def is_of_connections(self) -> bool:
        """Whether the rows are connections."""
        return "START_ID" in self.roles

    def cell(self, role: str, row: _Row) -> str | None:
        """Return the cell in the column with a role, if there is one."""
        return row[self.roles[role]] if role in self.roles else None

    def key(self, role: str, row: _Row) -> Key:
        """Return the key of the node that the cell in the column with a role names. Raises Unfit."""
        cell = self.cell(role, row)
        if not cell:
            raise Unfit(f"There is no value for :{role}", column=f":{role}")
        return Key(cell, self.columns[self.roles[role]].space)


def read_csv(path: Path, options: SourceOptions) -> Items:
    """Yield the records of a file."""
    try:
        with open_source(path) as stream:
            yield from _File(Lines(stream, path.name), options).items()
    except Unreadable as error:
        yield error.refused


class _File:
    def __init__(self, lines: Lines, options: SourceOptions) -> None:
        self._lines = lines
        self._options = options

    def items(self) -> Items:
        first = decode_line(self._lines.following(), self._lines.place)
        if isinstance(first, Refused):
            raise Unreadable(first.place, first.message, first.hint)
        try:
            header = header_of(first.rstrip("\r\n"))
            self._check(header)
        except (Unfit, GraphError) as error:
            message, hint = error.args[0], error.hint or _HEADER_HINT
            column = error.column if isinstance(error, Unfit) else printable(error.details.get("property"))
            raise Unreadable(Place(self._lines.file, 1, column), message, hint) from error
        yield from _notes(header, self._lines.place)
        for place, row in self._rows(header):
            yield row if isinstance(row, Refused) else self._item(header, place, row)

    def _check(self, header: Header) -> None:
        role, fallback = (
            ("TYPE", self._options.connection_type) if header.is_of_connections else ("LABEL", self._options.node_type)
        )
        if role not in header.roles and fallback is None:
            option = "--connection-type" if role == "TYPE" else "--node-type"
            raise Unfit(f"The header has no :{role}", f"Add the column, or use {option}.")

    def _rows(self, header: Header) -> Iterator[tuple[Place, _Row | Refused]]:
        for line in self._lines:
            place = self._lines.place
            data = self._read_quoted(line)
            if not data.strip() and len(header.columns) > 1:
                continue
            text = decode_line(data.removesuffix(b"\n").removesuffix(b"\r"), place)
            try:
                yield place, text if isinstance(text, Refused) else cells(text, header.delimiter)
            except Unfit as error:
                yield place, error.at(place)

    def _read_quoted(self, line: bytes) -> bytes:
        """Return a line together with the next lines while they belong to quoted cells."""
        if line.count(b'"') % 2 == 0:
            return line
        place, parts, size, is_open = self._lines.place, [line], len(line), True
        while is_open:
            next_line = self._lines.following()
            if not next_line:
                raise Unreadable(place, "A quote is opened here and never closed", 'Write a quote in a cell as "".')
            parts.append(next_line)
            size += len(next_line)
            if size > MAX_BYTES:
                raise too_long(place)
            is_open = next_line.count(b'"') % 2 == 0
        return b"".join(parts)

    def _item(self, header: Header, place: Place, row: _Row) -> NodeRecord | ConnectionRecord | Refused:
        if len(row) != len(header.columns):
            message = f"The row has {len(row):,} cells, and the header {len(header.columns):,}"
            return Unfit(message, "Put a cell that has a delimiter in quotes.").at(place)
        try:
            record = self._connection if header.is_of_connections else self._node
            return record(header, place, row, *self._values(header, row))
        except Unfit as error:
            return error.at(place)

    def _values(self, header: Header, row: _Row) -> tuple[dict[str, PropertyValue], dict[str, str]]:
        """Return the properties of a row, and the values of reserved columns."""
        properties: dict[str, PropertyValue] = {}
        reserved: dict[str, str] = {}
        for column, cell in zip(header.columns, row, strict=True):
            if cell is None or not column.name or column.role == "IGNORE":
                continue
            if column.is_reserved:
                reserved[column.name] = cell
            elif column.is_list:
                properties[column.name] = join_list(cell.split(ARRAY_DELIMITER), self._options, column.name)
            else:
                properties[column.name] = parse_value(cell, column.parse, column.name)
        return properties, reserved

    def _connection(
        self, header: Header, place: Place, row: _Row, properties: dict[str, PropertyValue], reserved: dict[str, str]
    ) -> ConnectionRecord:
        kind = header.cell("TYPE", row) or self._options.connection_type
        if not kind:
            raise Unfit("The connection has no type", column=":TYPE")
        ends = (header.key("START_ID", row), header.key("END_ID", row))
        return ConnectionRecord.of(place, kind, ends, reserved.get("_id"), properties, reserved)

    def _node(
        self, header: Header, place: Place, row: _Row, properties: dict[str, PropertyValue], reserved: dict[str, str]
    ) -> NodeRecord:
        text = header.cell("LABEL", row) or self._options.node_type or ""
        labels = tuple(filter(None, text.split(ARRAY_DELIMITER)))
        if not labels:
            raise Unfit("The node has no label", column=":LABEL")
        tags = reserved["_tags"].split(ARRAY_DELIMITER) if reserved.get("_tags") else ()
        return NodeRecord.of(place, header.key("ID", row), labels, properties, reserved, tags)


def header_of(line: str) -> Header:
    """Return the parsed header. Raises Unfit, and INVALID_PROPERTY for a name that no property can have."""
    delimiter = next((delimiter for delimiter in DELIMITERS if _has_roles(line, delimiter)), None)
    if delimiter is None:
        raise Unfit("The first line is not a header of neo4j-admin: it has neither :ID nor :START_ID", _HEADER_HINT)
    columns = [_column(cell or "", number) for number, cell in enumerate(cells(line, delimiter), 1)]
    roles = {column.role: number for number, column in enumerate(columns) if column.role and column.role != "IGNORE"}
    seen: set[tuple[str, str]] = set()
    for column in columns:
        role, name = ("", column.name) if column.role in (None, "ID") else (column.role, "")
        if (role, name) in seen and column.role != "IGNORE" and (role or name):
            raise Unfit(f"The header names {printable(name or f':{role}')} twice", column=name or f":{role}")
        seen.add((role, name))
    if ("START_ID" in roles) != ("END_ID" in roles) or ("ID" in roles) == ("START_ID" in roles):
        raise Unfit("The header must have either :ID, or :START_ID and :END_ID", _HEADER_HINT)
    reserved = RESERVED_CONNECTION_NAMES if "START_ID" in roles else RESERVED_NODE_NAMES
    for column in columns:
        if column.name and column.name not in reserved:
            check_key(column.name)
    return Header(columns, delimiter, roles)


def _has_roles(line: str, delimiter: str) -> bool:
    try:
        matches = [_FIELD.fullmatch(cell or "") for cell in cells(line, delimiter)]
    except Unfit:
        return False
    return any(match and (match["kind"] or "").upper() in ("ID", "START_ID") for match in matches)


def _column(cell: str, number: int) -> Column:
    match = _FIELD.fullmatch(cell)
    name, kind = (match["name"], match["kind"] or "") if match else (cell, "")
    if not kind and ":" in name:
        raise Unfit(f"{quote(name)} has a type that is not known", _KINDS_HINT, name)
    role = kind.upper() if kind.upper() in _ROLES else None
    if role is None and not name:
        raise Unfit(f"Column {number} of the header has no name", _HEADER_HINT)
    is_list = bool(match and match["list"])
    space = (match["space"] or "") if match else ""
    return Column(name if role in (None, "ID") else "", role, kind.lower(), is_list, space)


def _notes(header: Header, place: Place) -> Iterator[Note]:
    for column in header.columns:
        if column.kind in AS_TEXT:
            yield Note(replace(place, column=column.name), f"{column.name} is of type {column.kind}, and becomes text")


def cells(text: str, delimiter: str) -> list[str | None]:
    """Return the cells of a row, None for an empty cell without quotes. Raises Unfit."""
    if '"' not in text:
        return [cell or None for cell in text.split(delimiter)]
    results: list[str | None] = []
    cell, position = _CELLS[delimiter], 0
    while True:
        match = cell.match(text, position)
        if match is None:  # pragma: no cover - the pattern matches nothing at all, too
            raise Unfit("The row cannot be read")
        results.append((match[2] or None) if match[1] is None else match[1].replace('""', '"'))
        position = match.end()
        if position == len(text):
            return results
        if text[position] != delimiter:
            message = f"Cell {len(results):,} has a quote within it, or text after its closing quote"
            raise Unfit(message, 'Put the whole cell in quotes, and write a quote in it as "".')
        position += 1


_CELLS = {delimiter: re.compile(rf'"([^"]*(?:""[^"]*)*)"|([^"{re.escape(delimiter)}]*)') for delimiter in DELIMITERS}
