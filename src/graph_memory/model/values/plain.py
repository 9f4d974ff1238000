"""Plain data, as JSON and YAML give it, read with the place of every value at hand, so that a fault can be located."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import kind_of, quoted, shown, suggestion

_SIMPLE = re.compile(r"[^\W\d]\w{0,79}")


def place(parent: str, step: str | int) -> str:
    """Return where an entry of a list or an object stands, such as `node_types[2].name`."""
    if isinstance(step, int):
        return f"{parent}[{step}]"
    if not _SIMPLE.fullmatch(step):
        return f'{parent}["{shown(step)}"]'
    return f"{parent}.{step}" if parent else step


@contextmanager
def located(at: str) -> Generator[None]:
    """Add to the details of a GraphError where in the data it arose, unless that is known more exactly."""
    try:
        yield
    except GraphError as error:
        if "at" in error.details:
            raise
        raise GraphError(error.code, error.message, {**error.details, "at": at}) from error


def _told(value: object) -> str:
    """Say what a value is, and for a scalar also which."""
    kind = kind_of(value)
    return f"{kind} ({quoted(value)})" if isinstance(value, (str, int, float)) else kind


@dataclass(frozen=True, slots=True)
class Located:
    """A value and its place. Every method that reads raises INVALID_ARGUMENT for a value of another shape."""

    value: object
    at: str
    faults: list[GraphError] | None = None
    """Where faults are gathered, so that reading goes on after one; None raises the first."""

    @contextmanager
    def going_on(self) -> Generator[None]:
        """Go on after a fault where they are gathered."""
        try:
            yield
        except GraphError as error:
            if self.faults is None:
                raise
            self.faults.append(error)

    def fault(self, problem: str, hint: str | None = None, name: str | None = None) -> GraphError:
        """Return the error that this value has the problem; `name` is the offending one, if it has one."""
        subject = self.at or "The declaration"
        details = {"argument": subject, "at": self.at, "name": self.at if name is None else shown(name)}
        advice = {} if hint is None else {"hint": hint}
        return GraphError(Code.INVALID_ARGUMENT, f"{subject} {problem}", {**details, **advice})

    def text(self) -> str:
        """Return the value, which must be text."""
        if isinstance(self.value, str):
            return self.value
        hint = "Put it in quotes." if isinstance(self.value, (bool, int, float)) else None
        raise self.fault(f"must be text, not {_told(self.value)}", hint)

    def flag(self) -> bool:
        """Return the value, which must be true or false."""
        if isinstance(self.value, bool):
            return self.value
        raise self.fault(f"must be true or false, not {_told(self.value)}")

    def number(self) -> float:
        """Return the value, which must be a number."""
        if isinstance(self.value, (int, float)) and not isinstance(self.value, bool):
            return self.value
        raise self.fault(f"must be a number, not {_told(self.value)}")

    def items(self) -> Sequence[Located]:
        """Return the entries of the value, which must be a list."""
        if isinstance(self.value, (list, tuple)):
            entries = cast("Sequence[object]", self.value)
            return [Located(entry, place(self.at, index), self.faults) for index, entry in enumerate(entries)]
        raise self.fault(f"must be a list, not {_told(self.value)}")

    def texts(self) -> tuple[str, ...]:
        """Return the entries of the value, which must be a list of text without repetition."""
        found: dict[str, None] = {}
        for item in self.items():
            if item.text() in found:
                raise item.fault(f"repeats {shown(item.value)}", "Remove the duplicate.", item.text())
            found[item.text()] = None
        return tuple(found)

    def entries(self) -> Mapping[str, Located]:
        """Return the entries of the value, which must be an object."""
        if not isinstance(self.value, Mapping):
            raise self.fault(f"must be an object, not {_told(self.value)}")
        found = cast("Mapping[object, object]", self.value)
        return {self._key(key): Located(value, place(self.at, str(key)), self.faults) for key, value in found.items()}

    def _key(self, key: object) -> str:
        if isinstance(key, str):
            return key
        raise self.fault(f"has the key {shown(key)}, which is {kind_of(key)}; keys must be text")

    def fields(self, allowed: Collection[str]) -> Fields:
        """Return the entries of an object that may have only the keys named."""
        entries = self.entries()
        for key, entry in entries.items():
            if key not in allowed:
                hint = suggestion(key, allowed, f"Valid keys: {', '.join(allowed)}.")
                with self.going_on():
                    raise entry.fault("is not a valid key", hint, key)
        return Fields(self, entries)


@dataclass(frozen=True, slots=True)
class Fields:
    """The entries of an object, by name. An entry that is null counts as left out."""

    owner: Located
    entries: Mapping[str, Located]

    def get(self, *names: str) -> Located | None:
        """Return the entry under one of the names, which all mean the same, or nothing."""
        given = [name for name in names if name in self.entries and self.entries[name].value is not None]
        if len(given) > 1:
            raise self.owner.fault(f"has both {given[0]} and {given[1]}, which mean the same", "Keep one of them.")
        return self.entries[given[0]] if given else None

    def need(self, *names: str) -> Located:
        """Return the entry under one of the names; raises INVALID_ARGUMENT when there is none."""
        found = self.get(*names)
        if found is None:
            raise self.owner.fault(f"needs {names[0]}", f"Add {' or '.join(names)}.")
        return found

    def text(self, name: str) -> str:
        """Return a text, or an empty one when it is left out."""
        with self.owner.going_on():
            found = self.get(name)
            return "" if found is None else found.text()
        return ""

    def number(self, name: str) -> float | None:
        """Return a number, or None when it is left out."""
        with self.owner.going_on():
            found = self.get(name)
            return None if found is None else found.number()
        return None

    def flag(self, name: str) -> bool:
        """Return a flag, or false when it is left out."""
        with self.owner.going_on():
            found = self.get(name)
            return found is not None and found.flag()
        return False


class NotJson(ValueError):  # noqa: N818 - says what is wrong with data
    """What keeps data from being JSON, and at which line and column; 0 if it is at no single place."""

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
"""What is wrong, by how the messages of Python's parser begin."""


def _refuse(constant: str) -> object:
    raise NotJson(f"{constant} is no number of JSON")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotJson("a name appears twice in an object")
    return found


_JSON = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_once)


def parse_json_strictly(data: bytes) -> object:
    """Parse UTF-8 JSON strictly.

    Raises NotJson also for duplicate names, NaN or Infinity, unpaired surrogates, and numbers with too many digits.
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
        found = (told for start, told in _PROBLEMS.items() if error.msg.startswith(start))
        raise NotJson(next(found, "unexpected character"), error.lineno, error.colno) from error
    except NotJson:
        raise
    except ValueError as error:  # an integer of more digits than Python reads
        raise NotJson("a number has too many digits") from error
    return value
