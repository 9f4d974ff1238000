"""Storage of the content of nodes and connections."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from datetime import datetime
from pathlib import Path

import anyio
import anyio.to_thread

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.search_windows import windows
from graph_memory.model.text.wording import kind_of
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.content import Content, ContentRef, content_from
from graph_memory.storage.blobs.blobs import Blobs
from graph_memory.storage.blobs.cache import ContentCache
from graph_memory.storage.blobs.places import CHUNK

MAX_INLINE_SPLIT = 64 * 1024
"""Maximum size in bytes of a text that is split into search windows without a worker thread."""


class Contents:
    """Stores small text in Neo4j, within the write, and other content in blobs before the write."""

    def __init__(self, blobs: Blobs, cache: ContentCache, *, store: str, inline_limit: int, text_limit: int) -> None:
        self.blobs = blobs
        self.store = store
        self._is_claimed = False
        self._cache = cache
        self._inline_limit = inline_limit
        self._text_limit = text_limit

    async def put(self, domain: str, content: Content) -> Content:
        """Store content before a write refers to it, and return it.

        Raises CONTENT_TOO_LARGE for text with more search windows than one write can add, and FILE_CREATION_FAILED if
        the content cannot be written. If the write fails, `gc` deletes the blob.
        """
        self.check(content)
        if not self.is_inline(content.ref):
            await self._claim()
            await self.blobs.put(domain, content.data)
        return content

    def check(self, content: Content) -> None:
        """Raise CONTENT_TOO_LARGE for text over the limit."""
        self.check_size(content.size if content.is_text else 0)

    def check_size(self, text: int) -> None:
        """Raise CONTENT_TOO_LARGE if a text of this many bytes is over the limit."""
        if text > self._text_limit:
            raise _too_large(text, self._text_limit)

    async def _claim(self) -> None:
        """Before this process stores its first blob, record that this database owns its blobs."""
        if not self._is_claimed:
            await self.blobs.claim(self.store)
            self._is_claimed = True

    async def windows(self, content: Content) -> tuple[str, ...]:
        """Return the search windows of text. Large text is split in a worker thread, and binary content has none."""
        if content.size <= MAX_INLINE_SPLIT:
            return tuple(windows(content.text or ""))
        return tuple(await anyio.to_thread.run_sync(list, windows(content.text or "")))

    async def fetch(self, domain: str, ref: ContentRef, inline: str | None) -> Content:
        """Return the content of a reference, from its inline text or from the blobs.

        The same bytes may be stored inline, as text, and in a blob, as base64. Either copy is used. Raises
        CONTENT_READ_FAILED if the content is missing or damaged.
        """
        data = inline.encode() if inline is not None else await self._read(domain, ref.sha256)
        content = Content(data=data, encoding=ref.encoding, format=ref.format)
        if content.sha256 != ref.sha256:
            raise _damaged_content(domain, ref.sha256)
        return content

    async def stream(self, domain: str, ref: ContentRef, inline: str | None) -> AsyncIterator[bytes]:
        """Yield content of any size in one or more chunks, as `fetch` reads it, without caching it.

        Raises CONTENT_READ_FAILED. Damaged content is only detected after the last chunk.
        """
        if inline is not None:
            data = (await self.fetch(domain, ref, inline)).data
            for start in range(0, len(data), CHUNK):
                yield data[start : start + CHUNK]
        else:
            async for data in self.blobs.stream(domain, ref.sha256):
                yield data
        if ref.size == 0:
            yield b""

    async def _read(self, domain: str, sha256: str) -> bytes:
        data = self._cache.get(domain, sha256)
        if data is None:
            data = await self.blobs.get(domain, sha256)
            self._cache.put(domain, sha256, data)
        return data

    async def copy(self, source: str, domain: str, sha256: str) -> None:
        """Copy a blob to another domain. An existing copy gets a new time, so that it is not garbage-collected.

        Raises CONTENT_READ_FAILED and FILE_CREATION_FAILED.
        """
        await self._claim()
        await self.blobs.put(domain, await self.blobs.get(source, sha256))

    async def drop(self, domain: str, hashes: Iterable[str], before: datetime) -> int:
        """Delete blobs that were written earlier than `before`, and return the number of blobs that are kept.

        Blobs are kept if another database shares their storage. Raises FILE_CREATION_FAILED.
        """
        existing = [sha256 for sha256 in hashes if await self.blobs.exists(domain, sha256)]
        is_ours = not existing or await self.blobs.is_claimed_by(self.store)
        for sha256 in existing if is_ours else ():
            await self.blobs.delete(domain, sha256, before)
        return 0 if is_ours else len(existing)

    def forget(self, domain: str, hashes: Iterable[str]) -> None:
        """Remove contents from the cache."""
        for sha256 in hashes:
            self._cache.discard(domain, sha256)

    async def take(self, domain: str, chunks: Iterable[bytes]) -> None:
        """Store a blob of any size in a domain. Raises FILE_CREATION_FAILED."""
        await self._claim()
        await self.blobs.put_stream(domain, chunks)

    def is_inline(self, ref: ContentRef) -> bool:
        """Return whether content of this kind and size is stored in Neo4j, not as a blob."""
        return ref.is_text and ref.size <= self._inline_limit


def _damaged_content(domain: str, sha256: str) -> GraphError:
    hint = Hint("Run {graph-memory verify}, then restore the database from a backup, or write the content again.")
    details = {"domain": domain, "sha256": sha256, "reason": "damaged", "hint": hint}
    return GraphError(Code.CONTENT_READ_FAILED, f"Content {sha256} of domain {domain} is damaged", details)


def _too_large(size: int, limit: int) -> GraphError:
    hint = "Split it over several nodes, or store it with encoding base64, which has no limit but is not searched."
    message = f"Text of {size:,} bytes is over the limit of {limit:,} bytes"
    return GraphError(Code.CONTENT_TOO_LARGE, message, {"size": size, "limit": limit, "hint": hint})


async def content_of(data: str | bytes | Path, encoding: str, content_format: str) -> Content:
    """Return checked content from a string, bytes, or the file at a path.

    Raises INVALID_ENCODING, and INVALID_ARGUMENT for other values and for unreadable files.
    """
    if not isinstance(data, (str, bytes, Path)):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise invalid_argument(
            "content", f"content must be text, bytes or a path, not {kind_of(data)}", "Pass one of these."
        )
    if isinstance(data, Path):
        try:
            data = await anyio.Path(data).read_bytes()
        except OSError as error:
            raise invalid_argument(
                "content", f"Cannot read {data}: {error.strerror}", "Pass a readable file."
            ) from error
    return content_from(data, encoding, content_format)
