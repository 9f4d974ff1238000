"""Reads CSV with neo4j-admin's headers: `:ID`, `:LABEL`, `:START_ID`, `:END_ID`, `:TYPE` and typed columns.

An empty cell without quotes means no value, and `""` means an empty string. Cells may contain line breaks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graph_memory.memory.transfer.formats.files import MAX_BYTES, Lines, decode_line, open_source, too_long_error
from graph_memory.memory.transfer.formats.records import (
    RESERVED_CONNECTION_NAMES,
    RESERVED_NODE_NAMES,
    ConnectionRecord,
    InvalidRecord,
    InvalidSourceValue,
    Items,
    Key,
    NodeRecord,
    Note,
    SourceOptions,
    SourcePosition,
    UnreadableSource,
)
from graph_memory.memory.transfer.formats.values import AS_TEXT, PARSERS, join_list, parse_string, parse_value
from graph_memory.model.errors import GraphError
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.properties import PropertyValue, check_key

ARRAY_DELIMITER = ";"
DELIMITERS = ",;\t|"
_ROLES = ("ID", "LABEL", "START_ID", "END_ID", "TYPE", "IGNORE")
_TYPE = rf"(?P<kind>{'|'.join((*_ROLES, *PARSERS))})(?P<list>\[\])?(?:\((?P<space>[^)]*)\))?(?:\{{.*\}})?"
_FIELD = re.compile(rf"(?P<name>.*?)(?::{_TYPE})?", re.IGNORECASE | re.DOTALL)
_Row = Sequence[str | None]
_HEADER_HINT = "Add a header such as personId:ID, name, age:int, :LABEL; or :START_ID, :END_ID, :TYPE."
_KINDS_HINT = f"Use {', '.join(PARSERS)}, or a list of one of these types, such as string[]."


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the header: its role, or the name and type of its property."""

    name: str
    role: str | None
    kind: str
    is_list: bool
    space: str


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a file, and the positions of the columns that have a role."""

    columns: Sequence[Column]
    delimiter: str
    roles: dict[str, int]

    @property
    def is_of_connections(self) -> bool:
        """Whether the rows of the file are connections instead of nodes."""
        return "START_ID" in self.roles

    def cell(self, role: str, row: _Row) -> str | None:
        """Return the cell in the column with this role, or None if there is no such column."""
        return row[self.roles[role]] if role in self.roles else None

    def key(self, role: str, row: _Row) -> Key:
        """Return the key of a node from the column with this role. Raises InvalidSourceValue if the cell is empty."""
        cell = self.cell(role, row)
        if not cell:
            raise InvalidSourceValue(f"There is no value for :{role}", column=f":{role}")
        return Key(cell, self.columns[self.roles[role]].space)


def read_csv(path: Path, options: SourceOptions) -> Items:
    """Yield the nodes, connections and rejected records of a CSV file. Raises UnreadableSource."""
    with open_source(path) as stream:
        yield from _File(Lines(stream, path.name), options).items()


class _File:
    def __init__(self, lines: Lines, options: SourceOptions) -> None:
        self._lines = lines
        self._options = options

    def items(self) -> Items:
        first = decode_line(self._lines.read_line(), self._lines.place)
        if isinstance(first, InvalidRecord):
            raise UnreadableSource(first.place, first.message, first.hint)
        try:
            header = header_of(first.rstrip("\r\n"))
            self._check_type(header)
        except (InvalidSourceValue, GraphError) as error:
            message, hint = error.args[0], error.hint or _HEADER_HINT
            column = error.column if isinstance(error, InvalidSourceValue) else printable(error.details.get("property"))
            raise UnreadableSource(SourcePosition(self._lines.file, 1, column), message, hint) from error
        place = self._lines.place
        for column in header.columns:
            if column.kind in AS_TEXT:
                text = f"{column.name} is of type {column.kind}, and becomes text"
                yield Note(replace(place, column=column.name), text)
        for line in self._lines:
            place = self._lines.place
            data = self._read_quoted(line)
            if data.strip() or len(header.columns) == 1:
                yield self._read_item(header, place, data)

    def _check_type(self, header: Header) -> None:
        role, fallback = (
            ("TYPE", self._options.connection_type) if header.is_of_connections else ("LABEL", self._options.node_type)
        )
        if role not in header.roles and fallback is None:
            option = "--connection-type" if role == "TYPE" else "--node-type"
            raise InvalidSourceValue(f"The header has no :{role}", f"Add the column, or use {option}.")

    def _read_quoted(self, line: bytes) -> bytes:
        """Return a line, with the following lines that a quoted cell spans."""
        if line.count(b'"') % 2 == 0:
            return line
        place, parts, size, is_open = self._lines.place, [line], len(line), True
        while is_open:
            next_line = self._lines.read_line()
            if not next_line:
                raise UnreadableSource(
                    place, "A quote is opened here, but never closed", 'Write a quote in a cell as "".'
                )
            parts.append(next_line)
            size += len(next_line)
            if size > MAX_BYTES:
                raise too_long_error(place)
            is_open = next_line.count(b'"') % 2 == 0
        return b"".join(parts)

    def _read_item(
        self, header: Header, place: SourcePosition, line: bytes
    ) -> NodeRecord | ConnectionRecord | InvalidRecord:
        text = decode_line(line.removesuffix(b"\n").removesuffix(b"\r"), place)
        if isinstance(text, InvalidRecord):
            return text
        try:
            row = cells(text, header.delimiter)
            if len(row) != len(header.columns):
                message = f"The row has {len(row):,} cells, and the header {len(header.columns):,}"
                return InvalidSourceValue(message, "Put cells that contain the delimiter in quotes.").at(place)
            return (self._connection if header.is_of_connections else self._node)(header, place, row)
        except InvalidSourceValue as error:
            return error.at(place)

    def _row_values(self, header: Header, row: _Row) -> tuple[dict[str, PropertyValue], dict[str, str]]:
        """Return the properties of a row, and its values in reserved columns, both keyed by name."""
        properties: dict[str, PropertyValue] = {}
        reserved: dict[str, str] = {}
        for column, cell in zip(header.columns, row, strict=True):
            if cell is None or not column.name or column.role == "IGNORE":
                continue
            if column.name.startswith("_"):
                reserved[column.name] = cell
            elif column.is_list:
                properties[column.name] = join_list(cell.split(ARRAY_DELIMITER), self._options, column.name)
            else:
                properties[column.name] = parse_value(cell, PARSERS.get(column.kind, parse_string), column.name)
        return properties, reserved

    def _connection(self, header: Header, place: SourcePosition, row: _Row) -> ConnectionRecord:
        properties, reserved = self._row_values(header, row)
        connection_type = header.cell("TYPE", row) or self._options.connection_type
        if not connection_type:
            raise InvalidSourceValue("The connection has no type", column=":TYPE")
        ends = (header.key("START_ID", row), header.key("END_ID", row))
        return ConnectionRecord.of(place, connection_type, ends, reserved.get("_id"), properties, reserved)

    def _node(self, header: Header, place: SourcePosition, row: _Row) -> NodeRecord:
        properties, reserved = self._row_values(header, row)
        text = header.cell("LABEL", row) or self._options.node_type or ""
        labels = tuple(filter(None, text.split(ARRAY_DELIMITER)))
        if not labels:
            raise InvalidSourceValue("The node has no label", column=":LABEL")
        tags = reserved["_tags"].split(ARRAY_DELIMITER) if reserved.get("_tags") else ()
        return NodeRecord.of(place, header.key("ID", row), labels, properties, reserved, tags)


def header_of(line: str) -> Header:
    """Return the parsed header.

    Raises InvalidSourceValue if it is invalid, and INVALID_PROPERTY if a property name is invalid.
    """
    delimiter = next((delimiter for delimiter in DELIMITERS if _has_roles(line, delimiter)), None)
    if delimiter is None:
        raise InvalidSourceValue(
            "The first line is not a header of neo4j-admin: it has neither :ID nor :START_ID", _HEADER_HINT
        )
    columns = [_parse_column(cell or "", number) for number, cell in enumerate(cells(line, delimiter), 1)]
    roles = {column.role: number for number, column in enumerate(columns) if column.role and column.role != "IGNORE"}
    seen_columns: set[tuple[str, str]] = set()
    for column in columns:
        role, name = ("", column.name) if column.role in (None, "ID") else (column.role, "")
        if (role, name) in seen_columns and column.role != "IGNORE" and (role or name):
            raise InvalidSourceValue(
                f"The header names {printable(name or f':{role}')} twice", column=name or f":{role}"
            )
        seen_columns.add((role, name))
    if ("START_ID" in roles) != ("END_ID" in roles) or ("ID" in roles) == ("START_ID" in roles):
        raise InvalidSourceValue("The header must have either :ID, or :START_ID and :END_ID", _HEADER_HINT)
    reserved = RESERVED_CONNECTION_NAMES if "START_ID" in roles else RESERVED_NODE_NAMES
    for column in columns:
        if column.name and column.name not in reserved:
            check_key(column.name)
    return Header(columns, delimiter, roles)


def _has_roles(line: str, delimiter: str) -> bool:
    try:
        matches = [_FIELD.fullmatch(cell or "") for cell in cells(line, delimiter)]
    except InvalidSourceValue:
        return False
    return any(match and (match["kind"] or "").upper() in ("ID", "START_ID") for match in matches)


def _parse_column(cell: str, number: int) -> Column:
    match = _FIELD.fullmatch(cell)
    name, kind = (match["name"], match["kind"] or "") if match else (cell, "")
    if not kind and ":" in name:
        raise InvalidSourceValue(f"{quote(name)} has an unknown type", _KINDS_HINT, name)
    role = kind.upper() if kind.upper() in _ROLES else None
    if role is None and not name:
        raise InvalidSourceValue(f"Column {number} of the header has no name", _HEADER_HINT)
    is_list = bool(match and match["list"])
    space = (match["space"] or "") if match else ""
    return Column(name if role in (None, "ID") else "", role, kind.lower(), is_list, space)


def cells(text: str, delimiter: str) -> list[str | None]:
    """Return the cells of a row, with None for an empty cell without quotes.

    Raises InvalidSourceValue if a quote is misplaced.
    """
    if '"' not in text:
        return [cell or None for cell in text.split(delimiter)]
    results: list[str | None] = []
    cell, position = _CELLS[delimiter], 0
    while True:
        match = cell.match(text, position)
        if match is None:  # pragma: no cover - the pattern also matches an empty string
            raise InvalidSourceValue("The row cannot be read")
        results.append((match[2] or None) if match[1] is None else match[1].replace('""', '"'))
        position = match.end()
        if position == len(text):
            return results
        if text[position] != delimiter:
            message = f"Cell {len(results):,} has a quote within it, or text after its closing quote"
            raise InvalidSourceValue(message, 'Put the whole cell in quotes, and write a quote in it as "".')
        position += 1


_CELLS = {delimiter: re.compile(rf'"([^"]*(?:""[^"]*)*)"|([^"{re.escape(delimiter)}]*)') for delimiter in DELIMITERS}
