"""Refuse names and docstrings that a stranger could not understand. `make lint` runs it.

A value is named by a noun, a function by a verb or by what it returns. `docs/reference/glossary.md` has the terms. The
lists are closed: add a word if readers could not tell what it stood for.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("src", "tests", "benchmarks", "tools", "docs", "examples")
VALUES = re.compile(
    r"around|asked|each|every|found|given|gone|grown|heard|here|hopped|one|said|several|something|stretch|thing"
    r"|things|told|there|trio|what"
)
"""Names that no variable, parameter, attribute, function or class may have."""
IRREGULAR = re.compile(
    r"begun|bound|broken|brought|built|chosen|done|drawn|fallen|found|given|gone|grown|heard|held|hidden|kept|known"
    r"|laid|left|lost|made|meant|met|said|seen|sent|shown|struck|stuck|taken|taught|thought|told|torn|undone|unmade"
    r"|withheld|written"
)
"""Participles that do not end in "ed"."""
VERBS = re.compile(r"embed|exceed|feed|need|proceed|seed|shed|speed|succeed")
"""Verbs that end in "ed"."""
AFTER = re.compile(
    r"alone|anywhere|apart|as|at|behind|by|first|for|from|in|into|of|on|otherwise|out|over|since|to|together|under"
    r"|until|with|within"
)
"""Words that make a participle no part of a noun phrase: `stored_types` is a noun, `told_of` is not."""
PROPERTIES = frozenset({"property", "cached_property", "setter"})
PHRASES = re.compile(
    r"tells the rest|\bsay whether|\b(whoever|somebody|something|one that|those that|those of|anew|taken back)\b"
    r"|\bput right\b|^(what|whichever|of whom|of which|where there|return (what|which|who|how|where))\b",
    re.IGNORECASE,
)
"""Phrases that stand for a name, or hide who does what, in docstrings and in the strings below constants and fields."""
EXCEPTIONS = frozenset(
    {
        ("src/graph_memory/local/checks.py", "found"),
        ("src/graph_memory/memory/api/history.py", "every"),
        ("src/graph_memory/memory/api/history.py", "named"),
        ("src/graph_memory/memory/api/history.py", "reviewed"),
        ("src/graph_memory/memory/drift/results.py", "what"),
        ("src/graph_memory/memory/entities/cleaning/results.py", "found"),
        ("src/graph_memory/memory/entities/cleaning/results.py", "what"),
        ("src/graph_memory/memory/search/results.py", "found"),
        ("src/graph_memory/model/results.py", "found"),
        ("src/graph_memory/storage/blobs/places.py", "modified"),
    }
)
"""Files and names that stay, because callers or fsspec use them; at most ten."""


def main(folders: list[str]) -> int:
    """Print each refused name and phrase with its place. Returns 1 if there is one, else 0."""
    paths = sorted(path for folder in folders or FOLDERS for path in Path(folder).rglob("*.py"))
    refused = [line for path in paths if "node_modules" not in path.parts for line in refusals(path)]
    for line in refused:
        sys.stdout.write(f"{line}\n")
    return 1 if refused else 0


def refusals(path: Path) -> Iterator[str]:
    """Yield the refused names and phrases of a file, each with its line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        for name in names_of(node):
            if (path.as_posix(), name) not in EXCEPTIONS:
                yield f"{path}:{getattr(node, 'lineno', 1)}: {name}"
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))) if phrase := PHRASES.search(text):
                yield f'{path}:{node.lineno}: docstring with "{phrase[0]}"'
            case _:
                pass


def names_of(node: ast.AST) -> Iterator[str]:
    """Yield the refused names that a node of the syntax tree binds."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            if is_banned(name) or (is_participle(name) and not is_property(node)):
                yield name
        case ast.ClassDef(name=name) | ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
            if is_banned(name):
                yield name
        case ast.Attribute(attr=name, ctx=ast.Store()) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            if is_banned(name):
                yield name
        case _:
            pass


def is_banned(name: str) -> bool:
    """Return whether a name is one of the banned words, in any spelling."""
    return VALUES.fullmatch(name.strip("_").lower()) is not None


def is_participle(name: str) -> bool:
    """Return whether a function is named by a participle without a noun after it."""
    first, *rest = name.strip("_").split("_")
    if not IRREGULAR.fullmatch(first) and (not first.endswith("ed") or VERBS.fullmatch(first)):
        return False
    return not rest or AFTER.fullmatch(rest[0]) is not None


def is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function is read like an attribute."""
    names = (getattr(decorator, "attr", getattr(decorator, "id", "")) for decorator in node.decorator_list)
    return not PROPERTIES.isdisjoint(names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
