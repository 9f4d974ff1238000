"""The content of a node or connection: validated bytes with their hash, and an event's reference to them."""

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
    """An event's reference to content. The bytes are stored under their SHA-256."""

    format: str
    encoding: Encoding
    size: int
    sha256: str

    @property
    def is_text(self) -> bool:
        """Whether the content is text and can be searched."""
        return self.encoding == "utf-8"

    def is_same(self, other: ContentRef | None) -> bool:
        """Return whether the other content has the same bytes and encoding. The formats may differ."""
        return other is not None and (self.sha256, self.encoding) == (other.sha256, other.encoding)


@dataclass(frozen=True, slots=True)
class Content:
    """Validated content, created with `content_from`. `data` contains the stored and hashed bytes."""

    data: bytes = field(repr=False)
    encoding: Encoding
    format: str
    sha256: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha256", hashlib.sha256(self.data).hexdigest())

    @property
    def size(self) -> int:
        """The size of the content in bytes."""
        return len(self.data)

    @property
    def is_text(self) -> bool:
        """Whether the content is text and can be searched."""
        return self.encoding == "utf-8"

    @property
    def text(self) -> str | None:
        """The content as text, or None if it is binary."""
        return self.data.decode() if self.is_text else None

    @property
    def encoded(self) -> str:
        """The content as a string: text unchanged, other content as padded standard base64."""
        return self.data.decode() if self.is_text else base64.b64encode(self.data).decode("ascii")

    @property
    def ref(self) -> ContentRef:
        """The reference to the content, for an event."""
        return ContentRef(format=self.format, encoding=self.encoding, size=self.size, sha256=self.sha256)


def content_from(content: str | bytes, encoding: str, format: str) -> Content:  # noqa: A002 - the spec's name
    """Validate content, and return it. With `base64`, a string is decoded and bytes are used unchanged.

    Raises INVALID_ENCODING if the content is not valid in the encoding, or the encoding is neither `utf-8` nor
    `base64`. Raises INVALID_ARGUMENT if the format is empty, longer than 100 characters, or contains control
    characters.
    """
    if encoding == "utf-8":
        return Content(_encode_utf8(content), "utf-8", check_content_format(format))
    if encoding == "base64":
        return Content(_decode_binary(content), "base64", check_content_format(format))
    raise _invalid_encoding_error(
        f"{quote(encoding)} is not an encoding", "Use utf-8 for text or base64 for binary content."
    )


DEFAULT_FORMAT = "text"
"""The format of content created over MCP or in a batch without a format."""


def check_content_format(name: str) -> str:
    """Check a content format, and return it. Raises INVALID_ARGUMENT if it is empty, too long, or not printable.

    Clients choose the format ("markdown", "pdf"). graph-memory stores it without interpreting it.
    """
    has_control_characters = any(unicodedata.category(char) in {"Cc", "Cs"} for char in name)
    if has_control_characters or not 1 <= len(name) <= MAX_FORMAT_LENGTH:
        problem = f"is empty, longer than {MAX_FORMAT_LENGTH} characters, or contains control characters"
        details = {"argument": "format", "hint": 'Use a short word such as "markdown", "json" or "pdf".'}
        raise GraphError(Code.INVALID_ARGUMENT, f"format {quote(name)} {problem}", details)
    return name


def _encode_utf8(content: str | bytes) -> bytes:
    try:
        if isinstance(content, str):
            return content.encode()
        content.decode()
    except (UnicodeEncodeError, UnicodeDecodeError) as error:
        position = f"{'character' if isinstance(content, str) else 'byte'} {error.start}"
        hint = "Remove the invalid characters, or pass binary content as base64."
        raise _invalid_encoding_error(f"Content is not valid utf-8 (at {position})", hint) from error
    return content


def _decode_binary(content: str | bytes) -> bytes:
    """Return the bytes of binary content. Raises INVALID_ENCODING for a string that is not canonical base64."""
    if isinstance(content, bytes):
        return content
    try:
        data = base64.b64decode(content, validate=True)
    except ValueError:
        data = None
    if data is None or base64.b64encode(data).decode("ascii") != content:
        hint = "Use the standard alphabet (A-Z a-z 0-9 + /) with = padding, without spaces or line breaks."
        raise _invalid_encoding_error("Content is not valid base64", hint)
    return data


def _invalid_encoding_error(message: str, hint: str) -> GraphError:
    return GraphError(Code.INVALID_ENCODING, message, {"hint": hint})
