"""Fields of a node with names of their own: where it belongs, its title, its summary, and data beside the properties.

A field that is at its default is not stored, so a node written before there were fields has all of them.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from graph_memory.model.text.wording import kind_of, quoted
from graph_memory.model.values.arguments import fault, is_encodable
from graph_memory.model.values.plain import parse_json_strictly

ROOT = "/"
"""The path of a node that was given none."""
NAMESPACE = "default"
"""The namespace of a node that was given none."""
LONGEST = 255
"""Characters of a new path, namespace or title."""
LONGEST_SUMMARY = 10_000
METADATA_BYTES = 64 * 1024
_DEEPEST = 50
_LONGEST_STORED = 1_000
_BREAKS = frozenset({"Cc", "Zl", "Zp"})
_INTEGERS = range(-(2**63), 2**63)

STORED = {
    "path": "_path",
    "namespace": "_namespace",
    "title": "_given_title",
    "content_summary": "_content_summary",
    "metadata": "_metadata",
}
"""What a state keeps each field as that a caller can set."""
COMPUTED = frozenset({"_title", "_derived_title", "_summary_timestamp"})
"""What a write makes of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFields:
    """The fields of a node; None where one is at its default. `metadata` is JSON text, always written the same way."""

    path: str | None = None
    namespace: str | None = None
    title: str | None = None
    """The title that was given; without one, it is made of the properties and the content."""
    content_summary: str | None = None
    metadata: str | None = None
    summary_timestamp: datetime | None = None

    @classmethod
    def from_stored(cls, stored: Mapping[str, object]) -> NodeFields:
        """Return the fields in a stored property map."""
        texts = cast("Mapping[str, str | None]", stored)
        given = {name: texts.get(key) for name, key in STORED.items()}
        return cls(**given, summary_timestamp=cast("datetime | None", stored.get("_summary_timestamp")))

    def state(self, derived: str) -> dict[str, str | datetime | None]:
        """Return what a state keeps of them; `derived` is the title without one that was given."""
        return {
            "_title": self.title or derived,
            "_derived_title": None if self.title is None else derived,
            "_summary_timestamp": self.summary_timestamp,
            **{key: getattr(self, name) for name, key in STORED.items()},
        }

    def changed(self, given: Mapping[str, str | None], at: datetime, *, is_rewritten: bool = False) -> NodeFields:
        """Return them with those that are given, None for the default.

        The summary is of the time `at` if it is another one, or was given with content that was `is_rewritten`.
        """
        after = replace(self, **given)
        if after.content_summary is None:
            return replace(after, summary_timestamp=None)
        is_new = after.content_summary != self.content_summary or (is_rewritten and "content_summary" in given)
        return replace(after, summary_timestamp=at if is_new else self.summary_timestamp)

    @property
    def told(self) -> dict[str, str]:
        """What a caller sets, as text, where it is not at its default."""
        found = {name: cast("str | None", getattr(self, name)) for name in STORED}
        defaults = {"path": ROOT, "namespace": NAMESPACE}
        return {name: text for name, text in found.items() if text not in (None, defaults.get(name))}

    @property
    def data(self) -> dict[str, object] | None:
        """The metadata as an object."""
        return None if self.metadata is None else json.loads(self.metadata)


def fields_from(
    *,
    path: str | None = None,
    namespace: str | None = None,
    title: str | None = None,
    content_summary: str | None = None,
    metadata: Mapping[str, object] | None = None,
) -> dict[str, str | None]:
    """Return the fields that are given, checked; an empty text or object, and a default, is None.

    Raises INVALID_ARGUMENT.
    """
    found: dict[str, str | None] = {}
    if path is not None:
        found["path"] = None if path in ("", ROOT) else check_path(path)
    if namespace is not None:
        found["namespace"] = None if namespace in ("", NAMESPACE) else check_namespace(namespace)
    if title is not None:
        found["title"] = check_title(title) if title else None
    if content_summary is not None:
        found["content_summary"] = check_summary(content_summary) if content_summary else None
    if metadata is not None:
        found["metadata"] = check_metadata(metadata)
    return found


def fields_in(given: Mapping[str, object]) -> dict[str, str | None]:
    """Return the fields among arguments of a call, as `fields_from` does."""
    named = cast("Mapping[str, Any]", given)
    return fields_from(**{name: named[name] for name in STORED if name in named})


def fields_told(given: Mapping[str, str]) -> dict[str, str | None]:
    """Return fields that are all told as text, the metadata as JSON, as `fields_from` does."""
    metadata = {"metadata": metadata_from_json(given["metadata"] or "{}")} if "metadata" in given else {}
    return fields_in({name: value for name, value in given.items() if name != "metadata"}) | metadata


def check_path(path: str) -> str:
    """Return a new path. Raises INVALID_ARGUMENT."""
    return _text("path", path, LONGEST)


def check_stored_path(path: str) -> str:
    """Return a path as a log has it: once, longer ones were allowed. Raises INVALID_ARGUMENT."""
    return _text("path", path, _LONGEST_STORED)


def check_namespace(namespace: str) -> str:
    """Return a new namespace. Raises INVALID_ARGUMENT."""
    return _line("namespace", namespace)


def check_title(title: str) -> str:
    """Return a new title. Raises INVALID_ARGUMENT."""
    return _line("title", title)


def check_summary(summary: str) -> str:
    """Return a new summary. Raises INVALID_ARGUMENT."""
    return _text("content_summary", summary, LONGEST_SUMMARY)


def check_description(text: str) -> str:
    """Return a new description. Raises INVALID_ARGUMENT."""
    return _text("description", text, LONGEST_SUMMARY)


def _line(argument: str, text: object) -> str:
    found = _text(argument, text, LONGEST)
    if not found.strip() or any(unicodedata.category(each) in _BREAKS for each in found):
        hint = "Use one line without control characters."
        raise fault(argument, f"{quoted(text)} is not a valid {argument}", hint)
    return found


def _text(argument: str, text: object, longest: int) -> str:
    if not isinstance(text, str) or not 0 < len(text) <= longest or not is_encodable(text):
        raise fault(argument, f"{quoted(text)} is not a valid {argument}", f"Use 1 to {longest:,} characters.")
    return text


def check_metadata(given: object) -> str | None:
    """Return an object as JSON text with its keys in order, None for an empty one. Raises INVALID_ARGUMENT."""
    if not isinstance(given, Mapping):
        raise _unfit(f"is {kind_of(given)}, not an object", 'Give an object, such as {"source": "mail"}.')
    if not given:
        return None
    data = _plain(cast("Mapping[object, object]", given), _DEEPEST)
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if not is_encodable(text):
        raise _unfit("contains a lone surrogate (half a character pair)", "Remove it.")
    if (size := len(text.encode())) > METADATA_BYTES:
        hint = f"Use at most {METADATA_BYTES:,} bytes, and put the rest in the content."
        raise _unfit(f"has {size:,} bytes as JSON", hint)
    return text


def metadata_from_json(text: str) -> str | None:
    """Return the metadata that JSON text says, as `check_metadata` does. Raises INVALID_ARGUMENT."""
    try:
        return check_metadata(parse_json_strictly(text.encode(errors="surrogatepass")))
    except ValueError as error:
        raise _unfit("is not JSON that everybody reads alike", 'Such as {"source": "mail"}.') from error


def check_stored_metadata(text: str) -> str:
    """Return metadata as a log has it. Raises INVALID_ARGUMENT for text that no write would have made."""
    if metadata_from_json(text) != text:
        raise _unfit("is not written as it is stored", "Write its keys in order, and no spaces between them.")
    return text


def _plain(value: object, depth: int) -> object:
    """Return what JSON can say, and reads back as the same."""
    if depth == 0:
        raise _unfit(f"is nested more than {_DEEPEST} deep", "Make it flatter, or put it in the content.")
    match value:
        case None | bool() | str():
            return value
        case int() if value in _INTEGERS:
            return value
        case float() if math.isfinite(value):
            return value
        case Mapping():
            entries = cast("Mapping[object, object]", value)
            return {_key(key): _plain(each, depth - 1) for key, each in entries.items()}
        case list() | tuple():
            return [_plain(each, depth - 1) for each in cast("Sequence[object]", value)]
        case _:
            hint = "Use text, finite numbers, integers within 64 bits, true, false, null, lists and objects."
            raise _unfit(f"holds {quoted(value)}, which it cannot", hint)


def _key(key: object) -> str:
    if isinstance(key, str):
        return key
    raise _unfit(f"has the key {quoted(key)}, which is {kind_of(key)}", "Keys are text.")


def _unfit(problem: str, hint: str) -> Exception:
    return fault("metadata", f"metadata {problem}", hint)
