"""Converts values of other formats to properties: text, numbers and booleans. Also names the types of properties."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import cast

from graph_memory.memory.transfer.formats.records import InvalidSourceValue, NodeRecord, Record, SourceOptions
from graph_memory.model.errors import GraphError
from graph_memory.model.text.wording import kind_of, printable, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.properties import PropertyValue

_INTEGER = re.compile(r"[+-]?\d{1,40}", re.ASCII)
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
IN_64_BITS = range(-(2**63), 2**63)
_LIST_HINT = "Lists cannot be stored. Use --join-arrays TEXT to join the values into one string, or use connections."

AS_TEXT = frozenset({"date", "time", "localtime", "datetime", "localdatetime", "duration", "point"})
"""Neo4j types that are converted to text."""


def parse_integer(text: str) -> int:
    """Parse a 64-bit integer. Raises InvalidSourceValue if the text is not a 64-bit integer."""
    number = int(text) if _INTEGER.fullmatch(text) else None
    if number is None or number not in IN_64_BITS:
        raise InvalidSourceValue(f"{quote(text)} is not a 64-bit integer")
    return number


def parse_float(text: str) -> float:
    """Parse a finite number. Raises InvalidSourceValue if the text is not a finite number."""
    value = float(text) if _FLOAT.fullmatch(text) else math.inf
    if not math.isfinite(value):
        raise InvalidSourceValue(f"{quote(text)} is not a finite number")
    return value


def parse_boolean(text: str) -> bool:
    """Parse a boolean. Raises InvalidSourceValue if the text is neither true nor false."""
    if text.lower() not in ("true", "false"):
        raise InvalidSourceValue(f"{quote(text)} is neither true nor false")
    return text.lower() == "true"


def parse_character(text: str) -> str:
    """Return the text if it is exactly one character. Raises InvalidSourceValue otherwise."""
    if len(text) != 1:
        raise InvalidSourceValue(f"{quote(text)} is not one character")
    return text


def parse_string(text: str) -> str:
    """Return the text unchanged."""
    return text


Parser = Callable[[str], PropertyValue]
PARSERS: dict[str, Parser] = {
    **dict.fromkeys(("int", "long", "byte", "short", "integer"), parse_integer),
    **dict.fromkeys(("float", "double"), parse_float),
    "boolean": parse_boolean,
    "char": parse_character,
    "string": parse_string,
    **dict.fromkeys(AS_TEXT, parse_string),
}
"""The parsers, keyed by the name of the declared type."""


def parse_value(text: str, parse: Parser, column: str) -> PropertyValue:
    """Return the parsed value of a text. Raises InvalidSourceValue with the column if it is invalid."""
    try:
        return parse(text)
    except InvalidSourceValue as error:
        raise InvalidSourceValue(error.message, error.hint, column) from error


def join_list(values: Sequence[str], options: SourceOptions, column: str) -> str:
    """Join a list with the separator in the options. Raises InvalidSourceValue if there is no separator."""
    if options.join_arrays is None:
        raise InvalidSourceValue(f"The value of {quote(column)} is a list", _LIST_HINT, column)
    return options.join_arrays.join(values)


def from_json(value: object, options: SourceOptions, column: str) -> PropertyValue | None:
    """Return a JSON value as a property, or None for null. Raises InvalidSourceValue if it cannot be a property."""
    match value:
        case None | str() | bool() | int() | float():
            return value
        case list():
            texts = [item if isinstance(item, str) else quote(item) for item in cast("list[object]", value)]
            return join_list(texts, options, column)
        case _:
            message = f"{column} is {kind_of(value)}; values must be text, numbers or booleans"
            raise InvalidSourceValue(
                message, "Use one property for each field, or put the structure in the content.", column
            )


def kind_of_value(value: PropertyValue) -> str:
    """Return the name of a value's type in other formats."""
    match value:
        case bool():
            return "boolean"
        case int():
            return "long"
        case float():
            return "double"
        case _:
            return "string"


def unsupported_value_error(record: Record, format_name: str, reason: str) -> GraphError:
    """Return the error for a node or connection that a format cannot represent."""
    name = f"Node {record.key}" if isinstance(record, NodeRecord) else f"Connection {record.id}"
    return invalid_argument(
        "format",
        f"{format_name} cannot represent {printable(name)}: {printable(reason)}",
        "Export with --format jsonl.",
    )
