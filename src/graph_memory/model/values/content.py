"""The content of a node or connection: text or bytes, checked, with its hash; and what an event keeps of it."""

from __future__ import annotations

import base64
import hashlib
import unicodedata
from dataclasses import dataclass, field
from typing import Literal

from graph_memory.model.errors import Code, GraphError

Encoding = Literal["utf-8", "base64"]
MAX_FORMAT_LENGTH = 100


@dataclass(frozen=True, slots=True)
class ContentRef:
    """What an event keeps of content: all but the bytes, which are found by their hash."""

    format: str
    encoding: Encoding
    size: int
    sha256: str

    @property
    def is_text(self) -> bool:
        """Whether the content is text, so that it can be searched."""
        return self.encoding == "utf-8"

    def is_same(self, other: ContentRef | None) -> bool:
        """Say whether it is the same content: the same bytes, and both text or both not."""
        return other is not None and (self.sha256, self.encoding) == (other.sha256, other.encoding)


@dataclass(frozen=True, slots=True)
class Content:
    """Content that was checked. Make it with `content_from`; `data` is what is stored and hashed."""

    data: bytes = field(repr=False)
    encoding: Encoding
    format: str
    sha256: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha256", hashlib.sha256(self.data).hexdigest())

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.data)

    @property
    def is_text(self) -> bool:
        """Whether the content is text, so that it can be searched."""
        return self.encoding == "utf-8"

    @property
    def text(self) -> str | None:
        """The text; None when the content is binary."""
        return self.data.decode() if self.is_text else None

    @property
    def as_given(self) -> str:
        """The content as a string of its encoding: the text itself, or standard base64 with padding."""
        return self.data.decode() if self.is_text else base64.b64encode(self.data).decode("ascii")

    @property
    def ref(self) -> ContentRef:
        """What an event keeps of the content."""
        return ContentRef(format=self.format, encoding=self.encoding, size=self.size, sha256=self.sha256)


def content_from(given: str | bytes, encoding: str, format: str) -> Content:  # noqa: A002 - the spec's name
    """Return checked content. With `base64`, a string is decoded and bytes are taken as they are.

    Fails with `INVALID_ENCODING` when the content is not of the encoding or the encoding is neither `utf-8` nor
    `base64`, and with `INVALID_ARGUMENT` when the format is not 1 to 100 characters without control characters.
    """
    if encoding == "utf-8":
        return Content(_utf8(given), "utf-8", checked_format(format))
    if encoding == "base64":
        return Content(_binary(given), "base64", checked_format(format))
    raise _not_encoded(f"Unknown encoding {encoding[:50]!a}", "Use utf-8 for text or base64 for binary content.")


DEFAULT_FORMAT = "text"
"""The format of content over MCP and in batches that is given without one."""


def checked_format(given: str) -> str:
    """Return the format unchanged, or fail with `INVALID_ARGUMENT`.

    A format is a word of the client's own ("markdown", "pdf"); the service keeps it and reads nothing into it.
    """
    bad = any(unicodedata.category(char) in {"Cc", "Cs"} for char in given)
    if bad or not 1 <= len(given) <= MAX_FORMAT_LENGTH:
        raise GraphError(
            Code.INVALID_ARGUMENT,
            f"format must be 1 to {MAX_FORMAT_LENGTH} characters without control characters",
            {"argument": "format", "hint": 'Use a short word such as "markdown", "json" or "pdf".'},
        )
    return given


def _utf8(given: str | bytes) -> bytes:
    try:
        if isinstance(given, str):
            return given.encode()
        given.decode()
    except (UnicodeEncodeError, UnicodeDecodeError) as error:
        place = f"{'character' if isinstance(given, str) else 'byte'} {error.start}"
        hint = "Fix the text, or pass binary content as base64."
        raise _not_encoded(f"Content is not valid utf-8 (at {place})", hint) from error
    return given


def _binary(given: str | bytes) -> bytes:
    """Return the bytes. A string must be what encoding them gives, so that it can come back the same."""
    if isinstance(given, bytes):
        return given
    try:
        data = base64.b64decode(given, validate=True)
    except ValueError:
        data = None
    if data is None or base64.b64encode(data).decode("ascii") != given:
        hint = "Use the standard alphabet (A-Z a-z 0-9 + /) with = padding, without spaces or line breaks."
        raise _not_encoded("Content is not valid base64", hint)
    return data


def _not_encoded(message: str, hint: str) -> GraphError:
    return GraphError(Code.INVALID_ENCODING, message, {"hint": hint})
