"""Content of nodes and connections: where it is put before a write, and how it is got back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import anyio

from graph_memory.model.arguments import fault
from graph_memory.model.content import Content, ContentRef, content_from
from graph_memory.model.errors import Code, GraphError
from graph_memory.storage.blobs import Blobs
from graph_memory.storage.content_cache import ContentCache


class Contents:
    """Small text is kept in Neo4j with the write itself; all else goes to the blobs before the write begins."""

    def __init__(self, blobs: Blobs, cache: ContentCache, *, inline_limit: int, text_limit: int) -> None:
        self.blobs = blobs
        self._cache = cache
        self._inline_limit = inline_limit
        self._text_limit = text_limit

    async def keep(self, domain: str, content: Content) -> Content:
        """Return the content once it is safe to refer to.

        Raises CONTENT_TOO_LARGE for text over the limit, which the search windows of one write set, and
        FILE_CREATION_FAILED when it cannot be written. When the write that refers to it then fails, the blob is
        left over for `blobs gc`.
        """
        if content.is_text and content.size > self._text_limit:
            raise _too_large(content.size, self._text_limit)
        if not self.is_inline(content.ref):
            await self.blobs.put(domain, content.data)
        return content

    async def fetch(self, domain: str, ref: ContentRef, stored: Mapping[str, object]) -> Content:
        """Return the content that a live node or connection refers to. Raises CONTENT_READ_FAILED."""
        inline = stored.get("_content")
        data = inline.encode() if isinstance(inline, str) else await self._read(domain, ref.sha256)
        return Content(data=data, encoding=ref.encoding, format=ref.format)

    async def _read(self, domain: str, sha256: str) -> bytes:
        data = self._cache.get(domain, sha256)
        if data is None:
            data = await self.blobs.get(domain, sha256)
            self._cache.put(domain, sha256, data)
        return data

    def is_inline(self, ref: ContentRef) -> bool:
        """Say whether content like this is kept in Neo4j."""
        return ref.is_text and ref.size <= self._inline_limit


def _too_large(size: int, limit: int) -> GraphError:
    hint = "Split it over several nodes, or give it with encoding base64: that has no limit, but is not searched."
    message = f"Text of {size:,} bytes is over the limit of {limit:,}"
    return GraphError(Code.CONTENT_TOO_LARGE, message, {"size": size, "limit": limit, "hint": hint})


async def content_of(given: str | bytes | Path, encoding: str, content_format: str) -> Content:
    """Return checked content from a string, bytes, or the file at a path.

    Raises INVALID_ENCODING, and INVALID_ARGUMENT when there is no such file.
    """
    if isinstance(given, Path):
        try:
            given = await anyio.Path(given).read_bytes()
        except OSError as error:
            raise fault("content", f"Cannot read {given}: {error.strerror}", "Give a file that can be read.") from error
    return content_from(given, encoding, content_format)
