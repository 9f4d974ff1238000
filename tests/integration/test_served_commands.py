"""Commands that only read run in a server of the home, and in their own process if none takes them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import anyio.to_thread
import pytest
from anyio.abc import SocketStream

from graph_memory import Memory, Settings, remote
from graph_memory.cli import served
from graph_memory.mcp_server.presets import Auth
from graph_memory.mcp_server.viewer.logins import Logins

pytestmark = pytest.mark.anyio

CLIENT = "import sys; from graph_memory.remote import run_remotely; status = run_remotely(sys.argv[1:])\n"
STATUS = CLIENT + "print('status', status)"


async def connect(path: Path) -> SocketStream:
    """Connect to the server, which listens a moment after its socket exists."""
    with anyio.fail_after(10):
        while True:
            try:
                return await anyio.connect_unix(path)
            except ConnectionRefusedError:
                await anyio.sleep(0.01)


@asynccontextmanager
async def serving(
    memory: Memory, settings: Settings, viewer_address: Callable[[], str | None] = lambda: None
) -> AsyncIterator[Path]:
    """Run commands of other processes. No fixture: pytest exchanges the streams of the process between its phases."""
    path = remote.sockets_folder(settings.home.resolve()) / f"{os.getpid()}.sock"
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(served.serve_commands, settings, memory, viewer_address)
        with anyio.fail_after(10):
            while not path.exists() or path.stat().st_mode & 0o077:  # noqa: ASYNC110 - another task makes it
                await anyio.sleep(0.01)
        yield path
        tasks.cancel_scope.cancel()


@pytest.fixture
def own(settings: Settings) -> Iterator[Settings]:
    """Settings with a home of their own, with a short path: sockets of other tests' servers are in the run's home."""
    with TemporaryDirectory(prefix="gm-") as home:
        yield settings.model_copy(update={"home": Path(home).resolve()})


async def run(settings: Settings, *arguments: str, code: str = STATUS, **variables: str) -> tuple[str, str]:
    """Run the client in a process of its own and return what it prints to standard output and error."""
    own = {"GRAPH_MEMORY_HOME": str(settings.home), "GRAPH_MEMORY_NEO4J_HEAP": settings.neo4j_heap, **variables}
    process = await anyio.run_process(
        [sys.executable, "-c", code, *arguments], env={**os.environ, **own}, stderr=subprocess.PIPE, check=False
    )
    return process.stdout.decode(), process.stderr.decode()


@pytest.fixture
async def note(memory: Memory, domain: str) -> str:
    """A domain with one fact."""
    await memory.entities.create_entities(
        [{"name": "Ann", "entityType": "person", "observations": ["Drinks tea – daily."]}]
    )
    return domain


async def test_a_command_prints_in_a_server_what_it_prints_alone(
    shared_memory: Memory, note: str, own: Settings, neo4j_home: Path
) -> None:
    async with serving(shared_memory, own):
        commands = (
            ("log", "--domain", note),
            ("entity", "open", "Ann", "--domain", note, "--json"),
            ("log", "--domain", "missing"),
            ("log", "--limit", "many"),
        )
        alone = (
            "import sys; from graph_memory.cli.main import run_arguments; print('status', run_arguments(sys.argv[1:]))"
        )
        for arguments in commands:
            settings = own.model_copy(update={"home": neo4j_home})
            assert await run(own, *arguments) == await run(settings, *arguments, code=alone)


async def test_the_client_imports_neither_the_driver_nor_pydantic(
    shared_memory: Memory, note: str, own: Settings
) -> None:
    async with serving(shared_memory, own):
        code = CLIENT + "print(status, sorted({'neo4j', 'pydantic', 'typer', 'rich'} & set(sys.modules)))"
        output, _ = await run(own, "domain", "list", "--json", code=code)
        assert note in output
        assert output.splitlines()[-1] == "0 []"


async def test_the_domain_and_the_folder_are_those_of_the_caller(
    shared_memory: Memory, note: str, own: Settings, tmp_path: Path
) -> None:
    async with serving(shared_memory, own):
        output, _ = await run(own, "entity", "open", "Ann", GRAPH_MEMORY_DOMAIN=note)
        assert "Drinks tea – daily." in output
        _, errors = await run(
            own, "log", GRAPH_MEMORY_DOMAIN="auto", code=f"import os; os.chdir({str(tmp_path)!r})\n" + STATUS
        )
        assert 'ONTOLOGY_NOT_FOUND: Domain "test_the_domain_and_the' in errors


async def test_variables_of_the_server_do_not_count(
    shared_memory: Memory, note: str, own: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(shared_memory, own):
        monkeypatch.setenv("GRAPH_MEMORY_DOMAIN", "elsewhere")
        monkeypatch.setenv("GRAPH_MEMORY_SESSION", "of-the-server")
        output, _ = await run(own, "entity", "open", "Ann", GRAPH_MEMORY_DOMAIN=note, GRAPH_MEMORY_SESSION="")
        assert "Drinks tea" in output
        variables = {"GRAPH_MEMORY_DOMAIN": note, "GRAPH_MEMORY_SESSION": "mine"}
        assert (await run(own, "log", "--session", "current", **variables))[0] == "status 0\n"


async def test_a_caller_that_leaves_frees_its_place(
    shared_memory: Memory, note: str, own: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked, go_on = threading.Event(), threading.Event()
    run_command = served._run

    def block(*arguments: Any) -> Any:
        blocked.set()
        go_on.wait(30)
        return run_command(*arguments)

    monkeypatch.setattr(served, "_run", block)
    code = "import os, threading; threading.Timer(1.0, os._exit, [0]).start()\n" + STATUS
    async with serving(shared_memory, own):
        await run(own, "log", "--domain", note, code=code)
        assert blocked.is_set()
        monkeypatch.setattr(served, "_run", run_command)
        assert (await run(own, "log", "--domain", note))[0].endswith("status 0\n")
        go_on.set()


async def test_many_commands_take_no_longer_than_the_first(shared_memory: Memory, note: str, own: Settings) -> None:
    async with serving(shared_memory, own):
        for _ in range(3):
            await run(own, "entity", "open", "Ann", "--domain", note)
    target = import_module("graph_memory.cli.commands.entity").app
    names = [command.name or command.callback.__name__ for command in target.registered_commands]
    assert len(names) == len(set(names))


async def test_commands_at_once_each_get_their_own_output(
    shared_memory: Memory, note: str, own: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served, "_MAX_COMMANDS", 4)
    async with serving(shared_memory, own):
        outputs: dict[int, str] = {}

        async def read(number: int) -> None:
            outputs[number], _ = await run(own, "log", "--limit", str(number), "--json", "--domain", note)

        async with anyio.create_task_group() as tasks:
            for number in (1, 2, 3, 4):
                tasks.start_soon(read, number)
        counts = {number: len(json.loads(output.splitlines()[0])["entries"]) for number, output in outputs.items()}
        assert counts == {1: 1, 2: 2, 3: 3, 4: 4}


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (("log",), {"GRAPH_MEMORY_READ_TIMEOUT": "77"}),
        (("log",), {"NEO4J_URI": "bolt://127.0.0.1:1"}),
        (("log",), {"GRAPH_MEMORY_READ_TIMEOUT": "never"}),
        (("log",), {"GRAPH_MEMORY_AGENT_LIMITS": "no json"}),
        (("log",), {"GRAPH_MEMORY_LOG_LEVEL": "DEBUG"}),
        (("log",), {"neo4j_uri": "bolt://127.0.0.1:1"}),
        (("log",), {"TZ": "Asia/Tokyo"}),
        (("log", "--follow"), {}),
        (("remember", "Ann likes tea."), {}),
        (("node", "delete", "x", "--yes"), {}),
    ],
)
async def test_a_server_runs_no_command_that_writes_or_has_other_settings(
    shared_memory: Memory, own: Settings, arguments: tuple[str, ...], variables: dict[str, str]
) -> None:
    async with serving(shared_memory, own):
        assert await run(own, *arguments, **variables) == ("status None\n", "")


async def test_a_server_refuses_a_writing_command_of_a_client_that_does_not_check(
    shared_memory: Memory, own: Settings
) -> None:
    async with serving(shared_memory, own):
        code = "import graph_memory.remote as remote; remote.reads_only = lambda _: True\n" + STATUS
        assert await run(own, "remember", "Ann likes tea.", code=code) == ("status None\n", "")


@pytest.mark.parametrize("data", [b"", b"no json\n", b'{"arguments": []}\n', b"x" * (remote.LONGEST + 1)])
async def test_a_request_that_cannot_be_read_is_dropped_and_the_server_goes_on(
    shared_memory: Memory, note: str, own: Settings, data: bytes
) -> None:
    async with serving(shared_memory, own) as path:
        async with await connect(path) as connection:
            try:
                await connection.send(data)
                await connection.send_eof()
                with pytest.raises(anyio.EndOfStream), anyio.fail_after(10):
                    await connection.receive()
            except anyio.BrokenResourceError:
                pass  # it was dropped before all was sent
        assert (await run(own, "domain", "list"))[0].endswith("status 0\n")


async def test_only_the_owner_can_reach_the_socket_and_it_is_gone_with_its_server(
    shared_memory: Memory, own: Settings
) -> None:
    folder = remote.sockets_folder(own.home.resolve())
    folder.mkdir(mode=0o700, exist_ok=True)
    stale = folder / "1.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(stale))
    async with serving(shared_memory, own) as path:
        assert (folder.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)
        assert not stale.exists()
    assert not path.exists()
    assert await run(own, "log") == ("status None\n", "")


async def test_a_home_without_sockets_has_a_server_all_the_same(
    shared_memory: Memory, own: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "sockets").write_text("no folder")
    with anyio.fail_after(10), caplog.at_level("INFO"):
        await served.serve_commands(own.model_copy(update={"home": tmp_path}), shared_memory)
    assert "no socket can be created" in caplog.text


@pytest.mark.parametrize("is_link", [True, False])
async def test_a_folder_that_others_can_reach_is_used_by_nobody(
    shared_memory: Memory, own: Settings, tmp_path: Path, is_link: bool
) -> None:
    folder, target = tmp_path / "sockets", tmp_path / "target"
    target.mkdir(mode=0o755)
    if is_link:
        folder.symlink_to(target)
    else:
        target.rename(folder)
    with socket.socket(socket.AF_UNIX) as hostile:
        hostile.bind(str(folder / "1.sock"))
        hostile.listen()
        hostile.settimeout(0.1)
        await served.serve_commands(own.model_copy(update={"home": tmp_path}), shared_memory)
        assert await run(own.model_copy(update={"home": tmp_path}), "log") == ("status None\n", "")
        with pytest.raises(TimeoutError):
            hostile.accept()
    assert (folder / "1.sock").exists()


async def test_an_output_that_cannot_be_written_is_not_written_twice(
    shared_memory: Memory, note: str, own: Settings
) -> None:
    code = (
        "import sys; from graph_memory.remote import run_remotely\n"
        "sys.stderr = open('/dev/full', 'w')\n"
        "try:\n    print('status', run_remotely(sys.argv[1:]))\nexcept OSError as error:\n    print(error)\n"
    )
    async with serving(shared_memory, own):
        output, _ = await run(own, "log", "--domain", note, code=code)
    assert "No space left" in output
    assert output.count("Domain created") == 1


async def test_a_frozen_server_does_not_hold_a_command_up(own: Settings) -> None:
    folder = remote.sockets_folder(own.home.resolve())
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / "frozen.sock"
    with socket.socket(socket.AF_UNIX) as frozen:
        frozen.bind(str(path))
        frozen.listen()
        with anyio.fail_after(10):
            assert await run(own, "log") == ("status None\n", "")
    path.unlink()


ADDRESS = "from graph_memory.remote import VIEW, ask_server, request; print(ask_server(request(VIEW), 5))"


async def test_a_server_over_http_answers_with_an_address_of_the_viewer(shared_memory: Memory, own: Settings) -> None:
    logins = Logins(Auth.NONE)
    async with serving(shared_memory, own, logins.new_viewer_url):
        assert await run(own, code=ADDRESS) == ("None\n", "")  # it does not listen yet
        logins.url = "http://127.0.0.1:8848/view/"
        elsewhere = {"NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_PASSWORD": "x"}
        assert await run(own, code=ADDRESS, **elsewhere) == ("None\n", "")
        output, _ = await run(own, code=ADDRESS)
        token = output.partition("#token=")[2].partition("'")[0]
        assert output == f"{{'address': 'http://127.0.0.1:8848/view/#token={token}'}}\n"
        assert logins.redeem(token)
    async with serving(shared_memory, own):  # a server over stdio
        assert await run(own, code=ADDRESS) == ("None\n", "")
