"""The pages of the documentation, and the blocks of code in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


@dataclass(frozen=True)
class Block:
    """A block of code, where it stands and what it says."""

    page: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(*languages: str) -> list[Block]:
    """Return the blocks of these languages on all pages."""
    return [
        Block(page, text.count("\n", 0, match.start()) + 1, match[2])
        for page in PAGES
        for text in [page.read_text(encoding="utf-8")]
        for match in _BLOCK.finditer(text)
        if match[1] in languages
    ]


def inline() -> Iterator[Block]:
    """Give the pieces of code within the text of all pages."""
    for page in PAGES:
        for number, line in enumerate(_BLOCK.sub("", page.read_text(encoding="utf-8")).splitlines(), start=1):
            yield from (Block(page, number, code) for code in _INLINE.findall(line))
