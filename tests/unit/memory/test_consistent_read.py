"""Pages of results that are read a part at a time."""

from __future__ import annotations

from typing import cast

import pytest

from graph_memory.memory.core import Core
from graph_memory.memory.graph.consistent_read import ConcurrentChange, MarkedRows, read_id_page
from tables import for_rows

pytestmark = pytest.mark.anyio
IDS = [f"n{number}" for number in range(9)]


async def read_page(limit: int, after: str) -> list[str]:
    """Return a page of ids that nobody writes beside."""

    async def read(after: str, limit: int) -> MarkedRows[str | None]:
        return MarkedRows([node_id for node_id in IDS if node_id > after][:limit])

    async def is_meant(_: ConcurrentChange) -> bool:
        return False

    return await read_id_page(cast("Core", None), "d", after, limit, read, is_meant)


@for_rows("limit", range(1, 12))
async def test_pages_of_any_size_give_each_once_and_leave_none_out(limit: int) -> None:
    results: list[str] = []
    while page := await read_page(limit, results[-1] if results else ""):
        assert len(page) <= limit
        results += page
    assert results == IDS
