"""The backup file: a tar archive of a manifest, the dump of Neo4j, the blobs, and a seal that marks it complete.

- `manifest.json`: versions, time and domains; the size and SHA-256 of the dump
- `neo4j.dump`: the output of Neo4j's `database dump`
- `blobs/…`: content outside of Neo4j, as in the home folder
- `seal.json`: the number of blobs, their bytes, and a SHA-256 over their names and contents
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

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from graph_memory.files import make_private_folder, new_private_file, open_private
from graph_memory.local.backup.tar_reading import Member, UnreadableError, members
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import is_domain
from graph_memory.progress import Progress

FORMAT = 1
"""The format version of backup archives. Archives with a higher version are rejected."""
DUMP = "neo4j.dump"
MANIFEST = "manifest.json"
SEAL = "seal.json"

_MAX_JSON_BYTES = 16 << 20
_BLOB = re.compile(r"blobs/([A-Za-z0-9=][A-Za-z0-9=._-]*)/([0-9a-f]{64})")

JsonFileT = TypeVar("JsonFileT", bound=BaseModel)
Count = Annotated[int, Field(ge=0, lt=1 << 63)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Version = Annotated[str, Field(pattern="^[0-9A-Za-z][0-9A-Za-z.+!_-]{0,63}$")]


def _check_domain(name: str) -> str:
    if not is_domain(name):
        raise ValueError("is not a domain name")
    return name


DomainName = Annotated[str, AfterValidator(_check_domain)]


class _JsonFile(BaseModel):
    """A JSON file in an archive. It must have exactly the declared fields and types."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class DomainMark(_JsonFile):
    """A domain in a backup, and the minimum number of events in its log in the dump."""

    name: DomainName
    seq: Count


class FileDigest(_JsonFile):
    """The size in bytes and the SHA-256 of a file in the archive."""

    bytes: Count
    sha256: Sha256


class Manifest(_JsonFile):
    """The first file of an archive: the backup's versions, time and domains, and the size and hash of its dump."""

    graph_memory_backup: Annotated[int, Field(ge=1)]
    made: Annotated[str, Field(max_length=64)]
    graph_memory: Version
    neo4j: Version
    schema_version: Count
    domains: tuple[DomainMark, ...]
    dump: FileDigest
    database_bytes: Count
    """Size of the database on disk, in bytes."""
    blobs_elsewhere: Annotated[str, Field(max_length=4096)] | None = None
    """The location of blobs outside the home folder, which the archive does not contain. None if there are none."""


class _AnyManifest(BaseModel):
    """The manifest fields that exist in every format version."""

    model_config = ConfigDict(strict=True)

    graph_memory_backup: int
    graph_memory: Version


class BlobTotals(_JsonFile):
    """The last file of an archive: the number, total size and hash of its blobs.

    An archive without this file is incomplete.
    """

    blobs: Count
    bytes: Count
    sha256: Sha256


@dataclass(frozen=True)
class ArchiveContents:
    """The blob totals of a written archive, and the names of damaged blobs that were omitted."""

    blob_totals: BlobTotals
    damaged: tuple[str, ...]
    """The names of omitted blobs whose content does not match the SHA-256 in their name."""


class _BlobDigest:
    """Computes the blob totals of an archive: counts the blobs, and hashes their names, sizes and checksums."""

    def __init__(self) -> None:
        self._count = self._bytes = 0
        self._digest = hashlib.sha256()

    def add(self, name: str, size: int, sha256: str) -> None:
        self._count += 1
        self._bytes += size
        self._digest.update(f"{name} {size} {sha256}\n".encode())

    @property
    def totals(self) -> BlobTotals:
        return BlobTotals(blobs=self._count, bytes=self._bytes, sha256=self._digest.hexdigest())


class _HashingReader(io.RawIOBase):
    """A file whose content is hashed while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(size)
        self.digest.update(data)
        return data


def write_archive(
    file: Path, manifest: Manifest, dump: Path, blobs: Path | None, progress: Progress
) -> ArchiveContents:
    """Write a backup archive, and sync it to disk. Omits damaged blobs. Raises OSError if it cannot be written."""
    with new_private_file(file) as out, tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        _add_json(tar, MANIFEST, manifest)
        with dump.open("rb") as source:
            _add_file(tar, DUMP, manifest.dump.bytes, source)
        contents = _add_blobs(tar, out, blobs, progress)
        _add_json(tar, SEAL, contents.blob_totals)
    return contents


def blob_files(blobs: Path | None) -> Iterator[tuple[str, Path]]:
    """Yield each blob in the folder with its name in the archive, sorted by path. Other files are skipped."""
    for path in sorted(blobs.glob("*/*")) if blobs and blobs.is_dir() else ():
        name = f"blobs/{path.parent.name}/{path.name}"
        if _BLOB.fullmatch(name) and path.is_file():
            yield name, path


def read_manifest(file: Path) -> Manifest:
    """Return an archive's manifest, after checking the order and sizes of the archive's files.

    Raises INVALID_ARGUMENT if the file is not a backup or cannot be read, STORE_INCOMPATIBLE if its format is too new,
    and CONTENT_READ_FAILED if it is incomplete. Only `unpack` verifies the files' content.
    """
    with _open_parts(file) as parts:
        return parts.check()


def unpack(file: Path, folder: Path, progress: Progress) -> BlobTotals:
    """Extract the dump and the blobs into an empty folder, verify all checksums, and return the blob totals.

    All sizes are checked before the first file is written. Raises CONTENT_READ_FAILED if the archive is incomplete or
    was changed, and the errors of `read_manifest`.
    """
    with _open_parts(file) as parts:
        manifest = parts.check()
    with _open_parts(file) as parts:
        parts.read_manifest()
        parts.read_dump(manifest, lambda member: _copy(member, folder / DUMP))
        make_private_folder(folder / "blobs")
        return parts.read_blobs(lambda member, domain, name: _unpack_blob(member, folder, domain, name), progress)


def not_an_archive_error(file: Path, reason: str) -> GraphError:
    """Return the INVALID_ARGUMENT error for a file that is not a backup. `reason` completes the message."""
    hint = Hint("Pass a file that {graph-memory backup} created.")
    return GraphError(Code.INVALID_ARGUMENT, f"{file} is not a backup: {reason}", {"argument": "file", "hint": hint})


def _add_json(tar: tarfile.TarFile, name: str, content: BaseModel) -> None:
    data = json.dumps(content.model_dump(mode="json"), indent=2).encode() + b"\n"
    _add_file(tar, name, len(data), io.BytesIO(data))


def _add_blobs(tar: tarfile.TarFile, out: IO[bytes], blobs: Path | None, progress: Progress) -> ArchiveContents:
    files = list(blob_files(blobs))
    digest, damaged = _BlobDigest(), list[str]()
    for number, (name, path) in enumerate(files):
        progress("Saving blobs", number / len(files))
        try:
            source = path.open("rb")
        except FileNotFoundError:  # removed by `gc`, because no event refers to it
            continue
        offset = tar.offset
        with source:
            size, reader = os.fstat(source.fileno()).st_size, _HashingReader(source)
            _add_file(tar, name, size, reader)
        if reader.digest.hexdigest() == path.name:
            digest.add(name, size, path.name)
        else:
            damaged.append(name)
            out.seek(offset)
            out.truncate()
            tar.offset = offset
    return ArchiveContents(digest.totals, tuple(damaged))


def _add_file(tar: tarfile.TarFile, name: str, size: int, source: IO[bytes] | io.RawIOBase) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    tar.addfile(member, source)  # pyright: ignore[reportArgumentType] - it only reads
    tar.members = []  # pyright: ignore[reportAttributeAccessIssue] - a million members must not stay in memory


class _ArchiveReader:
    """Reads an archive's files. Each file can be read only once, in the order of the archive."""

    def __init__(self, file: Path, source: IO[bytes]) -> None:
        self._file = file
        self._size = max(os.fstat(source.fileno()).st_size, 1)
        self._source = source
        self._members = members(source)

    def check(self) -> Manifest:
        """Check that the archive's files exist and have the right sizes. Return the manifest."""
        manifest = self.read_manifest()
        self.read_dump(manifest, lambda _: manifest.dump.sha256)
        self.read_blobs(None)
        return manifest

    def read_manifest(self) -> Manifest:
        try:
            member = next(self._members, None)
        except UnreadableError as error:
            raise not_an_archive_error(self._file, str(error)) from error
        if member is None or member.name != MANIFEST:
            raise not_an_archive_error(self._file, f"it does not start with {MANIFEST}")
        data = self._read_json(member)
        try:
            any_manifest = _AnyManifest.model_validate_json(data)
        except ValidationError:
            any_manifest = None
        if any_manifest and any_manifest.graph_memory_backup > FORMAT:
            hint = f"Update graph-memory to the version that created it ({any_manifest.graph_memory}), or newer."
            raise GraphError(Code.STORE_INCOMPATIBLE, f"{self._file} has a newer backup format", {"hint": hint})
        return _validate(data, MANIFEST, Manifest)

    def read_dump(self, manifest: Manifest, copy: Callable[[Member], str]) -> None:
        """Copy the dump with `copy`, which returns its SHA-256. Raises UnreadableError if the SHA-256 is wrong."""
        member = self._next_member(DUMP)
        if member.name != DUMP:
            raise UnreadableError(f"{DUMP} is missing")
        if member.size != manifest.dump.bytes or copy(member) != manifest.dump.sha256:
            raise UnreadableError(f"{DUMP} does not match its checksum")

    def read_blobs(
        self, copy: Callable[[Member, str, str], None] | None, progress: Progress | None = None
    ) -> BlobTotals:
        """Copy the blobs with `copy`, and return their verified totals. If `copy` is None, only check the sizes."""
        digest = _BlobDigest()
        while match := _BLOB.fullmatch((member := self._next_member(SEAL)).name):
            if progress:
                progress("Unpacking blobs", self._source.tell() / self._size)
            if copy:
                copy(member, match[1], match[2])
            digest.add(member.name, member.size, match[2])
        if member.name != SEAL:
            raise UnreadableError(f"it contains {quote(member.name)} instead of {SEAL}")
        seal = _validate(self._read_json(member), SEAL, BlobTotals)
        if seal != digest.totals or next(self._members, None) is not None:
            raise UnreadableError("its blobs do not match its seal")
        return seal

    def _next_member(self, expected: str) -> Member:
        member = next(self._members, None)
        if member is None:
            raise UnreadableError(f"it ends before {expected}")
        return member

    def _read_json(self, member: Member) -> bytes:
        if member.size > _MAX_JSON_BYTES:
            raise UnreadableError(f"{member.name} is too large")
        return b"".join(member.chunks())


@contextmanager
def _open_parts(file: Path) -> Generator[_ArchiveReader]:
    try:
        with file.open("rb") as source:
            yield _ArchiveReader(file, source)
    except UnreadableError as error:
        hint = "Nothing was restored from it. Use another copy of this backup, or another backup."
        raise GraphError(Code.CONTENT_READ_FAILED, f"The backup {file} is damaged: {error}", {"hint": hint}) from error
    except FileNotFoundError as error:
        raise not_an_archive_error(file, "the file does not exist") from error
    except IsADirectoryError as error:
        raise not_an_archive_error(file, "it is a folder") from error


def _unpack_blob(member: Member, folder: Path, domain: str, name: str) -> None:
    target = folder / "blobs" / domain
    target.mkdir(mode=0o700, exist_ok=True)
    try:
        sha256 = _copy(member, target / name)
    except FileExistsError as error:
        raise UnreadableError(f"{member.name} appears twice") from error
    if sha256 != name:
        raise UnreadableError(f"{member.name} does not match its name")


def _copy(member: Member, target: Path) -> str:
    """Copy the member to a file that only its owner can read. Return the SHA-256 of the content."""
    digest = hashlib.sha256()
    with open_private(target) as out:
        for chunk in member.chunks():
            digest.update(chunk)
            out.write(chunk)
    return digest.hexdigest()


def _validate(data: bytes, name: str, kind: type[JsonFileT]) -> JsonFileT:
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, fault["loc"]))
        raise UnreadableError(f"{name} has an invalid field {quote(field)}") from error
