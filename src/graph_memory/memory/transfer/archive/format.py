"""A domain as lines of JSON: its whole log and all content, from which an import restores exactly the same data.

The first line states the format. The last line has the counts and the SHA-256 of all lines before it. Between them,
each event has its own line, in order. Content has its own lines before the first event that refers to it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal, TypeVar, cast

from pydantic import BaseModel, Field

from graph_memory.memory.transfer.archive.records import domain_fields, event_from
from graph_memory.memory.transfer.values import (
    Count,
    DomainName,
    FileModel,
    InvalidEvent,
    Recorded,
    Seq,
    Sha256,
    Word,
    read,
)
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import TIMES
from graph_memory.model.subjects.subjects import DomainState, State
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.content import Content, ContentRef
from graph_memory.model.values.plain import parse_json_strictly

_M = TypeVar("_M", bound=BaseModel)

FORMAT = "graph-memory log"
VERSION = 1
PIECE = 1024 * 1024
"""Maximum size of a piece of content on one line, in bytes."""
MAX_LINE_BYTES = 32 * PIECE
"""Maximum size of a line, in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line of a file: the domain, the range of the log, and the domain's state."""

    domain: str
    exported: datetime
    written_by: str
    seq: int
    events: int
    ontology_version: int
    state: DomainState

    @property
    def complete_after(self) -> int:
        """The event number after which the log has no gaps: the fork of a branch, or the end of the compacted part."""
        return self.state.compacted_to or self.state.forked_at or 0


class Text(FileModel):
    """A line of text content."""

    sha256: Annotated[Sha256, Field(alias="content")]
    text: str


@dataclass(frozen=True, slots=True)
class ContentPiece:
    """A line with one piece of binary or long content. `part` counts from 1, and `of` is the number of pieces."""

    sha256: str
    part: int
    of: int
    data: bytes


class End(FileModel):
    """The last line of a file: the counts and the hash of all lines before it."""

    events: Count
    contents: Count
    sha256: Sha256


Line = State | Text | ContentPiece | End


def is_text_line(ref: ContentRef) -> bool:
    """Return whether content is written as one line of text."""
    return ref.is_text and ref.size <= PIECE


def count_pieces(size: int) -> int:
    """Return the number of pieces, one per line, for content of this size in bytes."""
    return max(1, -(-size // PIECE))


def header_line(header: Header) -> bytes:
    """Return the first line of a file."""
    return _line(
        {
            "format": FORMAT,
            "version": VERSION,
            "domain": header.domain,
            "events": header.events,
            "seq": header.seq,
            "ontology_version": header.ontology_version,
            "state": _json_values(header.state.state()),
            "written_by": header.written_by,
            "exported": written_time(header.exported),
        }
    )


def event_line(row: Mapping[str, object]) -> bytes:
    """Return the line for an event with these properties. Omits the domain, because the header contains it."""
    return _line({"event": dict(sorted(_json_values(row).items()))})


def text_line(content: Content) -> bytes:
    """Return the line for text content."""
    return _line({"content": content.sha256, "text": content.text})


def piece_line(piece: ContentPiece) -> bytes:
    """Return the line for one piece of binary or long content."""
    data = base64.b64encode(piece.data).decode("ascii")
    return _line({"content": piece.sha256, "part": piece.part, "of": piece.of, "base64": data})


def end_line(end: End) -> bytes:
    """Return the last line of a file."""
    return _line({"end": end.model_dump()})


def written_time(moment: datetime) -> str:
    """Return a time as text in UTC with microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _json_values(row: Mapping[str, object]) -> dict[str, object]:
    return {key: _json_value(key, value) for key, value in row.items() if value is not None and key != "_domain"}


def _json_value(key: str, value: object) -> object:
    """Return an event's property as a JSON value. The times in `TIMES` become strings, and other times objects."""
    if key in TIMES:
        return written_time(datetime.fromisoformat(value) if isinstance(value, str) else cast("datetime", value))
    return {"time": written_time(value)} if isinstance(value, datetime) else value


class _HeaderLine(FileModel):
    format: Literal["graph-memory log"]
    version: Annotated[int, Field(ge=1, le=VERSION)]
    domain: DomainName
    exported: Recorded
    written_by: Word
    seq: Count
    events: Count
    ontology_version: Count
    state: dict[str, object]


class _PieceLine(FileModel):
    content: Sha256
    part: Seq
    of: Seq
    base64: str


class _EndLine(FileModel):
    end: End


def read_header(line: bytes) -> Header:
    """Parse the header line. Raises INVALID_ARCHIVE if the line is not a valid header."""
    try:
        return _header_from(_parse_line(line, 1))
    except GraphError as error:
        if "version" in error.details:
            raise
        hint = Hint("Pass a file written by {graph-memory export}.")
        message = f"The file is damaged, or is not an export of a domain. {error.message}"
        raise GraphError(Code.INVALID_ARCHIVE, message, {"line": 1, "hint": hint}) from error


def read_line(line: bytes, number: int) -> Line:
    """Parse a line after the header. Raises INVALID_ARCHIVE with the line number if the line is invalid."""
    fields = _parse_line(line, number)
    if "event" in fields:
        event = fields["event"]
        if len(fields) > 1 or not isinstance(event, dict):
            raise damaged_line_error(number, "does not contain exactly one event")
        with locate_event_errors(number, cast("object", event)):
            return event_from(cast("Mapping[str, object]", event))
    if "text" in fields:
        return _parse_as(Text, fields, number)
    if "content" in fields:
        return _piece_from(_parse_as(_PieceLine, fields, number), number)
    if "end" in fields:
        return _parse_as(_EndLine, fields, number).end
    raise damaged_line_error(number, "is not a valid line of an export")


@contextmanager
def locate_event_errors(number: int, event: object) -> Generator[None]:
    """Re-raise an error in an event as INVALID_ARCHIVE, with the line number of the event."""
    try:
        yield
    except InvalidEvent as error:
        raise _event_error(number, event, str(error), error.subject) from error
    except GraphError as error:
        if error.code is Code.INVALID_ARCHIVE:
            raise
        raise _event_error(number, event, f"is invalid: {error.message}") from error


def _event_error(number: int, event: object, fault: str, invalid_subject: str | None = None) -> GraphError:
    """Return the error for an event. Its details contain `subject` and `fault`, for callers without line numbers."""
    if invalid_subject is not None:
        subject, title = invalid_subject, f"After line {number:,}, {quote(invalid_subject)}"
    else:
        subject = cast("Mapping[str, object]", event).get("_subject") if isinstance(event, dict) else None
        title = f"The event in line {number:,}"
    error = damaged_line_error(number, fault, title)
    return GraphError(error.code, error.message, {**error.details, "subject": printable(subject), "fault": fault})


def _parse_as(model: type[_M], fields: Mapping[str, object], number: int) -> _M:
    try:
        return read(model, fields)
    except InvalidEvent as error:
        raise damaged_line_error(number, str(error)) from error
    except GraphError as error:
        raise damaged_line_error(number, f"is invalid: {error.message}") from error


def _parse_line(line: bytes, number: int) -> Mapping[str, object]:
    try:
        value = parse_json_strictly(line)
    except ValueError as error:
        raise damaged_line_error(number, "is not JSON in UTF-8") from error
    if not isinstance(value, dict):
        raise damaged_line_error(number, "is not a JSON object")
    return cast("Mapping[str, object]", value)


def _header_from(fields: Mapping[str, object]) -> Header:
    if fields.get("format") != FORMAT:
        raise damaged_line_error(1, f'does not have the "format" {quote(FORMAT)}')
    version = fields.get("version")
    if isinstance(version, int) and version > VERSION:
        raise GraphError(
            Code.INVALID_ARCHIVE,
            f"The file has format version {printable(version)}; this graph-memory supports versions up to {VERSION}",
            {"line": 1, "version": version, "hint": "Update graph-memory to the version that wrote it, or newer."},
        )
    line = _parse_as(_HeaderLine, fields, 1)
    with locate_event_errors(1, None):
        state = DomainState.from_state(domain_fields(line.state))
    return Header(
        domain=line.domain,
        exported=line.exported,
        written_by=line.written_by,
        seq=line.seq,
        events=line.events,
        ontology_version=line.ontology_version,
        state=state,
    )


def _piece_from(line: _PieceLine, number: int) -> ContentPiece:
    try:
        return ContentPiece(line.content, line.part, line.of, base64.b64decode(line.base64, validate=True))
    except ValueError as error:
        raise damaged_line_error(number, "contains content that is not base64") from error


def damaged_line_error(line: int, fault: str, title: str | None = None) -> GraphError:
    """Return the error for a line that was changed after the export. `title` replaces the line in the message."""
    hint = "Export the domain again, or use another copy of the file: this one is damaged or was edited."
    return GraphError(Code.INVALID_ARCHIVE, f"{title or f'Line {line:,}'} {fault}", {"line": line, "hint": hint})


def cut_short_error(line: int) -> GraphError:
    """Return the error for a file that ends too early."""
    hint = "Export the domain again: the export, or a copy of it, was interrupted."
    return GraphError(
        Code.INVALID_ARCHIVE, f"The file ends after line {line:,}, without its last line", {"line": line, "hint": hint}
    )
