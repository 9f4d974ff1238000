"""Reads exports in pages that fit into memory."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import tempfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, cast

from graph_memory.memory.transfer.archive.format import (
    MAX_LINE_BYTES,
    PIECE,
    ContentPiece,
    End,
    Header,
    Text,
    cut_short_error,
    damaged_line_error,
    read_header,
    read_line,
)
from graph_memory.memory.transfer.archive.ledger import Ledger
from graph_memory.memory.transfer.archive.validate_log import LogCheck
from graph_memory.memory.transfer.archive.writer import PAGE, PAGE_BYTES
from graph_memory.model.ontology.types import AnyType
from graph_memory.model.subjects.subjects import State
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.log.writing import utc_now

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Blob:
    """Content that was assembled from several lines, with a verified hash."""

    sha256: str
    file: IO[bytes]

    def chunks(self) -> Iterator[bytes]:
        """Return an iterator over the content, from its first byte, in chunks of up to `PIECE` bytes."""
        self.file.seek(0)
        return iter(partial(self.file.read, PIECE), b"")


@dataclass(slots=True)
class Page:
    """Consecutive events, the content before them, and the fraction of the file that was read so far."""

    events: list[State] = field(default_factory=list[State])
    texts: list[Text] = field(default_factory=list[Text])
    blobs: list[Blob] = field(default_factory=list[Blob])
    size: int = 0
    fraction: float = 0.0

    @property
    def is_full(self) -> bool:
        """Whether the page is complete."""
        return len(self.events) == PAGE or self.size > PAGE_BYTES


class Reader:
    """Reads an export, and checks that it is complete and undamaged.

    Raises INVALID_ARCHIVE if the export is incomplete or damaged, and INVALID_ARGUMENT if the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._line_number = 0
        self.sha256 = ""
        """The SHA-256 in the last line. Set after the counts in that line were checked."""
        self.longest_text = 0
        """Size of the longest text that an event refers to, in bytes. Set after the whole log was checked in order."""
        self.live_count = 0
        """Approximate number of nodes, connections and observations at the end of the log. Set after the log was read.
        """
        self.late_types: list[AnyType] = []
        """The types whose last declaration comes after data of the type. Set after the log was read."""

    def header(self) -> Header:
        """Return the parsed header of the file."""
        with self._open_stream() as file:
            return read_header(next(self._read_lines(file), b""))

    def pages(self, after: int, *, follows: bool = True) -> Generator[Page]:
        """Yield the events after number `after` in pages, with their contents.

        The last page is yielded after all lines were checked, including the events up to `after`. With `follows`, each
        event is also checked against the events before it, which is enough once per file.
        """
        total = max(1, self._path.stat().st_size)
        self._line_number = 0
        with self._open_stream() as file:
            lines, digest = self._read_lines(file), hashlib.sha256()
            first = next(lines, b"")
            digest.update(first)
            log, page = LogCheck(read_header(first), utc_now()), Page()
            with closing(Ledger(log)) if follows else nullcontext() as ledger, closing(_Contents(ledger)) as contents:
                for line in lines:
                    parsed_line = read_line(line, self._line_number)
                    if isinstance(parsed_line, End):
                        self._check_end(parsed_line, digest.hexdigest(), lines)
                        self._end(parsed_line, log, contents)
                        yield page
                        return
                    digest.update(line)
                    page.size += len(line)
                    self._add_line(page, parsed_line, log, contents, is_wanted=log.seq >= after)
                    if page.is_full:
                        page.fraction = _bytes_read(file) / total
                        yield page
                        page = Page()
            raise cut_short_error(self._line_number)

    def _add_line(
        self, page: Page, state: State | Text | ContentPiece, log: LogCheck, contents: _Contents, *, is_wanted: bool
    ) -> None:
        match state:
            case Text():
                contents.check_text(state, self._line_number)
                page.texts += [state] if is_wanted else []
            case ContentPiece():
                blob = contents.add_piece(state, self._line_number, keeps=is_wanted)
                page.blobs += [blob] if blob is not None else []
            case _:
                contents.check_complete(self._line_number)
                log.event(state, self._line_number)
                if contents.ledger is not None:
                    contents.ledger.event(state, self._line_number)
                page.events += [state] if is_wanted else []

    def _end(self, end: End, log: LogCheck, contents: _Contents) -> None:
        contents.check_complete(self._line_number)
        log.end(end, contents.count, self._line_number)
        self.live_count = log.live_count
        self.late_types = [log.types[subject] for subject in sorted(log.late_types) if subject in log.types]
        if contents.ledger is not None:
            contents.ledger.end(self._line_number)
            self.longest_text = contents.ledger.longest_text

    def _check_end(self, end: End, sha256: str, lines: Iterator[bytes]) -> None:
        if end.sha256 != sha256:
            raise damaged_line_error(self._line_number, "has a SHA-256 that does not match the lines before it")
        if next(lines, None) is not None:
            raise damaged_line_error(self._line_number, "comes after the last")
        self.sha256 = sha256

    def _read_lines(self, file: IO[bytes]) -> Iterator[bytes]:
        while True:
            try:
                line = file.readline(MAX_LINE_BYTES)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise cut_short_error(self._line_number) from error
            if not line:
                return
            self._line_number += 1
            if not line.endswith(b"\n"):
                raise (
                    cut_short_error(self._line_number - 1)
                    if len(line) < MAX_LINE_BYTES
                    else damaged_line_error(self._line_number, "is too long")
                )
            yield line

    @contextmanager
    def _open_stream(self) -> Generator[IO[bytes]]:
        try:
            file = self._path.open("rb")
        except OSError as error:
            raise invalid_argument(
                "path", f"Cannot read {self._path}: {error.strerror}", "Pass a readable file."
            ) from error
        with file:
            is_compressed = file.read(2) == _GZIP
            file.seek(0)
            if not is_compressed:
                yield file
                return
            with gzip.GzipFile(fileobj=file) as stream:
                yield cast("IO[bytes]", stream)


def _bytes_read(file: IO[bytes]) -> int:
    return file.fileobj.tell() if isinstance(file, gzip.GzipFile) else file.tell()  # pyright: ignore


class _Contents:
    """Checks contents, and joins pieces from several lines. Records complete contents in the ledger."""

    def __init__(self, ledger: Ledger | None) -> None:
        self.ledger = ledger
        self.count = 0
        self._files: list[IO[bytes]] = []
        self._size = 0
        self._decoder: codecs.IncrementalDecoder | None = None
        self._next_piece: tuple[str, int, int] | None = None
        self._digest = hashlib.sha256()
        self._file: IO[bytes] | None = None

    def close(self) -> None:
        for file in self._files:
            file.close()

    def check_text(self, text: Text, line: int) -> None:
        """Raise INVALID_ARCHIVE if a text does not match its hash."""
        self.check_complete(line)
        data = text.text.encode()
        if hashlib.sha256(data).hexdigest() != text.sha256:
            raise damaged_line_error(line, "contains text that does not match its SHA-256")
        self._record_content(text.sha256, is_line=True, size=len(data), is_text=True)

    def check_complete(self, line: int) -> None:
        """Raise INVALID_ARCHIVE if the content before this line is not complete."""
        if self._next_piece is not None:
            raise damaged_line_error(
                line, f"comes where piece {self._next_piece[1]} of content {self._next_piece[0]} should be"
            )

    def add_piece(self, piece: ContentPiece, line: int, *, keeps: bool) -> Blob | None:
        """Add a piece of content. Return the complete content after its last piece if `keeps` is true, otherwise None.

        Raises INVALID_ARCHIVE if it is not the expected piece, or the content is damaged.
        """
        if piece.part == 1:
            self.check_complete(line)
            self._size, self._digest = 0, hashlib.sha256()
            self._decoder = codecs.getincrementaldecoder("utf-8")()
            self._file = cast("IO[bytes]", tempfile.SpooledTemporaryFile(max_size=PIECE)) if keeps else None  # noqa: SIM115
            self._files = [file for file in (*self._files, self._file) if file is not None and not file.closed]
        elif self._next_piece != (piece.sha256, piece.part, piece.of):
            raise damaged_line_error(line, "contains a piece of content without the pieces before it")
        self._digest.update(piece.data)
        self._size += len(piece.data)
        self._decode(piece.data, is_last=piece.part == piece.of)
        if self._file is not None:
            self._file.write(piece.data)
        self._next_piece = (piece.sha256, piece.part + 1, piece.of) if piece.part < piece.of else None
        return self._finish_blob(piece.sha256, line) if self._next_piece is None else None

    def _decode(self, data: bytes, *, is_last: bool) -> None:
        """Decode a piece. The content is text if no piece fails."""
        if self._decoder is not None:
            try:
                self._decoder.decode(data, is_last)
            except UnicodeDecodeError:
                self._decoder = None

    def _record_content(self, sha256: str, *, is_line: bool, size: int, is_text: bool) -> None:
        self.count += 1
        if self.ledger is not None:
            self.ledger.content(sha256, is_line=is_line, size=size, is_text=is_text)

    def _finish_blob(self, sha256: str, line: int) -> Blob | None:
        if self._digest.hexdigest() != sha256:
            raise damaged_line_error(line, f"ends content {sha256}, which does not match its SHA-256")
        self._record_content(sha256, is_line=False, size=self._size, is_text=self._decoder is not None)
        file, self._file = self._file, None
        return Blob(sha256, file) if file is not None else None
