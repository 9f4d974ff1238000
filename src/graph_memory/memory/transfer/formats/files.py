"""Lines of bounded length from plain or compressed files."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from graph_memory.memory.transfer.formats.records import Place, Refused, Unreadable
from graph_memory.model.errors import Code
from graph_memory.model.values.arguments import invalid_argument

MAX_BYTES = 64 * 1024 * 1024
"""Maximum number of bytes of a line or value: enough for a node with the longest allowed text."""
MAX_EMPTY_LINES = 1_000_000
"""Maximum number of successive empty lines. Unpacking that many takes only seconds."""
_GZIP = b"\x1f\x8b"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_UTF32 = re.compile(rb"\xff\xfe\0\0|\0\0\xfe\xff|[^\0]\0\0\0|\0\0\0[^\0]", re.DOTALL)
"""The first character of a file in UTF-32: a byte order mark, or any of ASCII."""
_BOM = b"\xef\xbb\xbf"


@contextmanager
def open_source(path: Path) -> Generator[IO[bytes]]:
    """Yield an open file, uncompressed if necessary. Raises INVALID_ARGUMENT and Unreadable."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
            file.seek(0)
            if wide := "UTF-32" if _UTF32.fullmatch(start) else "UTF-16" if start.startswith(_UTF16) else "":
                raise Unreadable(Place(path.name, 1), f"The file is {wide}, not UTF-8", "Save it as UTF-8.")
            with unpacking(Place(path.name)):
                yield cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if start.startswith(_GZIP) else file
    except OSError as error:
        raise invalid_argument(
            "source", f"Cannot read {path}: {error.strerror or error}", "Pass a readable file."
        ) from error


@contextmanager
def unpacking(after: Place) -> Generator[None]:
    """Raise Unreadable if compressed data is damaged. `after` is the position of the last row that was read."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        message = "The compressed file is damaged or cut short after this line"
        raise Unreadable(after, message, "Copy or download it again.") from error


class Lines:
    """The lines of a file with their line ends, counted from 1. Raises Unreadable for a line that is too long."""

    def __init__(self, stream: IO[bytes], file: str) -> None:
        self._stream = stream
        self.file = file
        self.number = 0
        self._empty = 0

    @property
    def place(self) -> Place:
        """The line that was read last."""
        return Place(self.file, self.number)

    def __iter__(self) -> Iterator[bytes]:
        while line := self.following():
            yield line

    def following(self) -> bytes:
        """Return the next line, or empty bytes after the last line."""
        with unpacking(self.place):
            line = self._stream.readline(MAX_BYTES + 1)
        self.number += bool(line)
        self._empty = 0 if line.strip() else self._empty + 1
        if len(line) > MAX_BYTES:
            raise too_long(self.place)
        if self._empty > MAX_EMPTY_LINES:
            message = f"More than {MAX_EMPTY_LINES:,} empty lines follow each other"
            raise Unreadable(self.place, message, "Remove them: the file may be damaged.")
        return line.removeprefix(_BOM) if self.number == 1 else line


def too_long(place: Place) -> Unreadable:
    """Return the error for a line or value over the limit."""
    message = f"The line or a value in it is longer than {MAX_BYTES:,} bytes"
    return Unreadable(place, message, "Split it, or shorten the value.")


def decode_line(data: bytes, place: Place) -> str | Refused:
    """Return UTF-8 bytes as text. For invalid bytes, return the refusal of the line."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        return Refused(place, Code.INVALID_SOURCE, f"Byte {error.start + 1} of the line is not UTF-8", _ENCODING)


_ENCODING = "Save the file as UTF-8."
