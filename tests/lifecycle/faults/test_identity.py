"""A service talks only to the Neo4j of its own home, even if another server listens at its old address."""

from __future__ import annotations

import shutil
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import psutil
import pytest
from neo4j import GraphDatabase

from container.images import address_of
from graph_memory import Code, GraphError, Settings, local, ontology_from, open_memory
from graph_memory.local.home.home import HomeFolder, Run, read_run
from graph_memory.local.home.ports import find_free_port
from graph_memory.storage import store as store_module
from graph_memory.storage.connecting import Address
from graph_memory.storage.queries import Query
from graph_memory.storage.store import open_store

ONTOLOGY = ontology_from({"node_types": ["Note"], "connection_types": []})
HOST = "127.0.0.1"
MAGIC = bytes.fromhex("6060B017")
HANDSHAKE = 20
"""Bytes that the driver sends before it knows what the other side speaks; nothing of them is secret."""
BOLT_5_8 = bytes.fromhex("00000805")


@dataclass(frozen=True, slots=True)
class Number:
    n: int


READ_ONE = Query("test/one", "RETURN 1 AS n", "read", frozenset(), ("n",), Number)
WORK = Query("test/work", "UNWIND range(1, 300000) AS x RETURN sum(x) AS n", "read", frozenset(), ("n",), Number)

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def began(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose Neo4j was started once and stopped: tests begin with copies of it, which start faster."""
    settings = Settings(home=tmp_path_factory.mktemp("began") / "home")
    try:
        local.ensure_running(settings)
    finally:
        local.stop(settings)
    return settings.home


@pytest.fixture
def home(began: Path, tmp_path: Path) -> Iterator[Settings]:
    """A home of the test's own, on ports that nobody else was given."""
    settings = Settings(home=tmp_path / "home", domain="kept")
    shutil.copytree(began, settings.home)
    choose_ports(settings, find_free_port(), find_free_port())
    yield settings
    local.stop(settings)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Settings]:
    """A home that is not there yet."""
    settings = Settings(home=tmp_path / "other", domain="kept")
    yield settings
    local.stop(settings)


def choose_ports(settings: Settings, bolt: int, http: int) -> None:
    """Have the next start of a home choose these ports, if they are free."""
    Run(bolt, http, settings.neo4j_version).save(HomeFolder.of(settings))


def run_of(settings: Settings) -> Run:
    run = read_run(HomeFolder.of(settings))
    assert run
    return run


def texts_of(settings: Settings) -> set[str]:
    """Return the contents of the nodes of a home's database."""
    server = local.ensure_running(settings)
    with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        return {str(record["text"]) for record in driver.execute_query("MATCH (n:_Node) RETURN n._content AS text")[0]}


async def test_a_copy_of_the_home_on_the_old_port_gets_none_of_a_running_services_writes(
    home: Settings, other: Settings
) -> None:
    async with open_memory(home) as memory:
        await memory.create_ontology(ONTOLOGY)
        await memory.create_node("Note", "before")
        old = local.ensure_running(home)
        local.stop(home)
        shutil.copytree(home.home, other.home)
        assert local.ensure_running(other).uri == old.uri
        node = await memory.create_node("Note", "after")
        assert (await memory.get_node(node.node_id)).version == node.version
    assert local.ensure_running(home).uri != old.uri
    assert texts_of(home) == {"before", "after"}
    assert texts_of(other) == {"before"}


async def test_another_home_on_the_old_port_is_neither_written_to_nor_asked_to_log_in(
    home: Settings, other: Settings, began: Path
) -> None:
    shutil.copytree(began, other.home)
    async with open_memory(home) as memory:
        await memory.create_ontology(ONTOLOGY)
        old = local.ensure_running(home)
        local.stop(home)
        HomeFolder.of(other).password_file.write_text("of no use: nobody is to log in\n")
        choose_ports(other, run_of(home).bolt_port, run_of(home).http_port)
        assert local.ensure_running(other).uri == old.uri
        node = await memory.create_node("Note", "kept")
        assert (await memory.get_node(node.node_id)).version == node.version
    assert texts_of(home) == {"kept"}
    HomeFolder.of(other).password_file.write_text(old.password)
    assert texts_of(other) == set()


class Listener:
    """A program that took a port: it answers a Bolt handshake and records everything that it is sent."""

    def __init__(self, port: int) -> None:
        self.received: list[bytes] = []
        self._server = socket.create_server((HOST, port))
        self._threads = [threading.Thread(target=self._serve, daemon=True)]
        self._threads[0].start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                self._threads.append(threading.Thread(target=self._record, args=(connection,), daemon=True))
                self._threads[-1].start()

    def _record(self, connection: socket.socket) -> None:
        number = len(self.received)
        self.received.append(b"")
        with connection, suppress(OSError):
            connection.settimeout(2)
            while block := connection.recv(65536):
                if not self.received[number]:
                    connection.sendall(BOLT_5_8)
                self.received[number] += block

    def close(self) -> None:
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        for thread in self._threads:
            thread.join(20)


@contextmanager
def listening(port: int) -> Iterator[Listener]:
    listener = Listener(port)
    try:
        yield listener
    finally:
        listener.close()


def crash(server: local.LocalServer) -> None:
    process = psutil.Process(server.pid)
    process.kill()
    with suppress(psutil.NoSuchProcess):
        process.wait(30)


async def test_who_listens_on_the_port_of_a_crashed_server_is_sent_nothing(home: Settings) -> None:
    async with open_memory(home) as memory:
        await memory.create_ontology(ONTOLOGY)
        old = local.ensure_running(home)
        crash(old)
        with listening(run_of(home).bolt_port) as listener:
            node = await memory.create_node("Note", "after the crash")
            assert (await memory.get_node(node.node_id)).version == node.version
        assert set(listener.received) <= {b""}
    assert local.ensure_running(home).uri != old.uri


@dataclass(frozen=True)
class Watched:
    """A guard that counts how often it was asked."""

    alive: bool = True
    listening: bool = True
    request_counts: Counter[str] = field(default_factory=Counter[str], compare=False)

    def is_alive(self) -> bool:
        self.request_counts["alive"] += 1
        return self.alive

    def listens(self) -> bool:
        self.request_counts["listens"] += 1
        return self.listening


@pytest.mark.parametrize(
    ("guard", "sent"), [(Watched(alive=False), set()), (Watched(listening=False), {HANDSHAKE})], ids=["ended", "ending"]
)
async def test_whoever_is_not_proved_to_be_the_server_is_sent_no_login(
    guard: Watched, sent: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "UNREACHABLE_SECONDS", 0.1)
    port = find_free_port()
    with listening(port) as listener:

        async def find() -> Address:
            return Address(f"bolt://{HOST}:{port}", "neo4j", "secret", guard=guard)

        with pytest.raises(GraphError) as caught:
            async with open_store(find):
                pass
    assert caught.value.code is Code.STORE_UNAVAILABLE
    assert {len(data) for data in listener.received} == sent
    assert all(data.startswith(MAGIC) for data in listener.received)


async def test_every_new_connection_is_proved_once_and_none_from_the_pool(settings: Settings) -> None:
    server, guard = address_of(settings), Watched()

    async def find() -> Address:
        return Address(server.uri, server.username, server.password, guard=guard)

    async with open_store(find) as store:
        for _ in range(5):
            assert await store.read(READ_ONE) == [Number(1)]
        assert guard.request_counts == {"alive": 1, "listens": 1}
        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(store.read, WORK)
        connections = sum(len(pooled) for pooled in store._driver._pool.connections.values())
        assert guard.request_counts["listens"] == guard.request_counts["alive"] == connections > 1
        opened = guard.request_counts.copy()
        assert await store.read(READ_ONE) == [Number(1)]
        assert guard.request_counts == opened
