"""Builds a primer within a token budget. Earlier sections take precedence, and lines are never cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.memory.recall.rendering.sentence_selection import select_sentences
from graph_memory.memory.recall.rendering.wording import flatten
from graph_memory.memory.search.text.bm25 import EMPTY_QUERY
from graph_memory.memory.search.token_budget import RemainingTokens
from graph_memory.model.text.visible import to_visible

_CUT = "> … (cut: {} shows the whole text)"


@dataclass(slots=True)
class Primer(RemainingTokens):
    """A text made of sections, within a token budget."""

    lines: list[str] = field(default_factory=list[str])
    left_out: int = 0

    @property
    def text(self) -> str:
        """The sections that were added so far, as one text."""
        return "\n".join(self.lines)

    def count_sections(self, sections: Mapping[str, Sequence[str]]) -> int:
        """Return the number of tokens of sections. `sections` maps headings to lines."""
        lines = [line for head, section_lines in sections.items() for line in (*self._head(head), *section_lines)]
        return sum(self.count(f"{line}\n") for line in lines)

    def add_section(self, head: str, lines: Sequence[str], room: int | None = None) -> int:
        """Add a section with as many of its lines as fit. Returns the number of lines added. Adds nothing if none fits.

        `room` is the maximum number of tokens of the section.
        """
        reserved = 0 if room is None else max(self.left - room, 0)
        self.left -= reserved
        added_count = 0
        for line in lines:
            if not self._add_lines([line] if added_count else [*self._head(head), line]):
                break
            added_count += 1
        self.left_out += len(lines) - added_count
        self.left += reserved
        return added_count

    def add_quotation(
        self, head: str, text: str, how: str, first_lines: Sequence[str] = (), share: float = 1.0
    ) -> None:
        """Add a quoted text within a share of the remaining tokens.

        If the text is cut, a note mentions `how`, the call that returns the whole text.
        """
        reserved = self.left - int(self.left * share)
        self.left -= reserved
        lines = [*first_lines, *(f"> {to_visible(line)}" for line in text.splitlines())]
        omitted_before, number = self.left_out, self.add_section(head, lines)
        if number < len(lines):
            self.left_out = omitted_before + 1
            opening, note = [] if number else [*self._head(head), *first_lines], _CUT.format(how)
            room = self.left - self.count("\n".join([*opening, "> ", note, ""]))
            next_line = flatten(lines[max(number, len(first_lines))].removeprefix("> "))
            part = select_sentences(next_line, EMPTY_QUERY, room, self.count)
            self._add_lines([*opening, *([f"> {part}"] if part else []), note])
        self.left += reserved

    def _head(self, head: str) -> list[str]:
        return [*([""] if self.lines else []), f"## {head}"]

    def _add_lines(self, parts: Sequence[str]) -> bool:
        if fits := self.deduct(self.count("\n".join([*parts, ""]))):
            self.lines += parts
        return fits
