"""Plain data from JSON and YAML, with the place of every value for error messages."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import kind_of, printable, quote, suggestion

_SIMPLE = re.compile(r"[^\W\d]\w{0,79}")


def entry_path(parent: str, step: str | int) -> str:
    """Return the path of an entry of a list or an object, such as `node_types[2].name`."""
    if isinstance(step, int):
        return f"{parent}[{step}]"
    if not _SIMPLE.fullmatch(step):
        return f'{parent}["{printable(step)}"]'
    return f"{parent}.{step}" if parent else step


@contextmanager
def locate_errors(at: str) -> Generator[None]:
    """Add the place in the data to the details of a GraphError, unless they have a place."""
    try:
        yield
    except GraphError as error:
        if "at" in error.details:
            raise
        raise GraphError(error.code, error.message, {**error.details, "at": at}) from error


def _describe(value: object) -> str:
    """Return the kind of a value. For a scalar, also the value."""
    kind = kind_of(value)
    return f"{kind} ({quote(value)})" if isinstance(value, (str, int, float)) else kind


@dataclass(frozen=True, slots=True)
class LocatedValue:
    """A value and its place. Methods that read it raise INVALID_ARGUMENT for a value of another kind."""

    value: object
    at: str
    errors: list[GraphError] | None = None
    """A list to collect errors, so that reading continues after an error; None raises the first error."""

    @contextmanager
    def collect_errors(self) -> Generator[None]:
        """Append a GraphError to the list of errors, or raise it if there is no list."""
        try:
            yield
        except GraphError as error:
            if self.errors is None:
                raise
            self.errors.append(error)

    def error(self, problem: str, hint: str | None = None, name: str | None = None) -> GraphError:
        """Return the error for a problem of this value; `name` is the faulty name, if any."""
        subject = self.at or "The declaration"
        details = {"argument": subject, "at": self.at, "name": self.at if name is None else printable(name)}
        advice = {} if hint is None else {"hint": hint}
        return GraphError(Code.INVALID_ARGUMENT, f"{subject} {problem}", {**details, **advice})

    def text(self) -> str:
        """Return the value as text."""
        if isinstance(self.value, str):
            return self.value
        hint = "Put it in quotes." if isinstance(self.value, (bool, int, float)) else None
        raise self.error(f"must be text, not {_describe(self.value)}", hint)

    def flag(self) -> bool:
        """Return the value as a boolean."""
        if isinstance(self.value, bool):
            return self.value
        raise self.error(f"must be true or false, not {_describe(self.value)}")

    def number(self) -> float:
        """Return the value as a number."""
        if isinstance(self.value, (int, float)) and not isinstance(self.value, bool):
            return self.value
        raise self.error(f"must be a number, not {_describe(self.value)}")

    def items(self) -> Sequence[LocatedValue]:
        """Return the entries of a list."""
        if isinstance(self.value, (list, tuple)):
            entries = cast("Sequence[object]", self.value)
            return [LocatedValue(entry, entry_path(self.at, index), self.errors) for index, entry in enumerate(entries)]
        raise self.error(f"must be a list, not {_describe(self.value)}")

    def texts(self) -> tuple[str, ...]:
        """Return the entries of a list of text without duplicates."""
        texts: dict[str, None] = {}
        for item in self.items():
            if item.text() in texts:
                raise item.error(f"repeats {printable(item.value)}", "Remove the duplicate.", item.text())
            texts[item.text()] = None
        return tuple(texts)

    def entries(self) -> Mapping[str, LocatedValue]:
        """Return the entries of an object."""
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
        raise self.error(f"has the key {printable(key)}, which is {kind_of(key)}; keys must be text")

    def fields(self, allowed: Collection[str]) -> Fields:
        """Return the entries of an object with only allowed keys."""
        entries = self.entries()
        for key, entry in entries.items():
            if key not in allowed:
                hint = suggestion(key, allowed, f"Valid keys: {', '.join(allowed)}.")
                with self.collect_errors():
                    raise entry.error("is not a valid key", hint, key)
        return Fields(self, entries)


@dataclass(frozen=True, slots=True)
class Fields:
    """The entries of an object, by name. An entry that is null counts as missing."""

    owner: LocatedValue
    entries: Mapping[str, LocatedValue]

    def get(self, *names: str) -> LocatedValue | None:
        """Return the entry under one of several synonymous names, or None. Raises INVALID_ARGUMENT if two exist."""
        present = [name for name in names if name in self.entries and self.entries[name].value is not None]
        if len(present) > 1:
            raise self.owner.error(f"has both {present[0]} and {present[1]}, which mean the same", "Keep one of them.")
        return self.entries[present[0]] if present else None

    def need(self, *names: str) -> LocatedValue:
        """Return the entry under one of several synonymous names. Raises INVALID_ARGUMENT if there is none."""
        entry = self.get(*names)
        if entry is None:
            raise self.owner.error(f"needs {names[0]}", f"Add {' or '.join(names)}.")
        return entry

    def text(self, name: str) -> str:
        """Return an entry as text, or empty text if it is missing."""
        with self.owner.collect_errors():
            entry = self.get(name)
            return "" if entry is None else entry.text()
        return ""

    def number(self, name: str) -> float | None:
        """Return an entry as a number, or None if it is missing."""
        with self.owner.collect_errors():
            entry = self.get(name)
            return None if entry is None else entry.number()
        return None

    def flag(self, name: str) -> bool:
        """Return an entry as a boolean, or false if it is missing."""
        with self.owner.collect_errors():
            entry = self.get(name)
            return entry is not None and entry.flag()
        return False


class NotJson(ValueError):  # noqa: N818 - says what is wrong with data
    """The data is not JSON; `line` and `column` are 0 if the problem has no single place."""

    def __init__(self, problem: str, line: int = 0, column: int = 0) -> None:
        at = f"line {line}, column {column}: " if line > 1 else f"column {column}: " if column else ""
        super().__init__(f"{at}{problem}")
        self.problem = problem
        self.line = line
        self.column = column


MORE_FOLLOWS = "more follows after the value"
_PROBLEMS = {
    "Expecting value": "a value is missing",
    "Expecting property name": "a name in double quotes is missing",
    "Expecting ':'": "a colon is missing",
    "Expecting ','": "a comma or the closing bracket is missing",
    "Unterminated string": "a text begins here and does not end",
    "Invalid control character": "a text has a control character, such as a line break, that is not escaped",
    "Invalid \\": "a text has a backslash that escapes nothing",
    "Extra data": MORE_FOLLOWS,
    "Illegal trailing comma": "a comma is too many",
}
"""Problems by the beginning of the messages of Python's parser."""


def _refuse(constant: str) -> object:
    raise NotJson(f"{constant} is no number of JSON")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise NotJson("a name appears twice in an object")
    return result


_JSON = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_once)


def parse_json_strictly(data: bytes) -> object:
    """Parse UTF-8 JSON strictly.

    Raises NotJson, including for duplicate names, NaN or Infinity, unpaired surrogates, and numbers with too many
    digits.
    """
    try:
        value = _JSON.decode(data.decode())
        if b"\\ud" in data.lower():
            json.dumps(value, ensure_ascii=False).encode()  # half a character pair has no UTF-8
    except RecursionError as error:
        raise NotJson("it is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise NotJson(f"byte {error.start + 1} is not UTF-8") from error
    except UnicodeEncodeError as error:
        raise NotJson("a text has half a character pair (\\ud800 to \\udfff)") from error
    except json.JSONDecodeError as error:
        problems = (text for start, text in _PROBLEMS.items() if error.msg.startswith(start))
        raise NotJson(next(problems, "unexpected character"), error.lineno, error.colno) from error
    except NotJson:
        raise
    except ValueError as error:  # an integer with more digits than Python reads
        raise NotJson("a number has too many digits") from error
    return value
