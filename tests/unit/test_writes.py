"""Every write reads a snapshot, and a plain function decides on it and reports. Nothing escapes by another way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from source import PACKAGE, syntax_trees
from tables import for_rows

MEMORY = PACKAGE / "memory"
Function = ast.FunctionDef | ast.AsyncFunctionDef


def calls_of_write(tree: ast.AST) -> list[ast.Call]:
    """Return the calls of `log.write` with what to read and how to decide, which are its last positional arguments."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) > 2)
    return [call for call in calls if ast.unparse(call.func).endswith("log.write")]


def name_of(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def faults(tree: ast.Module) -> Iterator[str]:
    """Give what is wrong with the writes of a module."""
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    calls = calls_of_write(tree)
    reads, decisions = ({name_of(call.args[place]) for call in calls} for place in (-2, -1))
    passed = [function for function in functions if function.name in reads | decisions]
    for function in (*passed, *(function for function in functions if calls_of_write(function))):
        if any(isinstance(node, ast.Nonlocal) for node in ast.walk(function)):
            yield f"{function.name} has nonlocal"
    for function in passed:
        if function.name in decisions and isinstance(function, ast.AsyncFunctionDef):
            yield f"{function.name} decides and is async"
        if function.name in reads and any(
            isinstance(node, ast.Call) and name_of(node.func) == "Draft" for node in ast.walk(function)
        ):
            yield f"{function.name} reads and makes drafts"
    for owner in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        methods = [node for node in owner.body if isinstance(node, Function)]
        if any(method in passed for method in methods):
            yield from (f"{owner.name}.{method.name} keeps a result" for method in methods if keeps(method))


def keeps(method: Function) -> bool:
    """Return whether a method assigns to an attribute of its object."""
    targets = (node for node in ast.walk(method) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
    return method.name != "__init__" and any(name_of(target.value) == "self" for target in targets)


def writing_modules() -> list[Path]:
    return [path for path, tree in syntax_trees().items() if path.is_relative_to(MEMORY) and calls_of_write(tree)]


@for_rows("path", writing_modules)
def test_a_write_reads_a_snapshot_and_decides_on_it(path: Path):
    assert list(faults(syntax_trees()[path])) == []


def test_the_rule_looks_at_all_writes():
    assert sum(len(calls_of_write(syntax_trees()[path])) for path in writing_modules()) > 25


WRONG = {
    "nonlocal of what it reads": (
        "async def use():\n def decide(): ...\n async def read():\n  nonlocal x\n",
        "nonlocal",
    ),
    "nonlocal of what it decides": (
        "async def use():\n async def read(): ...\n def decide():\n  nonlocal x\n",
        "nonlocal",
    ),
    "a draft in what it reads": (
        "async def use():\n def decide(): ...\n async def read():\n  return Draft()\n",
        "drafts",
    ),
    "a decision that waits": ("async def use():\n async def read(): ...\n async def decide(): ...\n", "async"),
}


@for_rows("case", [*WRONG])
def test_the_rule_finds(case: str):
    text, fault = WRONG[case]
    assert fault in "".join(faults(ast.parse(f"{text} await core.log.write('w', domain, origin, read, decide)\n")))


def test_the_rule_finds_a_result_that_a_method_keeps():
    text = """
class Attempt:
    async def written(self):
        await self.core.log.write("w", domain, origin, self.read, self.decide)

    async def read(self):
        return await self.look()

    async def look(self):
        self.found = 1

    def decide(self): ...
"""
    assert list(faults(ast.parse(text))) == ["Attempt.look keeps a result"]
