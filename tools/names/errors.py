"""Print every error of a package as a table: code, message, hint, file and line.

    python tools/names/errors.py src > errors.md

Read it as a caller would: each error says what is wrong with its value, what would be right, and what to do next.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ERRORS = {"GraphError": (0, 1, 2), "invalid_argument": (-1, 1, 2)}
"""The positions of the code, the message and the hint of each call that makes an error."""


def main(folders: list[str]) -> int:
    """Print the table of the errors in all modules of the folders. Returns 0."""
    sys.stdout.write("| code | message | hint | file |\n|---|---|---|---|\n")
    for path in sorted(path for folder in folders or ["src"] for path in Path(folder).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        for scope in [*functions, tree]:
            for code, message, hint, line in errors_of(scope):
                cells = (cell.replace("|", "\\|").replace("\n", " ") for cell in (code, message, hint))
                sys.stdout.write(f"| {' | '.join(cells)} | {path}:{line} |\n")
    return 0


def errors_of(scope: ast.AST) -> Iterator[tuple[str, str, str, int]]:
    """Yield code, message, hint and line of each error in a function or at the top level of a module."""
    names: dict[str, ast.AST] = {}
    for node in sorted(inner_nodes(scope), key=lambda node: getattr(node, "lineno", 0)):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names[name] = value
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if name in ERRORS:
                code, message, hint = (words(args[at], names) if 0 <= at < len(args) else "" for at in ERRORS[name])
                yield code or "INVALID_ARGUMENT", message, hint, node.lineno
            case _:
                pass


def inner_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope without functions in it."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from inner_nodes(node)


def words(node: ast.AST, names: Mapping[str, ast.AST]) -> str:
    """Return an expression as text: strings without quotes, and local names as their values."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(words(part, {}) for part in parts)
        case ast.FormattedValue(value=value):
            return f"{{{ast.unparse(value)}}}"
        case ast.Name(id=name) if name in names:
            return words(names[name], {other: value for other, value in names.items() if other != name})
        case ast.Call(func=ast.Name(id="Hint"), args=args):
            return "".join(words(part, names) for part in args)
        case ast.Dict(keys=keys, values=values):
            hints = [value for key, value in zip(keys, values, strict=True) if key and ast.unparse(key) == "'hint'"]
            return words(hints[0], names) if hints else ""
        case _:
            return ast.unparse(node).removeprefix("Code.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
