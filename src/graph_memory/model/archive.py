"""A domain as lines of JSON: its whole log and all content, so that reading gives back exactly what was written.

The first line tells what the file is, the last how much it holds and the SHA-256 of everything before it. Between them
is one event a line, in order; content stands in lines of its own before the first event that refers to it.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from graph_memory.model.content import Content, ContentRef
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import TIMES
from graph_memory.model.subjects import DomainState, State, StoredValue

FORMAT = "graph-memory log"
VERSION = 1
PIECE = 1024 * 1024
"""Bytes of content that one line holds at most."""
LONGEST = 32 * PIECE
"""Bytes of a line at most."""
OF_DOMAIN: Mapping[str, type] = {
    "_forked_from": str,
    "_forked_at": int,
    "_begins_at": int,
    "_compacted_to": int,
    "_compacted": str,
    "_merges": str,
}
"""What a domain's own state may hold, beside when it began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What the first line tells: whose log it is, how far it goes, and what the domain is."""

    domain: str
    exported: datetime
    written_by: str
    seq: int
    events: int
    ontology_version: int
    state: DomainState

    @property
    def whole_after(self) -> int:
        """The number after which the log has no gaps: the fork of a branch, or where it was compacted."""
        return self.state.compacted_to or self.state.forked_at or 0


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text content."""

    sha256: str
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of any other content: one of several, counted from 1."""

    sha256: str
    part: int
    of: int
    data: bytes


@dataclass(frozen=True, slots=True)
class End:
    """What the last line tells of all before it."""

    events: int
    contents: int
    sha256: str


Line = State | Text | Piece | End


def is_text_line(ref: ContentRef) -> bool:
    """Say whether content is written as one line of text."""
    return ref.is_text and ref.size <= PIECE


def pieces_of(size: int) -> int:
    """Return how many lines content that is no line of text takes."""
    return max(1, -(-size // PIECE))


def header_line(header: Header) -> bytes:
    """Return the first line."""
    return _line(
        {
            "format": FORMAT,
            "version": VERSION,
            "domain": header.domain,
            "events": header.events,
            "seq": header.seq,
            "ontology_version": header.ontology_version,
            "state": _plain(header.state.state()),
            "written_by": header.written_by,
            "exported": written_time(header.exported),
        }
    )


def event_line(row: Mapping[str, object]) -> bytes:
    """Return the line of an event, given its properties; the domain is that of the header."""
    return _line({"event": dict(sorted(_plain(row).items()))})


def text_line(content: Content) -> bytes:
    """Return the line of text content."""
    return _line({"content": content.sha256, "text": content.text})


def piece_line(piece: Piece) -> bytes:
    """Return one of the lines of other content."""
    data = base64.b64encode(piece.data).decode("ascii")
    return _line({"content": piece.sha256, "part": piece.part, "of": piece.of, "base64": data})


def end_line(end: End) -> bytes:
    """Return the last line."""
    return _line({"end": {"events": end.events, "contents": end.contents, "sha256": end.sha256}})


def written_time(moment: datetime) -> str:
    """Return a time as the lines have it: in UTC, to the microsecond."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _plain(row: Mapping[str, object]) -> dict[str, object]:
    return {key: _told(key, value) for key, value in row.items() if value is not None and key != "_domain"}


def _told(key: str, value: object) -> object:
    """Return a value as JSON has it. The times that all events have are text, any other says that it is one."""
    if key in TIMES:
        return written_time(datetime.fromisoformat(value) if isinstance(value, str) else cast("datetime", value))
    return {"time": written_time(value)} if isinstance(value, datetime) else value


def read_header(line: bytes) -> Header:
    """Return what the first line tells. Raises INVALID_ARCHIVE."""
    try:
        return _header(_parsed(line, 1))
    except GraphError as error:
        if "version" in error.details:
            raise
        hint = "Give a file that `graph-memory export` wrote."
        message = f"This is no export of a domain, or it is damaged: {error.message}"
        raise GraphError(Code.INVALID_ARCHIVE, message, {"line": 1, "hint": hint}) from error


def read_line(line: bytes, number: int) -> Line:
    """Return what a line after the first holds. Raises INVALID_ARCHIVE, naming the line, for one that cannot be."""
    fields = _parsed(line, number)
    if "event" in fields.values:
        return _event(fields.inner("event"))
    if "content" in fields.values:
        return _content(fields)
    if "end" in fields.values:
        return _end(fields.inner("end"))
    raise fields.fault("is none that an export has after the first")


def _parsed(line: bytes, number: int) -> _Fields:
    try:
        value = json.loads(line, parse_constant=_refuse)
        if b"\\ud" in line.lower():
            json.dumps(value, ensure_ascii=False).encode()  # half a character pair has no UTF-8
    except (ValueError, RecursionError) as error:
        raise damaged(number, "is not JSON in UTF-8") from error
    if not isinstance(value, dict):
        raise damaged(number, "is not a JSON object")
    return _Fields(cast("Mapping[str, object]", value), number)


def _refuse(constant: str) -> object:
    raise ValueError(constant)


def _header(fields: _Fields) -> Header:
    if fields.values.get("format") != FORMAT:
        raise fields.fault("does not say so")
    if (version := fields.number("version")) > VERSION:
        raise GraphError(
            Code.INVALID_ARCHIVE,
            f"The file has version {version} of the format; this graph-memory knows versions up to {VERSION}",
            {"line": 1, "version": version, "hint": "Update graph-memory to the version that wrote it, or newer."},
        )
    state = _event(fields.inner("state"))
    if not isinstance(state.get("_created"), datetime):
        raise fields.fault("says not when the domain began")
    if wrong := [name for name, wanted in OF_DOMAIN.items() if name in state and type(state[name]) is not wanted]:
        raise fields.fault(f"tells {wrong[0]}, but not of its type")
    return Header(
        domain=fields.text("domain"),
        exported=fields.moment("exported"),
        written_by=fields.text("written_by"),
        seq=fields.number("seq"),
        events=fields.number("events"),
        ontology_version=fields.number("ontology_version"),
        state=DomainState.from_state(state),
    )


def _event(fields: _Fields) -> State:
    return {key: fields.stored(key) for key in fields.values}


def _content(fields: _Fields) -> Text | Piece:
    sha256 = fields.text("content")
    if "text" in fields.values:
        return Text(sha256, fields.text("text"))
    try:
        data = base64.b64decode(fields.text("base64"), validate=True)
    except binascii.Error as error:
        raise fields.fault("holds content that is not base64") from error
    return Piece(sha256, fields.number("part"), fields.number("of"), data)


def _end(fields: _Fields) -> End:
    return End(fields.number("events"), fields.number("contents"), fields.text("sha256"))


@dataclass(frozen=True, slots=True)
class _Fields:
    """Typed looks into the object of a line."""

    values: Mapping[str, object]
    line: int

    def inner(self, name: str) -> _Fields:
        value = self.values.get(name)
        if not isinstance(value, dict):
            raise self.fault(f"has no object {name}")
        return _Fields(cast("Mapping[str, object]", value), self.line)

    def text(self, name: str) -> str:
        value = self.values.get(name)
        if not isinstance(value, str):
            raise self.fault(f"has no text {name}")
        return value

    def number(self, name: str) -> int:
        value = self.values.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.fault(f"has no number {name}")
        return value

    def moment(self, name: str) -> datetime:
        return self._moment(name, self.values.get(name))

    def stored(self, name: str) -> StoredValue:
        value = self.values[name]
        if name in TIMES:
            return self._moment(name, value)
        if isinstance(value, dict):
            return self._moment(name, cast("Mapping[str, object]", value).get("time"))
        if isinstance(value, list) and all(isinstance(item, str) for item in cast("Sequence[object]", value)):
            return cast("list[str]", value)
        if isinstance(value, (str, bool, float)) or (isinstance(value, int) and -(2**63) <= value < 2**63):
            return value
        raise self.fault(f"holds a value of {name} that no event can have")

    def _moment(self, name: str, value: object) -> datetime:
        try:
            found = datetime.fromisoformat(value) if isinstance(value, str) else None
            if found is not None and found.tzinfo is not None:
                return found.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        raise self.fault(f"holds no time as {name}")

    def fault(self, what: str) -> GraphError:
        return damaged(self.line, what)


def damaged(line: int, what: str) -> GraphError:
    """Return the error for a line that is not as it was written."""
    hint = "The file is damaged, or was changed by hand: export the domain again, or take another copy of the file."
    return GraphError(Code.INVALID_ARCHIVE, f"Line {line:,} {what}", {"line": line, "hint": hint})


def cut_short(line: int) -> GraphError:
    """Return the error for a file that ends too early."""
    hint = "It is not whole: the export, or a copy of it, was cut off. Export the domain again."
    return GraphError(
        Code.INVALID_ARCHIVE, f"The file ends after line {line:,}, without its last line", {"line": line, "hint": hint}
    )
