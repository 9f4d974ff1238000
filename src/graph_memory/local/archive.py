"""A backup as one file: a tar archive of a manifest, the engine's dump, the blobs, and a seal that says it is whole.

- `manifest.json`: what made it, when, from what; the size and SHA-256 of the dump
- `neo4j.dump`: what Neo4j's `database dump` wrote
- `blobs/…`: content outside of Neo4j, as it lies in the home
- `seal.json`: how many blobs there are, their bytes, and a SHA-256 over their names and contents
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import tarfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from graph_memory.local.files import make_private_folder
from graph_memory.local.progress import Progress
from graph_memory.model.errors import Code, GraphError

FORMAT = 1
"""Of the archive. A reader refuses a higher one."""
DUMP = "neo4j.dump"
MANIFEST = "manifest.json"
SEAL = "seal.json"

_CHUNK = 1 << 20
_LARGEST_NOTE = 64 << 20
_BLOB = re.compile(r"blobs/([A-Za-z0-9=][A-Za-z0-9=._-]*)/([0-9a-f]{64})")

Told = TypeVar("Told", bound=BaseModel)


class DomainMark(BaseModel):
    """A domain and how far its log went, at least, when the dump was made."""

    model_config = ConfigDict(frozen=True)

    name: str
    seq: int


class Part(BaseModel):
    """A file of the archive."""

    model_config = ConfigDict(frozen=True)

    bytes: int
    sha256: str


class Manifest(BaseModel):
    """What an archive is of."""

    model_config = ConfigDict(frozen=True)

    graph_memory_backup: int
    made: str
    graph_memory: str
    neo4j: str
    schema_version: int
    domains: tuple[DomainMark, ...]
    dump: Part
    database_bytes: int
    """What the database took on disk."""
    blobs_elsewhere: str | None = None
    """Where blobs were that are not in the archive, because they were not in the home."""


class Seal(BaseModel):
    """The last part of an archive: without it, the archive is not whole."""

    model_config = ConfigDict(frozen=True)

    blobs: int
    bytes: int
    sha256: str


class _Sum:
    """Blobs that pass, counted and hashed by name, size and content."""

    def __init__(self) -> None:
        self._count = self._bytes = 0
        self._digest = hashlib.sha256()

    def add(self, name: str, size: int, sha256: str) -> None:
        self._count += 1
        self._bytes += size
        self._digest.update(f"{name} {size} {sha256}\n".encode())

    @property
    def seal(self) -> Seal:
        return Seal(blobs=self._count, bytes=self._bytes, sha256=self._digest.hexdigest())


class _Hashing(io.RawIOBase):
    """A file that is hashed as it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(size)
        self.digest.update(data)
        return data


def write_archive(file: Path, manifest: Manifest, dump: Path, blobs: Path | None, progress: Progress) -> Seal:
    """Write an archive and have it safe on disk. OSError when it cannot be written."""
    with _made_private(file) as out:
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
            _add_note(tar, MANIFEST, manifest)
            with dump.open("rb") as source:
                _add(tar, DUMP, manifest.dump.bytes, source)
            seal = _add_blobs(tar, blobs, progress)
            _add_note(tar, SEAL, seal)
        out.flush()
        os.fsync(out.fileno())
    return seal


def blob_files(blobs: Path | None) -> Iterator[tuple[str, Path]]:
    """Give the blobs of a folder by their names in an archive, without what a broken-off write left."""
    for path in sorted(blobs.glob("*/*")) if blobs and blobs.is_dir() else ():
        name = f"blobs/{path.parent.name}/{path.name}"
        if _BLOB.fullmatch(name) and path.is_file():
            yield name, path


def read_manifest(file: Path) -> Manifest:
    """Read what an archive is of.

    Raises INVALID_ARGUMENT for a file that is none or cannot be read, STORE_INCOMPATIBLE for one of a later format.
    """
    with _opened(file) as tar:
        return _manifest_of(file, tar.next(), tar)


def unpack(file: Path, folder: Path, progress: Progress) -> Seal:
    """Put the dump and the blobs of an archive into an empty folder, every byte checked.

    Raises CONTENT_READ_FAILED for an archive that is not whole or not as it was made, and as `read_manifest` does.
    """
    with _opened(file) as tar:
        manifest = _manifest_of(file, tar.next(), tar)
        try:
            _unpack_dump(file, tar, manifest, folder)
            found, last = _unpack_blobs(file, tar, folder, progress)
            seal = _read_note(file, tar, last, SEAL, Seal)
        except tarfile.TarError as error:
            raise _damaged(file, str(error)) from error
        if found != seal:
            raise _damaged(file, "its blobs are not those that were put in")
    return seal


def not_an_archive(file: Path, reason: str) -> GraphError:
    """Return the error for a file that is no backup."""
    hint = "Give a file that `graph-memory backup` made."
    return GraphError(Code.INVALID_ARGUMENT, f"{file} is not a backup: {reason}", {"argument": "file", "hint": hint})


def _add_note(tar: tarfile.TarFile, name: str, note: BaseModel) -> None:
    data = json.dumps(note.model_dump(mode="json"), indent=2).encode() + b"\n"
    _add(tar, name, len(data), io.BytesIO(data))


def _add_blobs(tar: tarfile.TarFile, blobs: Path | None, progress: Progress) -> Seal:
    files = list(blob_files(blobs))
    passed = _Sum()
    for number, (name, path) in enumerate(files):
        progress("Saving blobs", number / len(files))
        try:
            source = path.open("rb")
        except FileNotFoundError:  # `blobs gc` took it meanwhile: nothing refers to it
            continue
        with source:
            size, hashing = os.fstat(source.fileno()).st_size, _Hashing(source)
            _add(tar, name, size, hashing)
        passed.add(name, size, hashing.digest.hexdigest())
    return passed.seal


def _add(tar: tarfile.TarFile, name: str, size: int, source: IO[bytes] | io.RawIOBase) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    tar.addfile(member, source)  # pyright: ignore[reportArgumentType] - it only reads
    _forget(tar)


def _forget(tar: tarfile.TarFile) -> None:
    """Let go of the members that passed: a million of them are not to be kept in memory."""
    tar.members = []  # pyright: ignore[reportAttributeAccessIssue] - the type stubs leave it out


@contextmanager
def _opened(file: Path) -> Generator[tarfile.TarFile]:
    try:
        with file.open("rb") as source, tarfile.open(fileobj=source, mode="r:") as tar:
            yield tar
    except tarfile.TarError as error:
        raise not_an_archive(file, "it is no tar archive") from error
    except FileNotFoundError as error:
        raise not_an_archive(file, "there is no such file") from error
    except IsADirectoryError as error:
        raise not_an_archive(file, "it is a folder") from error


def _manifest_of(file: Path, member: tarfile.TarInfo | None, tar: tarfile.TarFile) -> Manifest:
    if member is None or member.name != MANIFEST:
        raise not_an_archive(file, f"it does not begin with {MANIFEST}")
    found = _read_json(file, tar, member)
    number = found.get("graph_memory_backup")
    if isinstance(number, int) and number > FORMAT:
        hint = f"Update graph-memory to the version that made it ({found.get('graph_memory')}), or newer."
        raise GraphError(Code.STORE_INCOMPATIBLE, f"{file} is of a later kind of backup", {"hint": hint})
    return _validated(file, MANIFEST, found, Manifest)


def _unpack_dump(file: Path, tar: tarfile.TarFile, manifest: Manifest, folder: Path) -> None:
    member = tar.next()
    if member is None or member.name != DUMP:
        raise _damaged(file, f"{DUMP} is missing")
    if _copied(tar, member, folder / DUMP) != manifest.dump.sha256:
        raise _damaged(file, f"{DUMP} is not what was put in")


def _unpack_blobs(
    file: Path, tar: tarfile.TarFile, folder: Path, progress: Progress
) -> tuple[Seal, tarfile.TarInfo | None]:
    """Put the blobs where they belong; give what they are, and the member after them."""
    passed, size = _Sum(), max(file.stat().st_size, 1)
    make_private_folder(folder / "blobs")
    while (member := tar.next()) is not None and (match := _BLOB.fullmatch(member.name)):
        _forget(tar)
        progress("Unpacking blobs", tar.offset / size)
        target = folder / "blobs" / match[1]
        target.mkdir(mode=0o700, exist_ok=True)
        passed.add(member.name, member.size, _copied(tar, member, target / match[2]))
    return passed.seal, member


def _copied(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> str:
    """Copy a member to a file that only its owner reads, and return the SHA-256 of what passed."""
    source = tar.extractfile(member) if member.isreg() else None
    if source is None:
        raise tarfile.ReadError(f"{member.name} is no file")
    hashing = _Hashing(source)
    with source, _made_private(target) as out:
        shutil.copyfileobj(hashing, out, _CHUNK)
    return hashing.digest.hexdigest()


def _made_private(path: Path) -> IO[bytes]:
    """Open a new file that only its owner reads."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _read_note(file: Path, tar: tarfile.TarFile, member: tarfile.TarInfo | None, name: str, kind: type[Told]) -> Told:
    if member is None:
        raise _damaged(file, "it ends too early")
    if member.name != name:
        raise _damaged(file, f"{name} is missing")
    return _validated(file, name, _read_json(file, tar, member), kind)


def _read_json(file: Path, tar: tarfile.TarFile, member: tarfile.TarInfo) -> dict[str, object]:
    source = tar.extractfile(member) if member.isreg() and member.size <= _LARGEST_NOTE else None
    try:
        found: object = json.loads(source.read()) if source else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise _damaged(file, f"{member.name} cannot be read")
    return cast("dict[str, object]", found)


def _validated(file: Path, name: str, found: dict[str, object], kind: type[Told]) -> Told:
    try:
        return kind.model_validate(found)
    except ValidationError as error:
        fault = error.errors()[0]
        raise _damaged(file, f"{name}: {fault['loc']}: {fault['msg']}") from error


def _damaged(file: Path, reason: str) -> GraphError:
    hint = "Nothing was restored from it. Use another copy of this backup, or another backup."
    return GraphError(Code.CONTENT_READ_FAILED, f"The backup {file} is damaged: {reason}", {"hint": hint})
