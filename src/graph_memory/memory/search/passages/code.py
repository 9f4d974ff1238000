"""Splits code into sections, one per definition at the left margin, and sections into lines.

It uses no parser, because each language would need a compiled grammar package. Passages only need the start of each
definition. In any indented language, a keyword at the margin marks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from graph_memory.memory.search.passages.units import (
    BoundaryLevel,
    Section,
    TextRange,
    first_words,
    line_ranges,
    split_into_units,
)

LANGUAGES = frozenset(
    """
    bash c clj clojure code cpp cs csharp css cxx cypher dart dockerfile elixir erlang ex exs fish fs fsharp go golang
    gradle graphql groovy h haskell hcl hpp hs java javascript jl js jsx julia kotlin kt kts less lisp lua makefile mjs
    nim objc ocaml perl php pl powershell proto ps1 py python r rb rs ruby rust scala scheme scss sh shell solidity sql
    svelte swift terraform tf ts tsx typescript vb verilog vhdl vue zig zsh
    """.split()  # noqa: SIM905 - a list is harder to read
)
_DEFINITION = re.compile(
    r"""[ \t]*
    (?:(?:export|default|public|private|protected|internal|static|final|abstract|sealed|async|pub(?:\([a-z]+\))?|unsafe|
          extern|inline|virtual|override|open|data|partial|constexpr|template\s*<[^>\n]*>)\s+){0,6}
    (?:(?:def|class|func|function\*?|fn|fun|interface|struct|enum|trait|impl|module|namespace|record|object|protocol|
          extension|union|defmodule|defn|sub|proc|macro_rules!|type)\b
      |create\s+(?:or\s+replace\s+)?(?:table|view|function|procedure|index|trigger|constraint)\b
      |(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:function\b|\([^()\n]*\)\s*=>)
      |[A-Za-z_][\w:<>*&,\[\] \t]{0,100}[\s*&]\w[\w:~]{0,80}\s*\([^;\n]{0,300}\)\s*(?:const\s*)?\{\s*$)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LEADING_LINE = re.compile(r"@|#|//|/\*|\s?\*|--|'''|\"\"\"")
"""The start of a line that belongs to the definition below it: a decorator or a comment."""
_HEAD_WORDS = 20
_MAX_LINE_LENGTH = 1_000


def split_code(text: str) -> list[Section]:
    """Return the sections of code: one per definition at the left margin, and one per range between definitions."""
    starts = [0, *_definition_starts(text), len(text)]
    sections = [
        Section(_signature(text, first, after), list(code_units(text, first, after)))
        for first, after in pairwise(starts)
        if first < after
    ]
    return [section for section in sections if section.units]


def code_units(text: str, start: int, end: int) -> Iterator[TextRange]:
    """Yield the text range of each line of code. A definition, or a line after an empty line, starts a paragraph."""
    previous_end = start
    for first, after in line_ranges(text, start, end):
        line = text[first:after]
        if line.isspace():
            continue
        starts_paragraph = first == start or first > previous_end + 1 or _is_definition(line)
        level = BoundaryLevel.PARAGRAPH if starts_paragraph else BoundaryLevel.LINE
        yield from split_into_units(text, first, after, level)
        previous_end = after


def _definition_starts(text: str) -> Iterator[int]:
    """Yield the start of each definition at the left margin, including comments and decorators above it."""
    leading_start = -1
    previous_end = 0
    for start, end in line_ranges(text, 0, len(text)):
        line = text[start:end]
        if start > previous_end + 1:
            leading_start = -1
        if not line[0].isspace() and _is_definition(line):
            yield leading_start if leading_start >= 0 else start
            leading_start = -1
        elif _LEADING_LINE.match(line):
            leading_start = start if leading_start < 0 else leading_start
        else:
            leading_start = -1
        previous_end = end


def _is_definition(line: str) -> bool:
    return len(line) <= _MAX_LINE_LENGTH and _DEFINITION.match(line) is not None


def _signature(text: str, start: int, end: int) -> str:
    """Return the first line of the definition, or "" if there is none."""
    for first, after in line_ranges(text, start, end):
        line = text[first:after]
        if _is_definition(line):
            return first_words(line, 0, _HEAD_WORDS).rstrip("{: ")
        if not _LEADING_LINE.match(line):
            break
    return ""
