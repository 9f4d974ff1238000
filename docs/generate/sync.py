"""The memory without async, made from the facades: each of their methods, waited for."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType

from graph_memory.agent import (
    contextual,
    environmental,
    episodic,
    layer,
    meta,
    procedural,
    prospective,
    relational,
    user,
    working,
)
from graph_memory.memory.api import entities, history, links, memory, recall, transfer, upkeep
from graph_memory.memory.entities import past

from .tables import Lines

FACADES = {
    "Memory": memory,
    "Entities": entities,
    "History": history,
    "PastMemory": past,
    "Recall": recall,
    "Transfer": transfer,
    "CrossDomainLinks": links,
    "Upkeep": upkeep,
    "Agent": layer,
    "Episodic": episodic,
    "Procedural": procedural,
    "Prospective": prospective,
    "Relational": relational,
    "Contextual": contextual,
    "Working": working,
    "Environmental": environmental,
    "UserMemory": user,
    "MetaMemory": meta,
}
"""The classes that are made, with the modules of those they are made from."""

HEAD = '''"""The memory without async, for scripts and notebooks: every method of `Memory`, waited for.

with open_memory_sync() as memory:
    memory.create_node("Note", "# Hello")

Made from the facades by `make reference`: changes made here are lost.
"""
# ruff: noqa: A002 - the names of the tool specification
'''

BASE = '''
P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F")


class _Sync(Generic[F]):
    """A facade, and the thread whose event loop does what is waited for."""

    def __init__(self, facade: F, portal: BlockingPortal) -> None:
        self._facade = facade
        self._portal = portal

    def _wait(self, method: Callable[P, Awaitable[R]], *args: P.args, **kwargs: P.kwargs) -> R:
        """Return what an async method gives."""
        future: Future[R] | None = None
        try:
            future = self._portal.start_task_soon(partial(method, *args, **kwargs))
            return future.result()
        except BaseException:  # Ctrl-C while waiting is one
            if future is not None:
                future.cancel()  # whoever waits was interrupted: so is the work
            raise

    def _each(self, every: AsyncGenerator[R]) -> Generator[R]:
        """Give results to a plain loop, which waits for each; `break` ends it."""
        try:
            with suppress(StopAsyncIteration):
                while True:
                    yield self._wait(every.__anext__)
        finally:
            self._wait(every.aclose)


@contextmanager
def open_memory_sync(
    settings: Settings | None = None, *, progress: Progress = silent, origin: Origin | None = None
) -> Generator[SyncMemory]:
    """Give what `open_memory` gives, without async. Raises STORE_UNAVAILABLE and STORE_INCOMPATIBLE."""
    opening = open_memory(settings, progress=progress, origin=origin)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opening) as memory:
        yield SyncMemory(memory, portal)
'''

IMPORTS = """
from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from typing import Generic, ParamSpec, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from graph_memory.app import open_memory
from graph_memory.memory.api.memory import Transaction
from graph_memory.model.events import Origin
from graph_memory.progress import Progress, silent
from graph_memory.settings import Settings
"""

DOCSTRINGS = {
    "Memory": """A memory whose methods wait for their results. Open one with `graph_memory.open_memory_sync`.

    The methods, their arguments, results and errors are those of `Memory`. They may be called from several threads, and
    where an event loop runs already, as in a notebook.
    """,
    "History": "A memory's past without async: the methods of `History`. It is `SyncMemory.history`.",
    "PastMemory": "A domain as it was, without async: the methods of `PastMemory`.",
    "Entities": "Entities without async: the methods of `Entities`. It is `SyncMemory.entities`.",
    "Recall": "Search without async: the methods of `Recall`. It is `SyncMemory.recall`.",
    "Transfer": "Exports and imports without async: the methods of `Transfer`. It is `SyncMemory.transfer`.",
    "CrossDomainLinks": "Links without async: the methods of `CrossDomainLinks`. It is `SyncMemory.links`.",
    "Upkeep": "Checks and repairs without async: the methods of `Upkeep`. It is `SyncMemory.upkeep`.",
    "Agent": "The memory types of an agent without async: those of `Agent`. It is `SyncMemory.agent`.",
    "Episodic": "What happened, without async: the methods of `Episodic`. It is `SyncAgent.episodic`.",
    "Procedural": "What works, without async: the methods of `Procedural`. It is `SyncAgent.procedural`.",
    "UserMemory": "Users, without async: the methods of `UserMemory`. It is `SyncAgent.user`.",
    "MetaMemory": "Capabilities, without async: the methods of `MetaMemory`. It is `SyncAgent.meta`.",
    "Prospective": "What is to be done, without async: the methods of `Prospective`. It is `SyncAgent.prospective`.",
    "Relational": "Relations without async: the methods of `Relational`. It is `SyncAgent.relational`.",
    "Contextual": "Documents and search without async: the methods of `Contextual`. It is `SyncAgent.contextual`.",
    "Working": "Notes of a session without async: the methods of `Working`. It is `SyncAgent.working`.",
    "Environmental": "The project without async: the methods of `Environmental`. It is `SyncAgent.environmental`.",
}

RUN = '''
    def run(self, use: Callable[[Memory], Awaitable[R]]) -> R:
        """Return what an async function makes of the memory, such as `lambda memory: Gtd(memory).stuck_projects()`."""
        return self._wait(use, self._facade)
'''

BLOCKS = f'''
    @contextmanager
    def transaction(self, *, domain: str | None = None) -> Generator[SyncTransaction]:
        """{memory.Memory.transaction.__doc__}"""
        with self._portal.wrap_async_context_manager(self._facade.transaction(domain=domain)) as transaction:
            yield SyncTransaction(transaction, self._portal)
'''

TRANSACTION = '''

class SyncTransaction(SyncMemory):
    """A memory whose changes are made together or not at all, without async: the methods of `Transaction`."""

    def __init__(self, transaction: Transaction, portal: BlockingPortal) -> None:
        super().__init__(transaction, portal)
        self._transaction = transaction

    def rollback(self) -> None:
        """Undo all changes. The block can go on, but not change or read anything more through this."""
        self._transaction.rollback()
'''

Method = ast.FunctionDef | ast.AsyncFunctionDef


def sync_module() -> str:
    """Return the module."""
    classes = "".join("\n".join(made_class(name, module)) for name, module in FACADES.items())
    imports = "\n".join([IMPORTS, *(line for name, module in FACADES.items() for line in imports_of(name, module))])
    return formatted(HEAD + imports + BASE + classes + TRANSACTION)


def made_class(name: str, module: ModuleType) -> Lines:
    """Give the class without async for a facade."""
    yield from ("", "", f"class Sync{name}(_Sync[{name}]):", f'    """{DOCSTRINGS[name]}"""')
    if name == "Memory":
        yield RUN
        yield BLOCKS
    for method in methods_of(name, module):
        yield from made_method(method)


def made_method(method: Method) -> Lines:
    """Give a method that waits for that of the facade; another facade among its results is without async too."""
    given = method.args
    plain = [one.arg for one in given.args[1:]] + [f"{one.arg}={one.arg}" for one in given.kwonlyargs]
    if any(ast.unparse(one) == "asynccontextmanager" for one in method.decorator_list):
        return  # written out in BLOCKS
    own, result = f"self._facade.{method.name}", ast.unparse(method.returns) if method.returns else ""
    is_property = bool(method.decorator_list)
    call = own if is_property else f"{own}({', '.join(plain)})"
    if isinstance(method, ast.AsyncFunctionDef):
        call = f"self._wait({', '.join([own, *plain])})"
    if result in FACADES:
        call, result = f"Sync{result}({call}, self._portal)", f"Sync{result}"
    statement = f"return {call}"
    if result.startswith("AsyncGenerator"):
        statement, result = f"yield from self._each({call})", result.removeprefix("Async")
    yield from ("", *(["    @property"] if is_property else []))
    yield f"    def {method.name}({ast.unparse(given)}) -> {result}:"
    yield f'        """{ast.get_docstring(method, clean=False)}"""'
    yield f"        {statement}"


def modules_of(name: str, module: ModuleType) -> list[ModuleType]:
    """Return the modules of a class and of those that it extends."""
    classes: Iterable[type] = getattr(module, name).__mro__
    return [sys.modules[each.__module__] for each in classes if each is not object]


def methods_of(name: str, module: ModuleType) -> Iterator[Method]:
    """Give the public methods and properties of a class and of those that it extends."""
    names = {each.__name__ for each in getattr(module, name).__mro__}
    for part in (part for each in modules_of(name, module) for part in ast.parse(inspect.getsource(each)).body):
        if isinstance(part, ast.ClassDef) and part.name in names:
            yield from (
                one
                for one in part.body
                if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and not one.name.startswith("_")
            )


def imports_of(name: str, module: ModuleType) -> Lines:
    """Give the imports of the names that a class and the signatures of its methods use."""
    yield f"from {module.__name__} import {name}"
    signatures = [part for method in methods_of(name, module) for part in (method.args, method.returns) if part]
    used = {one.id for part in signatures for one in ast.walk(part) if isinstance(one, ast.Name)} - {*FACADES}
    for part in (part for each in modules_of(name, module) for part in ast.parse(inspect.getsource(each)).body):
        if isinstance(part, ast.ImportFrom):
            names = [ast.unparse(one) for one in part.names if (one.asname or one.name) in used]
            yield from [f"from {part.module} import {', '.join(names)}"] if names else []


def formatted(source: str) -> str:
    """Return source as the linter wants it."""
    for step in (["check", "--select", "I", "--fix"], ["format"]):
        command = [sys.executable, "-m", "ruff", *step, "--quiet", "--stdin-filename", "src/graph_memory/sync.py", "-"]
        source = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    return source
