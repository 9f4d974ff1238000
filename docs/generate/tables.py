"""What the pages are made of: headings, tables, code, and the sentences of an enumeration."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import pairwise

Lines = Iterator[str]


def text(title: str, introduction: str) -> Lines:
    """Give the beginning of a page."""
    yield from (f"# {title}", *introduction.splitlines(), "")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Lines:
    """Give a table and the empty line behind it, without columns that are empty; nothing when there are no rows."""
    cells = [[cell.replace("|", r"\|").replace("\n", " ") for cell in row] for row in rows]
    filled = [place for place in range(len(columns)) if any(row[place] for row in cells)]
    if cells:
        yield f"| {' | '.join(columns[place] for place in filled)} |"
        yield "|" + "---|" * len(filled)
        yield from (f"| {' | '.join(row[place] for place in filled)} |" for row in cells)
        yield ""


def code(value: object) -> str:
    """Return a value as code; nothing for nothing."""
    return f"`{value}`" if str(value) else ""


def sentences(kind: type[Enum]) -> dict[str, str]:
    """Return the members of an enumeration with the sentence below each in the source."""
    (declared,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    body = declared.body if isinstance(declared, ast.ClassDef) else []
    return {
        ast.unparse(member.targets[0]): ast.literal_eval(sentence.value)
        for member, sentence in pairwise(body)
        if isinstance(member, ast.Assign) and isinstance(sentence, ast.Expr)
    }
