"""Content of nodes and connections: where it is put before a write, and how it is got back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from datetime import datetime
from pathlib import Path

import anyio
import anyio.to_thread

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.search_windows import windows
from graph_memory.model.text.wording import kind_of
from graph_memory.model.values.arguments import fault
from graph_memory.model.values.content import Content, ContentRef, content_from
from graph_memory.storage.blobs.blobs import Blobs
from graph_memory.storage.blobs.cache import ContentCache
from graph_memory.storage.blobs.places import CHUNK

QUICK = 64 * 1024
"""Text up to this size in bytes is cut into search windows at once."""


class Contents:
    """Small text is kept in Neo4j with the write itself; all else goes to the blobs before the write begins."""

    def __init__(self, blobs: Blobs, cache: ContentCache, *, store: str, inline_limit: int, text_limit: int) -> None:
        self.blobs = blobs
        self.store = store
        self._is_claimed = False
        self._cache = cache
        self._inline_limit = inline_limit
        self._text_limit = text_limit

    async def put(self, domain: str, content: Content) -> Content:
        """Return the content once it is safe to refer to.

        Raises CONTENT_TOO_LARGE for text over the limit, which the search windows of one write set, and
        FILE_CREATION_FAILED when it cannot be written. When the write that refers to it then fails, the blob is
        left over for `gc`.
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
        """Raise CONTENT_TOO_LARGE for so many bytes of text, if they are over the limit."""
        if text > self._text_limit:
            raise _too_large(text, self._text_limit)

    async def _claim(self) -> None:
        """Note at the blobs whose they are, before the first of this process: cleaning up must know."""
        if not self._is_claimed:
            await self.blobs.claim(self.store)
            self._is_claimed = True

    async def windows(self, content: Content) -> tuple[str, ...]:
        """Return the search windows of text, made in a worker thread when that takes a while; binary has none."""
        if content.size <= QUICK:
            return tuple(windows(content.text or ""))
        return tuple(await anyio.to_thread.run_sync(list, windows(content.text or "")))

    async def fetch(self, domain: str, ref: ContentRef, inline: str | None) -> Content:
        """Return the content that a node or connection refers to, given the text of its hash where Neo4j keeps one.

        The same bytes may have come as text, which Neo4j keeps, and as base64, which goes to the blobs: either will do.
        Raises CONTENT_READ_FAILED when it is missing, or is not what was written.
        """
        data = inline.encode() if inline is not None else await self._read(domain, ref.sha256)
        content = Content(data=data, encoding=ref.encoding, format=ref.format)
        if content.sha256 != ref.sha256:
            raise _damaged(domain, ref.sha256)
        return content

    async def stream(self, domain: str, ref: ContentRef, inline: str | None) -> AsyncIterator[bytes]:
        """Give content of any size in chunks, at least one, without keeping it; it is found as `fetch` finds it.

        Raises CONTENT_READ_FAILED, at the end when it is not what was written.
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
        """Put a blob of one domain into another. One that is there already becomes new, so that nobody cleans it up.

        Raises CONTENT_READ_FAILED and FILE_CREATION_FAILED.
        """
        await self._claim()
        await self.blobs.put(domain, await self.blobs.get(source, sha256))

    async def drop(self, domain: str, hashes: Iterable[str], before: datetime) -> int:
        """Delete blobs, but none that was written at `before` or later, and return how many are left all the same.

        They stay where another database keeps blobs too, which may need them. Raises FILE_CREATION_FAILED.
        """
        there = [sha256 for sha256 in hashes if await self.blobs.exists(domain, sha256)]
        is_ours = not there or await self.blobs.is_claimed_by(self.store)
        for sha256 in there if is_ours else ():
            await self.blobs.delete(domain, sha256, before)
        return 0 if is_ours else len(there)

    def forget(self, domain: str, hashes: Iterable[str]) -> None:
        """Let go of contents that this process keeps in memory."""
        for sha256 in hashes:
            self._cache.discard(domain, sha256)

    async def take(self, domain: str, chunks: Iterable[bytes]) -> None:
        """Put a blob of any size into a domain. Raises FILE_CREATION_FAILED."""
        await self._claim()
        await self.blobs.put_stream(domain, chunks)

    def is_inline(self, ref: ContentRef) -> bool:
        """Say whether content like this is kept in Neo4j."""
        return ref.is_text and ref.size <= self._inline_limit


def _damaged(domain: str, sha256: str) -> GraphError:
    hint = Hint("Run {graph-memory verify}, then restore the database from a backup, or write the content again.")
    details = {"domain": domain, "sha256": sha256, "reason": "damaged", "hint": hint}
    return GraphError(Code.CONTENT_READ_FAILED, f"Content {sha256} of domain {domain} is damaged", details)


def _too_large(size: int, limit: int) -> GraphError:
    hint = "Split it over several nodes, or give it with encoding base64, which has no limit but is not searched."
    message = f"Text of {size:,} bytes is over the limit of {limit:,} bytes"
    return GraphError(Code.CONTENT_TOO_LARGE, message, {"size": size, "limit": limit, "hint": hint})


async def content_of(data: str | bytes | Path, encoding: str, content_format: str) -> Content:
    """Return checked content from a string, bytes, or the file at a path.

    Raises INVALID_ENCODING, and INVALID_ARGUMENT when there is no such file or it is none of these.
    """
    if not isinstance(data, (str, bytes, Path)):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise fault("content", f"content must be text, bytes or a path, not {kind_of(data)}", "Give one of these.")
    if isinstance(data, Path):
        try:
            data = await anyio.Path(data).read_bytes()
        except OSError as error:
            raise fault("content", f"Cannot read {data}: {error.strerror}", "Give a readable file.") from error
    return content_from(data, encoding, content_format)
