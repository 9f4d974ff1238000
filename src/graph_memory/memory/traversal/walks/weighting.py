"""How a caller ranks connections: by weight, by a property, or by arithmetic over a few names.

Expressions are parsed, never executed. They may contain numbers, these names, `+ - * / **` and a few functions, and are
limited in length and depth. Results that cannot be computed are 0.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from graph_memory.memory.traversal.walks.edges import Edge, Rank
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument

MAX_CHARACTERS = 200
_MAX_PARTS = 60
NAMES = ("weight", "strength", "importance", "age_days", "depth")
_HINT = (
    "Pass the name of a property, or arithmetic such as `importance * 2 / (1 + age_days)` over "
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
    "max": (lambda *values: max(values), None),
    "min": (lambda *values: min(values), None),
}
_VARIABLES: Mapping[str, Value] = {
    "weight": lambda edge, _: edge.weight,
    "strength": lambda edge, _: edge.strength,
    "importance": lambda edge, _: edge.importance,
    "age_days": lambda edge, _: edge.age_days,
    "depth": lambda _, depth: float(depth),
}


@dataclass(frozen=True, slots=True)
class Weighting:
    """The function that ranks connections, and how it was given."""

    rank: Rank
    property: str | None = None
    """The property whose value is the rank, if the function only returns a property."""
    is_expression: bool = False
    properties: tuple[str, ...] = ()
    """The properties in the expression."""


def by_weight(edge: Edge, _: int = 0) -> float:
    """Return the weight of a connection."""
    return edge.weight


def parse_weighting(text: str | None) -> Weighting:
    """Return the ranking for the weight argument.

    Raises INVALID_ARGUMENT if it is neither a property name nor valid arithmetic.
    """
    if text is None or text == "weight":
        return Weighting(by_weight)
    if not isinstance(text, str) or not 0 < len(text) <= MAX_CHARACTERS:  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise _invalid_weight(f"weight must be a string of 1 to {MAX_CHARACTERS} characters, not {quote(text)}")
    if text.isidentifier() and text not in NAMES and not text.startswith("_"):
        return Weighting(_safe_rank(_property_value(text)), property=text, properties=(text,))
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _invalid_weight(f"weight is not a valid expression: {quote(text)}") from None
    if sum(1 for _ in ast.walk(tree)) > _MAX_PARTS:
        raise _invalid_weight("weight has too many parts")
    return Weighting(_safe_rank(_compile(tree.body)), is_expression=True, properties=tuple(_properties_in(tree)))


def _properties_in(tree: ast.expr | ast.Expression) -> dict[str, None]:
    properties: dict[str, None] = {}
    for part in ast.walk(tree):
        match part:
            case ast.Attribute(value=ast.Name(id="properties"), attr=name):
                properties[name] = None
            case ast.Subscript(value=ast.Name(id="properties"), slice=ast.Constant(value=str(name))):
                properties[name] = None
            case _:
                pass
    return properties


def _safe_rank(value: Value) -> Rank:
    """Return a rank function that returns 0 if the value cannot be computed."""

    def rank(edge: Edge, depth: int) -> float:
        try:
            result = value(edge, depth)
        except (ArithmeticError, ValueError):
            return 0.0
        return result if math.isfinite(result) else 0.0

    return rank


def to_number(value: object) -> float:
    """Return a stored value as a number, or 0 if it is not a number."""
    try:
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0
    except OverflowError:
        return 0.0


def _property_value(name: str) -> Value:
    return lambda edge, _: to_number(edge.properties.get(name))


def _compile(part: ast.expr) -> Value:
    """Return the function for a part of an expression. Raises INVALID_ARGUMENT if the part is not arithmetic."""
    match part:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as value):
            constant = to_number(value)
            return lambda _, __: constant
        case ast.Name(id=name) if name in _VARIABLES:
            return _VARIABLES[name]
        case ast.Attribute(value=ast.Name(id="properties"), attr=name):
            return _property_value(name)
        case ast.Subscript(value=ast.Name(id="properties"), slice=ast.Constant(value=str(name))):
            return _property_value(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _compile(operand)
            return lambda edge, depth: -inner(edge, depth)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            apply, first, second = _BINARY[type(sign)], _compile(left), _compile(right)
            return lambda edge, depth: apply(first(edge, depth), second(edge, depth))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            return _call(name, [_compile(argument) for argument in args])
        case _:
            pass
    raise _invalid_weight(f"weight cannot contain {quote(ast.unparse(part))}")


def _call(name: str, parts: list[Value]) -> Value:
    function, argument_count = _FUNCTIONS[name]
    if len(parts) != argument_count if argument_count is not None else len(parts) < 2:
        raise _invalid_weight(f"{name} in weight takes {'one number' if argument_count else 'two numbers or more'}")
    return lambda edge, depth: function(*(part(edge, depth) for part in parts))


def _invalid_weight(message: str) -> Exception:
    return invalid_argument("weight", message, _HINT)
