"""`kill -9` of hooks and of the server that stores their events: nothing is lost, and nothing is stored twice."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import anyio
import pytest

from graph_memory import Memory, Settings
from graph_memory.agent.capture.drain import drain
from graph_memory.hooks.spool import Spool

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(1_800)]
SCRIPTS = Path(__file__).parent
SEED = 11
KILLS = int(os.environ.get("KILLS") or 12)
"""How often a hook is killed in the long test; `make soak` asks for more."""


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, str(SCRIPTS / script), *arguments], stdout=subprocess.PIPE, text=True)


def lines_until_killed(process: subprocess.Popen[str], least: int, rng: random.Random) -> list[str]:
    """Kill a process at a random time after some lines, and return all lines that it has written."""
    assert process.stdout
    lines = [process.stdout.readline().strip() for _ in range(least)]
    time.sleep(rng.uniform(0, 0.1))
    process.kill()
    rest = process.stdout.read().splitlines()
    process.wait()
    process.stdout.close()
    return [*lines, *rest]


async def kill_rounds(rounds: int, memory: Memory, settings: Settings, domain: str, spool_home: Path) -> None:
    rng, acknowledged = random.Random(SEED), list[str]()
    for number in range(rounds):
        drainer = start("spool_drainer.py", str(settings.home), str(spool_home)) if number % 3 == 0 else None
        if drainer and drainer.stdout:
            drainer.stdout.readline()
        writer = start("spool_writer.py", str(spool_home), domain, f"r{number}")
        acknowledged += lines_until_killed(writer, rng.randint(1, 20), rng)
        if drainer:
            await anyio.sleep(rng.uniform(0, 0.4))
            drainer.kill()
            drainer.wait()
            assert drainer.stdout
            drainer.stdout.close()
        if number % 10 == 9:
            await drain(memory, Spool.of(spool_home))  # the spool has room for some thousand events
    await drain(memory, Spool.of(spool_home))
    titles = Counter[str]()
    cursor = None
    while True:
        page = await memory.agent.episodic.get_recent("s", limit=100, cursor=cursor)
        titles.update(event.title for event in page.events)
        if (cursor := page.next_cursor) is None:
            break
    assert len(acknowledged) >= rounds
    assert {text for text in acknowledged if titles[text] != 1} == set()
    assert [title for title, count in titles.items() if count > 1] == []
    assert Spool.of(spool_home).names() == []


async def test_a_few_kills_lose_and_double_nothing(
    memory: Memory, settings: Settings, domain: str, tmp_path: Path
) -> None:
    await kill_rounds(4, memory, settings, domain, tmp_path)


@pytest.mark.long
async def test_many_kills_lose_and_double_nothing(
    memory: Memory, settings: Settings, domain: str, tmp_path: Path
) -> None:
    await kill_rounds(KILLS, memory, settings, domain, tmp_path)
