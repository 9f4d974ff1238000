"""Finds the note that a link refers to, by path, title, end of the path, or alias. Does no I/O."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from pathlib import PurePosixPath

from graph_memory.memory.transfer.formats.memories.notes import Link

_ATTACHMENT = re.compile(
    r".*\.(avif|bmp|gif|heic|jpe?g|png|svg|tiff?|webp|3gp|aac|flac|m4a|mp3|og[ag]|opus|wav|webm|avi|m4v|mkv|mov|mp4"
    r"|mpeg|ogv|pdf|canvas|base|docx?|od[tsp]|pptx?|xlsx?|zip)",
    re.IGNORECASE | re.DOTALL,
)
"""Names of files that are certainly not notes. A link to such a file is ignored even if the file is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkNames:
    """The names that links can use for a note."""

    path: PurePosixPath
    title: str
    permalink: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def by_precedence(self) -> tuple[list[str], ...]:
        """The names in order of precedence: path, title, end of the path, aliases."""
        parts = self.path.with_suffix("").parts
        ends = ["/".join(parts[at:]) for at in range(len(parts) - 1, 0, -1)] or [parts[-1]]
        return ["/".join(parts), self.permalink.strip("/")], [self.title], ends, list(self.aliases)


@dataclass(slots=True)
class LinkTargets:
    """The notes and other files of a folder, which are the possible targets of links."""

    others: set[str] = field(default_factory=set[str])
    """Paths and names of the files that are not notes, in a form that ignores case."""
    targets: dict[tuple[bool, str], str] = field(default_factory=dict[tuple[bool, str], str])
    """The note for each name in a link: as written, and regardless of case."""

    def add_other(self, path: PurePosixPath) -> None:
        """Add a file that is not a note as a possible target of links."""
        self.others |= {comparison_key(str(path)), comparison_key(path.name)}

    def index(self, notes: Iterable[tuple[LinkNames, str]]) -> None:
        """Map each name to its note. If several notes have the same name, precedence decides, then order."""
        ranked = [(names.by_precedence, note) for names, note in notes]
        for rank in range(len(ranked[0][0])) if ranked else ():
            for names_by_rank, note in ranked:
                for key in chain.from_iterable(map(_keys, names_by_rank[rank])):
                    self.targets.setdefault(key, note)

    def find(self, link: Link, path: PurePosixPath) -> str | None:
        """Return the target of a link in the note at `path`, or None if the target is not a note."""
        near, far = _places(link, path)
        names = chain.from_iterable(zip(near, far, strict=True))
        return next((self.targets[key] for name in names for key in _keys(name) if key in self.targets), None)

    def missing_name(self, link: Link, path: PurePosixPath) -> str | None:
        """Return the name of the missing note that a link refers to.

        Returns None for links to other files or to targets outside the folder.
        """
        near, far = _places(link, path)
        if any(comparison_key(name) in self.others or _ATTACHMENT.fullmatch(name) for name in (*near, *far)):
            return None
        if not far or (link.is_path and not link.is_markdown_path):
            return None
        return unicodedata.normalize("NFC", posixpath.normpath(f"/{near[-1]}")[1:] if link.is_path else far[-1])


def _places(link: Link, path: PurePosixPath) -> tuple[list[str], list[str]]:
    """Return the possible targets of a link, relative to the folder of its note, and relative to the root folder."""
    near = [posixpath.normpath(f"{path.parent}/{name}") for name in link.names]
    return near, [name.lstrip("/") for name in link.names]


def comparison_key(name: str) -> str:
    """Return a name or path in a form that ignores case and the encoding of accents."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _keys(name: str) -> tuple[tuple[bool, str], tuple[bool, str]]:
    return (True, unicodedata.normalize("NFC", name)), (False, comparison_key(name))
