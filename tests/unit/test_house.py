"""The house: how large a room may be, and where a statement stands."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from source import PACKAGE, syntax_trees
from tables import for_rows

ROOT = Path(__file__).parents[2]
MODULES = sorted(PACKAGE.rglob("*.py"))
LINES_OF_A_MODULE = 400
LINES_OF_A_FUNCTION = 50
MODULES_OF_A_FOLDER = 20
LEVELS_OF_A_FOLDER = 8
ONE_MODULE_A_NOUN = {"cli.commands": 30}
"""Folders that may have more modules, because each module is a noun of the command line."""
ORDERED_BY_A_CONTRACT = {"", "memory"}
"""Folders whose children a layers contract of `pyproject.toml` lists one by one."""


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def room_of(path: Path) -> str:
    """Return the folder of the statements of a module: its capability, or its part of the storage."""
    layer, room, *_ = path.relative_to(PACKAGE).with_suffix("").parts
    return room if layer == "memory" else "schema_log" if room.startswith("schema") else "log"


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def imported_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(syntax_trees()[path]):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                is_module = f"{node.module}.{alias.name}" in NAMES
                yield f"{node.module}.{alias.name}" if is_module else node.module


@cache
def imports_by_folder() -> Mapping[str, Mapping[str, set[str]]]:
    """Return, for each folder, which of its modules and packages import which others of them."""
    folders: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path in MODULES:
        importer = module_name(path).split(".")[1:]
        for imported in ({*imported_modules(path)} & NAMES) - {module_name(path)}:
            parts = imported.split(".")[1:]
            shared = next(
                (depth for depth, pair in enumerate(zip(importer, parts, strict=False)) if pair[0] != pair[1]), None
            )
            if shared is not None:
                folders[".".join(parts[:shared])][importer[shared]].add(parts[shared])
    return folders


def level(child: str, imports: Mapping[str, set[str]]) -> int:
    """Return the number of modules on the longest path of imports that starts at a child of a folder."""
    return 1 + max((level(text, imports) for text in imports.get(child, ())), default=0)


NAMES = {module_name(path) for path in MODULES if path.name != "__init__.py"}
FOLDERS = sorted({".".join(path.parent.relative_to(PACKAGE).parts) for path in MODULES})


@for_rows("path", MODULES)
def test_a_module_and_its_functions_are_short_enough_to_be_read(path: Path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LINES_OF_A_MODULE
    long = {
        function.name: function.end_lineno - function.lineno + 1
        for function in functions(syntax_trees()[path])
        if function.end_lineno
    }
    assert {name: lines for name, lines in long.items() if lines > LINES_OF_A_FUNCTION} == {}


def test_a_process_imports_no_modules_from_the_working_directory():
    starts = {path.name: re.findall(r'sys.executable, "(\S+)"', path.read_text("utf-8")) for path in MODULES}
    assert {name: options for name, options in starts.items() if {*options} - {"-P"}} == {}
    assert any(starts.values())


def test_a_statement_stands_in_the_folder_of_the_package_that_binds_it():
    bound = [
        (match[1], room_of(path), name_of(path))
        for path in MODULES
        for match in re.finditer(r'\bquery\(\s*f?"(\w+)/', path.read_text(encoding="utf-8"))
    ]
    assert len(bound) > 100
    assert [pair for pair in bound if pair[0] != pair[1]] == []


@for_rows("folder", FOLDERS)
def test_a_folder_has_few_modules_on_few_import_levels(folder: str):
    modules = [path for path in (PACKAGE / folder.replace(".", "/")).glob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= ONE_MODULE_A_NOUN.get(folder, MODULES_OF_A_FOLDER)
    if folder not in ORDERED_BY_A_CONTRACT:
        imports = imports_by_folder()[folder]
        levels = {child: level(child, imports) for child in [*imports]}
        assert {child: level for child, level in levels.items() if level > LEVELS_OF_A_FOLDER} == {}


def test_the_contract_of_pure_modules_names_modules_that_exist():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    [pure] = [contract for contract in contracts if contract["name"] == "decisions are pure"]
    names = {module_name(path).removesuffix(".__init__") for path in MODULES}
    patterns = {name: re.escape(name).replace(r"\*\*", r"\w+(\.\w+)*") for name in pure["source_modules"]}
    unused = [name for name, pattern in patterns.items() if not any(re.fullmatch(pattern, name) for name in names)]
    assert unused == []


def test_a_server_imports_behind_its_calls_what_the_facades_import_when_they_are_called():
    code = """
import sys
from graph_memory.mcp_server.transport.process import FACADES
from importlib import import_module
for name in ("app", *FACADES):
    import_module(f"graph_memory.{name}")
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = {module_name(path).removesuffix(".__init__") for path in MODULES}
    inner = {
        module
        for path in (PACKAGE / "memory" / "api").glob("*.py")
        for function in functions(ast.parse(path.read_text(encoding="utf-8")))
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and node.module
        for module in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
        if module in names
    }
    assert len(inner) > 10
    assert inner - {*done.stdout.split()} == set()
