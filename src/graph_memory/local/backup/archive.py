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
import tarfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graph_memory.files import make_private_folder, new_private_file, open_private
from graph_memory.local.backup.tar_reading import Member, UnreadableError, members
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import quoted
from graph_memory.progress import Progress

FORMAT = 1
"""Of the archive. A reader refuses a higher one."""
DUMP = "neo4j.dump"
MANIFEST = "manifest.json"
SEAL = "seal.json"

_LARGEST_NOTE = 16 << 20
_BLOB = re.compile(r"blobs/([A-Za-z0-9=][A-Za-z0-9=._-]*)/([0-9a-f]{64})")

Told = TypeVar("Told", bound=BaseModel)
Count = Annotated[int, Field(ge=0, lt=1 << 63)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Version = Annotated[str, Field(pattern="^[0-9A-Za-z][0-9A-Za-z.+!_-]{0,63}$")]
DomainName = Annotated[str, Field(pattern="^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$")]


class _Note(BaseModel):
    """What an archive says of itself: exactly this, and of these types."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class DomainMark(_Note):
    """A domain and how far its log went, at least, when the dump was made."""

    name: DomainName
    seq: Count


class Part(_Note):
    """A file of the archive."""

    bytes: Count
    sha256: Sha256


class Manifest(_Note):
    """What an archive is of."""

    graph_memory_backup: Annotated[int, Field(ge=1)]
    made: Annotated[str, Field(max_length=64)]
    graph_memory: Version
    neo4j: Version
    schema_version: Count
    domains: tuple[DomainMark, ...]
    dump: Part
    database_bytes: Count
    """What the database took on disk."""
    blobs_elsewhere: Annotated[str, Field(max_length=4096)] | None = None
    """Where blobs were that are not in the archive, because they were not in the home."""


class _Kind(BaseModel):
    """What a manifest of any format says."""

    model_config = ConfigDict(strict=True)

    graph_memory_backup: int
    graph_memory: Version


class Seal(_Note):
    """The last part of an archive: without it, the archive is not whole."""

    blobs: Count
    bytes: Count
    sha256: Sha256


@dataclass(frozen=True)
class Written:
    """What an archive was made of."""

    seal: Seal
    damaged: tuple[str, ...]
    """Blobs that are not what their names say, and were left out: nobody could have read them."""


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


def write_archive(file: Path, manifest: Manifest, dump: Path, blobs: Path | None, progress: Progress) -> Written:
    """Write an archive and have it safe on disk. OSError when it cannot be written."""
    with new_private_file(file) as out, tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        _add_note(tar, MANIFEST, manifest)
        with dump.open("rb") as source:
            _add(tar, DUMP, manifest.dump.bytes, source)
        written = _add_blobs(tar, out, blobs, progress)
        _add_note(tar, SEAL, written.seal)
    return written


def blob_files(blobs: Path | None) -> Iterator[tuple[str, Path]]:
    """Give the blobs of a folder by their names in an archive, without what a broken-off write left."""
    for path in sorted(blobs.glob("*/*")) if blobs and blobs.is_dir() else ():
        name = f"blobs/{path.parent.name}/{path.name}"
        if _BLOB.fullmatch(name) and path.is_file():
            yield name, path


def read_manifest(file: Path) -> Manifest:
    """Read what an archive is of, once all of its parts were found where and as large as they should be.

    Raises INVALID_ARGUMENT for a file that is none or cannot be read, STORE_INCOMPATIBLE for one of a later format,
    and CONTENT_READ_FAILED for one that is not whole. What the parts hold is looked at by `unpack`.
    """
    with _opened(file) as parts:
        return parts.surveyed()


def unpack(file: Path, folder: Path, progress: Progress) -> Seal:
    """Put the dump and the blobs of an archive into an empty folder, every byte checked.

    Nothing is written before all sizes are known to be those of the archive. Raises CONTENT_READ_FAILED for an archive
    that is not whole or not as it was made, and as `read_manifest` does.
    """
    with _opened(file) as parts:
        manifest = parts.surveyed()
    with _opened(file) as parts:
        parts.manifest()
        parts.dump(manifest, lambda member: _copied(member, folder / DUMP))
        make_private_folder(folder / "blobs")
        return parts.rest(lambda member, domain, name: _unpacked(member, folder, domain, name), progress)


def not_an_archive(file: Path, reason: str) -> GraphError:
    """Return the error for a file that is no backup."""
    hint = Hint("Give a file made by {graph-memory backup}.")
    return GraphError(Code.INVALID_ARGUMENT, f"{file} is not a backup: {reason}", {"argument": "file", "hint": hint})


def _add_note(tar: tarfile.TarFile, name: str, note: BaseModel) -> None:
    data = json.dumps(note.model_dump(mode="json"), indent=2).encode() + b"\n"
    _add(tar, name, len(data), io.BytesIO(data))


def _add_blobs(tar: tarfile.TarFile, out: IO[bytes], blobs: Path | None, progress: Progress) -> Written:
    files = list(blob_files(blobs))
    passed, damaged = _Sum(), list[str]()
    for number, (name, path) in enumerate(files):
        progress("Saving blobs", number / len(files))
        try:
            source = path.open("rb")
        except FileNotFoundError:  # `gc` took it meanwhile: nothing refers to it
            continue
        before = tar.offset
        with source:
            size, hashing = os.fstat(source.fileno()).st_size, _Hashing(source)
            _add(tar, name, size, hashing)
        if hashing.digest.hexdigest() == path.name:
            passed.add(name, size, path.name)
        else:
            damaged.append(name)
            out.seek(before)
            out.truncate()
            tar.offset = before
    return Written(passed.seal, tuple(damaged))


def _add(tar: tarfile.TarFile, name: str, size: int, source: IO[bytes] | io.RawIOBase) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    tar.addfile(member, source)  # pyright: ignore[reportArgumentType] - it only reads
    tar.members = []  # pyright: ignore[reportAttributeAccessIssue] - a million are not to be kept in memory


class _Parts:
    """The parts of an archive in the order in which they lie in it, each asked for once."""

    def __init__(self, file: Path, source: IO[bytes]) -> None:
        self._file = file
        self._size = max(os.fstat(source.fileno()).st_size, 1)
        self._source = source
        self._members = members(source)

    def surveyed(self) -> Manifest:
        """Return the manifest of an archive whose parts are all there; of their bytes, only the notes are read."""
        manifest = self.manifest()
        self.dump(manifest, lambda _: manifest.dump.sha256)
        self.rest(None)
        return manifest

    def manifest(self) -> Manifest:
        """Return what comes first."""
        try:
            member = next(self._members, None)
        except UnreadableError as error:
            raise not_an_archive(self._file, str(error)) from error
        if member is None or member.name != MANIFEST:
            raise not_an_archive(self._file, f"it does not start with {MANIFEST}")
        data = self._note(member)
        try:
            kind = _Kind.model_validate_json(data)
        except ValidationError:
            kind = None
        if kind and kind.graph_memory_backup > FORMAT:
            hint = f"Update graph-memory to the version that made it ({kind.graph_memory}), or newer."
            raise GraphError(Code.STORE_INCOMPATIBLE, f"{self._file} has a newer backup format", {"hint": hint})
        return _validated(data, MANIFEST, Manifest)

    def dump(self, manifest: Manifest, copied: Callable[[Member], str]) -> None:
        """Have the dump copied; its copy's SHA-256 must be that of the manifest."""
        member = self._next(DUMP)
        if member.name != DUMP:
            raise UnreadableError(f"{DUMP} is missing")
        if member.size != manifest.dump.bytes or copied(member) != manifest.dump.sha256:
            raise UnreadableError(f"{DUMP} does not match its checksum")

    def rest(self, copied: Callable[[Member, str, str], None] | None, progress: Progress | None = None) -> Seal:
        """Have the blobs copied, and return the seal, which must be theirs; without `copied`, look at sizes alone."""
        passed = _Sum()
        while match := _BLOB.fullmatch((member := self._next(SEAL)).name):
            if progress:
                progress("Unpacking blobs", self._source.tell() / self._size)
            if copied:
                copied(member, match[1], match[2])
            passed.add(member.name, member.size, match[2])
        if member.name != SEAL:
            raise UnreadableError(f"{SEAL} is missing, but {quoted(member.name)} is there")
        seal = _validated(self._note(member), SEAL, Seal)
        if seal != passed.seal or next(self._members, None) is not None:
            raise UnreadableError("its blobs do not match its seal")
        return seal

    def _next(self, wanted: str) -> Member:
        member = next(self._members, None)
        if member is None:
            raise UnreadableError(f"it ends before {wanted}")
        return member

    def _note(self, member: Member) -> bytes:
        if member.size > _LARGEST_NOTE:
            raise UnreadableError(f"{member.name} is too large")
        return b"".join(member.chunks())


@contextmanager
def _opened(file: Path) -> Generator[_Parts]:
    try:
        with file.open("rb") as source:
            yield _Parts(file, source)
    except UnreadableError as error:
        raise _damaged(file, str(error)) from error
    except FileNotFoundError as error:
        raise not_an_archive(file, "the file does not exist") from error
    except IsADirectoryError as error:
        raise not_an_archive(file, "it is a folder") from error


def _unpacked(member: Member, folder: Path, domain: str, name: str) -> None:
    target = folder / "blobs" / domain
    target.mkdir(mode=0o700, exist_ok=True)
    try:
        found = _copied(member, target / name)
    except FileExistsError as error:
        raise UnreadableError(f"{member.name} appears twice") from error
    if found != name:
        raise UnreadableError(f"{member.name} does not match its name")


def _copied(member: Member, target: Path) -> str:
    """Copy a member to a file that only its owner reads, and return the SHA-256 of what passed."""
    digest = hashlib.sha256()
    with open_private(target) as out:
        for chunk in member.chunks():
            digest.update(chunk)
            out.write(chunk)
    return digest.hexdigest()


def _validated(data: bytes, name: str, kind: type[Told]) -> Told:
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise UnreadableError(f"{name}: {quoted(where)}: {fault['msg']}") from error


def _damaged(file: Path, reason: str) -> GraphError:
    hint = "Nothing was restored from it. Use another copy of this backup, or another backup."
    return GraphError(Code.CONTENT_READ_FAILED, f"The backup {file} is damaged: {reason}", {"hint": hint})
