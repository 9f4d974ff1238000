"""A primer put together within so many tokens: the first sections first, each line whole. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.memory.recall.rendering.sentence_selection import shortened
from graph_memory.memory.recall.rendering.wording import flat
from graph_memory.memory.search.text.bm25 import NOTHING_ASKED
from graph_memory.memory.search.token_budget import Room
from graph_memory.model.text.visible import visible

_CUT = "> … (cut: {} shows all of it)"


@dataclass(slots=True)
class Primer(Room):
    """A text of sections that takes so many tokens at most."""

    lines: list[str] = field(default_factory=list[str])
    left_out: int = 0

    @property
    def text(self) -> str:
        """The text."""
        return "\n".join(self.lines)

    def needed(self, sections: Mapping[str, Sequence[str]]) -> int:
        """Return how many tokens sections take, given their lines by their heads."""
        lines = [line for head, some in sections.items() for line in (*self._head(head), *some)]
        return sum(self.count(f"{line}\n") for line in lines)

    def section(self, head: str, lines: Sequence[str], room: int | None = None) -> int:
        """Put a section, with as many of its lines as there is room for, and return how many; none if not one fits.

        With `room` it takes at most so many tokens.
        """
        aside = 0 if room is None else max(self.left - room, 0)
        self.left -= aside
        place = 0
        for line in lines:
            if not self._put([line] if place else [*self._head(head), line]):
                break
            place += 1
        self.left_out += len(lines) - place
        self.left += aside
        return place

    def quotation(self, head: str, text: str, how: str, begins: Sequence[str] = (), share: float = 1.0) -> None:
        """Put a text in quotation in a share of what is left, cut where it does not fit; `how` shows all of it."""
        aside = self.left - int(self.left * share)
        self.left -= aside
        lines = [*begins, *(f"> {visible(line)}" for line in text.splitlines())]
        before, number = self.left_out, self.section(head, lines)
        if number < len(lines):
            self.left_out = before + 1
            begun, cut = [] if number else [*self._head(head), *begins], _CUT.format(how)
            room = self.left - self.count("\n".join([*begun, "> ", cut, ""]))
            rest = flat(lines[max(number, len(begins))].removeprefix("> "))
            part = shortened(rest, NOTHING_ASKED, room, self.count)
            self._put([*begun, *([f"> {part}"] if part else []), cut])
        self.left += aside

    def _head(self, head: str) -> list[str]:
        return [*([""] if self.lines else []), f"## {head}"]

    def _put(self, parts: Sequence[str]) -> bool:
        if fits := self.take(self.count("\n".join([*parts, ""]))):
            self.lines += parts
        return fits
