"""The fields of a node in addition to its properties: path, namespace, title, summary and metadata.

Default values are not stored. Nodes that are older than a field therefore have its default value.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from graph_memory.model.text.wording import kind_of, quote
from graph_memory.model.values.arguments import invalid_argument, is_encodable
from graph_memory.model.values.plain import parse_json_strictly

ROOT = "/"
"""The default path of a node."""
NAMESPACE = "default"
"""The default namespace of a node."""
LONGEST = 255
"""Maximum number of characters of a new path, namespace or title."""
LONGEST_SUMMARY = 10_000
METADATA_BYTES = 64 * 1024
_MAX_DEPTH = 50
_MAX_STORED_LENGTH = 1_000
_CONTROL_CATEGORIES = frozenset({"Cc", "Zl", "Zp"})
_INTEGERS = range(-(2**63), 2**63)

STORED = {
    "path": "_path",
    "namespace": "_namespace",
    "title": "_given_title",
    "content_summary": "_content_summary",
    "metadata": "_metadata",
}
"""The stored property of each field that a caller can set."""
COMPUTED = frozenset({"_title", "_derived_title", "_summary_timestamp"})
"""The stored properties that a write derives from the fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFields:
    """The values of a node's fields. None means the default. `metadata` is JSON text in canonical form."""

    path: str | None = None
    namespace: str | None = None
    title: str | None = None
    """The title set by a caller. If it is None, the title is derived from properties and content."""
    content_summary: str | None = None
    metadata: str | None = None
    summary_timestamp: datetime | None = None

    @classmethod
    def from_stored(cls, stored: Mapping[str, object]) -> NodeFields:
        """Return the fields in a node's stored properties."""
        texts = cast("Mapping[str, str | None]", stored)
        values = {name: texts.get(key) for name, key in STORED.items()}
        return cls(**values, summary_timestamp=cast("datetime | None", stored.get("_summary_timestamp")))

    def state(self, derived_title: str) -> dict[str, str | datetime | None]:
        """Return the fields' stored properties. `derived_title` is used if no title is set."""
        return {
            "_title": self.title or derived_title,
            "_derived_title": None if self.title is None else derived_title,
            "_summary_timestamp": self.summary_timestamp,
            **{key: getattr(self, name) for name, key in STORED.items()},
        }

    def with_changes(
        self, changes: Mapping[str, str | None], at: datetime, *, is_rewritten: bool = False
    ) -> NodeFields:
        """Return the fields with the changed values. None restores a field's default.

        `at` becomes the time of the summary if the summary changes, or if it is set again together with new content
        (`is_rewritten`).
        """
        after = replace(self, **changes)
        if after.content_summary is None:
            return replace(after, summary_timestamp=None)
        is_new = after.content_summary != self.content_summary or (is_rewritten and "content_summary" in changes)
        return replace(after, summary_timestamp=at if is_new else self.summary_timestamp)

    @property
    def non_defaults(self) -> dict[str, str]:
        """The fields that a caller can set and that differ from their defaults, as text by name."""
        texts = {name: cast("str | None", getattr(self, name)) for name in STORED}
        defaults = {"path": ROOT, "namespace": NAMESPACE}
        return {name: text for name, text in texts.items() if text not in (None, defaults.get(name))}

    @property
    def data(self) -> dict[str, object] | None:
        """The parsed metadata, or None."""
        return None if self.metadata is None else json.loads(self.metadata)


def fields_from(
    *,
    path: str | None = None,
    namespace: str | None = None,
    title: str | None = None,
    content_summary: str | None = None,
    metadata: Mapping[str, object] | None = None,
) -> dict[str, str | None]:
    """Check the given fields, and return them as text by name, with None for empty values and defaults.

    Raises INVALID_ARGUMENT if a field is invalid.
    """
    checked: dict[str, str | None] = {}
    if path is not None:
        checked["path"] = None if path in ("", ROOT) else check_path(path)
    if namespace is not None:
        checked["namespace"] = None if namespace in ("", NAMESPACE) else check_namespace(namespace)
    if title is not None:
        checked["title"] = check_title(title) if title else None
    if content_summary is not None:
        checked["content_summary"] = check_summary(content_summary) if content_summary else None
    if metadata is not None:
        checked["metadata"] = check_metadata(metadata)
    return checked


def fields_in(arguments: Mapping[str, object]) -> dict[str, str | None]:
    """Check the fields in a call's arguments, and return them like `fields_from`."""
    values = cast("Mapping[str, Any]", arguments)
    return fields_from(**{name: values[name] for name in STORED if name in values})


def fields_from_texts(texts: Mapping[str, str]) -> dict[str, str | None]:
    """Check fields given as text, with metadata as JSON text, and return them like `fields_from`."""
    metadata = {"metadata": metadata_from_json(texts["metadata"] or "{}")} if "metadata" in texts else {}
    return fields_in({name: value for name, value in texts.items() if name != "metadata"}) | metadata


def check_path(path: str) -> str:
    """Check a new path, and return it. Raises INVALID_ARGUMENT if it is empty or too long."""
    return _check_text("path", path, LONGEST)


def check_stored_path(path: str) -> str:
    """Check a path from a log, and return it. It may be longer than a new path.

    Raises INVALID_ARGUMENT if it is empty or too long.
    """
    return _check_text("path", path, _MAX_STORED_LENGTH)


def check_namespace(namespace: str) -> str:
    """Check a new namespace, and return it.

    Raises INVALID_ARGUMENT if it is blank, too long, or has control characters.
    """
    return _check_line("namespace", namespace)


def check_title(title: str) -> str:
    """Check a new title, and return it. Raises INVALID_ARGUMENT if it is blank, too long, or has control characters."""
    return _check_line("title", title)


def check_summary(summary: str) -> str:
    """Check a new summary, and return it. Raises INVALID_ARGUMENT if it is empty or too long."""
    return _check_text("content_summary", summary, LONGEST_SUMMARY)


def check_description(text: str) -> str:
    """Check a new description, and return it. Raises INVALID_ARGUMENT if it is empty or too long."""
    return _check_text("description", text, LONGEST_SUMMARY)


def _check_line(argument: str, text: object) -> str:
    line = _check_text(argument, text, LONGEST)
    if not line.strip() or any(unicodedata.category(character) in _CONTROL_CATEGORIES for character in line):
        hint = "Use one line without control characters."
        raise invalid_argument(argument, f"{quote(text)} is not a valid {argument}", hint)
    return line


def _check_text(argument: str, text: object, longest: int) -> str:
    if not isinstance(text, str) or not 0 < len(text) <= longest or not is_encodable(text):
        raise invalid_argument(
            argument, f"{quote(text)} is not a valid {argument}", f"Use 1 to {longest:,} characters."
        )
    return text


def check_metadata(metadata: object) -> str | None:
    """Return the metadata as canonical JSON text with sorted keys, or None if the object is empty.

    Raises INVALID_ARGUMENT if it is not an object, not valid JSON, or too large.
    """
    if not isinstance(metadata, Mapping):
        raise _invalid_metadata(f"is {kind_of(metadata)}, not an object", 'Pass an object, such as {"source": "mail"}.')
    if not metadata:
        return None
    data = check_json("metadata", cast("Mapping[object, object]", metadata))
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if not is_encodable(text):
        raise _invalid_metadata("contains half of a UTF-16 surrogate pair", "Remove it.")
    if (size := len(text.encode())) > METADATA_BYTES:
        hint = f"Use at most {METADATA_BYTES:,} bytes, and put the rest in the content."
        raise _invalid_metadata(f"has {size:,} bytes as JSON", hint)
    return text


def metadata_from_json(text: str) -> str | None:
    """Check metadata given as JSON text, and return it in canonical form, or None for an empty object.

    Raises INVALID_ARGUMENT if the text is not valid JSON, or the metadata is invalid.
    """
    try:
        return check_metadata(parse_json_strictly(text.encode(errors="surrogatepass")))
    except ValueError as error:
        raise _invalid_metadata(f"is not valid JSON: {error}", 'Pass an object, such as {"source": "mail"}.') from error


def check_stored_metadata(text: str) -> str:
    """Check a log's metadata as JSON text, and return it. Raises INVALID_ARGUMENT if it is not canonical."""
    if metadata_from_json(text) != text:
        raise _invalid_metadata("is not in canonical form", "Sort its keys, and remove the spaces between values.")
    return text


def check_json(argument: str, value: object, depth: int = _MAX_DEPTH) -> object:
    """Check that JSON can represent an argument's value exactly, and return the value.

    Raises INVALID_ARGUMENT if it cannot, or if lists and objects are nested more than `depth` levels deep.
    """
    if depth == 0:
        hint = "Make it flatter, or put it in the content."
        raise invalid_argument(argument, f"{argument} is nested more than {_MAX_DEPTH} levels deep", hint)
    match value:
        case None | bool() | str():
            return value
        case int() if value in _INTEGERS:
            return value
        case float() if math.isfinite(value):
            return value
        case Mapping():
            entries = cast("Mapping[object, object]", value)
            return {_check_key(argument, key): check_json(argument, entry, depth - 1) for key, entry in entries.items()}
        case list() | tuple():
            return [check_json(argument, entry, depth - 1) for entry in cast("Sequence[object]", value)]
        case _:
            hint = "Use text, finite numbers, integers within 64 bits, true, false, null, lists and objects."
            message = f"{argument} contains the value {quote(value)}, which JSON cannot represent"
            raise invalid_argument(argument, message, hint)


def _check_key(argument: str, key: object) -> str:
    if isinstance(key, str):
        return key
    message = f"{argument} contains the key {quote(key)}, which is {kind_of(key)}"
    raise invalid_argument(argument, message, "Use strings as keys.")


def _invalid_metadata(problem: str, hint: str) -> Exception:
    return invalid_argument("metadata", f"metadata {problem}", hint)
