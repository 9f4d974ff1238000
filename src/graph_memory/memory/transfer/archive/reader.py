"""Reading of exports in pages that fit into memory."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import tempfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, cast

from graph_memory.memory.transfer.archive.format import (
    LONGEST,
    PIECE,
    End,
    Header,
    Piece,
    Text,
    cut_short,
    damaged_line,
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
    """Content that was joined from several lines, with a checked hash."""

    sha256: str
    file: IO[bytes]

    def chunks(self) -> Iterator[bytes]:
        """Yield the content from its beginning."""
        self.file.seek(0)
        return iter(partial(self.file.read, PIECE), b"")


@dataclass(slots=True)
class Page:
    """Consecutive events, the content before them, and the fraction of the file that has been read."""

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

    Raises INVALID_ARCHIVE, and INVALID_ARGUMENT for a file that cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._line = 0
        self.sha256 = ""
        """The hash in the last line, once its counts are checked."""
        self.longest_text = 0
        """Number of bytes of the longest text that an event refers to, once the log was followed."""
        self.living = 0
        """Approximate number of nodes, connections and observations at the end of the log, once it was read."""
        self.late: list[AnyType] = []
        """The types whose last declaration follows data of that type, once the log was read."""

    def header(self) -> Header:
        """Return the parsed header of the file."""
        with self._open_stream() as file:
            return read_header(next(self._lines(file), b""))

    def pages(self, after: int, *, follows: bool = True) -> Generator[Page]:
        """Yield the events after a number with their content. The last page comes after all lines have been checked.

        Earlier events are checked too. With `follows`, each event is also checked against the events before it, which
        is needed only once per file.
        """
        total = max(1, self._path.stat().st_size)
        self._line = 0
        with self._open_stream() as file:
            lines, digest = self._lines(file), hashlib.sha256()
            first = next(lines, b"")
            digest.update(first)
            log, page = LogCheck(read_header(first), utc_now()), Page()
            with _ledger_for(log, follows=follows) as ledger, closing(_Contents(ledger)) as contents:
                for line in lines:
                    parsed_line = read_line(line, self._line)
                    if isinstance(parsed_line, End):
                        self._check_end(parsed_line, digest.hexdigest(), lines)
                        self._end(parsed_line, log, contents)
                        yield page
                        return
                    digest.update(line)
                    page.size += len(line)
                    self._add(page, parsed_line, log, contents, is_wanted=log.seq >= after)
                    if page.is_full:
                        page.fraction = _fraction_read(file) / total
                        yield page
                        page = Page()
            raise cut_short(self._line)

    def _add(
        self, page: Page, state: State | Text | Piece, log: LogCheck, contents: _Contents, *, is_wanted: bool
    ) -> None:
        match state:
            case Text():
                contents.check_text(state, self._line)
                page.texts += [state] if is_wanted else []
            case Piece():
                blob = contents.add_piece(state, self._line, keeps=is_wanted)
                page.blobs += [blob] if blob is not None else []
            case _:
                contents.check_whole(self._line)
                log.event(state, self._line)
                if contents.ledger is not None:
                    contents.ledger.event(state, self._line)
                page.events += [state] if is_wanted else []

    def _end(self, end: End, log: LogCheck, contents: _Contents) -> None:
        contents.check_whole(self._line)
        log.end(end, contents.count, self._line)
        self.living = log.living
        self.late = [log.types[subject] for subject in sorted(log.late) if subject in log.types]
        if contents.ledger is not None:
            contents.ledger.end(self._line)
            self.longest_text = contents.ledger.longest_text

    def _check_end(self, end: End, sha256: str, lines: Iterator[bytes]) -> None:
        if end.sha256 != sha256:
            raise damaged_line(self._line, "has a SHA-256 that does not match the lines before it")
        if next(lines, None) is not None:
            raise damaged_line(self._line, "comes after the last")
        self.sha256 = sha256

    def _lines(self, file: IO[bytes]) -> Iterator[bytes]:
        while True:
            try:
                line = file.readline(LONGEST)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise cut_short(self._line) from error
            if not line:
                return
            self._line += 1
            if not line.endswith(b"\n"):
                raise cut_short(self._line - 1) if len(line) < LONGEST else damaged_line(self._line, "is too long")
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
            is_packed = file.read(2) == _GZIP
            file.seek(0)
            if not is_packed:
                yield file
                return
            with gzip.GzipFile(fileobj=file) as stream:
                yield cast("IO[bytes]", stream)


def _fraction_read(file: IO[bytes]) -> int:
    return file.fileobj.tell() if isinstance(file, gzip.GzipFile) else file.tell()  # pyright: ignore


@contextmanager
def _ledger_for(log: LogCheck, *, follows: bool) -> Generator[Ledger | None]:
    if not follows:
        yield None
        return
    with closing(Ledger(log)) as ledger:
        yield ledger


class _Contents:
    """Checks contents, and joins contents that span several lines. The ledger records complete contents."""

    def __init__(self, ledger: Ledger | None) -> None:
        self.ledger = ledger
        self.count = 0
        self._files: list[IO[bytes]] = []
        self._size = 0
        self._decoder: codecs.IncrementalDecoder | None = None
        self._awaited: tuple[str, int, int] | None = None
        self._digest = hashlib.sha256()
        self._file: IO[bytes] | None = None

    def close(self) -> None:
        for file in self._files:
            file.close()

    def check_text(self, text: Text, line: int) -> None:
        """Raise INVALID_ARCHIVE if a text does not match its hash."""
        self.check_whole(line)
        data = text.text.encode()
        if hashlib.sha256(data).hexdigest() != text.sha256:
            raise damaged_line(line, "holds text that does not match its SHA-256")
        self._take(text.sha256, is_line=True, size=len(data), is_text=True)

    def check_whole(self, line: int) -> None:
        """Raise INVALID_ARCHIVE if the content before this line is not complete."""
        if self._awaited is not None:
            raise damaged_line(line, f"comes where piece {self._awaited[1]} of content {self._awaited[0]} should be")

    def add_piece(self, piece: Piece, line: int, *, keeps: bool) -> Blob | None:
        """Add a piece of a content. Raises INVALID_ARCHIVE.

        After the last piece, return the complete content if `keeps` is set. Otherwise return None.
        """
        if piece.part == 1:
            self.check_whole(line)
            self._begin(keeps=keeps)
        elif self._awaited != (piece.sha256, piece.part, piece.of):
            raise damaged_line(line, "holds a piece of content without the pieces before it")
        self._digest.update(piece.data)
        self._size += len(piece.data)
        self._decode(piece.data, is_last=piece.part == piece.of)
        if self._file is not None:
            self._file.write(piece.data)
        self._awaited = (piece.sha256, piece.part + 1, piece.of) if piece.part < piece.of else None
        return self._finish_blob(piece.sha256, line) if self._awaited is None else None

    def _decode(self, data: bytes, *, is_last: bool) -> None:
        """Decode a piece, to learn whether the content is text."""
        if self._decoder is not None:
            try:
                self._decoder.decode(data, is_last)
            except UnicodeDecodeError:
                self._decoder = None

    def _take(self, sha256: str, *, is_line: bool, size: int, is_text: bool) -> None:
        self.count += 1
        if self.ledger is not None:
            self.ledger.content(sha256, is_line=is_line, size=size, is_text=is_text)

    def _begin(self, *, keeps: bool) -> None:
        self._size, self._digest = 0, hashlib.sha256()
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._file = cast("IO[bytes]", tempfile.SpooledTemporaryFile(max_size=PIECE)) if keeps else None  # noqa: SIM115
        self._files = [file for file in (*self._files, self._file) if file is not None and not file.closed]

    def _finish_blob(self, sha256: str, line: int) -> Blob | None:
        if self._digest.hexdigest() != sha256:
            raise damaged_line(line, f"ends content {sha256}, which does not match its SHA-256")
        self._take(sha256, is_line=False, size=self._size, is_text=self._decoder is not None)
        file, self._file = self._file, None
        return Blob(sha256, file) if file is not None else None
