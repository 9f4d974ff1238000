"""Several things at once: the first failure comes as it is, and ends the others."""

from __future__ import annotations

import anyio
import pytest

from graph_memory import Code, GraphError
from graph_memory.memory.background import task_group

pytestmark = pytest.mark.anyio


async def test_the_first_failure_comes_as_it_is_and_ends_the_others() -> None:
    ended: list[str] = []

    async def wait() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("the other")

    async def fail() -> None:
        raise GraphError(Code.DOMAIN_BUSY, "Busy")

    async def both() -> None:
        async with task_group() as tasks:
            tasks.start_soon(wait)
            await anyio.lowlevel.checkpoint()
            tasks.start_soon(fail)

    with pytest.raises(GraphError) as raised:
        await both()
    assert (raised.value.code, ended) == (Code.DOMAIN_BUSY, ["the other"])


async def test_all_is_done_when_nothing_fails() -> None:
    done: list[int] = []

    async def note(number: int) -> None:
        await anyio.lowlevel.checkpoint()
        done.append(number)

    async with task_group() as tasks:
        for number in range(3):
            tasks.start_soon(note, number)
    assert sorted(done) == [0, 1, 2]
