"""The house: how large a room may be, and where a statement stands."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tables import for_rows

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "graph_memory"
MODULES = sorted(PACKAGE.rglob("*.py"))
LINES_OF_A_MODULE = 400
LINES_OF_A_FUNCTION = 50
ROOMS = 21


def named(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def room_of(path: Path) -> str:
    """Return the folder of the statements of a module: its capability, or its part of the storage."""
    layer, room, *_ = path.relative_to(PACKAGE).with_suffix("").parts
    return room if layer == "memory" else "schema_log" if room.startswith("schema") else "log"


@for_rows("path", MODULES)
def test_a_module_and_its_functions_are_short_enough_to_be_read(path: Path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LINES_OF_A_MODULE
    long = {each.name: each.end_lineno - each.lineno + 1 for each in functions(ast.parse(text)) if each.end_lineno}
    assert {name: lines for name, lines in long.items() if lines > LINES_OF_A_FUNCTION} == {}


def test_a_statement_stands_in_the_folder_of_the_package_that_binds_it():
    bound = [
        (match[1], room_of(path), named(path))
        for path in MODULES
        for match in re.finditer(r'\bquery\(\s*f?"(\w+)/', path.read_text(encoding="utf-8"))
    ]
    assert len(bound) > 100
    assert [each for each in bound if each[0] != each[1]] == []


def test_the_memory_has_few_rooms():
    assert len([path for path in (PACKAGE / "memory").iterdir() if path.name[0] != "_"]) <= ROOMS
