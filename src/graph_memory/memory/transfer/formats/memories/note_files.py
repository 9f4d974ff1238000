"""Reads folders of text files. Does not follow symbolic links."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from graph_memory.memory.transfer.formats.records import InvalidSourceValue, Note, SourcePosition
from graph_memory.model.values.arguments import invalid_argument

NOTE_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 50
STATE_FOLDER, STATE_FILE = ".graph-memory", "sync.json"
"""The hidden folder in which `sync` keeps its state and copies of replaced files, and the file with the state."""


def is_vault(folder: Path) -> bool:
    """Return whether the folder is in an Obsidian vault, or in a folder that `sync` synchronises with a domain."""
    path = folder.resolve()
    return any(
        (parent / ".obsidian").is_dir() or (parent / STATE_FOLDER / STATE_FILE).is_file()
        for parent in (path, *path.parents)
    )


def walk_files(folder: Path, at: PurePosixPath, depth: int = 0) -> Iterator[tuple[Path, PurePosixPath | Note]]:
    """Yield the files in a folder and its subfolders, sorted by name, and a note for each symbolic link.

    Skips hidden files. Raises INVALID_ARGUMENT if there are too many levels of subfolders.
    """
    if depth > MAX_DEPTH:
        raise invalid_argument(
            "source",
            f"The folder has more than {MAX_DEPTH} levels of subfolders",
            "Import the subfolders one at a time.",
        )
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        inside = at / entry.name
        if entry.name.startswith("."):
            continue
        if entry.is_symlink():
            yield Path(entry.path), Note(SourcePosition(str(inside)), "links in the file system are not followed")
        elif entry.is_dir(follow_symlinks=False):
            yield from walk_files(Path(entry.path), inside, depth + 1)
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path), inside


def open_regular(file: Path) -> IO[bytes]:
    """Open a regular file for reading.

    Raises InvalidSourceValue for devices and OSError for symbolic links, even if one has just replaced the file.
    """
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    stream = os.fdopen(descriptor, "rb")
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise InvalidSourceValue("It is not a regular file")
    return stream


def read_text(file: Path) -> str:
    """Return the text of a regular file.

    Raises InvalidSourceValue if it is not a regular file in UTF-8, and OSError if it cannot be read.
    """
    return decode_text(read_bytes(file))


def read_bytes(file: Path) -> bytes:
    """Return a file's content.

    Raises InvalidSourceValue if it is not a regular file or is too long, and OSError if it cannot be read.
    """
    with open_regular(file) as stream:
        data = stream.read(NOTE_BYTES + 1)
    if len(data) > NOTE_BYTES:
        raise InvalidSourceValue(f"The file is longer than {NOTE_BYTES:,} bytes", "Divide it.")
    return data


def decode_text(data: bytes) -> str:
    """Return the text of a note without the byte order mark. Raises InvalidSourceValue if the data is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidSourceValue(f"Byte {error.start + 1} is not UTF-8", "Save the file as UTF-8.") from error
