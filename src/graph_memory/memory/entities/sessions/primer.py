"""A primer put together within so many tokens: the first sections first, each line whole. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Count = Callable[[str], int]
_CUT = "> … (cut: get_block shows all of it)"


@dataclass(slots=True)
class Primer:
    """A text of sections that takes so many tokens at most."""

    most: int
    count: Count
    lines: list[str] = field(default_factory=list[str])
    tokens: int = 0
    left_out: int = 0

    @property
    def left(self) -> int:
        """The tokens that are left."""
        return self.most - self.tokens

    @property
    def text(self) -> str:
        """The text."""
        return "\n".join(self.lines)

    def section(self, head: str, lines: Sequence[str]) -> None:
        """Put a section, with as many of its lines as there is room for; none if not even the first fits."""
        is_there = False
        for place, line in enumerate(lines):
            parts = [line] if is_there else [*([""] if self.lines else []), f"## {head}", line]
            if not self._put(parts):
                self.left_out += len(lines) - place
                return
            is_there = True

    def block(self, label: str, text: str) -> None:
        """Put a block in quotation, cut where it does not fit."""
        before = self.left_out
        self.section(label, [f"> {line}" for line in text.splitlines()])
        if self.left_out > before:
            self.left_out = before + 1
            self._put([_CUT])

    def _put(self, parts: Sequence[str]) -> bool:
        needed = self.count("\n".join([*parts, ""]))
        if self.tokens + needed > self.most:
            return False
        self.lines += parts
        self.tokens += needed
        return True
