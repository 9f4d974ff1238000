"""The content of a node or connection: checked text or bytes with a hash, and the reference in an event."""

from __future__ import annotations

import base64
import hashlib
import unicodedata
from dataclasses import dataclass, field
from typing import Literal

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import quote

Encoding = Literal["utf-8", "base64"]
MAX_FORMAT_LENGTH = 100


@dataclass(frozen=True, slots=True)
class ContentRef:
    """The reference to content in an event. The bytes are stored under their hash."""

    format: str
    encoding: Encoding
    size: int
    sha256: str

    @property
    def is_text(self) -> bool:
        """Whether the content is text and can be searched."""
        return self.encoding == "utf-8"

    def is_same(self, other: ContentRef | None) -> bool:
        """Return whether the other content is the same: equal bytes in the same encoding."""
        return other is not None and (self.sha256, self.encoding) == (other.sha256, other.encoding)


@dataclass(frozen=True, slots=True)
class Content:
    """Checked content. Create it with `content_from`; `data` are the stored and hashed bytes."""

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
        """Whether the content is text and can be searched."""
        return self.encoding == "utf-8"

    @property
    def text(self) -> str | None:
        """The text, or None if the content is binary."""
        return self.data.decode() if self.is_text else None

    @property
    def encoded(self) -> str:
        """The content as a string: text unchanged, other content as standard base64 with padding."""
        return self.data.decode() if self.is_text else base64.b64encode(self.data).decode("ascii")

    @property
    def ref(self) -> ContentRef:
        """The reference to the content for an event."""
        return ContentRef(format=self.format, encoding=self.encoding, size=self.size, sha256=self.sha256)


def content_from(content: str | bytes, encoding: str, format: str) -> Content:  # noqa: A002 - the spec's name
    """Return checked content. With `base64`, a string is decoded and bytes are used unchanged.

    Raises INVALID_ENCODING if the content is not valid in the encoding or the encoding is neither `utf-8` nor `base64`.
    Raises INVALID_ARGUMENT if the format is not 1 to 100 characters without control characters.
    """
    if encoding == "utf-8":
        return Content(_utf8(content), "utf-8", check_content_format(format))
    if encoding == "base64":
        return Content(_binary(content), "base64", check_content_format(format))
    raise _invalid_encoding(f"Unknown encoding {encoding[:50]!a}", "Use utf-8 for text or base64 for binary content.")


DEFAULT_FORMAT = "text"
"""The default format of content over MCP and in batches."""


def check_content_format(name: str) -> str:
    """Check a format, and return it. Raises INVALID_ARGUMENT.

    Clients choose the format ("markdown", "pdf"); graph-memory stores it without interpreting it.
    """
    bad = any(unicodedata.category(char) in {"Cc", "Cs"} for char in name)
    if bad or not 1 <= len(name) <= MAX_FORMAT_LENGTH:
        raise GraphError(
            Code.INVALID_ARGUMENT,
            f"format {quote(name)} is not 1 to {MAX_FORMAT_LENGTH} characters without control characters",
            {"argument": "format", "hint": 'Use a short word such as "markdown", "json" or "pdf".'},
        )
    return name


def _utf8(content: str | bytes) -> bytes:
    try:
        if isinstance(content, str):
            return content.encode()
        content.decode()
    except (UnicodeEncodeError, UnicodeDecodeError) as error:
        place = f"{'character' if isinstance(content, str) else 'byte'} {error.start}"
        hint = "Fix the text, or pass binary content as base64."
        raise _invalid_encoding(f"Content is not valid utf-8 (at {place})", hint) from error
    return content


def _binary(content: str | bytes) -> bytes:
    """Return the bytes of binary content. A string must be canonical base64, so that reads return it unchanged."""
    if isinstance(content, bytes):
        return content
    try:
        data = base64.b64decode(content, validate=True)
    except ValueError:
        data = None
    if data is None or base64.b64encode(data).decode("ascii") != content:
        hint = "Use the standard alphabet (A-Z a-z 0-9 + /) with = padding, without spaces or line breaks."
        raise _invalid_encoding("Content is not valid base64", hint)
    return data


def _invalid_encoding(message: str, hint: str) -> GraphError:
    return GraphError(Code.INVALID_ENCODING, message, {"hint": hint})
