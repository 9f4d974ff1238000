"""Parts of generated pages: headings, tables, code, and the sentences of an enumeration."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import pairwise

Lines = Iterator[str]


def text(title: str, introduction: str) -> Lines:
    """Yield the title and the introduction of a page."""
    yield from (f"# {title}", *introduction.splitlines(), "")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Lines:
    """Yield a table without empty columns, and an empty line after it. Without rows, yields nothing."""
    cells = [[cell.replace("|", r"\|").replace("\n", " ") for cell in row] for row in rows]
    filled = [number for number in range(len(columns)) if any(row[number] for row in cells)]
    if cells:
        yield f"| {' | '.join(columns[number] for number in filled)} |"
        yield "|" + "---|" * len(filled)
        yield from (f"| {' | '.join(row[number] for number in filled)} |" for row in cells)
        yield ""


def code(value: object) -> str:
    """Return a value as code, or an empty text for an empty value."""
    return f"`{value}`" if str(value) else ""


def sentences(kind: type[Enum]) -> dict[str, str]:
    """Return the members of an enumeration with the docstring below each in the source."""
    (declared,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    body = declared.body if isinstance(declared, ast.ClassDef) else []
    return {
        ast.unparse(member.targets[0]): ast.literal_eval(sentence.value)
        for member, sentence in pairwise(body)
        if isinstance(member, ast.Assign) and isinstance(sentence, ast.Expr)
    }
