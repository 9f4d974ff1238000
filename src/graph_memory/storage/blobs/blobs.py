"""Stores content outside Neo4j, in one folder per domain. Files are named after their content's SHA-256.

A blob is complete and synced before the transaction that refers to it starts. A crash can therefore leave behind only
unreferenced blobs and temporary files. Domains do not share blobs.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Generator, Iterable
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.request import url2pathname

from anyio import to_thread

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import quote, without_credentials
from graph_memory.model.values.arguments import file_name_part, is_domain
from graph_memory.storage.blobs.places import (
    CHUNK,
    Backend,
    Blob,
    FolderBackend,
    HashedChunks,
    RemoteBackend,
    StoredBlob,
    is_blob_name,
)

__all__ = ["Blob", "Blobs", "StoredBlob", "blobs_at", "domain_of", "folder_of"]

_CLAIMS_FOLDER = "=stores="
_STORE_ID_FOLDER = "=place="
"""The folder with a random file. Different servers recognise by this file that they share the blob store."""
_CODED_FOLDER = re.compile(r"=([0-9a-f]+)=([a-z0-9._=-]+)=")
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")

T = TypeVar("T")


class Blobs:
    """A blob store: all domains' blobs in one location.

    Files are accessed in worker threads. A cancelled call waits until its thread has finished.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @property
    def location(self) -> str:
        """The blob store's folder or URL, without credentials."""
        return self._backend.location

    async def put(self, domain: str, data: bytes) -> str:
        """Write content, sync it, and return its SHA-256.

        The modification time of an existing blob is updated. Raises FILE_CREATION_FAILED if the blob store cannot be
        written.
        """
        return (await self.put_stream(domain, [data])).sha256

    async def put_stream(self, domain: str, chunks: Iterable[bytes]) -> StoredBlob:
        """Write content of any size, with at most one chunk in memory, and return its hash and size.

        The chunks are produced in a worker thread. Raises FILE_CREATION_FAILED if the blob store cannot be written.
        """
        source = HashedChunks(chunks)
        with self._translate_write_errors(domain):
            await to_thread.run_sync(self._backend.write, folder_of(domain), source)
        return source.stored

    async def claim(self, store: str) -> None:
        """Record that the database with the id `store` stores blobs here. Raises FILE_CREATION_FAILED on failure."""
        with self._translate_write_errors("", "write to"):
            await to_thread.run_sync(self._backend.write, _CLAIMS_FOLDER, HashedChunks([store.encode()]))

    async def are_claimed_by(self, stores: Collection[str]) -> bool:
        """Return whether at least one of these databases, and no other database, stores blobs here.

        Raises CONTENT_READ_FAILED if the blob store cannot be read.
        """
        claims = {file.name for file in await self._files(_CLAIMS_FOLDER) if not file.is_leftover}
        return bool(claims) and claims <= {hashlib.sha256(store.encode()).hexdigest() for store in stores}

    async def blob_store_id(self) -> str:
        """Return this blob store's id. It is the same for all processes that share the store.

        The first call creates the id. Raises CONTENT_READ_FAILED if the blob store cannot be read, and
        FILE_CREATION_FAILED if it cannot be written.
        """
        if not (names := await self._read_store_ids()):
            with self._translate_write_errors("", "write to"):
                await to_thread.run_sync(self._backend.write, _STORE_ID_FOLDER, HashedChunks([secrets.token_bytes()]))
            names = await self._read_store_ids()
        return min(names)

    async def _read_store_ids(self) -> list[str]:
        return [file.name for file in await self._files(_STORE_ID_FOLDER) if not file.is_leftover]

    async def get(self, domain: str, sha256: str) -> bytes:
        """Return the content with this hash, after verifying it.

        Raises CONTENT_READ_FAILED if the content is missing, damaged or unreadable.
        """
        return await self._read(domain, sha256, partial(self._read_verified, domain, sha256))

    async def stream(self, domain: str, sha256: str) -> AsyncIterator[bytes]:
        """Yield the content with this hash in chunks. It is verified only after the last chunk.

        No file stays open between chunks. Raises CONTENT_READ_FAILED if the content is missing or unreadable and, after
        the last chunk, if it is damaged.
        """
        digest = hashlib.sha256()
        folder, name = folder_of(domain), _check_name(sha256)
        size = await self._read(domain, sha256, partial(self._backend.size, folder, name))
        for start in range(0, size, CHUNK):
            part = partial(self._backend.read, folder, name, start, min(start + CHUNK, size))
            chunk = await self._read(domain, sha256, part)
            digest.update(chunk)
            yield chunk
        if digest.hexdigest() != sha256:
            raise _unreadable_error(domain, sha256, "damaged")

    async def exists(self, domain: str, sha256: str) -> bool:
        """Return whether the blob exists, even if damaged. Raises CONTENT_READ_FAILED if the store is unreadable."""
        return await self._read(domain, sha256, partial(self._exists, folder_of(domain), _check_name(sha256)))

    async def contains(self, domain: str, name: str, needle: bytes) -> bool:
        """Return whether the blob or leftover `name` contains the bytes `needle`.

        Raises CONTENT_READ_FAILED if the file cannot be read.
        """
        return await self._read(domain, name, partial(self._contains, folder_of(domain), _check_name(name), needle))

    async def list_blobs(self, domain: str) -> list[Blob]:
        """Return a domain's blobs, sorted by name, without leftovers. Raises CONTENT_READ_FAILED if that fails."""
        return [blob for blob in await self._files(folder_of(domain)) if not blob.is_leftover]

    async def find_garbage(self, domain: str, referenced: AbstractSet[str], before: datetime) -> list[Blob]:
        """Return the blobs and leftovers that are not in `referenced` and were last modified before `before`.

        `before` must be longer ago than the longest write, because a write stores a blob before the reference to it.
        Raises CONTENT_READ_FAILED if the blobs cannot be listed.
        """
        files = await self._files(folder_of(domain))
        return [file for file in files if file.name not in referenced and file.modified < before]

    async def delete(self, domain: str, name: str, before: datetime | None = None) -> bool:
        """Delete a blob or leftover, unless it was modified at `before` or later. Return whether it was deleted.

        Pass the same `before` as to `find_garbage`, because a later write may need the blob. Raises
        FILE_CREATION_FAILED if the file cannot be deleted.
        """
        with self._translate_write_errors(domain, "delete content in"):
            return await to_thread.run_sync(self._backend.remove, folder_of(domain), _check_name(name), before)

    async def domains(self) -> list[str]:
        """Return the domains that have or had blobs, sorted by name. Raises CONTENT_READ_FAILED if that fails."""
        with self._translate_list_errors():
            folders = await to_thread.run_sync(lambda: list(self._backend.folders()))
        return sorted(domain for folder in folders if (domain := domain_of(folder)) is not None)

    async def _files(self, folder: str) -> list[Blob]:
        with self._translate_list_errors():
            return await to_thread.run_sync(lambda: sorted(self._backend.files(folder)))

    async def _read(self, domain: str, sha256: str, work: Callable[[], T]) -> T:
        try:
            return await to_thread.run_sync(work)
        except FileNotFoundError as error:
            raise _unreadable_error(domain, sha256, "missing") from error
        except OSError as error:
            raise _unreadable_error(domain, sha256, "unreadable", _cause(error)) from error

    def _read_verified(self, domain: str, sha256: str) -> bytes:
        data = self._backend.read(folder_of(domain), _check_name(sha256))
        if hashlib.sha256(data).hexdigest() != sha256:
            raise _unreadable_error(domain, sha256, "damaged")
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
    def _translate_write_errors(self, domain: str, action: str = "write content to") -> Generator[None]:
        try:
            yield
        except OSError as error:
            hint = "Check that the blob store (GRAPH_MEMORY_BLOB_URL) is writable and has free space, then try again."
            details = {"domain": domain, "hint": hint}
            message = f"Could not {action} the blob store: {_cause(error)}"
            raise GraphError(Code.FILE_CREATION_FAILED, message, details, path=self.location) from error

    @contextmanager
    def _translate_list_errors(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            message = f"Could not list the content in the blob store: {_cause(error)}"
            hint = "Check that the blob store (GRAPH_MEMORY_BLOB_URL) is readable."
            raise GraphError(Code.CONTENT_READ_FAILED, message, {"hint": hint}, path=self.location) from error


def blobs_at(location: str | Path) -> Blobs:
    """Return the blob store in a local folder (a path or `file://` URL), or at another URL that fsspec supports.

    The store is not opened or created yet. Raises INVALID_ARGUMENT for a `file://` URL with another host.
    """
    if isinstance(location, str) and "://" in location and not location.startswith(("file://", "local://")):
        return Blobs(RemoteBackend(location))
    return Blobs(FolderBackend(_local_path(location)))


def folder_of(domain: str) -> str:
    """Return the name of a domain's folder. It is unique even on file systems that ignore case.

    Lower-case names are unchanged. Other names, names with a slash, and names that Windows reserves become
    `=<upper>=<lower-case name>=`. `<upper>` is a hexadecimal bit mask of the upper-case characters (bit 0 is the
    first), and `=` replaces a slash. The name can therefore be decoded, and folders are not nested. Raises
    INVALID_ARGUMENT for an invalid domain name.
    """
    if not is_domain(domain):
        raise GraphError(Code.INVALID_ARGUMENT, "The domain name is not valid", {"argument": "domain"})
    lower = file_name_part(domain.lower())
    if domain == lower and not lower.endswith(".") and not _DEVICE.fullmatch(lower):
        return domain
    upper = sum(1 << position for position, char in enumerate(domain) if char.isupper())
    return f"={upper:x}={lower}="


def domain_of(folder: str) -> str | None:
    """Return the domain whose folder has this name, or None if it is not the name of a domain's folder."""
    coded_name = _CODED_FOLDER.fullmatch(folder)
    domain = folder
    if coded_name:
        upper = int(coded_name[1], 16)
        domain = "".join(char.upper() if upper >> position & 1 else char for position, char in enumerate(coded_name[2]))
        domain = domain.replace("=", "/")
    return domain if is_domain(domain) and folder_of(domain) == folder else None


def _local_path(location: str | Path) -> Path:
    if isinstance(location, Path) or "://" not in location:
        return Path(location).expanduser().absolute()
    host, _, path = location.partition("://")[2].partition("/")
    if host not in {"", "localhost"}:
        hint = "Use file:///folder for a folder on this machine."
        raise GraphError(
            Code.INVALID_ARGUMENT, f"{location} is not a local folder", {"argument": "blob_url", "hint": hint}
        )
    return Path(url2pathname(f"/{path}"))


def _check_name(name: str) -> str:
    if not is_blob_name(name):
        details = {"argument": "sha256", "hint": "Pass 64 hexadecimal digits."}
        raise GraphError(Code.INVALID_ARGUMENT, f"{quote(name)} is not a SHA-256 hash", details)
    return name


def _unreadable_error(domain: str, sha256: str, reason: str, cause: str = "") -> GraphError:
    """Return the CONTENT_READ_FAILED error. `reason` is `missing`, `damaged` or `unreadable`."""
    hint = "Restore it from a backup of the blobs, or write the content again."
    message = f"Content {sha256} of domain {domain} is {reason}" + (f": {cause}" if cause else "")
    details = {"domain": domain, "sha256": sha256, "reason": reason, "hint": hint}
    return GraphError(Code.CONTENT_READ_FAILED, message, details)


def _cause(error: OSError) -> str:
    return without_credentials(error.strerror or str(error))[:300]
