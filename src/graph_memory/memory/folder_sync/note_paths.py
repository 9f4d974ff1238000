"""Chooses safe paths for notes in a folder. The paths are distinct even on file systems that ignore case."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import count
from pathlib import PurePosixPath

from graph_memory.memory.transfer.formats.memories.link_targets import comparison_key
from graph_memory.memory.transfer.formats.memories.note_files import MAX_DEPTH
from graph_memory.model.values.arguments import is_encodable

_MAX_PATH = 1_000
_MAX_PART_BYTES = 220
"""Maximum size of a name in bytes. File systems allow 255 bytes, and temporary files have slightly longer names."""
_MAX_TITLE_BYTES = 120
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028\u2029/\\:*?"<>|#^\[\]]+')
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\]")
_UNTITLED = "untitled"


def safe_path(path: object) -> PurePosixPath | None:
    """Return the value as a note's relative path inside a folder, or None if it is not a safe path.

    Hidden files, parent folders, and names that are too long are not safe.
    """
    if not isinstance(path, str) or len(path) > _MAX_PATH or not is_encodable(path) or _FORBIDDEN.search(path):
        return None
    parts = path.split("/")
    if len(parts) > MAX_DEPTH or not path.lower().endswith(".md") or len(parts[-1]) < len("x.md"):
        return None
    is_safe = all(part and not part.startswith(".") and len(part.encode()) <= _MAX_PART_BYTES for part in parts)
    return PurePosixPath(path) if is_safe else None


class PathChooser:
    """Chooses paths for new notes. No two paths differ only in case, and no note has the path of a folder."""

    def __init__(self, files: Iterable[PurePosixPath]) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()
        for path in files:
            self._take(path)

    def choose(self, name: str, wanted: object = None) -> PurePosixPath:
        """Return the wanted path if it is safe and unused. Otherwise, return a path derived from the entity's name."""
        path = safe_path(wanted)
        if path is None or not self._is_free(path):
            stem = _stem(name)
            candidates = (PurePosixPath(f"{stem}{f' ({number})' if number > 1 else ''}.md") for number in count(1))
            path = next(path for path in candidates if self._is_free(path))
        self._take(path)
        return path

    def _is_free(self, path: PurePosixPath) -> bool:
        key, *folders = _keys(path)
        return key not in self._files and key not in self._folders and self._files.isdisjoint(folders)

    def _take(self, path: PurePosixPath) -> None:
        key, *folders = _keys(path)
        self._files.add(key)
        self._folders.update(folders)


def _keys(path: PurePosixPath) -> list[str]:
    return [comparison_key(str(at)) for at in (path, *path.parents[:-1])]


def _stem(name: str) -> str:
    """Return a file name, without the extension, for an entity's name."""
    text = " ".join(_UNSAFE.sub("-", unicodedata.normalize("NFC", name)).split())
    cut = text.encode(errors="ignore")[:_MAX_TITLE_BYTES].decode(errors="ignore").strip(" .")
    return f"{cut}-" if _DEVICE.fullmatch(cut.partition(".")[0]) else cut or _UNTITLED
