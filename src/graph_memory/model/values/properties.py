"""Property keys and values: what may be stored, when two values are the same, and what a declared type accepts."""

from __future__ import annotations

import hashlib
import math
import re
import struct
import unicodedata
from collections.abc import Mapping
from datetime import UTC, date, datetime
from enum import StrEnum

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import kind_of, quoted, shown

PropertyValue = str | int | float | bool

ANY = "*"
"""Stands for every node type in `from_types` and `to_types`; no type can have it as its name."""

NAME_CHARACTERS = 256
VALUE_BYTES = 1024 * 1024
KEY_BYTES = 4096
MOST_PROPERTIES = 1_000
MOST_TEXT = 4 * 1024 * 1024
_INTEGERS = range(-(2**63), 2**63)

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_DATETIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)

_NAME_HINT = (
    f"Choose a name of 1 to {NAME_CHARACTERS} characters without control characters, "
    'not starting with "_", which is reserved for the service.'
)
_VALUE_HINTS = {
    "null": "Leave the property out. A property that is set cannot be removed: give it a value that means none.",
    "a list": "Use one property per value, or nodes joined by connections.",
    "an object": "Use one property per field, or put the structure in the content.",
}


class PropertyType(StrEnum):
    """What a declared property may hold."""

    STRING = "string"
    """Any text."""
    INTEGER = "integer"
    """A whole number written without a decimal point, within 64 bits."""
    NUMBER = "number"
    """An integer or a finite floating-point number."""
    BOOLEAN = "boolean"
    """`true` or `false`; never 1 or 0."""
    DATE = "date"
    """Text such as `2025-10-31`: a calendar date, as in RFC 3339."""
    DATETIME = "datetime"
    """Text such as `2025-10-31T10:00:00Z` or with an offset such as `+02:00`, as in RFC 3339."""

    def accepts(self, value: PropertyValue) -> bool:
        """Return whether the value is of this type."""
        return _ACCEPTS[self](value)

    @property
    def wording(self) -> str:
        """The type in a sentence: what a value of it looks like."""
        return _WORDING[self]


_WORDING = {
    PropertyType.STRING: "text",
    PropertyType.INTEGER: "an integer",
    PropertyType.NUMBER: "a number",
    PropertyType.BOOLEAN: "true or false",
    PropertyType.DATE: "a date such as 2025-10-31",
    PropertyType.DATETIME: "a date and time with its offset, such as 2025-10-31T10:00:00Z",
}


def check_properties(properties: Mapping[str, object]) -> dict[str, PropertyValue]:
    """Return the properties as they can be stored.

    Raises INVALID_PROPERTY, naming the key, for a key or a value that cannot be, and CONTENT_TOO_LARGE.
    """
    checked = {check_key(key): check_value(key, value) for key, value in properties.items()}
    check_amount(checked)
    return checked


def check_amount(properties: Mapping[str, PropertyValue]) -> None:
    """Check how many properties one node or connection would have, and how much text in them.

    Raises INVALID_PROPERTY for too many properties, and CONTENT_TOO_LARGE for too much text.
    """
    if len(properties) > MOST_PROPERTIES:
        message = f"{len(properties):,} properties are over the limit of {MOST_PROPERTIES:,}"
        raise GraphError(Code.INVALID_PROPERTY, message, {"hint": "Put details in the content, or in other nodes."})
    size = sum(len(value) for value in properties.values() if isinstance(value, str))
    check_text_size("The text in properties", size)


def check_text_size(what: str, size: int) -> None:
    """Raise CONTENT_TOO_LARGE if so many characters are too many for the properties of one node or connection."""
    if size > MOST_TEXT:
        message = f"{what} of {size:,} characters is over the limit of {MOST_TEXT:,}"
        details = {"size": size, "limit": MOST_TEXT, "hint": "Shorten it, and put details in the content."}
        raise GraphError(Code.CONTENT_TOO_LARGE, message, details)


def check_key(key: object) -> str:
    """Return a property key; raises INVALID_PROPERTY when it cannot be one."""
    fault = _name_fault(key)
    if isinstance(key, str) and fault is None:
        return key
    raise _invalid(key, f"Property key {quoted(key)} {fault}", _NAME_HINT)


def check_name(kind: str, name: object) -> str:
    """Return the name of a type; `kind` is what it names, such as `Node type`.

    Raises INVALID_ARGUMENT when no type can have that name.
    """
    fault = "stands for every node type and cannot be a name" if name == ANY else _name_fault(name)
    if isinstance(name, str) and fault is None:
        return name
    message = f"{kind} name {quoted(name)} {fault}"
    raise GraphError(Code.INVALID_ARGUMENT, message, {"name": shown(name), "hint": _NAME_HINT})


def _name_fault(name: object) -> str | None:
    if not isinstance(name, str):
        return f"is {kind_of(name)}, not text"
    if not name:
        return "is empty"
    if name.startswith("_"):
        return 'starts with "_", which is reserved for the service'
    if len(name) > NAME_CHARACTERS:
        return f"has {len(name)} characters; the limit is {NAME_CHARACTERS}"
    return _character_fault(name)


def _character_fault(name: str) -> str | None:
    for character in name:
        match unicodedata.category(character):
            case "Cc":
                return f"contains the control character U+{ord(character):04X}"
            case "Cs":
                return "contains a lone surrogate (half a character pair), which UTF-8 cannot encode"
            case _:
                pass
    return None


def check_value(key: str, value: object) -> PropertyValue:
    """Return a property value; raises INVALID_PROPERTY, naming the key, when it cannot be stored."""
    match value:
        case bool():
            return value
        case int() if value in _INTEGERS:
            return value
        case int():
            raise _invalid(key, f"Property {shown(key)} is an integer that does not fit in 64 bits", "Pass it as text.")
        case float() if math.isfinite(value):
            return value
        case float():
            message = f"Property {shown(key)} is not a finite number"
            raise _invalid(key, message, "Leave the property out, or describe the value as text.")
        case str():
            return _check_text(key, value)
        case _:
            raise _unfit(key, value)


def _check_text(key: str, text: str) -> str:
    try:
        size = len(text) if len(text) > VALUE_BYTES else len(text.encode())
    except UnicodeEncodeError:
        message = f"Property {shown(key)} contains a lone surrogate (half a character pair), which UTF-8 cannot encode"
        raise _invalid(key, message, "Remove it, or replace it with U+FFFD.") from None
    if size > VALUE_BYTES:
        message = f"Property {shown(key)} is text longer than {VALUE_BYTES:,} bytes"
        raise _invalid(key, message, "Put long text in the content.")
    return text


def _unfit(key: str, value: object) -> GraphError:
    kind = kind_of(value)
    hint = _VALUE_HINTS.get(kind, "Pass dates and times as RFC 3339 text, and anything else as text.")
    return _invalid(key, f"Property {shown(key)} is {kind}; values must be text, numbers or booleans", hint)


def _invalid(key: object, message: str, hint: str) -> GraphError:
    return GraphError(Code.INVALID_PROPERTY, message, {"property": shown(key), "hint": hint})


def equal_values(one: PropertyValue, other: PropertyValue) -> bool:
    """Return whether two values mean the same to a query or a rule: `true` is not 1, 1 equals 1.0, text is exact."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other


def key_value(value: PropertyValue) -> str:
    """Return the text under which a value is indexed: the same for two values exactly when they are equal.

    Never longer than 4,096 bytes of UTF-8: longer text gives its SHA-256.
    """
    match value:
        case bool():
            return f"b:{str(value).lower()}"
        case str():
            return _text_key(f"s:{value}")
        case float() if not value.is_integer():
            return f"n:{value!r}"
        case _:
            return f"n:{int(value)}"


SEPARATOR = "\0"
"""What ends an ordered key: it comes before every other character."""
_ORDERED_CHARACTERS = 900


def ordered_key(value: PropertyValue) -> str:
    """Return text that sorts as the value does among values of its kind: booleans, numbers, text, then times.

    Numbers are ordered as floating-point of 64 bits, text by the code points of its first 900 characters, and text that
    is a date with a time of day by the instant, whatever its offset.
    """
    match value:
        case bool():
            return f"b{value:d}"
        case str():
            return _instant_key(value) or f"s{value[:_ORDERED_CHARACTERS]}"
        case _:
            [bits] = struct.unpack(">Q", struct.pack(">d", float(value) + 0.0))
            return f"n{bits ^ (2**64 - 1 if bits >> 63 else 1 << 63):016x}"


def _instant_key(value: str) -> str | None:
    if not _is_datetime(value):
        return None
    try:
        at = datetime.fromisoformat(value.upper()).astimezone(UTC)
        return f"t{at.isoformat(timespec='microseconds')}"
    except (ValueError, OverflowError):  # in UTC it is before the year 1 or after 9999
        return None


def _text_key(text: str) -> str:
    data = text.encode()
    return text if len(data) <= KEY_BYTES else f"h:{hashlib.sha256(data).hexdigest()}"


def _is_date(value: PropertyValue) -> bool:
    if not (isinstance(value, str) and _DATE.fullmatch(value)):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_datetime(value: PropertyValue) -> bool:
    found = _DATETIME.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return False
    try:
        datetime.fromisoformat(f"{found[1]}T{found[2]}+00:00")
    except ValueError:
        return False
    return True


def _is_text(value: PropertyValue) -> bool:
    return isinstance(value, str)


def _is_boolean(value: PropertyValue) -> bool:
    return isinstance(value, bool)


def _is_number(value: PropertyValue) -> bool:
    return not isinstance(value, (str, bool))


def _is_integer(value: PropertyValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_ACCEPTS = {
    PropertyType.STRING: _is_text,
    PropertyType.INTEGER: _is_integer,
    PropertyType.NUMBER: _is_number,
    PropertyType.BOOLEAN: _is_boolean,
    PropertyType.DATE: _is_date,
    PropertyType.DATETIME: _is_datetime,
}
