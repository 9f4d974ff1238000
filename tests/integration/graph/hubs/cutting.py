"""Jobs that end between two of their pages, and what tests of them look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory
from graph_memory.memory.changes.paging import Batch
from graph_memory.memory.history.results import LogEntry
from graph_memory.model.events import Draft

LINKS = 23


class CutOff(Exception):  # noqa: N818 - what a test does to a job
    """Ends a job between two of its pages, as `kill -9` would."""


def cut_off_after(monkeypatch: pytest.MonkeyPatch, pages: int) -> None:
    """Have jobs end after so many pages; the last comes before the end of the job, which is not reached either."""
    page, left = Batch.page, [pages]

    async def count_write(batch: Batch, *values: Any) -> None:
        if left[0] == 0:
            raise CutOff
        await page(batch, *values)
        left[0] -= 1

    async def never(_: Batch) -> None:
        raise CutOff

    monkeypatch.setattr(Batch, "page", count_write)
    monkeypatch.setattr(Batch, "end", never)


def failing_pages(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Have the server stop pages of more events than these at its time limit."""
    page = Batch.page

    async def limit_drafts(batch: Batch, drafts: Sequence[Draft], *values: Any) -> None:
        if len(drafts) > most:
            raise GraphError(Code.TIMEOUT, "Neo4j stopped the statement at its time limit")
        await page(batch, drafts, *values)

    monkeypatch.setattr(Batch, "page", limit_drafts)


async def events_since(memory: Memory, seq: int) -> list[LogEntry]:
    page = await memory.history.log(since=seq + 1, limit=1_000)
    return list(reversed(page.entries))


async def last_of(memory: Memory) -> int:
    return (await memory.domain_info()).events


async def refusal_of_a_write(memory: Memory) -> tuple[Code, object]:
    with pytest.raises(GraphError) as caught:
        await memory.create_node("Note", "in between")
    return caught.value.code, caught.value.details.get("state")
