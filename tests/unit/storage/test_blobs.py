"""Blobs are named by their hash, whole or absent, and say so when they are missing or damaged."""

import hashlib
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given
from hypothesis import strategies as st

from graph_memory import files
from graph_memory.model.errors import Code, GraphError
from graph_memory.storage.blobs import places
from graph_memory.storage.blobs.blobs import Blobs, blobs_at, domain_of, folder_of
from tables import for_rows

pytestmark = pytest.mark.anyio

DATA = b"a page of a book"
SHA = hashlib.sha256(DATA).hexdigest()
HOUR = timedelta(hours=1)
domain_names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,29}(/[A-Za-z0-9][A-Za-z0-9._-]{0,15}){0,2}", fullmatch=True)


@pytest.fixture
def local(tmp_path: Path) -> Blobs:
    return blobs_at(tmp_path / "blobs")


@pytest.fixture(params=["folder", "memory"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    return blobs_at(tmp_path / "blobs" if request.param == "folder" else f"memory://{uuid.uuid4().hex}")


def blob_file(tmp_path: Path, sha256: str = SHA) -> Path:
    return tmp_path / "blobs" / "default" / sha256


def leftover(tmp_path: Path, age: timedelta) -> Path:
    path = tmp_path / "blobs" / "default" / f"{uuid.uuid4().hex}.tmp"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"half")
    make_older(path, age)
    return path


def make_older(path: Path, age: timedelta) -> None:
    then = (datetime.now(UTC) - age).timestamp()
    os.utime(path, (then, then))


async def stream_chunks(blobs: Blobs, sha256: str) -> list[bytes]:
    return [chunk async for chunk in blobs.stream("default", sha256)]


# What every place does


async def test_a_place_has_one_id_for_all_who_use_it_and_is_no_domain(blobs: Blobs, tmp_path: Path):
    ids: list[str] = []

    async def note(user: Blobs) -> None:
        ids.append(await user.blob_store_id())

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(note, Blobs(blobs._backend))
    assert await blobs.blob_store_id() == min(ids)
    assert await Blobs(blobs._backend).blob_store_id() == min(ids)
    assert await blobs_at(tmp_path / "elsewhere").blob_store_id() != min(ids)
    assert await blobs.domains() == []


async def test_what_was_put_comes_back(blobs: Blobs):
    assert await blobs.put("default", DATA) == SHA
    assert await blobs.get("default", SHA) == DATA
    assert await stream_chunks(blobs, SHA) == [DATA]
    assert await blobs.exists("default", SHA)


async def test_putting_twice_keeps_one(blobs: Blobs):
    assert await blobs.put("default", DATA) == await blobs.put("default", DATA)
    assert [blob.name for blob in await blobs.list_blobs("default")] == [SHA]


async def test_empty_content_is_content(blobs: Blobs):
    sha = await blobs.put("default", b"")
    assert await blobs.get("default", sha) == b""
    assert await stream_chunks(blobs, sha) == []
    assert [blob.size for blob in await blobs.list_blobs("default")] == [0]


async def test_large_content_passes_in_chunks(blobs: Blobs, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("graph_memory.storage.blobs.blobs.CHUNK", 4)
    stored = await blobs.put_stream("default", iter([b"abcd", b"", b"ef", b"gh"]))
    assert stored == (hashlib.sha256(b"abcdefgh").hexdigest(), 8)
    assert await stream_chunks(blobs, stored.sha256) == [b"abcd", b"efgh"]


async def test_domains_share_nothing(blobs: Blobs):
    await blobs.put("default", DATA)
    await blobs.put("Work", DATA)
    assert await blobs.delete("default", SHA)
    assert await blobs.get("Work", SHA) == DATA
    assert "Work" in await blobs.domains()


async def test_missing_content_is_said_to_be_missing(blobs: Blobs):
    for read in (blobs.get("default", SHA), stream_chunks(blobs, SHA)):
        with pytest.raises(GraphError) as failure:
            await read
        assert failure.value.code is Code.CONTENT_READ_FAILED
        assert failure.value.details["reason"] == "missing"
        assert SHA in failure.value.message
    assert not await blobs.exists("default", SHA)


async def test_blobs_are_listed_with_size_and_time(blobs: Blobs):
    before = datetime.now(UTC) - timedelta(seconds=5)
    await blobs.put("default", DATA)
    [blob] = await blobs.list_blobs("default")
    assert blob[:2] == (SHA, len(DATA))
    assert before < blob.modified < datetime.now(UTC) + timedelta(seconds=5)
    assert await blobs.list_blobs("empty") == []


async def test_a_source_that_fails_leaves_nothing(blobs: Blobs):
    def chunks() -> Iterator[bytes]:
        yield b"half"
        raise GraphError(Code.INVALID_ENCODING, "not utf-8")

    with pytest.raises(GraphError) as failure:
        await blobs.put_stream("default", chunks())
    assert failure.value.code is Code.INVALID_ENCODING
    assert await blobs.find_garbage("default", set(), datetime.now(UTC) + HOUR) == []


async def test_garbage_is_unreferenced_and_old(blobs: Blobs):
    await blobs.put("default", DATA)
    kept = await blobs.put("default", b"referenced")
    later = datetime.now(UTC) + HOUR
    assert [blob.name for blob in await blobs.find_garbage("default", {kept}, later)] == [SHA]
    assert await blobs.find_garbage("default", {kept}, later - 2 * HOUR) == []


async def test_deleting_spares_what_a_write_has_renewed(blobs: Blobs):
    await blobs.put("default", DATA)
    assert not await blobs.delete("default", SHA, before=datetime.now(UTC) - HOUR)
    assert await blobs.get("default", SHA) == DATA
    assert await blobs.delete("default", SHA, before=datetime.now(UTC) + HOUR)
    assert not await blobs.delete("default", SHA)
    assert await blobs.find_garbage("default", set(), datetime.now(UTC) + HOUR) == []


async def test_domains_are_none_before_the_first_write(blobs: Blobs):
    assert await blobs.domains() == []


@for_rows("name", ["", "../../etc/passwd", SHA.upper(), SHA[:-1], f"{SHA}\n", "notes.txt"])
async def test_only_blobs_can_be_named(blobs: Blobs, name: str):
    for call in (blobs.get, blobs.delete, blobs.exists):
        with pytest.raises(GraphError) as failure:
            await call("default", name)
        assert failure.value.code is Code.INVALID_ARGUMENT


@given(data=st.binary(max_size=64), domain=domain_names, url=st.sampled_from(["memory://", ""]))
def test_any_bytes_in_any_domain_come_back(data: bytes, domain: str, url: str):
    async def round_trip(place: str) -> None:
        blobs = blobs_at(place)
        assert await blobs.get(domain, await blobs.put(domain, data)) == data
        assert await blobs.domains() == [domain]

    with tempfile.TemporaryDirectory() as folder:
        anyio.run(round_trip, url + folder.lstrip("/") if url else folder)


# Damage


async def test_damaged_content_is_said_to_be_damaged(local: Blobs, tmp_path: Path):
    await local.put("default", DATA)
    blob_file(tmp_path).write_bytes(DATA[:-1] + b"?")
    for read in (local.get("default", SHA), stream_chunks(local, SHA)):
        with pytest.raises(GraphError) as failure:
            await read
        assert failure.value.code is Code.CONTENT_READ_FAILED
        assert failure.value.details["reason"] == "damaged"


async def test_writing_again_repairs(local: Blobs, tmp_path: Path):
    await local.put("default", DATA)
    blob_file(tmp_path).write_bytes(b"")
    await local.put("default", DATA)
    assert await local.get("default", SHA) == DATA


async def test_unreadable_content_is_said_to_be_unreadable(local: Blobs, tmp_path: Path):
    blob_file(tmp_path).mkdir(parents=True)
    with pytest.raises(GraphError) as failure:
        await local.get("default", SHA)
    assert failure.value.code is Code.CONTENT_READ_FAILED
    assert failure.value.details["reason"] == "unreadable"


# Writing to disk


async def test_the_file_is_synced_before_it_is_named_and_the_folder_after(
    local: Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    await local.put("default", b"so that the folder is there")
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def noted_sync(descriptor: int) -> None:
        steps.append("folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file")  # noqa: PTH112
        fsync(descriptor)

    def noted_replace(path: Path, target: Path) -> Path:
        steps.append("rename")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    await local.put("default", DATA)
    assert steps == ["file", "rename", "folder"]


async def test_the_entry_of_a_new_folder_is_synced_too(local: Blobs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    synced: list[Path] = []
    for module in (files, places):
        monkeypatch.setattr(module, "sync_folder", synced.append)
    await local.put("default", DATA)
    assert synced == [tmp_path, tmp_path / "blobs", tmp_path / "blobs" / "default"]


async def test_a_folder_that_cannot_be_synced_is_left_at_that(local: Blobs, monkeypatch: pytest.MonkeyPatch):
    fsync = os.fsync

    def picky(descriptor: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):  # noqa: PTH112
            raise OSError(22, "Invalid argument")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", picky)
    assert await local.put("default", DATA) == SHA


async def test_files_are_for_the_owner_alone(local: Blobs, tmp_path: Path):
    await local.put("default", DATA)
    assert blob_file(tmp_path).stat().st_mode & 0o777 == 0o600
    assert blob_file(tmp_path).parent.stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "blobs").stat().st_mode & 0o777 == 0o700


async def test_putting_again_renews_the_time(local: Blobs, tmp_path: Path):
    await local.put("default", DATA)
    make_older(blob_file(tmp_path), 48 * HOUR)
    await local.put("default", DATA)
    assert await local.find_garbage("default", set(), datetime.now(UTC) - HOUR) == []


async def test_a_place_that_cannot_be_written_says_so(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    blobs = blobs_at(tmp_path / "file" / "blobs")
    with pytest.raises(GraphError) as failure:
        await blobs.put("default", DATA)
    assert failure.value.code is Code.FILE_CREATION_FAILED
    assert "GRAPH_MEMORY_BLOB_URL" in str(failure.value.hint)
    with pytest.raises(GraphError) as failure:
        await blobs.list_blobs("default")
    assert failure.value.code is Code.CONTENT_READ_FAILED


async def test_a_full_disk_leaves_nothing(local: Blobs, monkeypatch: pytest.MonkeyPatch):
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(GraphError) as failure:
        await local.put("default", DATA)
    assert failure.value.code is Code.FILE_CREATION_FAILED
    assert "No space left" in failure.value.message
    assert await local.find_garbage("default", set(), datetime.now(UTC) + HOUR) == []


def test_a_crash_before_the_rename_leaves_only_a_temporary_file(tmp_path: Path):
    script = f"""
import anyio, os, pathlib
from graph_memory.storage.blobs.blobs import blobs_at
pathlib.Path.replace = lambda self, target: os._exit(9)
anyio.run(blobs_at({str(tmp_path / "blobs")!r}).put, "default", {DATA!r})
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 9
    [left] = (tmp_path / "blobs" / "default").iterdir()
    assert left.suffix == ".tmp"


async def test_leftovers_are_garbage_only_after_the_grace_period(local: Blobs, tmp_path: Path):
    old, _young = leftover(tmp_path, 48 * HOUR), leftover(tmp_path, timedelta())
    [garbage] = await local.find_garbage("default", set(), datetime.now(UTC) - HOUR)
    assert garbage.name == old.name
    assert garbage.is_leftover
    assert await local.list_blobs("default") == []
    assert await local.delete("default", garbage.name)
    assert not old.exists()


async def test_files_of_others_are_left_alone(local: Blobs, tmp_path: Path):
    await local.put("default", DATA)
    (tmp_path / "blobs" / "default" / "notes.txt").write_text("mine")
    (tmp_path / "blobs" / "My Folder").mkdir()
    (tmp_path / "blobs" / "file").write_text("mine")
    assert [blob.name for blob in await local.find_garbage("default", set(), datetime.now(UTC) + HOUR)] == [SHA]
    assert await local.domains() == ["default"]


async def test_a_whole_blob_that_is_being_read_need_not_be_replaced(
    local: Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object) -> None:
        raise PermissionError(13, "in use")

    await local.put("default", DATA)
    make_older(blob_file(tmp_path), 48 * HOUR)
    with monkeypatch.context() as windows:
        windows.setattr(Path, "replace", refuse)
        assert await local.put("default", DATA) == SHA
        with pytest.raises(GraphError):
            await local.put("default", b"new")
    [blob] = await local.find_garbage("default", set(), datetime.now(UTC) + HOUR)
    assert blob.modified > datetime.now(UTC) - HOUR


async def test_many_writers_of_the_same_content_agree(local: Blobs):
    async with anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(local.put, "default", DATA)
    assert await local.get("default", SHA) == DATA
    assert len(await local.find_garbage("default", set(), datetime.now(UTC) + HOUR)) == 1


# Elsewhere


async def test_whatever_a_remote_place_raises_is_a_failed_write(monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("EndpointConnectionError")

    blobs = blobs_at(f"memory://{uuid.uuid4().hex}")
    monkeypatch.setattr(MemoryFileSystem, "mv", fail)
    with pytest.raises(GraphError) as failure:
        await blobs.put("default", DATA)
    assert failure.value.code is Code.FILE_CREATION_FAILED
    assert "EndpointConnectionError" in failure.value.message
    assert await blobs.find_garbage("default", set(), datetime.now(UTC) + HOUR) == []


async def test_what_cannot_be_dated_is_not_garbage(monkeypatch: pytest.MonkeyPatch):
    def unknown(*_: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr(MemoryFileSystem, "modified", unknown)
    blobs = blobs_at(f"memory://{uuid.uuid4().hex}")
    await blobs.put("default", DATA)
    assert await blobs.find_garbage("default", set(), datetime.now(UTC) - timedelta(seconds=5)) == []


async def test_credentials_stay_out_of_messages():
    blobs = blobs_at("nosuch://key:secret@bucket/blobs")
    assert blobs.location == "nosuch://bucket/blobs"
    for call, code in (
        (blobs.put("default", DATA), Code.FILE_CREATION_FAILED),
        (blobs.get("default", SHA), Code.CONTENT_READ_FAILED),
    ):
        with pytest.raises(GraphError) as failure:
            await call
        assert failure.value.code is code
        assert "secret" not in str(failure.value.to_dict())


async def test_a_file_url_is_a_folder(tmp_path: Path):
    blobs = blobs_at(f"{tmp_path.as_uri()}/my%20blobs")
    await blobs.put("default", DATA)
    assert (tmp_path / "my blobs" / "default" / SHA).read_bytes() == DATA
    with pytest.raises(GraphError) as failure:
        blobs_at("file://elsewhere/blobs")
    assert failure.value.code is Code.INVALID_ARGUMENT


def test_fsspec_is_not_imported_before_it_is_needed():
    script = (
        "import sys, graph_memory.storage.blobs.blobs as b; b.blobs_at('memory://x'); sys.exit('fsspec' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


# The folder of a domain


@given(st.lists(domain_names, min_size=2, max_size=2, unique=True))
def test_no_two_domains_share_a_folder_whatever_the_case(domains: list[str]):
    first, second = (folder_of(domain).casefold() for domain in domains)
    assert first != second


@given(domain_names)
def test_no_two_spellings_share_a_folder(domain: str):
    spellings = {domain, domain.swapcase(), domain.lower(), domain.title()}
    assert len({folder_of(name).casefold() for name in spellings}) == len(spellings)


@given(domain_names)
def test_the_domain_is_read_back_from_its_folder(domain: str):
    assert domain_of(folder_of(domain)) == domain


@for_rows(
    ("domain", "folder"),
    [
        ("default", "default"),
        ("my-work_2.0", "my-work_2.0"),
        ("Work", "=1=work="),
        ("woRK", "=c=work="),
        ("con", "=0=con="),
        ("nul.txt", "=0=nul.txt="),
        ("LPT1", "=7=lpt1="),
        ("end.", "=0=end.="),
        ("console", "console"),
        ("experiment/new-approach", "=0=experiment=new-approach="),
        ("Try/con", "=1=try=con="),
    ],
)
def test_harmless_names_stay_and_others_are_coded(domain: str, folder: str):
    assert folder_of(domain) == folder


@for_rows(
    "folder",
    ["=0=work=", "=01=work=", "=2=work=x", "=10=work=", "Work", ".git", "=1=1a=", "=0=a==b=", "=0==", "=0=a=..="],
)
def test_other_folders_are_no_domains(folder: str):
    assert domain_of(folder) is None


@for_rows("domain", ["", "..", ".hidden", "/a", "a/", "a//b", "a/../b", "a/./b", "../a", "a\\b", "a\n", "x" * 65, "é"])
def test_what_is_no_domain_has_no_folder(domain: str):
    with pytest.raises(GraphError) as failure:
        folder_of(domain)
    assert failure.value.code is Code.INVALID_ARGUMENT
