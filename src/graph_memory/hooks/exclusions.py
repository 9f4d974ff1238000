"""Files that a project excludes from capture: `.graph-memory-ignore`, with the syntax of `.gitignore`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

FILE = ".graph-memory-ignore"
_MAX_CHARACTERS = 100_000
"""Maximum number of characters that are read from a file of rules, and from a searched text."""
_WORD = re.compile(r"""[^\s"'`;|&<>()=]{1,4096}""")
_PART = re.compile(r"[^@:{},]+")
"""A part of a word that may be a path, as in `host:path`, `@path` and `{path,path}`."""


@dataclass(frozen=True, slots=True)
class Exclusions:
    """A folder's exclusion rules: pairs of a pattern, and whether it re-includes paths that earlier rules exclude."""

    root: Path | None
    rules: Sequence[tuple[str, bool]] = ()

    @classmethod
    def of(cls, folder: Path) -> Exclusions:
        """Return the rules from the nearest file, in the folder or above it.

        An unreadable file excludes the whole project.
        """
        folder = Path(os.path.normpath(folder))
        for parent in (folder, *folder.parents):
            path = parent / FILE
            if path.is_file():
                text = "*"
                with suppress(OSError):  # a project with an unreadable file is excluded as a whole
                    text = path.read_text(encoding="utf-8", errors="replace")[:_MAX_CHARACTERS]
                lines = filter(None, map(str.strip, text.splitlines()))
                rules = [(line.removeprefix("!"), line.startswith("!")) for line in lines if not line.startswith("#")]
                return cls(parent, tuple(rules) or (("*", False),))
        return cls(None)

    @property
    def are_all(self) -> bool:
        """Whether the whole project is excluded, because its file has no rules or the rule `*`."""
        return any(pattern in ("*", "**", "/") and not is_inclusion for pattern, is_inclusion in self.rules)

    def mentions(self, text: str, folder: Path) -> bool:
        """Return whether the text, a path or a command, contains an excluded path.

        Paths may be relative to `folder`.
        """
        if self.root is None or not self.rules:
            return False
        words = {*_WORD.findall(text[:_MAX_CHARACTERS])}
        words |= {part for word in words for part in _PART.findall(word)}
        paths = {os.path.normpath(start / word) for word in words for start in (folder, self.root)}
        return any(map(self._excludes, paths))

    def _excludes(self, path: str) -> bool:
        root = f"{self.root}".rstrip(os.sep) + os.sep
        if not os.path.normcase(path).startswith(os.path.normcase(root)):
            return False
        parts = PurePath(path[len(root) :]).parts
        is_excluded = False
        for pattern, is_inclusion in self.rules:
            if _matches(parts, pattern):
                is_excluded = not is_inclusion
        return is_excluded


def _matches(parts: Sequence[str], pattern: str) -> bool:
    """Return whether the pattern matches the path or a folder above it. `parts` are the path's segments."""
    is_anchored = "/" in pattern.rstrip("/")
    clean_pattern = pattern.strip("/").removeprefix("**/")
    if not is_anchored or pattern.startswith("**/"):
        if "/" not in clean_pattern:
            return any(fnmatchcase(part, clean_pattern) for part in parts)
        starts = range(len(parts))
    else:
        starts = range(1)
    prefixes = ("/".join(parts[start:end]) for start in starts for end in range(start + 1, len(parts) + 1))
    return any(fnmatchcase(prefix, clean_pattern) for prefix in prefixes)
