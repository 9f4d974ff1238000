"""A home saved and restored by the real commands, and compared with what it was."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import psutil
import pytest

from acceptance.agents import COMMAND, environment_of
from graph_memory import Memory, Settings, local, ontology_from, open_memory
from graph_memory.local.home.home import HomeFolder
from graph_memory.local.home.swap import RESTORED, RESTORING
from graph_memory.model.errors import Code

ONTOLOGY = ontology_from(
    {
        "node_types": [{"name": "Note", "properties": {"code": {"type": "string", "unique": True}}}, "Person"],
        "connection_types": [{"name": "About", "from_types": ["Note"], "to_types": ["Person"]}],
    }
)
DOMAINS = ("first", "Second", "third.one")
LARGE = "A line of a long text.\n" * 3000
BINARY = os.urandom(300_000)


async def fill(memory: Memory) -> None:
    await memory.apply_ontology(ONTOLOGY)
    anna = await memory.create_node("Person", "# Anna")
    large = await memory.create_node("Note", LARGE, properties={"code": "x"}, tags=["long"])
    await memory.create_node("Note", BINARY, encoding="base64", format="bin")
    about = await memory.create_connection("About", large.node_id, anna.node_id, content=LARGE + "more")
    await memory.update_connection(about.connection_id, properties={"since": "2026"})
    result = await memory.create_node("Note", "gone")
    await memory.delete_node(result.node_id)


async def contents_of(memory: Memory) -> dict[str, Any]:
    """Return everything that the memory contains."""
    results: dict[str, Any] = {}
    for domain in (domain.name for domain in (await memory.list_domains()).domains):
        domain_memory = memory.in_domain(domain)
        nodes = (await domain_memory.query_nodes(limit=1000)).node_ids
        results[domain] = {
            "log": (await domain_memory.history.log(full=True, limit=1000)).to_dict(),
            "ontology": await domain_memory.get_ontology(),
            "info": (await domain_memory.domain_info()).to_dict(),
            "contents": {node: (await domain_memory.get_node_content(node)).content for node in nodes},
        }
    return results


def use(settings: Settings, work: Callable[[Memory], Any]) -> Any:
    async def run() -> Any:
        async with open_memory(settings) as memory:
            return await work(memory)

    return anyio.run(run)


def run(settings: Settings, *words: str, **others: str) -> subprocess.CompletedProcess[str]:
    environment = environment_of(settings, **others)
    return subprocess.run([COMMAND, *words], env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def json_of(settings: Settings, *words: str) -> dict[str, Any]:
    done = run(settings, *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def error_of(settings: Settings, *words: str, **others: str) -> dict[str, Any]:
    done = run(settings, *words, "--json", **others)
    assert done.returncode
    return json.loads(done.stderr.splitlines()[-1])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A home with several domains, blobs and deleted things; its Neo4j runs."""
    settings = Settings(home=tmp_path_factory.mktemp("saved") / "home")

    async def fill_all(memory: Memory) -> None:
        for domain in DOMAINS:
            await fill(memory.in_domain(domain))

    try:
        use(settings, fill_all)
        yield settings
    finally:
        local.stop(settings)


class Saved(NamedTuple):
    """A backup, and what the home held then."""

    file: Path
    contents: dict[str, Any]


@pytest.fixture(scope="module")
def backup(home: Settings, tmp_path_factory: pytest.TempPathFactory) -> Saved:
    """A backup of that home."""
    file = tmp_path_factory.mktemp("backups") / "saved.tar"
    result = use(home, contents_of)
    json_of(home, "backup", str(file))
    return Saved(file, result)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Settings]:
    """A home in which nothing was ever done."""
    settings = Settings(home=tmp_path / "other")
    yield settings
    local.stop(settings)


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Give a folder on a disk that holds hardly anything."""
    folder.mkdir()
    mount = shutil.which("mount")
    if (
        not mount
        or subprocess.run([mount, "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=False).returncode
    ):
        pytest.skip("needs leave to mount a disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_home_that_serves_is_saved_and_serves_on(home, tmp_path):
    before, server = use(home, contents_of), local.status(home)
    made = json_of(home, "backup", str(tmp_path))
    after = local.status(home)
    assert after.state is local.State.RUNNING
    assert (after.uri, after.pid == server.pid) == (server.uri, False)
    [file] = tmp_path.iterdir()
    assert made["file"] == str(file)
    assert made["bytes"] == file.stat().st_size
    assert {domain["name"]: domain["seq"] for domain in made["manifest"]["domains"]} == {
        domain: contents["info"]["events"] for domain, contents in before.items()
    }
    assert use(home, contents_of) == before


def test_a_backup_is_for_its_owner_and_holds_no_password(home, backup):
    assert backup.file.stat().st_mode & 0o077 == 0
    password = HomeFolder.of(home).password()
    assert password
    assert password.encode() not in backup.file.read_bytes()


def test_a_home_is_restored_elsewhere_to_the_last_byte(home, backup, other):
    answer = json_of(other, "restore", str(backup.file), "--verify")
    assert answer["restored"]
    assert {verification["domain"]: verification["differences"] for verification in answer["verified"]} == {
        domain: [] for domain in DOMAINS
    }
    assert local.status(other).state is local.State.RUNNING
    assert use(other, contents_of) == backup.contents
    assert HomeFolder.of(other).password() != HomeFolder.of(home).password()
    assert sorted(path.name for path in other.home.iterdir()) == ["blobs", "neo4j"]
    use(other, lambda memory: memory.in_domain(DOMAINS[0]).create_node("Note", LARGE + "of the restored home"))
    assert use(other, lambda memory: memory.upkeep.collect_blobs(dry_run=True, grace=0)).blobs == ()


def test_a_home_whose_neo4j_was_killed_is_saved_whole_and_stays_stopped(home, tmp_path, other):
    before = use(home, contents_of)
    psutil.Process(local.status(home).pid).kill()
    json_of(home, "backup", str(tmp_path / "killed.tar"))
    assert local.status(home).state is local.State.STOPPED
    restored = json_of(other, "restore", str(tmp_path / "killed.tar"), "--verify")
    assert not any(verification["differences"] for verification in restored["verified"])
    assert use(other, contents_of) == before


def test_who_has_the_memory_open_waits_and_goes_on(home, tmp_path):
    async def write_meanwhile(memory: Memory) -> int:
        written, domain_memory = 0, memory.in_domain("written-meanwhile")
        await domain_memory.apply_ontology(ONTOLOGY)
        command = [str(COMMAND), "backup", str(tmp_path)]
        async with await anyio.open_process(command, env=environment_of(home)) as saving:
            while saving.returncode is None:
                await domain_memory.create_node("Note", str(written))
                written += 1
                await anyio.sleep(0.01)
            assert await saving.wait() == 0
        assert written == len((await domain_memory.query_nodes(limit=100_000)).node_ids)
        return written

    assert use(home, write_meanwhile) > 1


def test_what_a_home_holds_is_replaced_only_when_that_is_said(backup, other):
    async def fill_other(memory: Memory) -> None:
        await memory.apply_ontology(ONTOLOGY)
        await memory.create_node("Note", LARGE + "of another home")

    use(other, fill_other)
    before, password = use(other, contents_of), HomeFolder.of(other).password()
    error = error_of(other, "restore", str(backup.file))
    assert (error["code"], error["details"]["argument"]) == (Code.INVALID_ARGUMENT, "--replace")
    error = error_of(other, "restore", str(backup.file), "--replace")
    assert (error["code"], error["details"]["argument"]) == (Code.INVALID_ARGUMENT, "yes")
    assert use(other, contents_of) == before

    async def across(memory: Memory) -> dict[str, Any]:
        await memory.list_domains()
        command = [str(COMMAND), "restore", str(backup.file), "--replace", "--yes"]
        await anyio.run_process(command, env=environment_of(other))
        return await contents_of(memory)

    result = use(other, across)
    assert result == backup.contents
    assert HomeFolder.of(other).password() == password
    assert not (other.home / "blobs" / "default").exists()


def test_a_damaged_backup_leaves_everything_as_it_is(backup, home, tmp_path):
    before = use(home, contents_of)
    data = bytearray(backup.file.read_bytes())
    data[data.index(BINARY) + 1000] ^= 1
    damaged = tmp_path / "damaged.tar"
    damaged.write_bytes(data)
    assert error_of(home, "restore", str(damaged), "--replace", "--yes")["code"] == Code.CONTENT_READ_FAILED
    assert not (home.home / RESTORING).exists()
    assert use(home, contents_of) == before


def test_another_server_is_not_saved_by_its_files(home, backup, tmp_path):
    for words in (("backup", str(tmp_path)), ("restore", str(backup.file))):
        error = error_of(home, *words, NEO4J_URI="bolt://127.0.0.1:1")
        assert error["code"] == Code.INVALID_ARGUMENT
        assert "export" in error["details"]["hint"]


def test_what_cannot_be_saved_is_told(home, other, backup, tmp_path):
    assert error_of(other, "backup", str(tmp_path))["code"] == Code.INVALID_ARGUMENT
    assert not other.home.exists() or local.status(other).state is local.State.STOPPED
    assert error_of(home, "backup", str(backup.file))["code"] == Code.INVALID_ARGUMENT
    assert error_of(home, "backup", str(tmp_path / "no" / "folder.tar"))["code"] == Code.FILE_CREATION_FAILED
    assert local.status(home).state is local.State.RUNNING


@pytest.mark.parametrize("size", ["16k", "512k"])
def test_a_disk_that_is_full_leaves_no_backup_and_the_home_serving(home, tmp_path, size):
    with small_disk(tmp_path / "small", size) as folder:
        assert error_of(home, "backup", str(folder))["code"] in {Code.FILE_CREATION_FAILED, Code.STORE_UNAVAILABLE}
        assert list(folder.iterdir()) == []
    assert local.status(home).state is local.State.RUNNING


def test_a_disk_without_room_is_told_before_anything_is_restored(backup, tmp_path):
    with small_disk(tmp_path / "small", "1m") as folder:
        settings = Settings(home=folder)
        assert error_of(settings, "restore", str(backup.file))["code"] == Code.FILE_CREATION_FAILED
        assert [path.name for path in folder.iterdir()] == ["neo4j"]


def test_a_restore_that_is_killed_leaves_the_old_or_the_new_and_can_be_repeated(backup, other):
    use(other, fill)
    old = use(other, contents_of)
    beside = HomeFolder(other.home / RESTORING / "neo4j")
    moments: dict[str, Callable[[], bool]] = {
        "loaded": (beside.data / "databases" / "neo4j").exists,
        "started": beside.run_file.exists,
        "moved": (other.home / RESTORED).exists,
    }
    for moment, reached in moments.items():
        kill_restore(other, backup.file, reached)
        assert use(other, contents_of) in ([old, backup.contents] if moment == "moved" else [old])
    json_of(other, "restore", str(backup.file), "--replace", "--yes", "--verify")
    assert sorted(path.name for path in other.home.iterdir()) == ["blobs", "neo4j"]
    assert use(other, contents_of) == backup.contents
    commands = [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
    assert not any(str(beside.root) in command for command in commands)


def kill_restore(settings: Settings, file: Path, reached: Callable[[], bool]) -> None:
    command = [str(COMMAND), "restore", str(file), "--replace", "--yes"]
    with subprocess.Popen(command, env=environment_of(settings), stderr=subprocess.DEVNULL) as process:
        while not reached() and process.poll() is None:  # the last moment is short
            time.sleep(0.0005)
        process.kill()


def test_a_restore_that_is_told_to_end_leaves_nothing_behind(backup, other):
    command = [str(COMMAND), "restore", str(backup.file)]
    with subprocess.Popen(command, env=environment_of(other), stderr=subprocess.PIPE) as process:
        run_file = HomeFolder(other.home / RESTORING / "neo4j").run_file
        while not run_file.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.terminate()
        process.wait(60)
    assert [path.name for path in other.home.iterdir()] == ["neo4j"]
    assert sys.platform == "win32" or process.returncode == 143
