"""Chooses how to split a text, from its format and its content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graph_memory.memory.search.passages.code import LANGUAGES, split_code
from graph_memory.memory.search.passages.conversation import parse_transcript, split_turns
from graph_memory.memory.search.passages.prose import split_markdown, split_plain_text
from graph_memory.memory.search.passages.units import (
    BoundaryLevel,
    Section,
    TextRange,
    first_words,
    line_ranges,
    split_into_units,
)

_MARKDOWN = frozenset({"markdown", "md", "mdx", "commonmark", "gfm"})
_YAML = frozenset({"yaml", "yml", "toml", "ini", "properties", "env", "conf"})
_TABLES = frozenset({"csv", "tsv", "comma-separated-values", "tab-separated-values"})
_JSON = frozenset({"json", "jsonl", "ndjson", "json5", "geojson"})


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its sections. A JSON conversation is rendered as text without the JSON syntax."""

    text: str
    sections: list[Section]


def is_markdown(content_format: str) -> bool:
    """Return whether texts in this format have Markdown headings."""
    return _short_name(content_format) in _MARKDOWN


def split_text(text: str, content_format: str) -> Document:
    """Return a text with its sections, split according to its format. Unknown formats are split as plain text."""
    format_name = _short_name(content_format)
    if format_name in LANGUAGES:
        return Document(text, split_code(text))
    if format_name in _YAML:
        return Document(text, [Section("", list(_split_lines(text)))])
    if format_name in _TABLES:
        return Document(text, _split_table(text))
    if text.lstrip()[:1] in ("[", "{") and (conversation := parse_transcript(text)) is not None:
        return Document(*conversation)
    if format_name in _JSON:
        return Document(text, [Section("", list(_split_values(text)))])
    sections = split_turns(text)
    if sections is not None:
        return Document(text, sections)
    return Document(text, split_markdown(text) if format_name in _MARKDOWN else split_plain_text(text))


def _short_name(content_format: str) -> str:
    """Return the short name of a format: `markdown` for `text/markdown; charset=utf-8`, `md` for `.md`."""
    return content_format.partition(";")[0].rpartition("/")[2].strip().removeprefix("x-").lstrip(".").casefold()


_VALUE = re.compile(r"[^,\n]*,|[^,\n]+|\n")
_HEADER_WORDS = 30


def _split_table(text: str) -> list[Section]:
    """Return a table's rows as one section. Its head is the first row."""
    rows = [
        unit
        for start, end in line_ranges(text, 0, len(text))
        for unit in split_into_units(text, start, end, BoundaryLevel.LINE)
    ]
    header = next((text[start:end] for start, end in line_ranges(text, 0, len(text))), "")
    return [Section(first_words(header, 0, _HEADER_WORDS), rows)] if rows else []


def _split_lines(text: str) -> Iterator[TextRange]:
    """Yield the lines of a YAML text. Each line that is not indented begins a paragraph."""
    for start, end in line_ranges(text, 0, len(text)):
        level = BoundaryLevel.LINE if text[start].isspace() else BoundaryLevel.PARAGRAPH
        yield from split_into_units(text, start, end, level)


def _split_values(text: str) -> Iterator[TextRange]:
    """Yield the values of a JSON text, or the lines of JSON Lines. Each object begins a paragraph."""
    for match in _VALUE.finditer(text):
        is_object = match[0].lstrip(" \t[}]").startswith("{")
        yield from split_into_units(text, *match.span(), BoundaryLevel.PARAGRAPH if is_object else BoundaryLevel.LINE)
