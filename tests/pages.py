"""The pages of the documentation, and the blocks of code in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

ANY = "…"
"""On a page, it stands for any text within a line. Alone on a line, it stands for any number of lines."""
FILE = re.compile(r"`(\w+\.yaml)`:\n\n```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)

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


@dataclass(frozen=True)
class Step:
    """A command on a page, and the output that the page shows."""

    place: str
    command: str
    output: str


def steps_of(page: Path) -> Iterator[Step]:
    """Yield the commands in the console blocks of a page."""
    for block in blocks("console"):
        if block.page == page:
            for part in ("\n" + block.text).split("\n$ ")[1:]:
                command, _, output = part.partition("\n")
                yield Step(str(block), command, output)


def pattern_of(text: str) -> str:
    """Return a regular expression for the text on a page."""
    lines = [r"(?:.*\n)*?" if line == ANY else f"{_within(line)}\n" for line in text.rstrip("\n").splitlines()]
    return "".join(lines)


def _within(line: str) -> str:
    return re.sub(r"(?:\\ )+", r" +", re.escape(line)).replace(re.escape(ANY), ".*?")


def complete(command: str, before: str) -> str:
    """Return the command, with text from the output before it where the page has an ellipsis.

    `mem_…` is the first such id in the output. Otherwise, the command is a line of the output.
    """
    if ANY not in command:
        return command
    wanted = re.search(rf"\w+_{ANY}", command)
    match = re.search(_within(wanted[0] if wanted else command).replace(".*?", r"\w+" if wanted else r"\S+"), before)
    assert match, f"no such text before: {command}\n{before}"
    return command.replace(wanted[0], match[0]) if wanted else match[0]
