"""A real Neo4j in a home of its own: started, shared, killed at bad moments, stopped."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace

import psutil
import pytest
import requests
from neo4j import GraphDatabase
from neo4j.exceptions import AuthError

from graph_memory import local
from graph_memory.local.home.home import HomeFolder, Run, read_run
from graph_memory.local.home.ports import find_free_port
from graph_memory.local.process.process import find, is_alive
from graph_memory.model.errors import Code, GraphError
from graph_memory.settings import Settings

STARTER = """
import sys, pathlib
from graph_memory.local.server.server import ensure_running
from graph_memory.settings import Settings
print(ensure_running(Settings(home=pathlib.Path(sys.argv[1]))).pid, flush=True)
"""


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory) -> Iterator[Settings]:
    """A home whose Neo4j the tests of this module share, kill and start again."""
    settings = Settings(home=tmp_path_factory.mktemp("kept"))
    local.ensure_running(settings)
    yield settings
    local.stop(settings)


@pytest.fixture
def empty(tmp_path) -> Iterator[Settings]:
    """A home in which Neo4j was never started."""
    settings = Settings(home=tmp_path)
    yield settings
    local.stop(settings)


@pytest.fixture
def starter() -> Iterator[Callable[[Settings], subprocess.Popen[str]]]:
    """Start other processes that ask for a home's Neo4j and print its pid."""
    started: list[subprocess.Popen[str]] = []

    def start(settings: Settings) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", STARTER, str(settings.home)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        with process:
            process.kill()


def ask(server: local.LocalServer, cypher: str) -> list[list[object]]:
    with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        return [record.values() for record in driver.execute_query(cypher).records]


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def run_of(settings: Settings) -> Run:
    run = read_run(HomeFolder.of(settings))
    assert run
    return run


def servers_of(settings: Settings) -> list[int]:
    home = f"--home-dir={HomeFolder.of(settings).root}"
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if home in (process.info["cmdline"] or []) and is_alive(process)
    ]


def test_a_started_server_answers_to_its_password_only_and_on_this_machine_only(shared_home):
    server = local.ensure_running(shared_home)
    assert ask(server, "RETURN 1") == [[1]]
    listening = {
        connection.laddr.ip
        for connection in psutil.Process(server.pid).net_connections("tcp")
        if connection.status == "LISTEN"
    }
    assert listening <= {"127.0.0.1", "::ffff:127.0.0.1"}
    assert server.password not in " ".join(psutil.Process(server.pid).cmdline())
    assert server.password not in repr(server)


def test_a_running_server_is_found_at_once(shared_home):
    first = local.ensure_running(shared_home)
    times: list[float] = []
    for _ in range(5):
        began = time.perf_counter()
        assert local.ensure_running(shared_home) == first
        times.append(time.perf_counter() - began)
    assert min(times) < 0.1


def test_the_status_tells_what_runs(shared_home):
    server, status = local.ensure_running(shared_home), local.status(shared_home)
    assert (status.state, status.pid, status.uri) == (local.State.RUNNING, server.pid, server.uri)
    assert any("Bolt enabled" in line for line in local.console_log(shared_home))


@pytest.mark.parametrize(
    "write_down", [Run.without_process, lambda run: Run(run.bolt_port, run.http_port, run.version, 1, 1.0)]
)
def test_a_server_whose_starter_died_before_writing_it_down_is_adopted(shared_home, write_down):
    server = local.ensure_running(shared_home)
    write_down(run_of(shared_home)).save(HomeFolder.of(shared_home))
    assert local.ensure_running(shared_home) == server
    assert run_of(shared_home).ready


def test_a_killed_server_comes_back_with_its_data_and_its_address(shared_home):
    server = local.ensure_running(shared_home)
    ask(server, "CREATE (:Kept {name: 'before the kill'})")
    temporary = HomeFolder.of(shared_home).temporary
    left = {path.name for path in temporary.iterdir()}
    assert any("jetty" in name for name in left), "Java and its libraries use the folder of the home"
    psutil.Process(server.pid).kill()
    again = local.ensure_running(shared_home)
    assert left.isdisjoint(path.name for path in temporary.iterdir())
    assert again.pid != server.pid
    assert (again.uri, again.password) == (server.uri, server.password)
    assert ask(again, "MATCH (k:Kept) RETURN k.name") == [["before the kill"]]


@pytest.mark.parametrize(
    "written_down",
    [
        lambda _: '{"bolt_port": "7687", "pid": -1}',
        lambda run: json.dumps({**asdict(run), "bolt_port": find_free_port()}),
    ],
    ids=["nothing that can be read", "another port"],
)
def test_a_server_nobody_knows_the_ports_of_is_replaced(shared_home, written_down):
    server = local.ensure_running(shared_home)
    HomeFolder.of(shared_home).run_file.write_text(written_down(run_of(shared_home)))
    again = local.ensure_running(shared_home)
    assert servers_of(shared_home) == [again.pid] != [server.pid]
    assert ask(again, "RETURN 1") == [[1]]


def test_nobody_is_locked_out_by_wrong_passwords(shared_home):
    server = local.ensure_running(shared_home)
    for _ in range(5):
        with pytest.raises(AuthError):
            ask(replace(server, password="wrong"), "RETURN 1")
    assert ask(server, "RETURN 1") == [[1]]


def test_a_foreign_web_page_may_not_read_what_is_answered_over_http(shared_home):
    server = local.ensure_running(shared_home)
    foreign = {"Origin": "https://elsewhere.example"}
    for path in ("", "/db/neo4j/query/v2"):
        answer = requests.get(f"{server.http_url}{path}", headers=foreign, timeout=60)
        assert answer.headers.get("Access-Control-Allow-Origin") in (None, server.http_url)


def test_processes_that_ask_at_once_share_one_server_that_outlives_its_killed_starter(empty, starter):
    place = HomeFolder.of(empty)
    first = starter(empty)
    wait_for(place.first_start_mark.exists)
    others = [starter(empty), starter(empty)]
    wait_for(lambda: (run := read_run(place)) and run.pid)
    first.kill()
    results = {process.communicate(timeout=120)[0].strip() for process in others}
    assert results == {str(pid) for pid in servers_of(empty)}
    assert len(results) == 1
    assert local.stop(empty)
    assert servers_of(empty) == []
    assert not local.stop(empty)
    assert run_of(empty) == run_of(empty).without_process()


def test_a_first_start_killed_while_neo4j_makes_its_databases_begins_anew(empty, starter):
    first = starter(empty)
    place = HomeFolder.of(empty)
    wait_for(lambda: (place.data / "databases" / "system" / "neostore").exists())
    first.kill()
    first.wait()
    process = find(place, read_run(place))
    assert process
    process.kill()
    wait_for(lambda: not is_alive(process))
    server = local.ensure_running(empty)
    assert ask(server, "RETURN 1") == [[1]]
    assert not place.first_start_mark.exists()


def test_what_a_failed_start_wrote_is_told(empty):
    with pytest.raises(GraphError) as caught:
        local.ensure_running(empty.model_copy(update={"neo4j_heap": "1k"}))
    assert caught.value.code is Code.STORE_UNAVAILABLE
    assert "heap" in caught.value.message.lower()
    assert caught.value.hint
    assert servers_of(empty) == []
