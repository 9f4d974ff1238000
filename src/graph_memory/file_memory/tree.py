"""Paths under `/memories`, and the tree of files and folders."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from graph_memory.file_memory.errors import invalid_call
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument, is_encodable
from graph_memory.model.values.fields import LONGEST

ROOT = "/memories"
FILE_TYPE = "MemoryFile"
"""The node type of files."""
_MAX_DEPTH = 2
"""Number of levels in a folder's list."""
_UNITS = ("B", "K", "M", "G")


def parse_path(path: str, argument: str = "path") -> str:
    """Return the path of a file or folder without `.`, `..` and extra slashes.

    Raises INVALID_ARGUMENT if the path is outside `/memories`, contains control characters, or is longer than 255
    characters.
    """
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        hint = "Pass a path such as /memories/notes.md."
        raise invalid_call("Path must start with /memories, got: {path}", hint, path=path)
    if not is_encodable(path) or any(character < " " or character == "\x7f" for character in path):
        raise invalid_argument(argument, f"{quote(path)} contains control characters", "Use printable characters.")
    resolved = posixpath.normpath(path)
    if resolved != ROOT and not resolved.startswith(f"{ROOT}/"):
        raise invalid_call("Path {path} would escape /memories directory", "Use a path without `..`.", path=path)
    if len(resolved) > LONGEST:
        message = f"The path {quote(path)} has {len(resolved):,} characters"
        raise invalid_argument(argument, message, f"Use at most {LONGEST} characters.")
    return resolved


def title_of(path: str) -> str:
    """Return the title of a file: the last part of its path."""
    return posixpath.basename(path).strip() or FILE_TYPE


def format_of(path: str) -> str:
    """Return the content format for the file's name: markdown or text."""
    return "markdown" if path.endswith((".md", ".markdown")) else "text"


def scope_of(path: str) -> str:
    """Return the path of the file or folder directly under `/memories` that equals or contains this path.

    A call on the path depends only on paths with this prefix.
    """
    return "/".join(path.split("/")[:3])


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored file, or the node that marks an empty folder."""

    node_id: str
    path: str
    version: int
    size: int
    is_folder: bool = False


class FileTree:
    """Files and folders. A folder exists if a file, another folder or a mark is at or below its path."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        ordered = sorted(entries, key=lambda entry: (entry.path, entry.node_id))
        self.entries: Sequence[Entry] = [entry for entry in ordered if _is_within(entry.path, ROOT)]
        self._files: dict[str, Entry] = {}
        for entry in self.entries:
            if not entry.is_folder:
                self._files.setdefault(entry.path, entry)

    @cached_property
    def _folders(self) -> frozenset[str]:
        marks = {entry.path for entry in self.entries if entry.is_folder}
        return frozenset({ROOT, *marks}.union(*(_ancestors(entry.path) for entry in self.entries)))

    def file(self, path: str) -> Entry | None:
        """Return the file at a path, or None."""
        return self._files.get(path)

    def is_folder(self, path: str) -> bool:
        """Return whether the path is a folder, not a file."""
        return path in self._folders and path not in self._files

    def exists(self, path: str) -> bool:
        """Return whether there is a file or folder at the path."""
        return path in self._files or path in self._folders

    def file_above(self, path: str) -> str | None:
        """Return the path of a file that occupies the path of a parent folder, or None."""
        return next((above for above in _ancestors(path) if above in self._files), None)

    def within(self, path: str) -> list[Entry]:
        """Return the files and marks of empty folders at or below the path."""
        return [entry for entry in self.entries if _is_within(entry.path, path)]

    def needs_mark(self, folder: str, removed: Sequence[Entry], added: Sequence[str] = ()) -> bool:
        """Return whether a folder needs a mark, because it would disappear when its last entries are removed."""
        ids = {entry.node_id for entry in removed}
        remaining_paths = [entry.path for entry in self.entries if entry.node_id not in ids]
        return folder != ROOT and not any(_is_within(path, folder) for path in (*remaining_paths, *added))

    def size_of(self, path: str) -> int:
        """Return the total size in bytes of the files at or below a path."""
        return sum(entry.size for entry in self.within(path))

    def list_folder(self, folder: str, prefix: str = "", depth: int = 1) -> Iterator[tuple[str, int]]:
        """Yield the visible paths below a folder, up to two levels deep, with their sizes in bytes.

        A folder's path ends with a slash, and its size is the total size of its files.
        """
        children = (path for path in {*self._files, *self._folders} if posixpath.dirname(path) == folder)
        for child in sorted(children, key=posixpath.basename):
            name = posixpath.basename(child)
            if name.startswith("."):
                continue
            if not self.is_folder(child):
                yield f"{prefix}{name}", self._files[child].size
                continue
            yield f"{prefix}{name}/", self.size_of(child)
            if depth < _MAX_DEPTH:
                yield from self.list_folder(child, f"{prefix}{name}/", depth + 1)


def format_size(size: int) -> str:
    """Return a number of bytes in the largest suitable unit, such as `1.5K`."""
    power = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    scaled = size / 1024**power
    return f"{int(scaled)}{_UNITS[power]}" if scaled == int(scaled) else f"{scaled:.1f}{_UNITS[power]}"


def _ancestors(path: str) -> Iterator[str]:
    """Yield the folders above a path within `/memories`, nearest first."""
    while path != ROOT and len(path) > len(ROOT):
        path = posixpath.dirname(path)
        yield path


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
