"""Storage of the content of nodes and connections."""

from __future__ import annotations

import copy
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
    """Stores small texts in Neo4j with the write that uses them, and all other content in blobs before the write."""

    def __init__(
        self,
        blobs: Blobs,
        cache: ContentCache,
        *,
        store: str,
        inline_limit: int,
        text_limit: int,
        databases: Iterable[str] = (),
    ) -> None:
        """Create the storage. `store` is the home database's id, and `databases` are the names of further databases."""
        self.blobs = blobs
        self.owners = frozenset([store, *(f"{store}/{name}" for name in databases)])
        """The databases of this memory. A process that does not know one of them must not delete its blobs."""
        self._is_claimed = False
        self._writes_blobs = True
        self._cache = cache
        self._inline_limit = inline_limit
        self._text_limit = text_limit

    def without_writes(self) -> Contents:
        """Return a copy whose `put` only checks content. Use it for writes that are rolled back."""
        contents = copy.copy(self)
        contents._writes_blobs = False  # noqa: SLF001 - of the same class
        return contents

    async def put(self, domain: str, content: Content) -> Content:
        """Store content before a write refers to it, and return it.

        Raises CONTENT_TOO_LARGE for text with more search windows than one write can add, and FILE_CREATION_FAILED if
        the content cannot be written. If the write fails, `gc` later deletes the blob.
        """
        self.check(content)
        if self._writes_blobs and not self.is_inline(content.ref):
            await self._claim()
            await self.blobs.put(domain, content.data)
        return content

    def check(self, content: Content) -> None:
        """Raise CONTENT_TOO_LARGE if the content is text larger than the limit."""
        self.check_size(content.size if content.is_text else 0)

    def check_size(self, text_size: int) -> None:
        """Raise CONTENT_TOO_LARGE if a text of `text_size` bytes is larger than the limit."""
        if text_size > self._text_limit:
            hint = (
                "Split it into several nodes, or store it with encoding base64, which has no limit but is not searched."
            )
            message = f"Text of {text_size:,} bytes is over the limit of {self._text_limit:,} bytes"
            details = {"size": text_size, "limit": self._text_limit, "hint": hint}
            raise GraphError(Code.CONTENT_TOO_LARGE, message, details)

    async def _claim(self) -> None:
        """Record that these databases own the blob storage. Call this before the process stores its first blob."""
        if not self._is_claimed:
            for owner in sorted(self.owners):
                await self.blobs.claim(owner)
            self._is_claimed = True

    async def owns_all_blobs(self) -> bool:
        """Return whether all blobs here belong to databases of this memory. Raises CONTENT_READ_FAILED."""
        return await self.blobs.are_claimed_by(self.owners)

    async def split_windows(self, content: Content) -> tuple[str, ...]:
        """Return a text's search windows, or none for binary content. A worker thread splits large texts."""
        if content.size <= MAX_INLINE_SPLIT:
            return tuple(windows(content.text or ""))
        return tuple(await anyio.to_thread.run_sync(list, windows(content.text or "")))

    async def fetch(self, domain: str, ref: ContentRef, inline: str | None) -> Content:
        """Return the content of a reference, from its inline text or from a blob.

        The same bytes may be stored both as inline text and as base64 in a blob, so either copy is accepted. Raises
        CONTENT_READ_FAILED if the content is missing or damaged.
        """
        data = inline.encode() if inline is not None else await self._read(domain, ref.sha256)
        content = Content(data=data, encoding=ref.encoding, format=ref.format)
        if content.sha256 != ref.sha256:
            hint = Hint(
                "Run {graph-memory verify}, then restore the database from a backup, or write the content again."
            )
            details = {"domain": domain, "sha256": ref.sha256, "reason": "damaged", "hint": hint}
            raise GraphError(Code.CONTENT_READ_FAILED, f"Content {ref.sha256} in domain {domain} is damaged", details)
        return content

    async def stream(self, domain: str, ref: ContentRef, inline: str | None) -> AsyncIterator[bytes]:
        """Yield content of any size in one or more chunks, without caching it. See `fetch` for the arguments.

        Raises CONTENT_READ_FAILED if the content is missing or damaged. Damage is detected only after the last chunk.
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
        """Copy a blob to another domain. An existing copy gets a new write time, so that garbage collection keeps it.

        Raises CONTENT_READ_FAILED if the blob cannot be read, and FILE_CREATION_FAILED if the copy cannot be written.
        """
        await self._claim()
        await self.blobs.put(domain, await self.blobs.get(source, sha256))

    async def drop(self, domain: str, hashes: Iterable[str], before: datetime) -> int:
        """Delete blobs that were written earlier than `before`. Return the number of kept blobs.

        If another database shares the storage, all blobs are kept. Raises FILE_CREATION_FAILED if a blob cannot be
        deleted.
        """
        existing = [sha256 for sha256 in hashes if await self.blobs.exists(domain, sha256)]
        is_ours = not existing or await self.owns_all_blobs()
        for sha256 in existing if is_ours else ():
            await self.blobs.delete(domain, sha256, before)
        return 0 if is_ours else len(existing)

    def forget(self, domain: str, hashes: Iterable[str]) -> None:
        """Remove contents from the cache, if they are in it."""
        for sha256 in hashes:
            self._cache.discard(domain, sha256)

    async def put_blob(self, domain: str, chunks: Iterable[bytes]) -> None:
        """Store a blob of any size in a domain. Raises FILE_CREATION_FAILED if it cannot be written."""
        await self._claim()
        await self.blobs.put_stream(domain, chunks)

    def is_inline(self, ref: ContentRef) -> bool:
        """Return whether content of this kind and size is stored in Neo4j, not as a blob."""
        return ref.is_text and ref.size <= self._inline_limit


async def content_of(data: str | bytes | Path, encoding: str, content_format: str) -> Content:
    """Return validated content from a string, bytes, or the file at a path.

    Raises INVALID_ENCODING if the encoding is unknown or does not match the content, and INVALID_ARGUMENT if the format
    is invalid, `data` has another type, or the file cannot be read.
    """
    if not isinstance(data, (str, bytes, Path)):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise invalid_argument(
            "content", f"content must be text, bytes or a path, not {kind_of(data)}", "Pass a str, bytes or a Path."
        )
    if isinstance(data, Path):
        try:
            data = await anyio.Path(data).read_bytes()
        except OSError as error:
            raise invalid_argument(
                "content", f"Cannot read {data}: {error.strerror}", "Pass a readable file."
            ) from error
    return content_from(data, encoding, content_format)
