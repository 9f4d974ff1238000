"""The file of a backup: whole or refused, whatever happened to it on the way."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graph_memory.local.backup.archive import (
    FORMAT,
    BlobTotals,
    DomainMark,
    FileDigest,
    Manifest,
    read_manifest,
    unpack,
    write_archive,
)
from graph_memory.local.backup.restore import check_fits
from graph_memory.model.errors import Code, GraphError
from graph_memory.progress import log_progress
from graph_memory.settings import Settings

DUMP = os.urandom(3000)
BLOBS = [b"", b"one", os.urandom(20_000), os.urandom(3_000_000)]
LEFTOVER = f"{'a' * 32}.tmp"


def manifest_of(dump: bytes, **others: Any) -> Manifest:
    facts: dict[str, Any] = {
        "graph_memory_backup": FORMAT,
        "made": "2026-03-01T09:00:00+00:00",
        "graph_memory": "0.1.0",
        "neo4j": "2026.08.1",
        "schema_version": 3,
        "domains": (DomainMark(name="work", seq=7),),
        "dump": FileDigest(bytes=len(dump), sha256=hashlib.sha256(dump).hexdigest()),
        "database_bytes": 10_000,
    }
    return Manifest(**{**facts, **others})


def blobs_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def blobs(tmp_path: Path) -> Path:
    """A home's blobs in two domains, with what a broken-off write left."""
    folder = tmp_path / "home" / "blobs"
    for domain in ("work", "=1=private="):
        (folder / domain).mkdir(parents=True)
        for data in BLOBS:
            (folder / domain / hashlib.sha256(data).hexdigest()).write_bytes(data)
    (folder / "work" / LEFTOVER).write_bytes(b"half")
    return folder


@pytest.fixture
def archive(tmp_path: Path, blobs: Path) -> Path:
    """A backup of them."""
    dump, file = tmp_path / "dump", tmp_path / "saved.tar"
    dump.write_bytes(DUMP)
    write_archive(file, manifest_of(DUMP), dump, blobs, log_progress)
    return file


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """An empty folder."""
    folder = tmp_path / "restored"
    folder.mkdir()
    return folder


def error_of(act: Callable[[], object]) -> GraphError:
    with pytest.raises(GraphError) as caught:
        act()
    return caught.value


def test_what_was_put_in_comes_out_and_is_for_the_owner_alone(archive, blobs, target):
    seal = unpack(archive, target, log_progress)
    assert (seal.blobs, seal.bytes) == (2 * len(BLOBS), 2 * sum(map(len, BLOBS)))
    assert read_manifest(archive) == manifest_of(DUMP)
    assert (target / "neo4j.dump").read_bytes() == DUMP
    expected = blobs_of(blobs)
    del expected[f"work/{LEFTOVER}"]
    assert blobs_of(target / "blobs") == expected
    for path in (archive, *target.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0


def test_an_archive_cut_short_anywhere_is_refused(archive, tmp_path):
    data = archive.read_bytes()
    for number, end in enumerate((0, 100, 600, 1500, 5000, 30_000, len(data) // 2, data.rindex(b"seal.json") + 20)):
        file, folder = tmp_path / "cut.tar", tmp_path / f"cut{number}"
        file.write_bytes(data[:end])
        folder.mkdir()
        code = error_of(lambda file=file, folder=folder: unpack(file, folder, log_progress)).code
        assert code in {Code.INVALID_ARGUMENT, Code.CONTENT_READ_FAILED}


@pytest.mark.parametrize("part", [DUMP, BLOBS[2], BLOBS[3]])
def test_a_byte_that_changed_is_noticed(archive, target, part):
    data = bytearray(archive.read_bytes())
    data[data.index(part) + len(part) // 2] ^= 1
    archive.write_bytes(data)
    assert error_of(lambda: unpack(archive, target, log_progress)).code is Code.CONTENT_READ_FAILED


def test_a_blob_that_is_missing_is_noticed(archive, target):
    with tarfile.open(archive) as tar:
        members = [(member, tar.extractfile(member)) for member in tar.getmembers()]
        contents = [(member, source.read()) for member, source in members if source]
    with tarfile.open(archive, "w") as tar:
        for number, (member, data) in enumerate(contents):
            if number != 3:
                tar.addfile(member, io.BytesIO(data))
    assert error_of(lambda: unpack(archive, target, log_progress)).code is Code.CONTENT_READ_FAILED


@pytest.mark.parametrize("name", ["/evil", "blobs/../evil", "blobs/garden/../../evil", f"blobs/../{'0' * 64}"])
def test_no_name_leads_out_of_the_folder(tmp_path, target, name):
    file = tmp_path / "evil.tar"
    manifest = json.dumps(manifest_of(DUMP).model_dump(mode="json")).encode()
    with tarfile.open(file, "w") as tar:
        for member, data in (("manifest.json", manifest), ("neo4j.dump", DUMP), (name, b"evil")):
            info = tarfile.TarInfo(member)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    before = sorted(tmp_path.rglob("*"))
    assert error_of(lambda: unpack(file, target, log_progress)).code is Code.CONTENT_READ_FAILED
    assert sorted(tmp_path.rglob("*")) == before


def test_what_is_no_backup_is_refused(tmp_path):
    text, other = tmp_path / "text", tmp_path / "other.tar"
    text.write_text("Dear diary")
    with tarfile.open(other, "w") as tar:
        tar.add(text, "text")
    for file in (text, other, tmp_path, tmp_path / "missing"):
        assert error_of(lambda file=file: read_manifest(file)).code is Code.INVALID_ARGUMENT


def test_a_later_kind_of_backup_is_refused_whatever_else_is_in_it(tmp_path):
    file, note = tmp_path / "later.tar", b'{"graph_memory_backup": 99, "graph_memory": "9.0", "new": {}}'
    with tarfile.open(file, "w") as tar:
        info = tarfile.TarInfo("manifest.json")
        info.size = len(note)
        tar.addfile(info, io.BytesIO(note))
    error = error_of(lambda: read_manifest(file))
    assert error.code is Code.STORE_INCOMPATIBLE
    assert "9.0" in (error.hint or "")


@pytest.mark.parametrize("others", [{"schema_version": 4}, {"neo4j": "2026.09.0"}, {"neo4j": "2027.01.1"}])
def test_a_backup_that_is_too_new_is_refused(others):
    settings = Settings(neo4j_version="2026.08.1")
    assert error_of(lambda: check_fits(settings, manifest_of(DUMP, **others), 3)).code is Code.STORE_INCOMPATIBLE


@pytest.mark.parametrize("others", [{"schema_version": 2}, {"neo4j": "2025.12.0"}, {"neo4j": "2026.08.3"}])
def test_an_older_backup_and_another_patch_are_taken(others):
    check_fits(Settings(neo4j_version="2026.08.1"), manifest_of(DUMP, **others), 3)


def test_blobs_are_not_restored_to_where_nobody_looks_for_them():
    settings = Settings(blob_url="s3://bucket")
    assert error_of(lambda: check_fits(settings, manifest_of(DUMP), 3)).code is Code.INVALID_ARGUMENT
    check_fits(settings, manifest_of(DUMP, blobs_elsewhere="s3://bucket"), 3)


def test_an_existing_file_is_never_written_over(archive, tmp_path, blobs):
    before = archive.read_bytes()
    with pytest.raises(FileExistsError):
        write_archive(archive, manifest_of(DUMP), tmp_path / "dump", blobs, log_progress)
    assert archive.read_bytes() == before


def test_a_seal_counts_nothing_where_there_are_no_blobs(tmp_path):
    dump = tmp_path / "dump"
    dump.write_bytes(DUMP)
    written = write_archive(tmp_path / "none.tar", manifest_of(DUMP), dump, tmp_path / "nowhere", log_progress)
    assert written.blob_totals == BlobTotals(blobs=0, bytes=0, sha256=hashlib.sha256().hexdigest())
