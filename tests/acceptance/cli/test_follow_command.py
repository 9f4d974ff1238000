"""`graph-memory log --follow` as a person and a program use it, and the colours of the log."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from acceptance.agents import COMMAND, run
from graph_memory import Memory

pytestmark = [pytest.mark.long, pytest.mark.anyio]

Follower = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def follow(variables: dict[str, str]) -> Iterator[Follower]:
    """Start a process that follows the log."""
    started: list[subprocess.Popen[str]] = []

    def start(*options: str) -> subprocess.Popen[str]:
        command, pipe = [COMMAND, "log", "--follow", *options], subprocess.PIPE
        started.append(subprocess.Popen(command, env=variables, stdout=pipe, stderr=pipe, text=True))
        return started[-1]

    yield start
    for process in started:
        with process:
            process.kill()


def lines(process: subprocess.Popen[str], count: int) -> list[str]:
    assert process.stdout
    return [process.stdout.readline().rstrip("\n") for _ in range(count)]


def test_the_newest_come_oldest_first_and_then_each_as_it_is_made(
    kitchen: Memory, variables: dict[str, str], follow: Follower
) -> None:
    process = follow("--limit", "2")
    assert [line.split("  ", 3)[3] for line in lines(process, 2)] == [
        'Action "Call" created',
        'Action "Call": status "next" → "done"',
    ]
    for number in range(3):
        run(variables, "node", "create", "Action", "-c", f"# More {number}")
    assert [line.split("  ", 3)[3] for line in lines(process, 3)] == [
        f'Action "More {number}" created' for number in range(3)
    ]


async def test_a_program_gets_an_object_a_line_of_what_it_asked_for(
    kitchen: Memory, variables: dict[str, str], follow: Follower
) -> None:
    process = follow("--json", "--operation", "update", "--operation", "delete", "--full", "--since", "1")
    run(variables, "node", "update", "call", "-p", "status=later")
    run(variables, "node", "create", "Action", "-c", "# Other")
    run(variables, "node", "delete", "call")
    results = [json.loads(line) for line in lines(process, 3)]
    page = await kitchen.history.log(operations=["update", "delete"], full=True)
    assert results == [entry.to_dict() for entry in reversed(page.entries)]


def test_a_domain_in_which_nothing_fits_yet_is_followed_all_the_same(
    kitchen: Memory, variables: dict[str, str], follow: Follower
) -> None:
    process = follow("--operation", "delete")
    run(variables, "node", "delete", "call")
    [line] = lines(process, 1)
    assert 'Action "Call" deleted' in line


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_well_when_it_is_told_to(kitchen: Memory, follow: Follower, number: signal.Signals) -> None:
    process = follow()
    lines(process, 1)
    process.send_signal(number)
    _, text = process.communicate(timeout=30)
    assert (process.returncode, text) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="there, only a write shows that nobody reads")
def test_it_ends_well_when_nobody_reads_any_more(kitchen: Memory, follow: Follower) -> None:
    process = follow()
    lines(process, 1)
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    assert process.wait(timeout=30) == 0
    assert process.stderr.read() == ""


def test_what_has_no_end_takes_none(kitchen: Memory, variables: dict[str, str]) -> None:
    for option in ("--until", "--cursor"):
        done = run(variables, "log", "--follow", option, "3")
        assert (done.returncode, done.stderr.split(":")[0]) == (2, "INVALID_ARGUMENT")


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
@pytest.mark.parametrize("no_color", ["", "1"])
def test_a_terminal_shows_operations_in_colour_unless_that_is_not_wanted(
    kitchen: Memory, variables: dict[str, str], no_color: str
) -> None:
    import pty

    ours, theirs = pty.openpty()
    environment = {**variables, "TERM": "xterm", "NO_COLOR": no_color}
    command = [COMMAND, "log", "--limit", "2"]
    done = subprocess.run(command, env=environment, stdout=theirs, stderr=subprocess.PIPE, check=True)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert 'Action "Call" created' in shown
    assert ("\x1b[32m" in shown, "\x1b[33m" in shown) == (not no_color, not no_color)
    assert b"\x1b" not in done.stderr
    assert "\x1b" not in run(variables, "log").stdout
