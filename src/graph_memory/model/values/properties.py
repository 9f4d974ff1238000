"""Properties of nodes and connections: checks of keys and values, equality, index keys, and declared types."""

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
from graph_memory.model.text.wording import kind_of, printable, quote

PropertyValue = str | int | float | bool

ANY = "*"
"""The placeholder for all node types in `from_types` and `to_types`. No type can have this name."""

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
    f"Choose a name of 1 to {NAME_CHARACTERS} characters that contains no control characters "
    'and does not begin with "_".'
)
_VALUE_HINTS = {
    "null": "Omit the property. A stored property cannot be removed: set it to a value that means none.",
    "a list": "Use one property per value, or nodes joined by connections.",
    "an object": "Use one property per field, or put the structure in the content.",
}


class PropertyType(StrEnum):
    """The type of a declared property."""

    STRING = "string"
    """Any text."""
    INTEGER = "integer"
    """An integer without a decimal point, within 64 bits."""
    NUMBER = "number"
    """An integer or a finite floating-point number."""
    BOOLEAN = "boolean"
    """`true` or `false`; never 1 or 0."""
    DATE = "date"
    """Text such as `2025-10-31`: a calendar date, as in RFC 3339."""
    DATETIME = "datetime"
    """Text such as `2025-10-31T10:00:00Z` or with an offset such as `+02:00`, as in RFC 3339."""

    def accepts(self, value: PropertyValue) -> bool:
        """Return whether the value has this type."""
        match self:
            case PropertyType.STRING:
                return isinstance(value, str)
            case PropertyType.INTEGER:
                return isinstance(value, int) and not isinstance(value, bool)
            case PropertyType.NUMBER:
                return not isinstance(value, (str, bool))
            case PropertyType.BOOLEAN:
                return isinstance(value, bool)
            case PropertyType.DATE:
                return _is_date(value)
            case PropertyType.DATETIME:
                return _is_datetime(value)

    @property
    def wording(self) -> str:
        """The type as text for a message."""
        return _WORDING[self]

    @property
    def advice(self) -> str:
        """A sentence that says how to pass a value of the type, with an example."""
        return _ADVICE[self]


_WORDING = {
    PropertyType.STRING: "text",
    PropertyType.INTEGER: "an integer",
    PropertyType.NUMBER: "a number",
    PropertyType.BOOLEAN: "true or false",
    PropertyType.DATE: "a date",
    PropertyType.DATETIME: "a date and time with a UTC offset",
}
_ADVICE = {
    PropertyType.STRING: "Pass the value as text.",
    PropertyType.INTEGER: "Pass a whole number, such as 3.",
    PropertyType.NUMBER: "Pass a number, such as 3 or 0.5.",
    PropertyType.BOOLEAN: "Pass a JSON boolean, without quotes.",
    PropertyType.DATE: "Pass the date in the form 2025-10-31.",
    PropertyType.DATETIME: "Pass the time in the form 2025-10-31T10:00:00Z.",
}


def check_properties(properties: Mapping[str, object]) -> dict[str, PropertyValue]:
    """Check properties, and return them.

    If a key or value cannot be stored, raises INVALID_PROPERTY with the key. Raises CONTENT_TOO_LARGE if the properties
    contain too much text.
    """
    checked = {check_key(key): check_value(key, value) for key, value in properties.items()}
    check_amount(checked)
    return checked


def check_amount(properties: Mapping[str, PropertyValue]) -> None:
    """Check the number of properties of a node or connection, and the size of their text.

    Raises INVALID_PROPERTY for too many properties, and CONTENT_TOO_LARGE for too much text.
    """
    if len(properties) > MOST_PROPERTIES:
        message = f"{len(properties):,} properties are over the limit of {MOST_PROPERTIES:,}"
        raise GraphError(Code.INVALID_PROPERTY, message, {"hint": "Put details in the content, or in other nodes."})
    size = sum(len(value) for value in properties.values() if isinstance(value, str))
    check_text_size("The text in properties", size)


def check_text_size(subject: str, size: int) -> None:
    """Raise CONTENT_TOO_LARGE if `size`, in characters, exceeds the limit for one subject's properties."""
    if size > MOST_TEXT:
        message = f"{subject} of {size:,} characters is over the limit of {MOST_TEXT:,}"
        details = {"size": size, "limit": MOST_TEXT, "hint": "Shorten it, and put details in the content."}
        raise GraphError(Code.CONTENT_TOO_LARGE, message, details)


def check_key(key: object) -> str:
    """Check a property key, and return it. Raises INVALID_PROPERTY if the key is invalid."""
    problem = _name_problem(key)
    if isinstance(key, str) and problem is None:
        return key
    raise _invalid_property_error(key, f"Property key {quote(key)} {problem}", _NAME_HINT)


def check_name(kind: str, name: object) -> str:
    """Check a type's name, and return it. `kind`, such as `Node type`, is for messages.

    Raises INVALID_ARGUMENT if the name is invalid.
    """
    problem = "stands for every node type and cannot be a name" if name == ANY else _name_problem(name)
    if isinstance(name, str) and problem is None:
        return name
    message = f"{kind} name {quote(name)} {problem}"
    raise GraphError(Code.INVALID_ARGUMENT, message, {"name": printable(name), "hint": _NAME_HINT})


def _name_problem(name: object) -> str | None:
    if not isinstance(name, str):
        return f"is {kind_of(name)}, not text"
    if not name:
        return "is empty"
    if name.startswith("_"):
        return 'starts with "_", which is reserved for the service'
    if len(name) > NAME_CHARACTERS:
        return f"has {len(name):,} characters; the limit is {NAME_CHARACTERS}"
    return _character_problem(name)


def _character_problem(name: str) -> str | None:
    for character in name:
        match unicodedata.category(character):
            case "Cc":
                return f"contains the control character U+{ord(character):04X}"
            case "Cs":
                return "contains half of a UTF-16 surrogate pair, which UTF-8 cannot encode"
            case _:
                pass
    return None


def check_value(key: str, value: object) -> PropertyValue:
    """Check a property value, and return it. If it cannot be stored, raises INVALID_PROPERTY with the key."""
    match value:
        case bool():
            return value
        case int() if value in _INTEGERS:
            return value
        case int():
            raise _invalid_property_error(
                key, f"Property {quote(key)} is an integer that does not fit in 64 bits", "Pass it as text."
            )
        case float() if math.isfinite(value):
            return value
        case float():
            message = f"Property {quote(key)} is not a finite number"
            raise _invalid_property_error(key, message, "Leave the property out, or describe the value as text.")
        case str():
            return _check_text(key, value)
        case _:
            kind = kind_of(value)
            message = f"Property {quote(key)} is {kind}; values must be text, numbers or booleans"
            hint = _VALUE_HINTS.get(kind, "Pass dates and times as RFC 3339 text, and anything else as text.")
            raise _invalid_property_error(key, message, hint)


def _check_text(key: str, text: str) -> str:
    try:
        size = len(text) if len(text) > VALUE_BYTES else len(text.encode())
    except UnicodeEncodeError:
        message = f"Property {quote(key)} contains half of a UTF-16 surrogate pair, which UTF-8 cannot encode"
        raise _invalid_property_error(key, message, "Remove it, or replace it with U+FFFD.") from None
    if size > VALUE_BYTES:
        message = f"Property {quote(key)} is text longer than {VALUE_BYTES:,} bytes"
        raise _invalid_property_error(key, message, "Put long text in the content.")
    return text


def _invalid_property_error(key: object, message: str, hint: str) -> GraphError:
    return GraphError(Code.INVALID_PROPERTY, message, {"property": printable(key), "hint": hint})


def equal_values(value: PropertyValue, other: PropertyValue) -> bool:
    """Return whether queries and rules treat two values as equal. `true` differs from 1, but 1 equals 1.0."""
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    return value == other


def key_value(value: PropertyValue) -> str:
    """Return a value's index key. Two values have the same key if and only if they are equal.

    A key has at most 4,096 bytes of UTF-8. Longer text is replaced by its SHA-256.
    """
    match value:
        case bool():
            return f"b:{str(value).lower()}"
        case str():
            text = f"s:{value}"
            data = text.encode()
            return text if len(data) <= KEY_BYTES else f"h:{hashlib.sha256(data).hexdigest()}"
        case float() if not value.is_integer():
            return f"n:{value!r}"
        case _:
            return f"n:{int(value)}"


SEPARATOR = "\0"
"""The character after an ordered key. It sorts before every other character."""
_ORDERED_CHARACTERS = 900


def ordered_key(value: PropertyValue) -> str:
    """Return a value's sort key. Keys sort in this order: booleans, numbers, text, times.

    Numbers sort as 64-bit floating-point numbers, and text by the code points of its first 900 characters. Text that is
    a date with a time sorts by its instant, regardless of its offset.
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
    except (ValueError, OverflowError):  # in UTC, the time is before the year 1 or after 9999
        return None


def _is_date(value: PropertyValue) -> bool:
    if not (isinstance(value, str) and _DATE.fullmatch(value)):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_datetime(value: PropertyValue) -> bool:
    match = _DATETIME.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return False
    try:
        datetime.fromisoformat(f"{match[1]}T{match[2]}+00:00")
    except ValueError:
        return False
    return True
