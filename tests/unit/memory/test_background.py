"""Work behind the calls: one of a name at a time, ended with the memory."""

from __future__ import annotations

import gc

import anyio
import anyio.lowlevel
import pytest

from graph_memory import Code, GraphError
from graph_memory.memory import background
from graph_memory.memory.background import Background

pytestmark = pytest.mark.anyio


async def test_work_of_one_name_is_done_once_at_a_time() -> None:
    begun: list[int] = []
    go_on = anyio.Event()

    async def work(number: int) -> None:
        begun.append(number)
        await go_on.wait()

    behind = Background()
    behind.start("index", work(1))
    behind.start("index", work(2))
    behind.start("other", work(3))
    await anyio.lowlevel.checkpoint()
    assert begun == [1, 3]
    go_on.set()
    await behind.close()
    behind.start("index", work(4))
    await behind.close()
    assert begun == [1, 3, 4]


async def test_closing_waits_a_moment_and_then_leaves_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "CLOSE_SECONDS", 0.01)
    ends: list[str] = []

    async def work(name: str, seconds: float) -> None:
        try:
            await anyio.sleep(seconds)
            ends.append(f"{name} done")
        except BaseException:
            ends.append(f"{name} left off")
            raise

    behind = Background()
    behind.start("short", work("short", 0))
    behind.start("long", work("long", 60))
    await behind.close()
    assert ends == ["short done", "long left off"]


async def test_an_error_behind_the_calls_is_logged_and_hurts_nobody(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        raise GraphError(Code.STORE_UNAVAILABLE, "Neo4j is away")

    behind = Background()
    behind.start("indexing", work())
    await behind.close()
    assert "indexing failed: STORE_UNAVAILABLE: Neo4j is away" in caplog.text


@pytest.mark.filterwarnings("error")
async def test_what_is_left_off_before_it_began_leaves_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    async def work() -> None:
        await anyio.sleep_forever()

    behind = Background()
    behind.start("count", work(), is_endless=True)
    await behind.close()
    gc.collect()
    assert list(recwarn) == []
