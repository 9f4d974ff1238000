"""References to subjects that a batch creates. `ref` defines a reference, and `$name` uses it in later operations."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from ulid import ULID

from graph_memory.memory.batch.operations import FailedDependency
from graph_memory.model.events import Request, new_id
from graph_memory.model.text.wording import quote, suggestion
from graph_memory.model.values.arguments import check_new_id, invalid_argument, is_encodable
from graph_memory.storage.store import check_text

_MAX_KEY_CHARACTERS = 1_000
_REF_PREFIX = "$"


class References:
    """Generates the new ids of a batch, from its idempotency key if it has one, and resolves references to them."""

    def __init__(self, key: str | None = None) -> None:
        self._key = key
        self._count = 0
        self._ids: dict[str, str] = {}
        self._failed_operations: dict[str, int] = {}

    def new(self, prefix: str) -> str:
        """Return a new id. With an idempotency key, every run of the batch returns the same id."""
        self._count += 1
        return new_id(prefix) if self._key is None else _id_from(prefix, f"{self._key}\n{self._count}")

    def define(self, ref: str, subject: str) -> None:
        """Define a reference to a subject. Raises INVALID_ARGUMENT if it is already defined."""
        if ref in self._ids:
            raise invalid_argument(
                "ref", f"An earlier operation already has the ref {quote(ref)}", "Use a different ref for each."
            )
        self._ids[ref] = subject

    def resolve_name(self, text: str) -> str:
        """Return the id for `$name` in an argument for entity names. Returns any other text unchanged.

        Raises FailedDependency if the operation that defines the reference is invalid.
        """
        name = text.removeprefix(_REF_PREFIX)
        if name == text or (name not in self._ids and name not in self._failed_operations):
            return text
        return self.resolve(text)

    def mark_faulty(self, ref: object, index: int, subject: str | None = None) -> None:
        """Record that the operation that defines a reference is invalid. `resolve` then raises FailedDependency."""
        if isinstance(ref, str):
            name = ref.removeprefix(_REF_PREFIX)
            self._failed_operations.setdefault(name, index)
            if subject is not None and self._ids.get(name) == subject:
                del self._ids[name]

    def resolve(self, text: str) -> str:
        """Return the id for `$name`. `$$x` stands for the id `$x`.

        Raises INVALID_ARGUMENT if the reference is unknown, and FailedDependency if the operation that defines it is
        invalid.
        """
        check_text({"id": text})
        if not text.startswith(_REF_PREFIX):
            return text
        name = text.removeprefix(_REF_PREFIX)
        if name.startswith(_REF_PREFIX):
            return name
        if name not in self._ids:
            if name in self._failed_operations:
                raise FailedDependency(self._failed_operations[name])
            advice = "Add this ref to an earlier create; write $$ for an id that starts with $."
            hint = suggestion(name, self._ids, advice)
            raise invalid_argument("ref", f"No earlier operation has the ref {quote(name)}", hint)
        return self._ids[name]


def check_ref(ref: str) -> str:
    """Return a reference without its leading `$`. Raises INVALID_ARGUMENT if it is not a valid id."""
    return check_new_id("ref", ref.removeprefix(_REF_PREFIX))


def escape_id(subject: str) -> str:
    """Return an id escaped so that `resolve` does not treat it as a reference."""
    return _REF_PREFIX + subject if subject.startswith(_REF_PREFIX) else subject


def check_key(key: str | None) -> str | None:
    """Return the checked idempotency key. Raises INVALID_ARGUMENT if it is empty or too long."""
    if key is not None and not (isinstance(key, str) and 0 < len(key) <= _MAX_KEY_CHARACTERS and is_encodable(key)):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        message = f"{quote(key)} is not a valid idempotency_key"
        raise invalid_argument(
            "idempotency_key", message, f"Use a string of 1 to {_MAX_KEY_CHARACTERS:,} characters, such as a UUID."
        )
    return key


def request_of(key: str | None, operations: Sequence[object]) -> Request | None:
    """Return a request that identifies repetitions of the batch, or None if there is no idempotency key."""
    if key is None:
        return None
    text = json.dumps(operations, sort_keys=True, separators=(",", ":"), default=str)
    return Request(_id_from("evt", key), hashlib.sha256(text.encode()).hexdigest())


def _id_from(prefix: str, seed: str) -> str:
    return f"{prefix}_{ULID.from_bytes(hashlib.sha256(seed.encode()).digest()[:16])}"
