"""Reads lines of bounded length from plain or compressed files."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from graph_memory.memory.transfer.formats.records import InvalidRecord, SourcePosition, UnreadableSource
from graph_memory.model.errors import Code
from graph_memory.model.values.arguments import invalid_argument

MAX_BYTES = 64 * 1024 * 1024
"""Maximum number of bytes of a line or value: enough for a node with the longest allowed text."""
MAX_EMPTY_LINES = 1_000_000
"""Maximum number of consecutive empty lines. Unpacking this many takes only seconds."""
_GZIP = b"\x1f\x8b"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_UTF32 = re.compile(rb"\xff\xfe\0\0|\0\0\xfe\xff|[^\0]\0\0\0|\0\0\0[^\0]", re.DOTALL)
"""The first character of a file in UTF-32: a byte order mark, or an ASCII character."""
_BOM = b"\xef\xbb\xbf"


@contextmanager
def open_source(path: Path) -> Generator[IO[bytes]]:
    """Yield an open file, decompressed if necessary.

    Raises INVALID_ARGUMENT if it cannot be opened, and UnreadableSource if it is damaged or not UTF-8.
    """
    try:
        with path.open("rb") as file:
            start = file.read(4)
            file.seek(0)
            if other_encoding := "UTF-32" if _UTF32.fullmatch(start) else "UTF-16" if start.startswith(_UTF16) else "":
                raise UnreadableSource(
                    SourcePosition(path.name, 1), f"The file is {other_encoding}, not UTF-8", "Save it as UTF-8."
                )
            with translate_unpack_errors(SourcePosition(path.name)):
                yield cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if start.startswith(_GZIP) else file
    except OSError as error:
        raise invalid_argument(
            "source", f"Cannot read {path}: {error.strerror or error}", "Pass a readable file."
        ) from error


@contextmanager
def translate_unpack_errors(after: SourcePosition) -> Generator[None]:
    """Raise UnreadableSource if compressed data is damaged. `after` is the position of the last row that was read."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        message = "The compressed file is damaged or cut short after this line"
        raise UnreadableSource(after, message, "Copy or download it again.") from error


class Lines:
    """The lines of a file with their line ends, counted from 1. Raises UnreadableSource if a line is too long."""

    def __init__(self, stream: IO[bytes], file: str) -> None:
        self._stream = stream
        self.file = file
        self.number = 0
        self._empty_lines = 0

    @property
    def place(self) -> SourcePosition:
        """The position of the last line that was read."""
        return SourcePosition(self.file, self.number)

    def __iter__(self) -> Iterator[bytes]:
        while line := self.read_line():
            yield line

    def read_line(self) -> bytes:
        """Return the next line, or empty bytes after the last line."""
        with translate_unpack_errors(self.place):
            line = self._stream.readline(MAX_BYTES + 1)
        self.number += bool(line)
        self._empty_lines = 0 if line.strip() else self._empty_lines + 1
        if len(line) > MAX_BYTES:
            raise too_long_error(self.place)
        if self._empty_lines > MAX_EMPTY_LINES:
            message = f"There are more than {MAX_EMPTY_LINES:,} consecutive empty lines"
            raise UnreadableSource(self.place, message, "Remove them, or use another copy: the file may be damaged.")
        return line.removeprefix(_BOM) if self.number == 1 else line


def too_long_error(place: SourcePosition) -> UnreadableSource:
    """Return the error for a line or value over the limit."""
    message = f"The line or a value in it is longer than {MAX_BYTES:,} bytes"
    return UnreadableSource(place, message, "Split it, or shorten the value.")


def decode_line(data: bytes, place: SourcePosition) -> str | InvalidRecord:
    """Decode a line of UTF-8. If it is invalid, return it as a rejected record."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        return InvalidRecord(
            place, Code.INVALID_SOURCE, f"Byte {error.start + 1} of the line is not UTF-8", _ENCODING_HINT
        )


_ENCODING_HINT = "Save the file as UTF-8."
