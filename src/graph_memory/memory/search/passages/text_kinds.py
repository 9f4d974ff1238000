"""Chooses how a text is split, by the format and the text itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graph_memory.memory.search.passages.code import LANGUAGES, code
from graph_memory.memory.search.passages.conversation import transcript, turns
from graph_memory.memory.search.passages.prose import markdown, plain
from graph_memory.memory.search.passages.units import Level, Section, Unit, first_words, lines, one_section, units

_MARKDOWN = frozenset({"markdown", "md", "mdx", "commonmark", "gfm"})
_YAML = frozenset({"yaml", "yml", "toml", "ini", "properties", "env", "conf"})
_TABLES = frozenset({"csv", "tsv", "comma-separated-values", "tab-separated-values"})
_JSON = frozenset({"json", "jsonl", "ndjson", "json5", "geojson"})


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its sections. For a conversation in JSON, the text differs from the content."""

    text: str
    sections: list[Section]


def is_markdown(content_format: str) -> bool:
    """Return whether a format has Markdown headings."""
    return _short_name(content_format) in _MARKDOWN


def split(text: str, content_format: str) -> Document:
    """Return the sections of a text. An unknown format is plain text."""
    word = _short_name(content_format)
    if word in LANGUAGES:
        return Document(text, code(text))
    if word in _YAML:
        return Document(text, yaml(text))
    if word in _TABLES:
        return Document(text, table(text))
    if text.lstrip()[:1] in ("[", "{") and (spoken := transcript(text)) is not None:
        return Document(*spoken)
    if word in _JSON:
        return Document(text, json(text))
    sections = turns(text)
    if sections is not None:
        return Document(text, sections)
    return Document(text, markdown(text) if word in _MARKDOWN else plain(text))


def _short_name(content_format: str) -> str:
    """Return the short name of a format: `markdown` for `text/markdown; charset=utf-8`, `md` for `.md`."""
    return content_format.partition(";")[0].rpartition("/")[2].strip().removeprefix("x-").lstrip(".").casefold()


_VALUE = re.compile(r"[^,\n]*,|[^,\n]+|\n")
_HEADER_WORDS = 30


def table(text: str) -> list[Section]:
    """Return the rows of a table as one section, headed by its first row."""
    rows = [unit for start, end in lines(text, 0, len(text)) for unit in units(text, start, end, Level.LINE)]
    header = next((text[start:end] for start, end in lines(text, 0, len(text))), "")
    return one_section(rows, first_words(header, 0, _HEADER_WORDS)) if rows else []


def yaml(text: str) -> list[Section]:
    """Return the lines of a YAML text as one section. Each unindented line begins a paragraph."""
    return one_section(_split_lines(text))


def json(text: str) -> list[Section]:
    """Return the values of a JSON text, or the lines of JSON Lines, as one section. Each object begins a paragraph."""
    return one_section(_split_values(text))


def _split_lines(text: str) -> Iterator[Unit]:
    for start, end in lines(text, 0, len(text)):
        yield from units(text, start, end, Level.LINE if text[start].isspace() else Level.PARAGRAPH)


def _split_values(text: str) -> Iterator[Unit]:
    for match in _VALUE.finditer(text):
        is_object = match[0].lstrip(" \t[}]").startswith("{")
        yield from units(text, *match.span(), Level.PARAGRAPH if is_object else Level.LINE)
