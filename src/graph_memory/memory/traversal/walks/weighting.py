"""What a caller lets connections count: the formula's weight, a property, or arithmetic over a few names.

An expression is read, never run: only numbers, these names, `+ - * / **` and a few functions are taken, and it can be
neither long nor deep. What cannot be computed counts 0.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from graph_memory.memory.traversal.walks.edges import Edge, Rank
from graph_memory.model.text.wording import quoted, shown
from graph_memory.model.values.arguments import fault

LONGEST = 200
_MOST_PARTS = 60
NAMES = ("weight", "strength", "importance", "age_days", "depth")
_HINT = (
    "Give the name of a property, or arithmetic such as `importance * 2 / (1 + age_days)` over "
    f"{', '.join(NAMES)} and properties.NAME, with + - * / ** and abs, exp, log, max, min, sqrt."
)

Value = Callable[[Edge, int], float]
_BINARY: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda value, other: value + other,
    ast.Sub: lambda value, other: value - other,
    ast.Mult: lambda value, other: value * other,
    ast.Div: lambda value, other: value / other,
    ast.Pow: math.pow,
}
_FUNCTIONS: Mapping[str, tuple[Callable[..., float], int | None]] = {
    "abs": (math.fabs, 1),
    "exp": (math.exp, 1),
    "log": (math.log, 1),
    "sqrt": (math.sqrt, 1),
    "max": (lambda *several: max(several), None),
    "min": (lambda *several: min(several), None),
}
_KNOWN: Mapping[str, Value] = {
    "weight": lambda edge, _: edge.weight,
    "strength": lambda edge, _: edge.strength,
    "importance": lambda edge, _: edge.importance,
    "age_days": lambda edge, _: edge.age_days,
    "depth": lambda _, depth: float(depth),
}


@dataclass(frozen=True, slots=True)
class Weighting:
    """How much connections count, and by which property Neo4j can tell that itself."""

    rank: Rank
    property: str | None = None
    is_expression: bool = False
    properties: tuple[str, ...] = ()
    """The properties that it names."""


def by_formula(edge: Edge, _: int = 0) -> float:
    """Return the weight of a connection by the one formula."""
    return edge.weight


def weighting(given: str | None) -> Weighting:
    """Return how much connections count, by what a caller said. Raises INVALID_ARGUMENT."""
    if given is None or given == "weight":
        return Weighting(by_formula)
    if not isinstance(given, str) or not 0 < len(given) <= LONGEST:  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise _refused(f"weight is {quoted(given)}")
    if given.isidentifier() and given not in NAMES and not given.startswith("_"):
        return Weighting(_sure(_property(given)), property=given, properties=(given,))
    try:
        tree = ast.parse(given.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _refused(f"weight {quoted(given)} is no arithmetic") from None
    if sum(1 for _ in ast.walk(tree)) > _MOST_PARTS:
        raise _refused("weight has too many parts")
    return Weighting(_sure(_read(tree.body)), is_expression=True, properties=tuple(_named(tree)))


def _named(tree: ast.expr | ast.Expression) -> dict[str, None]:
    """Return the properties that an expression names, each once."""
    named: dict[str, None] = {}
    for part in ast.walk(tree):
        match part:
            case ast.Attribute(value=ast.Name(id="properties"), attr=name):
                named[name] = None
            case ast.Subscript(value=ast.Name(id="properties"), slice=ast.Constant(value=str(name))):
                named[name] = None
            case _:
                pass
    return named


def _sure(value: Value) -> Rank:
    """Return what gives a number whatever happens: 0 for what cannot be computed."""

    def rank(edge: Edge, depth: int) -> float:
        try:
            found = value(edge, depth)
        except (ArithmeticError, ValueError):
            return 0.0
        return found if math.isfinite(found) else 0.0

    return rank


def number(value: object) -> float:
    """Return a stored value as a number, 0 for what is none."""
    try:
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0
    except OverflowError:
        return 0.0


def _property(name: str) -> Value:
    return lambda edge, _: number(edge.properties.get(name))


def _read(part: ast.expr) -> Value:
    """Return what computes a part of an expression. Raises INVALID_ARGUMENT for a part that is not arithmetic."""
    match part:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as value):
            constant = number(value)
            return lambda _, __: constant
        case ast.Name(id=name) if name in _KNOWN:
            return _KNOWN[name]
        case ast.Attribute(value=ast.Name(id="properties"), attr=name):
            return _property(name)
        case ast.Subscript(value=ast.Name(id="properties"), slice=ast.Constant(value=str(name))):
            return _property(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _read(operand)
            return lambda edge, depth: -inner(edge, depth)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            apply, first, second = _BINARY[type(sign)], _read(left), _read(right)
            return lambda edge, depth: apply(first(edge, depth), second(edge, depth))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            return _call(name, [_read(argument) for argument in args])
        case _:
            pass
    raise _refused(f"weight cannot have {quoted(ast.unparse(part))}")


def _call(name: str, parts: list[Value]) -> Value:
    function, takes = _FUNCTIONS[name]
    if len(parts) != takes if takes is not None else len(parts) < 2:
        raise _refused(f"{name} in weight takes {'one number' if takes else 'two numbers or more'}")
    return lambda edge, depth: function(*(part(edge, depth) for part in parts))


def _refused(message: str) -> Exception:
    return fault("weight", shown(message), _HINT)
