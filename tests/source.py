"""The modules of the package as syntax trees, which a process parses once, when a test first reads them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "graph_memory"


@cache
def syntax_trees() -> Mapping[Path, ast.Module]:
    """Return the syntax tree of each module of the package by its path."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
