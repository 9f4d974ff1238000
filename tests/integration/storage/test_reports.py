"""A write returns the report of the decision whose events the log has."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import neo4j
import pytest
from neo4j.exceptions import IncompleteCommit, ServiceUnavailable

from graph_memory import Memory, Settings, open_memory
from graph_memory.model.events import Draft, Head, Op, Request, new_id
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import content_state
from graph_memory.model.values.content import content_from
from graph_memory.storage.log.work import CompletedWrite, Decision

from .test_group_commit import crowd, reads_nothing
from .test_write_at_once import ONTOLOGY

pytestmark = pytest.mark.anyio


@pytest.fixture
async def alone(memory: Memory) -> Memory:
    """A memory that has written alone long enough."""
    await memory.create_ontology(ONTOLOGY)
    for _ in range(2):
        await memory.create_node("Project", "")
    return memory


NUMBERS = (10, 20, 30, 40)
"""The first numbers of writes that go together."""


def decision_from(first: int) -> Callable[[Head, None], Decision[int]]:
    """Return a decision on a new node that has the number of the attempt, which is also the report."""
    attempts, subject, content = count(first), new_id("mem"), content_from("", "utf-8", "markdown")

    def decide(head: Head, _: None) -> Decision[int]:
        number = next(attempts)
        state = {"_created": head.at, "_modified": head.at, "_title": "T", "n": number, **content_state(content.ref)}
        draft = Draft(op=Op.CREATE, kind=Kind.NODE, subject=subject, type="Project", state=state, content=content)
        return Decision([draft], number)

    return decide


async def write(memory: Memory, domain: str, first: int = 1, **options: Any) -> CompletedWrite[int]:
    core = memory._core
    return await core.log.write("numbered", domain, core.origin, reads_nothing(), decision_from(first), **options)


async def number_in(memory: Memory, written: CompletedWrite[int]) -> object:
    """Return the number that the node has which a write made."""
    return (await memory.get_node(written.receipt.changes[0].subject)).properties["n"]


async def test_of_a_write_in_one_statement(alone: Memory, domain: str) -> None:
    written = await write(alone, domain)
    assert (written.report, await number_in(alone, written)) == (1, 1)


async def test_of_a_write_that_is_decided_again_under_the_lock(alone: Memory, domain: str, settings: Settings) -> None:
    async with open_memory(settings) as other:
        await other.in_domain(domain).create_node("Project", "")
    written = await write(alone, domain)
    assert (written.report, await number_in(alone, written)) == (2, 2)


async def test_of_a_write_that_is_made_again_after_it_was_undone(alone: Memory, domain: str) -> None:
    failures = iter([ServiceUnavailable("the connection was lost")])
    looked_at: list[int] = []

    async def look(_: object, __: object, report: int) -> None:
        looked_at.append(report)
        for failure in failures:
            raise failure

    written = await write(alone, domain, after_write=look)
    assert (written.report, await number_in(alone, written), looked_at) == (2, 2, [1, 2])


async def test_of_a_write_under_the_lock_whose_answer_was_lost(
    alone: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, failures = neo4j.AsyncTransaction.commit, iter([IncompleteCommit("the answer never came")])

    async def commit(transaction: neo4j.AsyncTransaction) -> None:
        await whole(transaction)
        for failure in failures:
            raise failure

    monkeypatch.setattr(neo4j.AsyncTransaction, "commit", commit)
    written = await write(alone, domain, after_write=_nothing)
    assert (written.report, await number_in(alone, written)) == (1, 1)
    assert written.receipt.repeated


async def _nothing(*_: object) -> None:
    return None


async def test_of_each_write_that_goes_with_others(alone: Memory, domain: str) -> None:
    async with crowd(alone, domain) as waiting:
        for number in NUMBERS:
            waiting.add(lambda number=number: write(alone, domain, number))
    for place, number in enumerate(NUMBERS):
        written = waiting.results[place]
        assert (written.report, await number_in(alone, written)) == (number, number)


async def test_of_each_write_that_goes_with_others_whose_answer_was_lost(
    alone: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = alone._core.store
    whole, failures = store._session, iter([ServiceUnavailable("the answer never came")])

    @asynccontextmanager
    async def losing(access: str, *options: Any) -> AsyncIterator[Any]:
        async with whole(access, *options) as session:
            run = session.run

            async def lose_reply(*args: Any, **params: Any) -> Any:
                result = await run(*args, **params)
                for failure in failures:
                    await result.consume()
                    raise failure
                return result

            if access == neo4j.WRITE_ACCESS:
                session.run = lose_reply  # type: ignore[method-assign]
            yield session

    monkeypatch.setattr(store, "_session", losing)
    async with crowd(alone, domain) as waiting:
        for number in NUMBERS:
            waiting.add(lambda number=number: write(alone, domain, number))
    for place, number in enumerate(NUMBERS):
        written = waiting.results[place]
        assert (written.report, await number_in(alone, written)) == (number, number)
        assert written.receipt.repeated


async def test_of_a_rehearsal(alone: Memory, domain: str) -> None:
    written = await write(alone, domain, dry_run=True)
    assert written.report == 1
    assert (await alone.query_nodes(type="Project", properties={"n": 1})).node_ids == ()


async def test_of_a_write_in_a_transaction(alone: Memory, domain: str) -> None:
    async with alone.transaction() as inside:
        written = await write(inside, domain)
    assert (written.report, await number_in(alone, written)) == (1, 1)


async def test_a_repeated_request_has_its_first_receipt_and_no_report(alone: Memory, domain: str) -> None:
    request = Request(new_id("evt"), "hash")
    first, again = [await write(alone, domain, request=request) for _ in range(2)]
    assert (first.report, again.report) == (1, None)
    assert again.receipt.changes == first.receipt.changes
