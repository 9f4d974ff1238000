"""The locations where blobs can be stored: a local folder, or a URL that fsspec supports.

All functions block, so `blobs` calls them in worker threads.
"""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import IO, NamedTuple, Protocol, cast

from graph_memory.files import make_private_folder, new_private_file, sha256_of, sync_folder
from graph_memory.model.errors import GraphError
from graph_memory.model.text.wording import without_credentials
from graph_memory.model.time.clock import in_utc

CHUNK = 1024 * 1024
"""Size of a chunk of streamed content in bytes."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_TEMPORARY = re.compile(r"[0-9a-f]{32}\.tmp")


class Blob(NamedTuple):
    """A file in a domain's folder: a blob named after its content's SHA-256, or a leftover.

    A leftover is the file of an interrupted write. It has a temporary name.
    """

    name: str
    size: int
    modified: datetime

    @property
    def is_leftover(self) -> bool:
        """Whether an interrupted write left the file behind."""
        return _TEMPORARY.fullmatch(self.name) is not None


class StoredBlob(NamedTuple):
    """Stored content's SHA-256 in hexadecimal, and its size in bytes."""

    sha256: str
    size: int


class Backend(Protocol):
    """A location of blobs. Its methods raise FileNotFoundError for a missing file, and OSError for other failures."""

    @property
    def location(self) -> str:
        """The location's path or URL, without credentials."""
        ...

    def write(self, folder: str, source: HashedChunks) -> None:
        """Write the chunks to a file in the folder, named after their hash, completely or not at all.

        When this returns, the file is synced and has a new modification time.
        """
        ...

    def read(self, folder: str, name: str, start: int = 0, end: int | None = None) -> bytes:
        """Return the bytes from `start` to `end`."""
        ...

    def size(self, folder: str, name: str) -> int:
        """Return the size in bytes."""
        ...

    def files(self, folder: str) -> Iterable[Blob]:
        """Return a folder's blobs and leftovers. A missing folder has none."""
        ...

    def folders(self) -> Iterable[str]:
        """Return the names of the folders at the location, or none if it does not exist."""
        ...

    def remove(self, folder: str, name: str, before: datetime | None) -> bool:
        """Remove a file, unless it was modified at `before` or later. Return whether it existed and was removed."""
        ...


class HashedChunks:
    """An iterator over chunks that computes their hash and total size as they are read."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks
        self._digest = hashlib.sha256()
        self._size = 0

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self._digest.update(chunk)
            self._size += len(chunk)
            yield chunk

    @property
    def stored(self) -> StoredBlob:
        """The hash and total size of the chunks read so far."""
        return StoredBlob(self._digest.hexdigest(), self._size)


class FolderBackend:
    """Blobs in a local folder, readable by the owner only. They are written to a temporary file, synced and renamed."""

    def __init__(self, base: Path) -> None:
        self._base = base

    @property
    def location(self) -> str:
        """The folder's path."""
        return str(self._base)

    def write(self, folder: str, source: HashedChunks) -> None:
        """Write the source. See `Backend`."""
        target = self._base / folder
        make_private_folder(target)
        temporary = target / _temporary_name()
        try:
            with new_private_file(temporary) as file:
                file.writelines(source)
            _rename(temporary, target / source.stored.sha256)
        finally:
            temporary.unlink(missing_ok=True)  # so that a cancelled write leaves no partial blob
        sync_folder(target)

    def read(self, folder: str, name: str, start: int = 0, end: int | None = None) -> bytes:
        """Return the bytes from `start` to `end`."""
        with (self._base / folder / name).open("rb") as file:
            file.seek(start)
            return file.read() if end is None else file.read(end - start)

    def size(self, folder: str, name: str) -> int:
        """Return the size in bytes."""
        return (self._base / folder / name).stat().st_size

    def files(self, folder: str) -> Iterator[Blob]:
        """Yield a folder's blobs and leftovers."""
        for entry in _scan_folder(self._base / folder):
            with suppress(FileNotFoundError):
                if is_blob_name(entry.name) and entry.is_file(follow_symlinks=False):
                    stat = entry.stat()
                    yield Blob(entry.name, stat.st_size, _time_of(stat))

    def folders(self) -> Iterator[str]:
        """Yield the names of the folders."""
        return (entry.name for entry in _scan_folder(self._base) if entry.is_dir())

    def remove(self, folder: str, name: str, before: datetime | None) -> bool:
        """Remove a file. See `Backend`. Renames it first, so that a concurrent write of the same blob is not lost."""
        path = self._base / folder / name
        try:
            if before is not None and _time_of(path.stat()) >= before:
                return False
        except FileNotFoundError:
            return False
        renamed_path = path.with_name(_temporary_name())
        try:
            path.replace(renamed_path)
        except FileNotFoundError:
            return False
        if before is not None and _time_of(renamed_path.stat()) >= before:
            renamed_path.replace(path)
            return False
        renamed_path.unlink()
        return True


class RemoteBackend:
    """Blobs at a URL that fsspec supports. They are written to a temporary file, then moved to their location."""

    def __init__(self, url: str) -> None:
        self._url = url

    @property
    def location(self) -> str:
        """The URL without credentials."""
        return without_credentials(self._url)

    def write(self, folder: str, source: HashedChunks) -> None:
        """Write the source. See `Backend`."""
        with _os_errors(), ExitStack() as stack:
            self._system.makedirs(self._path(folder), exist_ok=True)
            temporary = self._path(folder, _temporary_name())
            stack.callback(self._discard, temporary)  # so that a cancelled write leaves no partial blob
            with self._system.open(temporary, "wb") as file:
                for chunk in source:
                    file.write(chunk)
            self._system.mv(temporary, self._path(folder, source.stored.sha256))
            stack.pop_all()

    def _discard(self, temporary: str) -> None:
        with suppress(OSError), _os_errors():  # the caller learns why the upload failed; `gc` removes leftovers
            self._system.rm_file(temporary)

    def read(self, folder: str, name: str, start: int = 0, end: int | None = None) -> bytes:
        """Return the bytes from `start` to `end`."""
        with _os_errors():
            return self._system.cat_file(self._path(folder, name), start=start or None, end=end)

    def size(self, folder: str, name: str) -> int:
        """Return the size in bytes."""
        with _os_errors():
            return cast("int", self._uncached_system.info(self._path(folder, name))["size"])

    def files(self, folder: str) -> Iterable[Blob]:
        """Return a folder's blobs and leftovers."""
        blobs: list[Blob] = []
        with _os_errors():
            for name, size in self._list_entries(self._path(folder), "file"):
                with suppress(FileNotFoundError):
                    if is_blob_name(name):
                        blobs.append(Blob(name, size, self._modification_time(self._path(folder, name))))
        return blobs

    def folders(self) -> Iterable[str]:
        """Return the names of the folders."""
        with _os_errors():
            return [name for name, _ in self._list_entries(self._path(), "directory")]

    def remove(self, folder: str, name: str, before: datetime | None) -> bool:
        """Remove a file. See `Backend`. A write between the check and the removal is not detected."""
        path = self._path(folder, name)
        with _os_errors():
            try:
                self._uncached_system.info(path)
                if before is not None and self._modification_time(path) >= before:
                    return False
                self._system.rm_file(path)
            except FileNotFoundError:
                return False
        return True

    @cached_property
    def _opened_file_system(self) -> tuple[_FileSystem, str]:
        # fsspec has no types, and is slow to import.
        return cast("tuple[_FileSystem, str]", import_module("fsspec.core").url_to_fs(self._url))

    @property
    def _system(self) -> _FileSystem:
        return self._opened_file_system[0]

    @property
    def _uncached_system(self) -> _FileSystem:
        """The file system without cached listings, because other processes may have written."""
        self._system.invalidate_cache()
        return self._system

    def _path(self, *names: str) -> str:
        return "/".join([self._opened_file_system[1].rstrip("/"), *names])

    def _list_entries(self, path: str, kind: str) -> list[tuple[str, int]]:
        try:
            entries = self._uncached_system.ls(path, detail=True)
        except FileNotFoundError:
            return []
        return [
            (str(entry["name"]).rstrip("/").rpartition("/")[2], cast("int", entry["size"]))
            for entry in entries
            if entry["type"] == kind
        ]

    def _modification_time(self, path: str) -> datetime:
        """Return the time of the file's last write.

        If it is unknown, return the current time, so that `gc` keeps the file.
        """
        try:
            return in_utc(self._system.modified(path))
        except NotImplementedError:  # the file system has no times
            return datetime.now(UTC)


class _FileSystem(Protocol):
    """The methods of fsspec's file systems that this module uses."""

    def makedirs(self, path: str, exist_ok: bool) -> None: ...
    def open(self, path: str, mode: str) -> IO[bytes]: ...
    def mv(self, path1: str, path2: str) -> None: ...
    def cat_file(self, path: str, start: int | None, end: int | None) -> bytes: ...
    def info(self, path: str) -> dict[str, object]: ...
    def ls(self, path: str, detail: bool) -> list[dict[str, object]]: ...
    def modified(self, path: str) -> datetime: ...
    def rm_file(self, path: str) -> None: ...
    def invalidate_cache(self) -> None: ...


def is_blob_name(name: str) -> bool:
    """Return whether a file with this name is a blob or a leftover. Other files are ignored."""
    return bool(_SHA256.fullmatch(name) or _TEMPORARY.fullmatch(name))


@contextmanager
def _os_errors() -> Generator[None]:
    """Convert all exceptions of a remote file system in the `with` block to OSError."""
    try:
        yield
    except (OSError, GraphError):
        raise
    except Exception as error:  # fsspec's file systems have different exceptions without a common base
        raise OSError(f"{type(error).__name__}: {error}") from error


def _temporary_name() -> str:
    return f"{uuid.uuid4().hex}.tmp"


def _rename(temporary: Path, final: Path) -> None:
    """Move a new blob to its final path. On Windows, keep an existing complete blob if a reader has it open."""
    try:
        temporary.replace(final)
    except PermissionError:
        if not _is_complete(final):
            raise
        os.utime(final)
        temporary.unlink()


def _is_complete(path: Path) -> bool:
    try:
        return sha256_of(path) == path.name
    except OSError:
        return False


def _scan_folder(path: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            yield from entries
    except FileNotFoundError:
        return


def _time_of(stat: os.stat_result) -> datetime:
    return datetime.fromtimestamp(stat.st_mtime, UTC)
