"""Splits Markdown and plain text into sections, paragraphs and sentences. Fenced code is split as code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from graph_memory.memory.search.passages.code import code_units
from graph_memory.memory.search.passages.units import Level, Section, Unit, lines, sentences, units

_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*))?$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]|[ \t]*\|")
_MARKS = re.compile(r"!?\[([^\]\[]{0,500})\]\([^()\s]{0,2000}\)|\*\*|__|`")
_LONGEST_HEADING = 1_000


@dataclass(slots=True)
class _Sections:
    """The sections so far. A heading without text is joined with the next section."""

    closed: list[Section] = field(default_factory=list[Section])
    units: list[Unit] = field(default_factory=list[Unit])
    head: str = ""
    has_body: bool = False

    def open(self, head: str) -> None:
        if self.has_body:
            self.close()
        self.head = head

    def add(self, new_units: Iterator[Unit], *, is_body: bool = True) -> None:
        self.units.extend(new_units)
        self.has_body |= is_body

    def close(self) -> list[Section]:
        if self.units:
            self.closed.append(Section(self.head, self.units))
        self.units, self.has_body = [], False
        return self.closed


def plain(text: str) -> list[Section]:
    """Return a plain text as one section, or none if it is blank."""
    return [Section("", results)] if (results := list(prose_units(text, 0, len(text)))) else []


def prose_units(text: str, start: int, end: int) -> Iterator[Unit]:
    """Yield the sentences in a range of a text. Each paragraph begins a new sentence."""
    for first, last in _paragraphs(text, start, end):
        yield from _paragraph(text, first, last)


def markdown(text: str) -> list[Section]:
    """Return the sections of a Markdown text. Each begins with its heading."""
    sections = _Sections()
    for start, end, kind, head in _blocks(text):
        if kind == "heading":
            sections.open(head)
            sections.add(units(text, start, end, Level.PARAGRAPH), is_body=False)
        elif kind == "code":
            sections.add(code_units(text, start, end))
        else:
            sections.add(_paragraph(text, start, end))
    return sections.close()


def headings(text: str) -> Iterator[tuple[int, str]]:
    """Yield the headings of a Markdown text with their levels, from 1."""
    for start, end, kind, head in _blocks(text):
        if kind == "heading" and head:
            line = text[start:end].lstrip()
            marks = len(line) - len(line.lstrip("#"))
            yield marks or (1 if line.rstrip().endswith("=") else 2), head


def shown_heading(text: str) -> str:
    """Return the text of a heading without Markdown."""
    shown = " ".join(_MARKS.sub(r"\1", text[:_LONGEST_HEADING]).split())
    closed = shown.rstrip("#")
    return closed.rstrip() if closed[-1:] in ("", " ") else shown


def _paragraphs(text: str, begin: int, stop: int) -> Iterator[tuple[int, int]]:
    first = last = -1
    for start, end in lines(text, begin, stop):
        is_blank = text[start:end].isspace()
        if first >= 0 and (is_blank or start > last + 1):
            yield first, last
            first = -1
        if not is_blank:
            first = start if first < 0 else first
        last = end
    if first >= 0:
        yield first, last


def _blocks(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield start, end, kind and heading text of each heading, code block and paragraph of a Markdown text."""
    fence, opened = "", 0
    first = last = one_line = -1
    for start, end in lines(text, 0, len(text)):
        line = text[start:end]
        if fence:
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                yield opened, end, "code", ""
                fence = ""
            continue
        is_apart = first >= 0 and start > last + 1
        match, marked = _FENCE.match(line), _HEADING.match(line)
        if first >= 0 and (is_apart or match or marked or line.isspace()):
            yield first, last, "prose", ""
            first = -1
        if match:
            fence, opened = match[1], start
        elif marked:
            yield start, end, "heading", shown_heading(marked[1] or "")
        elif first >= 0 and last == one_line and _UNDERLINE.match(line):
            yield first, end, "heading", shown_heading(text[first:last])
            first = -1
        elif first < 0 and not line.isspace():
            first, one_line = start, end
        last = end
    if fence:
        yield opened, len(text), "code", ""
    elif first >= 0:
        yield first, last, "prose", ""


def _paragraph(text: str, start: int, end: int) -> Iterator[Unit]:
    """Yield the sentences of a paragraph. A list item or table row always begins a new sentence."""
    level, begun = Level.PARAGRAPH, start
    for line, _ in lines(text, start, end):
        if line > begun and _ITEM.match(text, line, end):
            yield from sentences(text, begun, line, level)
            level, begun = Level.LINE, line
    yield from sentences(text, begun, end, level)
