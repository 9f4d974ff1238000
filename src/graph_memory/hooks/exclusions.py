"""Files that a project excludes from capture, listed in `.graph-memory-ignore` with the syntax of `.gitignore`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

FILE = ".graph-memory-ignore"
_LARGEST = 100_000
"""Maximum number of characters that are read of a file of rules."""
_WORD = re.compile(r"""[^\s"'`;|&<>()=]{1,4096}""")
_PART = re.compile(r"[^@:{},]+")
"""A part of a word, which may be a path, as in `host:path`, `@path` and `{path,path}`."""


@dataclass(frozen=True, slots=True)
class Exclusions:
    """The rules for a folder. Each rule has a pattern, and whether it includes paths that earlier rules exclude."""

    root: Path | None
    rules: Sequence[tuple[str, bool]] = ()

    @classmethod
    def of(cls, folder: Path) -> Exclusions:
        """Return the rules in the nearest file, in the folder or above it. An unreadable file excludes the project."""
        folder = Path(os.path.normpath(folder))
        for parent in (folder, *folder.parents):
            path = parent / FILE
            if path.is_file():
                text = "*"
                with suppress(OSError):  # a project with an unreadable file is excluded as a whole
                    text = path.read_text(encoding="utf-8", errors="replace")[:_LARGEST]
                return cls(parent, tuple(_parse(text)) or (("*", False),))
        return cls(None)

    @property
    def are_all(self) -> bool:
        """Whether the whole project is excluded, because its file has no rules or the rule `*`."""
        return any(pattern in ("*", "**", "/") and not again for pattern, again in self.rules)

    def mentions(self, text: str, folder: Path) -> bool:
        """Return whether the text, a path or a command, names an excluded path, possibly relative to `folder`."""
        if self.root is None or not self.rules:
            return False
        words = {*_WORD.findall(text[:_LARGEST])}
        words |= {part for word in words for part in _PART.findall(word)}
        paths = {os.path.normpath(start / word) for word in words for start in (folder, self.root)}
        return any(map(self._excludes, paths))

    def _excludes(self, path: str) -> bool:
        root = f"{self.root}".rstrip(os.sep) + os.sep
        if not os.path.normcase(path).startswith(os.path.normcase(root)):
            return False
        parts = PurePath(path[len(root) :]).parts
        is_excluded = False
        for pattern, again in self.rules:
            if _matches(parts, pattern):
                is_excluded = not again
        return is_excluded


def _parse(text: str) -> Iterator[tuple[str, bool]]:
    for line in text.splitlines():
        if (rule := line.strip()) and not rule.startswith("#"):
            yield rule.removeprefix("!"), rule.startswith("!")


def _matches(parts: Sequence[str], pattern: str) -> bool:
    """Return whether the pattern matches the path or a folder above it. `parts` is the path."""
    is_anchored = "/" in pattern.rstrip("/")
    bare = pattern.strip("/").removeprefix("**/")
    if not is_anchored or pattern.startswith("**/"):
        if "/" not in bare:
            return any(fnmatchcase(part, bare) for part in parts)
        starts = range(len(parts))
    else:
        starts = range(1)
    prefixes = ("/".join(parts[start:end]) for start in starts for end in range(start + 1, len(parts) + 1))
    return any(fnmatchcase(prefix, bare) for prefix in prefixes)
