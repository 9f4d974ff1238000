"""Reads plain data from JSON and YAML. Each value has a location for error messages."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import kind_of, printable, quote, suggestion

_PLAIN_KEY = re.compile(r"[^\W\d]\w{0,79}")


def entry_path(parent: str, step: str | int) -> str:
    """Return the path of an entry in a list or object, such as `node_types[2].name`."""
    if isinstance(step, int):
        return f"{parent}[{step}]"
    if not _PLAIN_KEY.fullmatch(step):
        return f'{parent}["{printable(step)}"]'
    return f"{parent}.{step}" if parent else step


@contextmanager
def locate_errors(at: str) -> Generator[None]:
    """Add the location `at` to the details of a GraphError from the `with` block, if they have no location."""
    try:
        yield
    except GraphError as error:
        if "at" in error.details:
            raise
        raise GraphError(error.code, error.message, {**error.details, "at": at}) from error


def _describe(value: object) -> str:
    """Describe a value for a message: its JSON kind and, for a scalar, the value."""
    kind = kind_of(value)
    return f"{kind} ({quote(value)})" if isinstance(value, (str, int, float)) else kind


@dataclass(frozen=True, slots=True)
class LocatedValue:
    """A value of plain data, with its location. Reading the value as another type raises INVALID_ARGUMENT."""

    value: object
    at: str
    errors: list[GraphError] | None = None
    """A list that collects errors, so that reading continues after an error. If None, the first error is raised."""

    @contextmanager
    def collect_errors(self) -> Generator[None]:
        """Append a GraphError from the `with` block to the list of errors. If there is no list, raise it."""
        try:
            yield
        except GraphError as error:
            if self.errors is None:
                raise
            self.errors.append(error)

    def error(self, problem: str, hint: str | None = None, name: str | None = None) -> GraphError:
        """Return the INVALID_ARGUMENT error for a problem with this value. `name` is the invalid name, if any."""
        subject = self.at or "The declaration"
        details = {"argument": subject, "at": self.at, "name": self.at if name is None else printable(name)}
        advice = {} if hint is None else {"hint": hint}
        return GraphError(Code.INVALID_ARGUMENT, f"{subject} {problem}", {**details, **advice})

    def text(self) -> str:
        """Return the value if it is text. Raises INVALID_ARGUMENT otherwise."""
        if isinstance(self.value, str):
            return self.value
        hint = "Put it in quotes." if isinstance(self.value, (bool, int, float)) else None
        raise self.error(f"must be text, not {_describe(self.value)}", hint)

    def flag(self) -> bool:
        """Return the value if it is a boolean. Raises INVALID_ARGUMENT otherwise."""
        if isinstance(self.value, bool):
            return self.value
        raise self.error(f"must be true or false, not {_describe(self.value)}")

    def number(self) -> float:
        """Return the value if it is a number. Raises INVALID_ARGUMENT otherwise."""
        if isinstance(self.value, (int, float)) and not isinstance(self.value, bool):
            return self.value
        raise self.error(f"must be a number, not {_describe(self.value)}")

    def items(self) -> Sequence[LocatedValue]:
        """Return the value's items with their locations. Raises INVALID_ARGUMENT if it is not a list."""
        if isinstance(self.value, (list, tuple)):
            entries = cast("Sequence[object]", self.value)
            return [LocatedValue(entry, entry_path(self.at, index), self.errors) for index, entry in enumerate(entries)]
        raise self.error(f"must be a list, not {_describe(self.value)}")

    def texts(self) -> tuple[str, ...]:
        """Return the items of a list of strings. Raises INVALID_ARGUMENT for other values and duplicate strings."""
        texts: dict[str, None] = {}
        for item in self.items():
            if item.text() in texts:
                raise item.error(f"repeats {quote(item.value)}", "Remove the duplicate.", item.text())
            texts[item.text()] = None
        return tuple(texts)

    def entries(self) -> Mapping[str, LocatedValue]:
        """Return the value's entries. Raises INVALID_ARGUMENT if it is not an object with string keys."""
        if not isinstance(self.value, Mapping):
            raise self.error(f"must be an object, not {_describe(self.value)}")
        entries = cast("Mapping[object, object]", self.value)
        return {
            self._key(key): LocatedValue(value, entry_path(self.at, str(key)), self.errors)
            for key, value in entries.items()
        }

    def _key(self, key: object) -> str:
        if isinstance(key, str):
            return key
        raise self.error(f"contains the key {quote(key)}, which is {kind_of(key)}; keys must be text")

    def fields(self, allowed: Collection[str]) -> Fields:
        """Return the value's entries as fields. Raises INVALID_ARGUMENT for keys that are not allowed."""
        entries = self.entries()
        for key, entry in entries.items():
            if key not in allowed:
                hint = suggestion(key, allowed, f"Valid keys: {', '.join(allowed)}.")
                with self.collect_errors():
                    raise entry.error("is not a valid key", hint, key)
        return Fields(self, entries)


_EXAMPLES = {
    "content": '"Ann likes tea."',
    "from_types": '["Person"]',
    "name": '"Person"',
    "op": '"create_node"',
    "relationType": '"knows"',
    "text": '"Ann likes tea."',
    "to_types": '["Person"]',
    "type": '"Person"',
}
"""Examples of the values of required fields, keyed by the field's name."""


def advice_to_add(*names: str) -> str:
    """Return the hint for a missing field that has these synonymous names."""
    key = names[0].rpartition(".")[2]
    example = f", such as {_EXAMPLES[key]}" if key in _EXAMPLES else ", the id of a node" if "node_id" in key else ""
    return f"Add {' or '.join(names)}{example}."


@dataclass(frozen=True, slots=True)
class Fields:
    """An object's entries by name. A null entry counts as missing."""

    owner: LocatedValue
    entries: Mapping[str, LocatedValue]

    def get(self, *names: str) -> LocatedValue | None:
        """Return the entry under one of several synonymous names, or None. Raises INVALID_ARGUMENT if there are two."""
        existing_names = [name for name in names if name in self.entries and self.entries[name].value is not None]
        if len(existing_names) > 1:
            first, second = existing_names[:2]
            raise self.owner.error(f"has both {first} and {second}, which mean the same", f"Keep only {first}.")
        return self.entries[existing_names[0]] if existing_names else None

    def need(self, *names: str) -> LocatedValue:
        """Return the entry under one of several synonymous names. Raises INVALID_ARGUMENT if it is missing."""
        entry = self.get(*names)
        if entry is None:
            raise self.owner.error(f"needs {quote(names[0])}", advice_to_add(*names))
        return entry

    def text(self, name: str) -> str:
        """Return the entry with this name as text, or an empty string if it is missing."""
        with self.owner.collect_errors():
            entry = self.get(name)
            return "" if entry is None else entry.text()
        return ""

    def number(self, name: str) -> float | None:
        """Return the entry with this name as a number, or None if it is missing."""
        with self.owner.collect_errors():
            entry = self.get(name)
            return None if entry is None else entry.number()
        return None

    def flag(self, name: str) -> bool:
        """Return the entry with this name as a boolean. Returns False if it is missing."""
        with self.owner.collect_errors():
            entry = self.get(name)
            return entry is not None and entry.flag()
        return False


class NotJson(ValueError):  # noqa: N818 - says what is wrong with data
    """Raised if data is not valid JSON. `line` and `column` are 0 if the problem has no single location."""

    def __init__(self, problem: str, line: int = 0, column: int = 0) -> None:
        at = f" at line {line}, column {column}" if line > 1 else f" at column {column}" if column else ""
        super().__init__(f"{problem}{at}")
        self.problem = problem
        self.line = line
        self.column = column


MORE_FOLLOWS = "there is more text after the value"
_PROBLEMS = {
    "Expecting value": "a value is missing",
    "Expecting property name": "a name in double quotes is missing",
    "Expecting ':'": "a colon is missing",
    "Expecting ','": "a comma or the closing bracket is missing",
    "Unterminated string": "a string has no closing quote",
    "Invalid control character": "a string contains a control character, such as a line break, that is not escaped",
    "Invalid \\": "a string contains a backslash that escapes nothing",
    "Extra data": MORE_FOLLOWS,
    "Illegal trailing comma": "there is an extra comma",
}
"""Descriptions of problems, by prefixes of the messages from Python's JSON parser."""


def _reject_constant(constant: str) -> object:
    raise NotJson(f"{constant} is not a JSON number")


def _reject_duplicate_names(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise NotJson("a name appears twice in an object")
    return result


STRICT_JSON = json.JSONDecoder(parse_constant=_reject_constant, object_pairs_hook=_reject_duplicate_names)
"""A JSON parser that also raises NotJson for duplicate names, NaN and Infinity."""


def parse_json_strictly(data: bytes) -> object:
    """Parse JSON in UTF-8.

    Raises NotJson if the data is not valid JSON, is nested too deeply, or contains duplicate names, NaN, Infinity,
    unpaired surrogates, or numbers with too many digits.
    """
    try:
        value = STRICT_JSON.decode(data.decode())
        if b"\\ud" in data.lower():
            json.dumps(value, ensure_ascii=False).encode()  # UTF-8 cannot encode half of a surrogate pair
    except RecursionError as error:
        raise NotJson("it is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise NotJson(f"byte {error.start + 1} is not UTF-8") from error
    except UnicodeEncodeError as error:
        raise NotJson("a string contains half of a UTF-16 surrogate pair (\\ud800 to \\udfff)") from error
    except json.JSONDecodeError as error:
        problems = (text for start, text in _PROBLEMS.items() if error.msg.startswith(start))
        raise NotJson(next(problems, "unexpected character"), error.lineno, error.colno) from error
    except NotJson:
        raise
    except ValueError as error:  # an integer with more digits than Python reads
        raise NotJson("a number has too many digits") from error
    return value
