"""Builds a primer within a token budget: the first sections first, with whole lines. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.memory.recall.rendering.sentence_selection import shortened
from graph_memory.memory.recall.rendering.wording import flat
from graph_memory.memory.search.text.bm25 import EMPTY_QUERY
from graph_memory.memory.search.token_budget import Room
from graph_memory.model.text.visible import visible

_CUT = "> … (cut: {} shows the whole text)"


@dataclass(slots=True)
class Primer(Room):
    """A text of sections within a token budget."""

    lines: list[str] = field(default_factory=list[str])
    left_out: int = 0

    @property
    def text(self) -> str:
        """The text so far."""
        return "\n".join(self.lines)

    def needed(self, sections: Mapping[str, Sequence[str]]) -> int:
        """Return the number of tokens of sections, given their lines by heading."""
        lines = [line for head, some in sections.items() for line in (*self._head(head), *some)]
        return sum(self.count(f"{line}\n") for line in lines)

    def section(self, head: str, lines: Sequence[str], room: int | None = None) -> int:
        """Add a section with as many of its lines as fit. Returns their number; adds nothing if no line fits.

        `room` limits the tokens of the section.
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
        """Add a quoted text in a share of the remaining tokens, cut if it does not fit. `how` shows the whole text."""
        aside = self.left - int(self.left * share)
        self.left -= aside
        lines = [*begins, *(f"> {visible(line)}" for line in text.splitlines())]
        before, number = self.left_out, self.section(head, lines)
        if number < len(lines):
            self.left_out = before + 1
            begun, cut = [] if number else [*self._head(head), *begins], _CUT.format(how)
            room = self.left - self.count("\n".join([*begun, "> ", cut, ""]))
            rest = flat(lines[max(number, len(begins))].removeprefix("> "))
            part = shortened(rest, EMPTY_QUERY, room, self.count)
            self._put([*begun, *([f"> {part}"] if part else []), cut])
        self.left += aside

    def _head(self, head: str) -> list[str]:
        return [*([""] if self.lines else []), f"## {head}"]

    def _put(self, parts: Sequence[str]) -> bool:
        if fits := self.take(self.count("\n".join([*parts, ""]))):
            self.lines += parts
        return fits
