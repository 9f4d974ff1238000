"""Writes `src/graph_memory/sync.pyi`, the type stub of the synchronous API, when the package is built.

It reads the source of the facades and imports none of it, so it needs no other packages.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path(__file__).parent / "src"
STUB = "graph_memory/sync.pyi"
HEAD = '''"""The synchronous API. Made from the facades when the package is built: changes made here are lost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractContextManager
from typing import TypeVar

from anyio.from_thread import BlockingPortal
'''
FRAME = '''
R = TypeVar("R")

class SyncFacade:
    """A facade whose methods wait for their results."""

    def __init__(self, facade: object, portal: BlockingPortal) -> None: ...
'''
RUN = '''
    def run(self, use: Callable[[Memory], Awaitable[R]]) -> R:
        """Call an async function with the memory, such as `lambda m: Gtd(m).weekly_review()`, and return its result."""
'''
OPEN = """
def open_memory_sync(
    settings: Settings | None = None, *, progress: Progress = ..., origin: Origin | None = None
) -> AbstractContextManager[SyncMemory]: ...
"""

Method = ast.FunctionDef | ast.AsyncFunctionDef
Imports = dict[str, str]
"""Import statements, by the names that they define."""


class StubHook(BuildHookInterface[Any]):
    """Build hook that writes the stub before a wheel or an editable install is built."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the stub."""
        del version, build_data
        write_stub()


def write_stub() -> None:
    """Write the stub beside the module."""
    (SOURCE / STUB).write_text(stub(), encoding="utf-8", newline="\n")


def stub() -> str:
    """Return the source text of `sync.pyi`."""
    imports = _imports("graph_memory.sync")
    facades = {name: _module_of(imports[name]) for name in _facades()}
    needed: Imports = {name: imports[name] for name in ("Memory", "Settings", "Progress", "Origin")}
    classes = [text for name, module in facades.items() for text in _class(name, module, facades, needed)]
    return "".join([HEAD, "\n", *sorted(f"{line}\n" for line in {*needed.values()}), FRAME, *classes, OPEN])


def _facades() -> list[str]:
    """Return the names of the facades that `sync.py` lists."""
    for part in _tree("graph_memory.sync").body:
        if isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == "FACADES":
            return [*(node.id for node in ast.walk(part.value) if isinstance(node, ast.Name)), "Transaction"]
    raise ValueError("sync.py has no FACADES")


def _class(name: str, module: str, facades: dict[str, str], needed: Imports) -> Iterator[str]:
    """Yield the text of the class without async for a facade, and note the imports that it needs."""
    found = _definition(name, module)
    base = f"Sync{ast.unparse(found.bases[0])}" if found.bases and ast.unparse(found.bases[0]) in facades else ""
    yield f"\nclass Sync{name}({base or 'SyncFacade'}):\n"
    yield f'    """The synchronous form of `{name}`: each method waits for its result.\n\n'
    yield f'    {ast.get_docstring(found, clean=False)}"""\n'
    if name == "Memory":
        yield RUN
    for method, where in _methods(name, module, facades if base else {}).values():
        yield _signature(method, facades)
        names = {node.id for part in _annotations(method) for node in ast.walk(part) if isinstance(node, ast.Name)}
        known = _imports(where)
        for used in names - facades.keys() - vars(builtins).keys() - {"AsyncGenerator"}:
            line = known.get(used, f"from {where} import {used}")
            if needed.setdefault(used, line) != line:
                raise ValueError(f"Two facades import different objects as {used}: {needed[used]} and {line}")


def _annotations(method: Method) -> list[ast.expr]:
    own = method.args
    parameters = [*own.posonlyargs, *own.args, *own.kwonlyargs, own.vararg, own.kwarg]
    annotations = (method.returns, *(parameter.annotation for parameter in parameters if parameter))
    return [annotation for annotation in annotations if annotation]


def _signature(method: Method, facades: dict[str, str]) -> str:
    """Return the stub of a method or a property."""
    decorators = [ast.unparse(decorator) for decorator in method.decorator_list]
    parameters = ast.unparse(_without_defaults(method.args))
    result = ast.unparse(method.returns) if method.returns else "None"
    if "asynccontextmanager" in decorators:
        inner = result.removeprefix("AsyncGenerator[").removesuffix("]")
        result = f"AbstractContextManager[Sync{inner}]"
    result = f"Sync{result}" if result in facades else result.replace("AsyncGenerator[", "Generator[")
    lines = ["    @property"] if "property" in decorators else []
    lines += [
        f"    def {method.name}({parameters}) -> {result}:",
        f'        """{ast.get_docstring(method, clean=False)}"""',
    ]
    return "\n" + "\n".join(lines) + "\n"


def _without_defaults(arguments: ast.arguments) -> ast.arguments:
    """Return arguments with `...` for each default that is not a constant."""
    fields = {name: getattr(arguments, name) for name in ("posonlyargs", "args", "vararg", "kwonlyargs", "kwarg")}
    defaults, keyword_defaults = map(_shortened, arguments.defaults), map(_shortened, arguments.kw_defaults)
    return ast.arguments(**fields, defaults=[*defaults], kw_defaults=[*keyword_defaults])


def _shortened(default: ast.expr | None) -> ast.expr | None:
    return default if default is None or isinstance(default, ast.Constant) else ast.Constant(...)


def _methods(name: str, module: str, skipped: dict[str, str]) -> dict[str, tuple[Method, str]]:
    """Return the public methods of a class and its bases, each with its module. Skips the bases in `skipped`."""
    methods: dict[str, tuple[Method, str]] = {}
    found = _definition(name, module)
    for base in map(ast.unparse, found.bases):
        line = _imports(module).get(base)
        if base not in skipped and (line is None or line.startswith("from graph_memory")):
            methods |= _methods(base, _module_of(line) if line else module, skipped)
    own = (part for part in found.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef))
    return methods | {part.name: (part, module) for part in own if not part.name.startswith("_")}


def _definition(name: str, module: str) -> ast.ClassDef:
    return next(part for part in _tree(module).body if isinstance(part, ast.ClassDef) and part.name == name)


@cache
def _imports(module: str) -> Imports:
    """Return the imports of a module, also those for type checkers alone."""
    return {
        alias.asname or alias.name: f"from {part.module} import {ast.unparse(alias)}"
        for part in ast.walk(_tree(module))
        if isinstance(part, ast.ImportFrom)
        for alias in part.names
    }


def _module_of(statement: str) -> str:
    return statement.split()[1]


@cache
def _tree(module: str) -> ast.Module:
    path = SOURCE / f"{module.replace('.', '/')}.py"
    return ast.parse(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    write_stub()
