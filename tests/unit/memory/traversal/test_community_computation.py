"""When communities are computed, kept, dropped and refused, without a database."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from types import SimpleNamespace
from typing import Any, cast

import anyio
import psutil
import pytest

from graph_memory import Code, GraphError
from graph_memory.memory import background
from graph_memory.memory.background import Background, IdleBackground
from graph_memory.memory.core import Core
from graph_memory.memory.traversal.communities import computation, labels
from graph_memory.memory.traversal.communities.computation import (
    NETWORK,
    CommunityCache,
    CommunitySnapshot,
    DomainCommunities,
    NetworkRow,
    communities_of,
)
from graph_memory.memory.traversal.communities.values import Network
from graph_memory.storage.log.ontologies import HeadRow

pytestmark = pytest.mark.anyio

SLEEPER = [sys.executable, "-c", "import time; time.sleep(30)"]


@dataclass
class Domains:
    """Domains of two connected nodes each, and the computations of their labels."""

    epochs: dict[str, str] = field(default_factory=dict[str, str])
    seq: int = 1
    seconds: float = 0.0
    """The time that a computation takes."""
    now: float = 0.0
    """The time of a clock that only computations advance, for the tests that use it."""
    started: int = 0
    failure: Exception | None = None

    async def first_row(self, _statement: object, domain: str) -> HeadRow:
        return HeadRow(self.seq, 1, self.epochs.get(domain, "2026/0"), None)

    async def read(self, statement: object, *, domain: str, after: str, limit: int) -> list[NetworkRow]:
        assert statement is NETWORK
        assert limit
        return [] if after else [NetworkRow(f"{domain}1", "Note", [f"{domain}2"]), NetworkRow(f"{domain}2", "Note", [])]

    async def find_labels(self, network: Network) -> Sequence[int]:
        self.started += 1
        await anyio.sleep(self.seconds)
        self.now += self.seconds
        if self.failure is not None:
            raise self.failure
        return [0] * len(network.numbers)


@pytest.fixture
def domains(monkeypatch: pytest.MonkeyPatch) -> Domains:
    """The domains, whose labels are found without a process."""
    domains = Domains()
    monkeypatch.setattr(computation, "find_labels", domains.find_labels)
    return domains


@pytest.fixture
def core(domains: Domains) -> Core:
    return core_of(domains)


def core_of(domains: Domains, **replaced: Any) -> Core:
    """Return a core that reads the domains."""
    parts: dict[str, Any] = {"store": domains, "background": Background(), "layer_cache": {}, **replaced}
    return cast("Core", SimpleNamespace(**parts))


def state_of(core: Core, domain: str, created: str = "2026") -> DomainCommunities:
    """Return the cached state of a domain."""
    return cast("CommunityCache", core.layer_cache["", "communities"]).states[domain, created]


async def end_of(core: Core, domain: str) -> None:
    """Wait until the computation has ended."""
    end = state_of(core, domain).end
    assert end is not None
    await end.wait()


async def poll(core: Core, domain: str, results: dict[str, CommunitySnapshot]) -> None:
    """Call until the communities are current, as the viewer does."""
    for _ in range(500):
        results[domain] = await communities_of(core, domain, 0)
        if results[domain].clustering is not None:
            return
        await anyio.sleep(0.02)


async def test_modules_of_the_working_directory_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("graspologic_native", "array", "graph_memory"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    network = Network()
    network.add("a", "Note", ["b"])
    network.add("b", "Note", [])
    assert [*await labels.find_labels(network)] == [0, 0]
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("by", ["close", "cancel"])
async def test_the_process_is_killed_with_the_call(monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    monkeypatch.setattr(labels, "COMMAND", SLEEPER)
    monkeypatch.setattr(background, "CLOSE_SECONDS", 0.5)
    core = core_of(Domains())
    before = {*psutil.Process().children()}
    began = monotonic()
    if by == "close":
        result = await communities_of(core, "kitchen", 0.3)
        assert result.is_computing
        started = {*psutil.Process().children()} - before
        await core.background.close()
    else:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(labels.find_labels, Network())
            while not (started := {*psutil.Process().children()} - before):  # noqa: ASYNC110 - no event tells it
                await anyio.sleep(0.05)
            tasks.cancel_scope.cancel()
    assert monotonic() - began < 20
    [process] = started  # pyright: ignore[reportPossiblyUnboundVariable]
    process.wait(timeout=10)  # a call that is cancelled while its process starts does not wait for the end


async def test_a_process_that_ends_early_or_returns_too_little_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network()
    network.add("a", "Note", [f"n{number}" for number in range(100_000)])
    for program, reason in (("raise SystemExit('broken')", "broken"), ("print(end='1234')", "1 labels")):
        monkeypatch.setattr(labels, "COMMAND", [sys.executable, "-c", program])
        with pytest.raises(GraphError) as failed:
            await labels.find_labels(network)
        assert (failed.value.code, reason in failed.value.message) == (Code.INTERNAL, True)


async def test_all_of_many_domains_get_their_communities_at_once(core: Core, domains: Domains) -> None:
    domains.seconds = 0.05
    results: dict[str, CommunitySnapshot] = {}
    async with anyio.create_task_group() as tasks:
        for number in range(7):
            tasks.start_soon(poll, core, f"d{number}", results)
    assert {result.at for result in results.values()} == {1}
    assert domains.started == 7


async def test_results_are_dropped_by_size_and_a_dropped_domain_rests(
    core: Core, domains: Domains, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computation, "MAX_CACHED_NODES", 6)  # a result of two nodes counts three
    monkeypatch.setattr(computation, "monotonic", lambda: domains.now)
    domains.seconds = 0.05
    for name in "abc":
        await communities_of(core, name, 5)
    await communities_of(core, "c", 5)
    assert domains.started == 3
    with pytest.raises(GraphError) as dropped:
        await communities_of(core, "a", 5)
    assert (dropped.value.code, dropped.value.details["retry_after"]) == (Code.OVERLOADED, 1)
    domains.now += 1
    await communities_of(core, "a", 5)
    assert domains.started == 4


async def test_a_changed_domain_is_computed_again_after_its_rest(
    core: Core, domains: Domains, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computation, "monotonic", lambda: domains.now)
    domains.seconds = 0.05
    await communities_of(core, "a", 5)
    domains.seq = 2
    result = await communities_of(core, "a", 5)
    assert (result.at, result.seq, result.is_computing) == (1, 2, False)
    domains.now += 1
    result = await communities_of(core, "a", 5)
    assert result.is_computing
    await end_of(core, "a")
    assert result.at == 1
    assert (await communities_of(core, "a", 5)).at == 2


async def test_few_computations_wait_and_only_those_that_somebody_wants(
    core: Core, domains: Domains, monkeypatch: pytest.MonkeyPatch
) -> None:
    domains.seconds = 0.3
    monkeypatch.setattr(computation, "WANTED_SECONDS", 0.1)
    for number in range(computation.MAX_COMPUTATIONS):
        assert (await communities_of(core, f"d{number}", 0)).is_computing
    with pytest.raises(GraphError) as refused:
        await communities_of(core, "one more", 0)
    assert (refused.value.code, refused.value.details["retry_after"]) == (Code.OVERLOADED, 10)
    assert (await communities_of(core, "d5", 5)).clustering is not None
    assert domains.started == 2  # d0, which began at once, and d5, whose caller waits


async def test_a_domain_with_too_many_connections_is_refused(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computation, "MAX_CONNECTIONS", 1)
    with pytest.raises(GraphError) as refused:
        await communities_of(core, "kitchen", 5)
    assert (refused.value.code, refused.value.details["limit"]) == (Code.CONTENT_TOO_LARGE, 1)
    assert "kitchen has more than 1 nodes or connections" in refused.value.message


async def test_a_changed_type_keeps_the_result_and_a_new_domain_does_not(
    core: Core, domains: Domains, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computation, "REST", 0)
    first = await communities_of(core, "a", 5)
    domains.epochs["a"] = "2026/1"
    changed = await communities_of(core, "a", 0)
    assert (changed.clustering, changed.is_computing) == (first.clustering, True)
    await end_of(core, "a")
    assert domains.started == 2
    domains.epochs["a"] = "2027/0"
    created_again = await communities_of(core, "a", 0)
    assert (created_again.clustering, created_again.is_computing) == (None, True)


async def test_a_domain_that_is_created_again_during_a_computation_gets_its_own(core: Core, domains: Domains) -> None:
    domains.seconds = 0.2
    assert (await communities_of(core, "a", 0)).is_computing
    await anyio.sleep(0.1)
    domains.epochs["a"] = "2027/0"
    result = await communities_of(core, "a", 5)
    assert result.clustering is not None
    assert result.clustering is state_of(core, "a", "2027").clustering
    assert domains.started == 2


async def test_a_transaction_changes_no_shared_state(core: Core, domains: Domains) -> None:
    before = await communities_of(core, "a", 5)
    inside = core_of(domains, layer_cache=core.layer_cache, background=IdleBackground())
    assert (await communities_of(inside, "a", 5)).clustering is before.clustering
    domains.epochs["a"] = "2027/0"  # created again in the transaction, and rolled back
    assert (await communities_of(inside, "a", 5)).clustering is None
    del domains.epochs["a"]
    assert (await communities_of(core, "a", 5)).clustering is before.clustering
    assert [*cast("CommunityCache", core.layer_cache["", "communities"]).states] == [("a", "2026")]


async def test_each_failure_is_reported_to_each_caller(core: Core, domains: Domains) -> None:
    domains.failure = OSError(12, "Cannot allocate memory")
    errors: list[GraphError] = []
    for _ in range(2):
        with pytest.raises(GraphError) as failed:
            await communities_of(core, "a", 5)
        errors.append(failed.value)
    assert {error.code for error in errors} == {Code.INTERNAL}
    assert "Cannot allocate memory" in errors[0].message
    assert errors[0] is not errors[1]


async def test_a_failure_after_a_result_is_a_warning(
    core: Core, domains: Domains, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computation, "REST", 0)
    await communities_of(core, "a", 5)
    domains.seq, domains.failure = 2, MemoryError("no memory")
    assert (await communities_of(core, "a", 0)).warnings == ()
    await end_of(core, "a")
    state_of(core, "a").rests_until = monotonic() + 5
    result = await communities_of(core, "a", 0)
    assert result.clustering is not None
    assert "MemoryError: no memory" in result.warnings[0]
