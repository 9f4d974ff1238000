"""Data in text: JSON, YAML and tables, by lines, rows and values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graph_memory.memory.recall.splitting.units import Level, Section, Unit, first_words, lines, one_section, units

_VALUE = re.compile(r"[^,\n]*,|[^,\n]+|\n")
_HEADER_WORDS = 30


def table(text: str) -> list[Section]:
    """Return the rows of a table under its first one."""
    rows = [unit for start, end in lines(text, 0, len(text)) for unit in units(text, start, end, Level.LINE)]
    header = next((text[start:end] for start, end in lines(text, 0, len(text))), "")
    return one_section(rows, first_words(header, 0, _HEADER_WORDS)) if rows else []


def yaml(text: str) -> list[Section]:
    """Return the lines of a text; those at the margin begin a paragraph."""
    return one_section(_indented(text))


def json(text: str) -> list[Section]:
    """Return the values of a text, and where it is one value a line, its lines; an object begins a paragraph."""
    return one_section(_values(text))


def _indented(text: str) -> Iterator[Unit]:
    for start, end in lines(text, 0, len(text)):
        yield from units(text, start, end, Level.LINE if text[start].isspace() else Level.PARAGRAPH)


def _values(text: str) -> Iterator[Unit]:
    for found in _VALUE.finditer(text):
        is_object = found[0].lstrip(" \t[}]").startswith("{")
        yield from units(text, *found.span(), Level.PARAGRAPH if is_object else Level.LINE)
