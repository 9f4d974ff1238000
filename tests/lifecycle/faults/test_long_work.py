"""`kill -9` in the middle of branching, merging, compacting, erasing, importing and deleting.

What was killed has not begun, or is complete, or says that it goes on and is completed by the same call; afterwards
everything is as after an operation that nobody disturbed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio.to_thread
import pytest

from graph_memory import Code, GraphError, Memory, Settings, local, ontology_from, open_memory
from graph_memory.memory.history.results import LogEntry
from lifecycle.faults.long_worker import OPERATIONS, Work
from profiles import some

KILLS = int(os.environ.get("KILLS") or 1)
"""How often each operation is killed; `make soak` asks for more."""
SEED = int(os.environ.get("SEED") or 0) or random.SystemRandom().randrange(10**6)
"""Printed when a test fails; set SEED to have the same random choices again."""
PAGE = 5
NODES = 24
STATES = {
    "branch": "branching",
    "compact": "compacting",
    "erase": "erasing",
    "import": "importing",
    "delete": "deleting",
    "delete hub": "deleting_node",
    "revert": "reverting",
}
"""The state that a domain reports during the work. A merge is one transaction, so it is never in progress."""
SHARED = ("merge", "erase")
"""Operations on a domain and a branch of it, which are changed both."""
READABLE = ("compact", "erase", "delete hub", "revert")
"""Operations during which their domains can be read."""
REPEATABLE = ("merge", "compact", "erase", "revert")
"""Operations that change nothing when they are asked for once more."""
LARGE = "a longer text about a kitchen " * 1_000
ONTOLOGY = ontology_from(
    {
        "node_types": [{"name": "Note", "properties": {"rank": {"indexed": True}, "code": {"unique": True}}}],
        "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"], "properties": {"key": {"unique": True}}}],
    }
)

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300.0 + 30 * KILLS)]

Seen = dict[str, dict[str, object]]
"""The contents of each domain of a family, by the end of its name."""


@pytest.fixture(scope="module")
async def own(tmp_path_factory: pytest.TempPathFactory, anyio_backend: str) -> AsyncIterator[Settings]:
    """A Neo4j of this module's own: killing it hurts nobody."""
    settings = Settings(home=tmp_path_factory.mktemp("own") / "home")
    try:
        yield settings
    finally:
        local.stop(settings)


@dataclass(frozen=True)
class Origin:
    """A domain in a file, of which every round gets a copy, so that each finds the same; and what is done with it."""

    file: Path
    begin: int
    at: int
    node: str

    def work(self, operation: str, folder: Path) -> Work:
        domain = f"long-{uuid4().hex[:12]}"
        archive = str(folder / f"{domain}.gz")
        return Work(
            operation=operation,
            domain=domain,
            begin=self.begin,
            at=self.at,
            node=self.node,
            file=str(self.file),
            archive=archive,
        )


@pytest.fixture(scope="module")
async def origin(own: Settings, tmp_path_factory: pytest.TempPathFactory) -> Origin:
    file, name = tmp_path_factory.mktemp("origin") / "origin.jsonl", f"origin-{uuid4().hex[:12]}"
    async with open_memory(own) as opened:
        memory = opened.in_domain(name)
        begin, at, node = await fill(memory)
        await memory.transfer.export_file(file)
        await memory.delete_domain(name)
    return Origin(file, begin, at, node)


async def fill(memory: Memory) -> tuple[int, int, str]:
    """Fill a domain, and return two numbers of its log, the later late in it, and a node that has much around it.

    What was done since the first of the two is much, and of all kinds.
    """
    await memory.create_ontology(ONTOLOGY)
    for number in range(NODES):
        text = f"text {number} " + (LARGE if number % 10 == 0 else "")
        await memory.create_node("Note", text, properties={"rank": number % 3, "code": number}, id=f"n{number:02}")
        await memory.create_connection("Link", f"n{number:02}", "n00", properties={"key": number}, id=f"c{number:02}")
    begin = (await memory.create_node("Note", "extra", id="extra")).version
    for number in range(12):
        await memory.create_connection("Link", "extra", f"n{number:02}", id=f"e{number:02}")
    for number in range(0, NODES, 2):
        await memory.update_node(f"n{number:02}", content=f"second {number} {LARGE}", encoding="utf-8")
    at = (await memory.update_node("n00", content="third", encoding="utf-8", properties={"rank": 9})).version
    await memory.delete_node("n03")
    await memory.update_node("n01", content="afterwards", encoding="utf-8")
    return begin, at, "n00"


async def prepare(memory: Memory, work: Work) -> None:
    """Make the domains that the operation is done to."""
    if work.operation == "import":
        return
    await memory.transfer.import_file(work.file, name=work.domain)
    if work.operation in SHARED:
        main = memory.in_domain(work.domain)
        branch = memory.in_domain((await main.history.branch(f"{work.domain}-b")).domain)
        for number in range(4, 10):
            await branch.update_node(f"n{number:02}", properties={"rank": 7})
            await branch.create_node("Note", f"new {LARGE}{number}", id=f"new{number}")
        await branch.delete_node("n20")
        await branch.update_node("n00", content=f"fourth {LARGE}", encoding="utf-8")
        await main.update_node("n05", tags=["ours"])


async def goes_on(memory: Memory, work: Work) -> dict[str, str | None]:
    """Return the work in progress in each domain of the family."""
    listed = (await memory.list_domains()).domains
    return {
        summary.name.removeprefix(work.domain): summary.busy
        for summary in listed
        if summary.name.startswith(work.domain)
    }


async def read_family(memory: Memory, work: Work) -> Seen:
    """Return all that can be read of the family, in which nothing may go on or differ from the log."""
    result: Seen = {}
    for end, busy in (await goes_on(memory, work)).items():
        assert busy is None, end
        answer = memory.in_domain(work.domain + end)
        assert (await answer.upkeep.verify()).differences == (), end
        result[end] = await contents(answer, work.domain)
    return result


async def contents(memory: Memory, root: str) -> dict[str, object]:
    """Return all that can be read of a domain, without times and the name of the family."""
    log = (await memory.history.log(limit=1_000)).entries
    result: dict[str, object] = {
        "ontology": await memory.get_ontology(),
        "log": sorted(
            (place_of(entry), entry.operation, entry.kind, entry.subject, entry.summary.replace(root, ""))
            for entry in log
        ),
        "blobs": sorted(blob.name for blob in await memory._core.contents.blobs.list_blobs(memory._domain(None))),
        "found": (await memory.search_content("KITCHEN a longer")).node_ids,
        "ranked": (await memory.query_nodes(type="Note", properties={"rank": 1})).node_ids,
    }
    for node in (await memory.query_nodes()).node_ids:
        result[node] = without_times(await memory.get_node(node)), (await memory.get_node_content(node)).content
        result[f"{node} out"] = (await memory.get_connected_nodes(node, direction="out")).node_ids
    for connection in (await memory.query_connections()).connection_ids:
        result[connection] = without_times(await memory.get_connection(connection, include_content=True))
    return result


def place_of(entry: LogEntry) -> int:
    """Return the number of a change. Deletions of the connections of a node have no order among them."""
    return 0 if (entry.operation, entry.kind) == ("delete", "connection") else entry.seq


def differing(now: Seen, expected: Seen) -> dict[str, object]:
    """Return the differences, by domain and name."""
    result, wanted = (
        {f"{end} {name}": value for end, contents_ in both.items() for name, value in contents_.items()}
        for both in (now, expected)
    )
    names = sorted({*result, *wanted})
    return {name: (result.get(name), wanted.get(name)) for name in names if result.get(name) != wanted.get(name)}


def without_times(info: Any) -> dict[str, object]:
    return info.model_dump(exclude={"created", "modified"})


@dataclass(frozen=True)
class Moment:
    """When to kill: after so many transactions, and so many seconds more."""

    step: int
    delay: float


async def child(settings: Settings, work: Work, victim: str, moment: Moment) -> dict[str, Any] | None:
    """Have a process do the work, and return its last word; None when it was killed before that."""
    script = Path(__file__).with_name("long_worker.py")
    arguments = [str(settings.home), work.to_json(), victim, str(moment.step), str(moment.delay)]
    done = await anyio.to_thread.run_sync(
        lambda: subprocess.run(
            [sys.executable, str(script), *arguments],
            env=os.environ | {"LONG_WORK_PAGE": str(PAGE)},
            capture_output=True,
            timeout=120,
            check=False,
        )
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()[-3000:]
    return json.loads(done.stdout) if done.returncode == 0 else None


@dataclass(frozen=True)
class Undisturbed:
    """The outcome of an operation without kills: the states before and after, and the number and time of its steps."""

    before: Seen
    after: Seen
    steps: int
    seconds: float

    def any_moment(self, rng: random.Random) -> Moment:
        """Choose a moment in it, or soon after its end."""
        return Moment(rng.randint(0, self.steps), rng.uniform(0, self.seconds / self.steps))

    def moment(self, number: int, rng: random.Random) -> Moment:
        """Choose a moment for a round: the first is in the midst, the third at the end, the others anywhere."""
        if number == 0:
            return self.midst(rng)
        return Moment(self.steps, 0) if number == 2 else self.any_moment(rng)

    def midst(self, rng: random.Random) -> Moment:
        """Choose a moment in its second quarter: it has begun, and is far from its end."""
        return Moment(rng.randint(self.steps // 4, self.steps // 2), rng.uniform(0, 0.01))


async def run_undisturbed(memory: Memory, settings: Settings, work: Work) -> Undisturbed:
    await prepare(memory, work)
    before = await read_family(memory, work)
    rendered = await child(settings, work, "nobody", Moment(0, 0))
    assert rendered is not None
    assert rendered["ended"] == "done"
    after = await read_family(memory, work)
    assert after != before
    return Undisturbed(before, after, rendered["steps"], rendered["seconds"])


async def ending(memory: Memory, work: Work, expected: Undisturbed) -> str:
    """Say how the operation was left: not begun, goes on, or complete; nothing else may be."""
    state = await goes_on(memory, work)
    if any(state.values()):
        for end, busy in state.items():
            await (check_busy if busy else check_untouched)(memory, work, end, expected)
        return "goes on"
    now = await read_family(memory, work)
    if set(differing(now, expected.before)) <= {" blobs"}:  # those of a write are there before it
        return "not begun"
    assert differing(now, expected.after) == {}
    return "complete"


async def check_busy(memory: Memory, work: Work, end: str, _: Undisturbed) -> None:
    """A writer learns of the work in progress. Earlier subjects can be read, except rebuilt ones."""
    state, domain = STATES[work.operation], work.domain + end
    with pytest.raises(GraphError) as caught:
        await memory.create_node("Note", "in between", domain=domain)
    assert (caught.value.code, caught.value.details["state"]) == (Code.DOMAIN_BUSY, state)
    if work.operation in READABLE:
        nodes = (await memory.query_nodes(domain=domain)).node_ids
        assert len(nodes) >= NODES - 3
        for node in nodes:
            assert (await memory.get_node_content(node, domain=domain)).content


async def check_untouched(memory: Memory, work: Work, end: str, expected: Undisturbed) -> None:
    """A domain of the family in which nothing goes on is as it was, or done with."""
    now = {end: await contents(memory.in_domain(work.domain + end), work.domain)}
    assert {} in [differing(now, {end: state[end]}) for state in (expected.before, expected.after) if end in state]


async def complete(memory: Memory, settings: Settings, work: Work, expected: Undisturbed) -> None:
    """Ask for the same again, also when it was complete if that may be: it is as if nobody had disturbed it.

    What has not begun is begun by a process that writes in pages: in one write, a revert has another order.
    """
    left = await ending(memory, work, expected)
    if left == "not begun":
        await child(settings, work, "nobody", Moment(0, 0))
    elif left == "goes on" or work.operation in REPEATABLE:
        await work.run(memory)
    assert differing(await read_family(memory, work), expected.after) == {}


@pytest.mark.parametrize("operation", some([*OPERATIONS]))
async def test_what_was_killed_has_not_begun_or_is_complete_or_goes_on_when_it_is_asked_for_again(
    own: Settings, origin: Origin, operation: str, tmp_path: Path
) -> None:
    print("SEED", SEED)  # noqa: T201
    rng = random.Random(f"{SEED} {operation}")
    endings: list[str] = []
    async with open_memory(own) as memory:
        expected = await run_undisturbed(memory, own, origin.work(operation, tmp_path))
        for number in range(KILLS):
            work = origin.work(operation, tmp_path)
            await prepare(memory, work)
            await child(own, work, "self", expected.moment(number, rng))
            endings.append(await ending(memory, work, expected))
            if number and endings[-1] == "goes on":
                await child(own, work, "self", expected.any_moment(rng))
            await complete(memory, own, work, expected)
    print(endings)  # noqa: T201
    assert ("goes on" in endings) == (operation in STATES)
    assert KILLS < 3 or "complete" in endings


async def test_a_branch_in_which_neo4j_is_killed_goes_on_by_itself_or_when_it_is_asked_for_again(
    own: Settings, origin: Origin, tmp_path: Path
) -> None:
    print("SEED", SEED)  # noqa: T201
    rng = random.Random(f"{SEED} database")
    async with open_memory(own) as memory:
        expected = await run_undisturbed(memory, own, origin.work("branch", tmp_path))
        work = origin.work("branch", tmp_path)
        await prepare(memory, work)
    killed = local.status(own).pid
    rendered = await child(own, work, "database", expected.midst(rng))
    assert rendered is not None
    assert rendered["ended"] in ("done", Code.STORE_UNAVAILABLE, Code.STARTING)
    async with open_memory(own) as memory:
        assert local.status(own).pid != killed
        if rendered["ended"] == "done":
            assert await ending(memory, work, expected) == "complete"
        await complete(memory, own, work, expected)
