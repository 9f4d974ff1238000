"""Homes that cannot be written or start at the same moment, ports that are taken meanwhile, and a clock set back."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest
from neo4j import Driver, GraphDatabase

from graph_memory import Code, GraphError, Memory, Settings, local, ontology_from, open_memory
from graph_memory.local.home.home import HomeFolder, Run, read_run

CAN_MOUNT = sys.platform == "linux" and os.geteuid() == 0 and shutil.which("mount") is not None
ONTOLOGY = ontology_from({"node_types": ["Note"], "connection_types": []})
HOST = "127.0.0.1"
STARTER = """
import sys, pathlib
from graph_memory.local.server.server import ensure_running
from graph_memory.settings import Settings
print(ensure_running(Settings(home=pathlib.Path(sys.argv[1]))).uri, flush=True)
"""

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[list[Settings]]:
    """Two homes in which Neo4j was never started."""
    homes = [Settings(home=tmp_path / name) for name in ("one", "two")]
    yield homes
    for settings in homes:
        local.stop(settings)


def free_ports(number: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.create_server((HOST, 0))) for _ in range(number)]
        return [socket.getsockname()[1] for socket in sockets]


def choose_ports(settings: Settings, bolt: int, http: int) -> None:
    """Have the next start of a home choose these ports, if they are free."""
    HomeFolder.of(settings).make_folders()
    Run(bolt, http, settings.neo4j_version).save(HomeFolder.of(settings))


def answer_of(server: local.LocalServer) -> list[object]:
    with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        return driver.execute_query("RETURN 1").records[0].values()


@pytest.mark.parametrize("shared", ["both ports", "the HTTP port"])
def test_two_homes_that_start_at_the_same_moment_both_get_their_neo4j(homes: list[Settings], shared: str) -> None:
    bolt, other_bolt, http = free_ports(3)
    for settings, port in zip(homes, (bolt, bolt if shared == "both ports" else other_bolt), strict=True):
        choose_ports(settings, port, http)
    starters = [
        subprocess.Popen([sys.executable, "-c", STARTER, str(settings.home)], stdout=subprocess.PIPE, text=True)
        for settings in homes
    ]
    lines = [starter.communicate(timeout=240)[0].strip() for starter in starters]
    servers = [local.ensure_running(settings) for settings in homes]
    assert lines == [server.uri for server in servers]
    assert len({server.uri for server in servers}) == len({server.http_url for server in servers}) == 2
    assert [answer_of(server) for server in servers] == [[1], [1]]


@contextmanager
def squatter(settings: Settings, port: int) -> Iterator[None]:
    """Take a port in the moment between a start's look at it and its Neo4j."""
    ended, listening = threading.Event(), list[socket.socket]()

    def wait_and_take() -> None:
        while not ended.is_set():
            run = read_run(HomeFolder.of(settings))
            if run and run.pid:
                listening.append(socket.create_server((HOST, port)))
                return
            time.sleep(0.01)

    thread = threading.Thread(target=wait_and_take)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        for other in listening:
            other.close()
    assert listening, "nobody took it"


@pytest.mark.parametrize("kind", ["bolt", "http"])
def test_a_port_that_somebody_takes_while_neo4j_starts_is_left_to_them(homes: list[Settings], kind: str) -> None:
    settings = homes[0]
    bolt, http = free_ports(2)
    choose_ports(settings, bolt, http)
    with squatter(settings, bolt if kind == "bolt" else http):
        server = local.ensure_running(settings)
        assert answer_of(server) == [1]
        run = read_run(HomeFolder.of(settings))
        assert run
        assert {run.bolt_port, run.http_port}.isdisjoint({bolt, http})


def test_a_port_of_the_settings_that_somebody_takes_while_neo4j_starts_is_named(homes: list[Settings]) -> None:
    (port,) = free_ports(1)
    settings = homes[0].model_copy(update={"neo4j_bolt_port": port})
    with squatter(settings, port), pytest.raises(GraphError) as caught:
        local.ensure_running(settings)
    assert caught.value.code is Code.STORE_UNAVAILABLE
    assert str(port) in caught.value.message
    assert "GRAPH_MEMORY_NEO4J_BOLT_PORT" in (caught.value.hint or "")


def remount(disk: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", disk], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of the test's own, which can be made read-only."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", folder], capture_output=True)
    if made.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {made.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.mark.anyio
@pytest.mark.skipif(not CAN_MOUNT, reason="a read-only disk is made with `mount`, which takes root on Linux")
async def test_a_home_that_cannot_be_written_is_told_and_serves_again_once_it_can(disk: Path) -> None:
    settings = Settings(home=disk / "home", domain="kept")
    try:
        async with open_memory(settings) as memory:
            await memory.create_ontology(ONTOLOGY)
            kept = await memory.create_node("Note", "kept")
        local.stop(settings)
        remount(disk, "ro")
        process = await anyio.run_process(
            [Path(sys.executable).with_name("graph-memory"), "query"],
            env={**os.environ, "GRAPH_MEMORY_HOME": str(settings.home)},
            check=False,
        )
        assert process.returncode == 69
        text = process.stderr.decode()
        assert "STORE_UNAVAILABLE" in text
        assert "Read-only file system" in text
        assert f"Path: {disk}" in text
        assert "GRAPH_MEMORY_HOME" in text
        assert local.status(settings).state is local.State.STOPPED
        remount(disk, "rw")
        async with open_memory(settings) as memory:
            assert (await memory.get_node(kept.node_id)).version == kept.version
            assert (await memory.upkeep.verify()).clean
    finally:
        remount(disk, "rw")
        local.stop(settings)


def set_back(start: datetime) -> Callable[[], datetime]:
    """A clock that goes back an hour each time that it is looked at."""
    hours = iter(range(1000))
    return lambda: start - timedelta(hours=next(hours))


@pytest.mark.anyio
async def test_times_never_go_back_when_the_clock_does(
    memory: Memory, domain: str, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memory.create_ontology(ONTOLOGY)
    monkeypatch.setattr(memory._core.log, "clock", set_back(datetime.now(UTC)))
    node = await memory.create_node("Note", "0")
    for turn in range(1, 5):  # the first under the log's lock, the others in one statement
        await memory.update_node(node.node_id, content=str(turn), encoding="utf-8")
    rows = driver.execute_query(
        "MATCH (e:_Event {_domain: $domain}) RETURN e._at AS at, e._modified AS modified ORDER BY e._seq",
        domain=domain,
    ).records
    times = [row["at"] for row in rows]
    assert times == sorted(times)
    changed = [row["modified"] for row in rows if row["modified"] is not None]
    assert changed == sorted(changed)
    result = await memory.get_node(node.node_id)
    assert result.modified >= result.created
    assert (await memory.upkeep.verify()).clean
