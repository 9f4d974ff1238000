"""Splits Markdown and plain text into sections, paragraphs and sentences. Fenced code is split like code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from graph_memory.memory.search.passages.code import code_units
from graph_memory.memory.search.passages.units import (
    BoundaryLevel,
    Section,
    TextRange,
    line_ranges,
    sentence_units,
    split_into_units,
)

_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*))?$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]|[ \t]*\|")
_MARKS = re.compile(r"!?\[([^\]\[]{0,500})\]\([^()\s]{0,2000}\)|\*\*|__|`")
_LONGEST_HEADING = 1_000


@dataclass(slots=True)
class _Sections:
    """Collects a text's sections. A heading without text is joined with the next section."""

    closed: list[Section] = field(default_factory=list[Section])
    units: list[TextRange] = field(default_factory=list[TextRange])
    head: str = ""
    has_body: bool = False

    def open(self, head: str) -> None:
        if self.has_body:
            self.close()
        self.head = head

    def add(self, new_units: Iterator[TextRange], *, is_body: bool = True) -> None:
        self.units.extend(new_units)
        self.has_body |= is_body

    def close(self) -> list[Section]:
        if self.units:
            self.closed.append(Section(self.head, self.units))
        self.units, self.has_body = [], False
        return self.closed


def split_plain_text(text: str) -> list[Section]:
    """Return a plain text as one section, or no section if the text is blank."""
    return [Section("", results)] if (results := list(prose_units(text, 0, len(text)))) else []


def prose_units(text: str, start: int, end: int) -> Iterator[TextRange]:
    """Yield the sentences in a text range. A new paragraph always begins a new sentence."""
    for first, last in _paragraphs(text, start, end):
        yield from _split_sentences(text, first, last)


def split_markdown(text: str) -> list[Section]:
    """Return the sections of a Markdown text. Each begins with its heading."""
    sections = _Sections()
    for start, end, kind, head in _blocks(text):
        if kind == "heading":
            sections.open(head)
            sections.add(split_into_units(text, start, end, BoundaryLevel.PARAGRAPH), is_body=False)
        elif kind == "code":
            sections.add(code_units(text, start, end))
        else:
            sections.add(_split_sentences(text, start, end))
    return sections.close()


def headings(text: str) -> Iterator[tuple[int, str]]:
    """Yield the headings of a Markdown text with their levels, from 1."""
    for start, end, kind, head in _blocks(text):
        if kind == "heading" and head:
            line = text[start:end].lstrip()
            marks = len(line) - len(line.lstrip("#"))
            yield marks or (1 if line.rstrip().endswith("=") else 2), head


def shown_heading(text: str) -> str:
    """Return a heading's text without Markdown markup."""
    shown = " ".join(_MARKS.sub(r"\1", text[:_LONGEST_HEADING]).split())
    without_hashes = shown.rstrip("#")
    return without_hashes.rstrip() if without_hashes[-1:] in ("", " ") else shown


def _paragraphs(text: str, begin: int, stop: int) -> Iterator[tuple[int, int]]:
    paragraph_start = previous_end = -1
    for start, end in line_ranges(text, begin, stop):
        is_blank = text[start:end].isspace()
        if paragraph_start >= 0 and (is_blank or start > previous_end + 1):
            yield paragraph_start, previous_end
            paragraph_start = -1
        if not is_blank:
            paragraph_start = start if paragraph_start < 0 else paragraph_start
        previous_end = end
    if paragraph_start >= 0:
        yield paragraph_start, previous_end


def _blocks(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield the start, end, kind and heading text of each heading, code block and paragraph in a Markdown text."""
    fence, fence_start = "", 0
    paragraph_start = previous_end = first_line_end = -1
    for start, end in line_ranges(text, 0, len(text)):
        line = text[start:end]
        if fence:
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                yield fence_start, end, "code", ""
                fence = ""
            continue
        follows_gap = paragraph_start >= 0 and start > previous_end + 1
        fence_match, heading_match = _FENCE.match(line), _HEADING.match(line)
        if paragraph_start >= 0 and (follows_gap or fence_match or heading_match or line.isspace()):
            yield paragraph_start, previous_end, "prose", ""
            paragraph_start = -1
        if fence_match:
            fence, fence_start = fence_match[1], start
        elif heading_match:
            yield start, end, "heading", shown_heading(heading_match[1] or "")
        elif paragraph_start >= 0 and previous_end == first_line_end and _UNDERLINE.match(line):
            yield paragraph_start, end, "heading", shown_heading(text[paragraph_start:previous_end])
            paragraph_start = -1
        elif paragraph_start < 0 and not line.isspace():
            paragraph_start, first_line_end = start, end
        previous_end = end
    if fence:
        yield fence_start, len(text), "code", ""
    elif paragraph_start >= 0:
        yield paragraph_start, previous_end, "prose", ""


def _split_sentences(text: str, start: int, end: int) -> Iterator[TextRange]:
    """Yield the sentences of a paragraph. A list item or table row always begins a new sentence."""
    level, sentence_start = BoundaryLevel.PARAGRAPH, start
    for line_start, _ in line_ranges(text, start, end):
        if line_start > sentence_start and _ITEM.match(text, line_start, end):
            yield from sentence_units(text, sentence_start, line_start, level)
            level, sentence_start = BoundaryLevel.LINE, line_start
    yield from sentence_units(text, sentence_start, end, level)
