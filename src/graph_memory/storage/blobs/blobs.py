"""Content stored outside of Neo4j, in files that are named by the hash of their content, in one folder per domain.

A blob is complete and synced before the transaction that refers to it starts. So a crash can only leave behind
unreferenced blobs and temporary files. Domains share no blobs.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import AsyncIterator, Callable, Generator, Iterable
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.request import url2pathname

from anyio import to_thread

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import without_credentials
from graph_memory.model.values.arguments import file_name_part, is_domain
from graph_memory.storage.blobs.places import (
    CHUNK,
    Backend,
    Blob,
    FolderBackend,
    Hashed,
    RemoteBackend,
    Stored,
    is_blob_name,
)

__all__ = ["Blob", "Blobs", "Stored", "blobs_at", "domain_of", "folder_of"]

_CLAIMS = "=stores="
_PLACE = "=place="
"""The folder with a random file, by which servers recognise that they share the place."""
_CODED_FOLDER = re.compile(r"=([0-9a-f]+)=([a-z0-9._=-]+)=")
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")

T = TypeVar("T")


class Blobs:
    """The blobs of all domains in one location. Files are accessed in worker threads, even by cancelled calls."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @property
    def location(self) -> str:
        """The folder or URL, without credentials."""
        return self._backend.location

    async def put(self, domain: str, data: bytes) -> str:
        """Write content, and return its SHA-256 after it is synced. If the blob exists, its time is updated.

        Raises FILE_CREATION_FAILED.
        """
        return (await self.put_stream(domain, [data])).sha256

    async def put_stream(self, domain: str, chunks: Iterable[bytes]) -> Stored:
        """Write content of any size, with at most one chunk in memory, and return its hash and size.

        The chunks are produced in a worker thread. Raises FILE_CREATION_FAILED.
        """
        source = Hashed(chunks)
        with self._writing(domain):
            await to_thread.run_sync(self._backend.write, folder_of(domain), source)
        return source.stored

    async def claim(self, store: str) -> None:
        """Record that a database stores blobs here. Raises FILE_CREATION_FAILED."""
        with self._writing("", "write to"):
            await to_thread.run_sync(self._backend.write, _CLAIMS, Hashed([store.encode()]))

    async def is_claimed_by(self, store: str) -> bool:
        """Return whether the given database, and no other, stores blobs here. Raises CONTENT_READ_FAILED."""
        with self._listing():
            files = await to_thread.run_sync(lambda: list(self._backend.files(_CLAIMS)))
        return [file.name for file in files if not file.is_leftover] == [hashlib.sha256(store.encode()).hexdigest()]

    async def place_id(self) -> str:
        """Return the id of this place, which is equal for all processes that share it. Creates it at the first call.

        Raises CONTENT_READ_FAILED and FILE_CREATION_FAILED.
        """
        if not (names := await self._place_names()):
            with self._writing("", "write to"):
                await to_thread.run_sync(self._backend.write, _PLACE, Hashed([secrets.token_bytes()]))
            names = await self._place_names()
        return min(names)

    async def _place_names(self) -> list[str]:
        with self._listing():
            files = await to_thread.run_sync(lambda: list(self._backend.files(_PLACE)))
        return [file.name for file in files if not file.is_leftover]

    async def get(self, domain: str, sha256: str) -> bytes:
        """Return content after checking it against its hash. Raises CONTENT_READ_FAILED."""
        return await self._read(domain, sha256, partial(self._read_verified, domain, sha256))

    async def stream(self, domain: str, sha256: str) -> AsyncIterator[bytes]:
        """Yield content of any size in chunks. The content is verified only after the last chunk.

        No file stays open between chunks. Raises CONTENT_READ_FAILED. For damaged content, raises it after the last
        chunk.
        """
        digest = hashlib.sha256()
        folder, name = folder_of(domain), _checked_name(sha256)
        size = await self._read(domain, sha256, partial(self._backend.size, folder, name))
        for start in range(0, size, CHUNK):
            part = partial(self._backend.read, folder, name, start, min(start + CHUNK, size))
            chunk = await self._read(domain, sha256, part)
            digest.update(chunk)
            yield chunk
        if digest.hexdigest() != sha256:
            raise _unreadable(domain, sha256, "damaged")

    async def exists(self, domain: str, sha256: str) -> bool:
        """Return whether a blob exists, even if it is damaged. Raises CONTENT_READ_FAILED."""
        return await self._read(domain, sha256, partial(self._exists, folder_of(domain), _checked_name(sha256)))

    async def holds(self, domain: str, name: str, needle: bytes) -> bool:
        """Return whether a blob or leftover of any size contains `needle`. Raises CONTENT_READ_FAILED."""
        return await self._read(domain, name, partial(self._contains, folder_of(domain), _checked_name(name), needle))

    async def list_blobs(self, domain: str) -> list[Blob]:
        """Return the blobs of a domain, sorted by name, without leftovers. Raises CONTENT_READ_FAILED."""
        return [blob for blob in await self._files(domain) if not blob.is_leftover]

    async def garbage(self, domain: str, referenced: AbstractSet[str], before: datetime) -> list[Blob]:
        """Return the unreferenced blobs and leftovers that were last modified before the given time.

        `before` must be longer ago than any write takes, because a blob is written before the reference to it. Raises
        CONTENT_READ_FAILED.
        """
        files = await self._files(domain)
        return [file for file in files if file.name not in referenced and file.modified < before]

    async def delete(self, domain: str, name: str, before: datetime | None = None) -> bool:
        """Delete a blob or leftover, unless it was modified at `before` or later, and return whether it was deleted.

        Pass the same `before` as to `garbage`, because a later write may need the blob. Raises FILE_CREATION_FAILED.
        """
        with self._writing(domain, "delete content in"):
            return await to_thread.run_sync(self._backend.remove, folder_of(domain), _checked_name(name), before)

    async def domains(self) -> list[str]:
        """Return the domains that have or had blobs, sorted by name. Raises CONTENT_READ_FAILED."""
        with self._listing():
            folders = await to_thread.run_sync(lambda: list(self._backend.folders()))
        return sorted(domain for folder in folders if (domain := domain_of(folder)) is not None)

    async def _files(self, domain: str) -> list[Blob]:
        with self._listing():
            return await to_thread.run_sync(lambda: sorted(self._backend.files(folder_of(domain))))

    async def _read(self, domain: str, sha256: str, work: Callable[[], T]) -> T:
        try:
            return await to_thread.run_sync(work)
        except FileNotFoundError as error:
            raise _unreadable(domain, sha256, "missing") from error
        except OSError as error:
            raise _unreadable(domain, sha256, "unreadable", _cause(error)) from error

    def _read_verified(self, domain: str, sha256: str) -> bytes:
        data = self._backend.read(folder_of(domain), _checked_name(sha256))
        if hashlib.sha256(data).hexdigest() != sha256:
            raise _unreadable(domain, sha256, "damaged")
        return data

    def _contains(self, folder: str, name: str, needle: bytes) -> bool:
        size = self._backend.size(folder, name)
        overlap = len(needle) - 1
        return any(
            needle in self._backend.read(folder, name, start, min(start + CHUNK + overlap, size))
            for start in range(0, size, CHUNK)
        )

    def _exists(self, folder: str, name: str) -> bool:
        try:
            self._backend.size(folder, name)
        except FileNotFoundError:
            return False
        return True

    @contextmanager
    def _writing(self, domain: str, action: str = "write content to") -> Generator[None]:
        try:
            yield
        except OSError as error:
            hint = "Check that the blob store (GRAPH_MEMORY_BLOB_URL) is writable and has free space, then try again."
            details = {"domain": domain, "hint": hint}
            message = f"Could not {action} the blob store: {_cause(error)}"
            raise GraphError(Code.FILE_CREATION_FAILED, message, details, path=self.location) from error

    @contextmanager
    def _listing(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            message = f"Could not list the content in the blob store: {_cause(error)}"
            hint = "Check that the blob store (GRAPH_MEMORY_BLOB_URL) is readable."
            raise GraphError(Code.CONTENT_READ_FAILED, message, {"hint": hint}, path=self.location) from error


def blobs_at(place: str | Path) -> Blobs:
    """Return the blobs in a local folder (a path or `file://` URL), or at another URL that fsspec supports.

    Nothing is opened or created yet. Raises INVALID_ARGUMENT for a `file://` URL of another host.
    """
    if isinstance(place, str) and "://" in place and not place.startswith(("file://", "local://")):
        return Blobs(RemoteBackend(place))
    return Blobs(FolderBackend(_local_path(place)))


def folder_of(domain: str) -> str:
    """Return the folder name for a domain, which is unique even on file systems that ignore case.

    Lower-case names are unchanged. Other names, names with a slash, and names that Windows reserves become
    `=<upper>=<lower-case name>=`. In it, `<upper>` is a hexadecimal bit mask of the upper-case characters (bit 0 is the
    first), and `=` replaces a slash, so the name can be decoded and folders are not nested.
    Raises INVALID_ARGUMENT for an invalid domain name.
    """
    if not is_domain(domain):
        raise GraphError(Code.INVALID_ARGUMENT, "The domain name is not valid", {"argument": "domain"})
    lower = file_name_part(domain.lower())
    if domain == lower and not lower.endswith(".") and not _DEVICE.fullmatch(lower):
        return domain
    upper = sum(1 << place for place, char in enumerate(domain) if char.isupper())
    return f"={upper:x}={lower}="


def domain_of(folder: str) -> str | None:
    """Return the domain for a folder name, or None if the name belongs to no domain."""
    coded = _CODED_FOLDER.fullmatch(folder)
    domain = folder
    if coded:
        upper = int(coded[1], 16)
        domain = "".join(char.upper() if upper >> place & 1 else char for place, char in enumerate(coded[2]))
        domain = domain.replace("=", "/")
    return domain if is_domain(domain) and folder_of(domain) == folder else None


def _local_path(place: str | Path) -> Path:
    if isinstance(place, Path) or "://" not in place:
        return Path(place).expanduser().absolute()
    host, _, path = place.partition("://")[2].partition("/")
    if host not in {"", "localhost"}:
        hint = "Use file:///folder for a folder on this machine."
        raise GraphError(
            Code.INVALID_ARGUMENT, f"{place} is not a local folder", {"argument": "blob_url", "hint": hint}
        )
    return Path(url2pathname(f"/{path}"))


def _checked_name(name: str) -> str:
    if not is_blob_name(name):
        raise GraphError(Code.INVALID_ARGUMENT, "The blob name is not valid", {"argument": "sha256"})
    return name


def _unreadable(domain: str, sha256: str, reason: str, cause: str = "") -> GraphError:
    """Return the error for content that is missing, damaged or unreadable."""
    hint = "Restore it from a backup of the blobs, or write the content again."
    message = f"Content {sha256} of domain {domain} is {reason}" + (f": {cause}" if cause else "")
    details = {"domain": domain, "sha256": sha256, "reason": reason, "hint": hint}
    return GraphError(Code.CONTENT_READ_FAILED, message, details)


def _cause(error: OSError) -> str:
    return without_credentials(error.strerror or str(error))[:300]
