"""Reading of folders of text files. Links in the file system are not followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from graph_memory.memory.transfer.formats.records import Note, Place, Unfit
from graph_memory.model.values.arguments import invalid_argument

NOTE_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 50


def walk_files(folder: Path, at: PurePosixPath, depth: int = 0) -> Iterator[tuple[Path, PurePosixPath | Note]]:
    """Yield the files of a folder in the order of their names, and notes on skipped files."""
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
            yield Path(entry.path), Note(Place(str(inside)), "links in the file system are not followed")
        elif entry.is_dir(follow_symlinks=False):
            yield from walk_files(Path(entry.path), inside, depth + 1)
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path), inside


def read_text(file: Path) -> str:
    """Return the text of a regular file.

    Devices and links are refused, even if one has just replaced the file. Raises Unfit and OSError.
    """
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise Unfit("It is not a regular file")
        data = stream.read(NOTE_BYTES + 1)
    if len(data) > NOTE_BYTES:
        raise Unfit(f"The file is longer than {NOTE_BYTES:,} bytes", "Divide it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unfit(f"Byte {error.start + 1} is not UTF-8", "Save the file as UTF-8.") from error
