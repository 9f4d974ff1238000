"""Names for what a batch creates: `ref` gives one, `$name` stands for the id in later operations."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from ulid import ULID

from graph_memory.memory.batch.operations import NotCreated
from graph_memory.model.events import Request, new_id
from graph_memory.model.text.wording import quoted, suggestion
from graph_memory.model.values.arguments import check_new_id, fault, is_encodable
from graph_memory.storage.store import check_text

_LONGEST_KEY = 1_000
_SIGN = "$"


class References:
    """The ids of a batch: those that are made, from its idempotency key if it has one, and the names for them."""

    def __init__(self, key: str | None = None) -> None:
        self._key = key
        self._made = 0
        self._named: dict[str, str] = {}
        self._lost: dict[str, int] = {}

    def new(self, prefix: str) -> str:
        """Return a new id. With a key it is the same in every run of the batch."""
        self._made += 1
        return new_id(prefix) if self._key is None else _id_from(prefix, f"{self._key}\n{self._made}")

    def name(self, ref: str, subject: str) -> None:
        """Give a subject a name. Raises INVALID_ARGUMENT for one that is taken."""
        if ref in self._named:
            raise fault("ref", f"An earlier operation is called {quoted(ref)} already", "Give each its own ref.")
        self._named[ref] = subject

    def named(self, given: str) -> str:
        """Return the id that `$name` stands for where names of entities are; any other text is a name itself.

        Raises NotCreated.
        """
        name = given.removeprefix(_SIGN)
        if name == given or (name not in self._named and name not in self._lost):
            return given
        return self.resolved(given)

    def lose(self, ref: object, index: int, subject: str | None = None) -> None:
        """Note that an operation that is at fault would have given a name, or had given it to a subject."""
        if isinstance(ref, str):
            name = ref.removeprefix(_SIGN)
            self._lost.setdefault(name, index)
            if subject is not None and self._named.get(name) == subject:
                del self._named[name]

    def resolved(self, given: str) -> str:
        """Return the id that `$name` stands for; `$$x` is the id `$x`.

        Raises INVALID_ARGUMENT for an unknown name, and NotCreated.
        """
        check_text({"id": given})
        if not given.startswith(_SIGN):
            return given
        name = given.removeprefix(_SIGN)
        if name.startswith(_SIGN):
            return name
        if name not in self._named:
            if name in self._lost:
                raise NotCreated(self._lost[name])
            advice = "Give an earlier create this ref; write $$ for an id that starts with $."
            hint = suggestion(name, self._named, advice)
            raise fault("ref", f"No earlier operation is called {quoted(name)}", hint)
        return self._named[name]


def check_ref(ref: str) -> str:
    """Return the name that a create gives, with or without its sign. Raises INVALID_ARGUMENT."""
    return check_new_id("ref", ref.removeprefix(_SIGN))


def escaped(subject: str) -> str:
    """Return what stands for an id itself."""
    return _SIGN + subject if subject.startswith(_SIGN) else subject


def check_key(key: str | None) -> str | None:
    """Return an idempotency key. Raises INVALID_ARGUMENT."""
    if key is not None and not (isinstance(key, str) and 0 < len(key) <= _LONGEST_KEY and is_encodable(key)):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        message = f"{quoted(key)} is not a valid idempotency_key"
        raise fault("idempotency_key", message, f"Use text of 1 to {_LONGEST_KEY:,} characters, such as a UUID.")
    return key


def request_of(key: str | None, operations: Sequence[object]) -> Request | None:
    """Return by what a batch with a key is known again."""
    if key is None:
        return None
    text = json.dumps(operations, sort_keys=True, separators=(",", ":"), default=str)
    return Request(_id_from("evt", key), hashlib.sha256(text.encode()).hexdigest())


def _id_from(prefix: str, seed: str) -> str:
    return f"{prefix}_{ULID.from_bytes(hashlib.sha256(seed.encode()).digest()[:16])}"
