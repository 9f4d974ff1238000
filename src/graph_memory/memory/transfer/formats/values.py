"""Conversion of values of other formats to properties: text, numbers and booleans."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import cast

from graph_memory.memory.transfer.formats.records import SourceOptions, Unfit
from graph_memory.model.text.wording import kind_of, quote
from graph_memory.model.values.properties import PropertyValue

_INTEGER = re.compile(r"[+-]?\d{1,40}", re.ASCII)
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
IN_64_BITS = range(-(2**63), 2**63)
_LIST_HINT = (
    "Lists cannot be stored. Use --join-arrays TEXT to join their values to one text, or use a connection per value."
)

AS_TEXT = frozenset({"date", "time", "localtime", "datetime", "localdatetime", "duration", "point"})
"""Types of Neo4j that become text."""


def integer(text: str) -> int:
    """Return a whole number within 64 bits. Raises Unfit."""
    number = int(text) if _INTEGER.fullmatch(text) else None
    if number is None or number not in IN_64_BITS:
        raise Unfit(f"{quote(text)} is not a whole number of 64 bits")
    return number


def floating(text: str) -> float:
    """Return a finite number. Raises Unfit."""
    value = float(text) if _FLOAT.fullmatch(text) else math.inf
    if not math.isfinite(value):
        raise Unfit(f"{quote(text)} is not a finite number")
    return value


def boolean(text: str) -> bool:
    """Return true or false. Raises Unfit."""
    if text.lower() not in ("true", "false"):
        raise Unfit(f"{quote(text)} is neither true nor false")
    return text.lower() == "true"


def char(text: str) -> str:
    """Return a text of exactly one character. Raises Unfit."""
    if len(text) != 1:
        raise Unfit(f"{quote(text)} is not one character")
    return text


def string(text: str) -> str:
    """Return text unchanged."""
    return text


Parser = Callable[[str], PropertyValue]
PARSERS: dict[str, Parser] = {
    **dict.fromkeys(("int", "long", "byte", "short", "integer"), integer),
    **dict.fromkeys(("float", "double"), floating),
    "boolean": boolean,
    "char": char,
    "string": string,
    **dict.fromkeys(AS_TEXT, string),
}
"""Parsers by declared type."""


def parse_value(text: str, parse: Parser, column: str) -> PropertyValue:
    """Return the parsed value of a text. Raises Unfit with the column."""
    try:
        return parse(text)
    except Unfit as error:
        raise Unfit(error.message, error.hint, column) from error


def join_list(values: Sequence[str], options: SourceOptions, column: str) -> str:
    """Return a list as one text if an option allows it. Raises Unfit."""
    if options.join_arrays is None:
        raise Unfit(f"{column} is a list", _LIST_HINT, column)
    return options.join_arrays.join(values)


def from_json(value: object, options: SourceOptions, column: str) -> PropertyValue | None:
    """Return a JSON value as a property, None for null. Raises Unfit."""
    match value:
        case None | str() | bool() | int() | float():
            return value
        case list():
            return join_list([_as_text(item) for item in cast("list[object]", value)], options, column)
        case _:
            message = f"{column} is {kind_of(value)}; values must be text, numbers or booleans"
            raise Unfit(message, "Use one property for each field, or put the structure in the content.", column)


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else quote(value)
