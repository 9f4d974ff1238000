"""Writes exports. A file gets its name only when it is complete."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar, cast

from graph_memory.files import replace_file
from graph_memory.memory.transfer.archive.format import PIECE, End, end_line
from graph_memory.model.errors import Code, GraphError

PAGE = 1_000
"""Maximum number of events per page."""
PAGE_BYTES = 4 * PIECE
"""Approximate maximum number of bytes per page."""

T = TypeVar("T")


def split_by_size(items: Iterable[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """Split items into lists of at most `PAGE_BYTES` bytes each. A larger item gets a separate list."""
    group: list[T] = []
    total = 0
    for item in items:
        total += size(item)
        if group and total > PAGE_BYTES:
            yield group
            group, total = [], size(item)
        group.append(item)
    if group:
        yield group


class Writer:
    """Writes the lines of an export, and a last line with their counts and hash."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self.size = 0

    def write(self, lines: Iterable[bytes]) -> None:
        """Write lines, and include them in the counts and the hash."""
        for line in lines:
            self._digest.update(line)
            self.size += len(line)
            self._stream.write(line)

    def end(self, events: int, contents: int) -> str:
        """Write the last line, and return the SHA-256 of the lines before it."""
        sha256 = self._digest.hexdigest()
        self._stream.write(end_line(End(events=events, contents=contents, sha256=sha256)))
        self._stream.flush()
        return sha256


@contextmanager
def open_writer(target: Path | IO[bytes]) -> Generator[Writer]:
    """Yield a writer to a stream or a file. See `open_target`."""
    with open_target(target) as stream:
        yield Writer(stream)


@contextmanager
def open_target(target: Path | IO[bytes]) -> Generator[IO[bytes]]:
    """Yield the stream itself, or a stream that writes to a file. A file gets its name only when it is complete.

    Compresses a file whose name ends in `.gz`. Raises FILE_CREATION_FAILED if the data cannot be written.
    """
    try:
        if isinstance(target, Path):
            with replace_file(target) as file, archive_stream(target, file) as stream:
                yield stream
        else:
            yield target
    except OSError as error:
        raise write_error(target, error) from error


@contextmanager
def archive_stream(path: Path, file: IO[bytes]) -> Generator[IO[bytes]]:
    """Yield a stream that writes to a file. Compresses the data if the file name ends in `.gz`."""
    if path.suffix == ".gz":
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as stream:
            yield cast("IO[bytes]", stream)
    else:
        yield file


def write_error(target: Path | IO[bytes], error: OSError) -> GraphError:
    """Return the error for a file that cannot be written."""
    hint = "Check that the folder exists and is writable, and that the disk has free space."
    name = str(target) if isinstance(target, Path) else "the output"
    message = f"Cannot write {name}: {error.strerror or error}"
    return GraphError(Code.FILE_CREATION_FAILED, message, {"path": name, "hint": hint})
