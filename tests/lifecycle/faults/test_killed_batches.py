"""`kill -9` of the database and of the service during batches and transactions: each is whole, or not there at all.

A batch that is asked for again with its key gives the receipt that was acknowledged, and is made if it was not.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from graph_memory import Memory, Settings, local, open_memory
from lifecycle.faults.batch_writer import SIZE, operations_of
from lifecycle.faults.test_kills import KILLS, SECONDS, SEED, begin, kill_database, more_acknowledgements, service

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(SECONDS), pytest.mark.long]
SCRIPT = "batch_writer.py"


@pytest.fixture(scope="module")
async def own(tmp_path_factory: pytest.TempPathFactory, anyio_backend: str) -> AsyncIterator[Settings]:
    """A Neo4j of this module's own: killing it hurts nobody."""
    settings = Settings(home=tmp_path_factory.mktemp("own") / "home")
    try:
        yield settings
    finally:
        local.stop(settings)


async def test_a_batch_is_whole_or_absent_after_kills_of_the_database(own: Settings, domain: str, tmp_path: Path):
    print("SEED", SEED)  # noqa: T201
    rng = random.Random(SEED)
    await begin(own, domain)
    with service(tmp_path, own, domain, "a", writers=2, seconds=SECONDS, script=SCRIPT) as running:
        for _ in range(KILLS):
            await more_acknowledgements(running, rng.randint(1, 6))
            kill_database(own)
            await more_acknowledgements(running, 2)
        running.kill()
    async with open_memory(own) as memory:
        await check(memory.in_domain(domain), running.lines)


async def test_a_batch_is_whole_or_absent_after_kills_of_the_service(own: Settings, domain: str, tmp_path: Path):
    print("SEED", SEED)  # noqa: T201
    rng, lines = random.Random(SEED), list[dict[str, Any]]()
    await begin(own, domain)
    for number in range(KILLS):
        with service(tmp_path, own, domain, f"b{number}", writers=2, seconds=SECONDS, script=SCRIPT) as running:
            await more_acknowledgements(running, rng.randint(1, 6))
            running.kill()
        lines += running.lines
    async with open_memory(own) as memory:
        await check(memory.in_domain(domain), lines)


async def check(memory: Memory, lines: list[dict[str, Any]]) -> None:
    """Compare the memory with what its writer was told, and ask for every batch again."""
    acknowledged = {line["batch"]: line for line in lines if line.get("done") and "batch" in line}
    tried = {line.get("batch", line.get("transaction")) for line in lines if line.get("done") is False}
    certain = {*acknowledged, *(line["transaction"] for line in lines if line.get("done") and "transaction" in line)}
    stored_notes = await notes_of(memory)
    assert certain  # or nothing would be looked at
    assert {key: count for key, count in stored_notes.items() if count != SIZE} == {}
    assert certain <= stored_notes.keys() <= tried
    assert (await memory.upkeep.verify()).clean
    for key in [line["batch"] for line in lines if line.get("done") is False and "batch" in line]:
        again = await memory.execute_batch(operations_of(key), idempotency_key=key)
        assert (again.repeated is True, again.created) == (key in stored_notes, 2 * SIZE), key
        if key in acknowledged:
            assert (again.since, again.until) == (acknowledged[key]["since"], acknowledged[key]["until"])
    assert {*(await notes_of(memory)).values()} == {SIZE}
    assert (await memory.upkeep.verify()).clean


async def notes_of(memory: Memory) -> Counter[str]:
    """Return the number of notes of each batch and transaction."""
    nodes = await memory.describe_nodes((await memory.query_nodes()).node_ids)
    return Counter(str(node.properties["batch"]) for node in nodes)
