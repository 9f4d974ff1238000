"""Substring search in the state of a domain at a point in its log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from graph_memory.memory.core import Core
from graph_memory.memory.graph.neighbours import AT_ONCE
from graph_memory.memory.graph.queries import Page
from graph_memory.memory.graph.substring import SubstringSearch, TextRow, contains_needle
from graph_memory.model.errors import GraphError
from graph_memory.model.text.search_windows import Needle
from graph_memory.model.values.arguments import UNLIMITED, check_query
from graph_memory.storage.queries import Query, query

R = TypeVar("R")

UNCHANGED = query("history/unchanged", str)
TEXTS = query("history/texts", TextRow)


@dataclass(frozen=True, slots=True)
class PastSearch:
    """Substring search in a domain's state at a log position."""

    core: Core
    domain: str
    at: int
    check: Callable[[], Awaitable[None]]
    """Raises HISTORY_COMPACTED if the position was compacted."""

    async def find_nodes(self, text: str, node_type: str | None, page: Page) -> list[str]:
        """Return the ids of the nodes whose content contained the given text, sorted by id.

        If there are further pages, returns more ids than the page needs.
        """
        searched_text = Needle.of(check_query(text))
        unchanged_ids = await self._find_unchanged(text, node_type, page)
        return sorted({*unchanged_ids, *await self._find_changed(searched_text, node_type, page)})

    async def _read(self, statement: Query[R], **params: object) -> list[R]:
        rows = await self.core.store.read(statement, domain=self.domain, at=self.at, **params)
        await self.check()
        return rows

    async def _find_unchanged(self, text: str, node_type: str | None, page: Page) -> list[str]:
        """Return the ids of unchanged nodes that contain the given text.

        If there are further pages, returns more ids than the page needs.
        """
        results: list[str] = []
        after, size = page.after, min(max(page.limit + 1, AT_ONCE), UNLIMITED)
        while len(results) <= page.limit:
            live = await SubstringSearch(self.core).search_content(
                self.domain, text, Page(after, size), node_type=node_type
            )
            results += await self._keep_unchanged(live.node_ids)
            if live.next_cursor is None:
                break
            after, size = live.node_ids[-1], min(size * 4, UNLIMITED)
        return results

    async def _keep_unchanged(self, ids: Sequence[str]) -> list[str]:
        results: list[str] = []
        for start in range(0, len(ids), AT_ONCE):
            results += await self._read(UNCHANGED, ids=list(ids[start : start + AT_ONCE]))
        return results

    async def _find_changed(self, searched_text: Needle, node_type: str | None, page: Page) -> list[str]:
        """Return the ids of the nodes that changed later and contained the searched text at the log position.

        Returns one id more than the page needs if there is a next page.
        """
        results: list[str] = []
        after = page.after
        while rows := await self._read(TEXTS, type=node_type, after=after, limit=AT_ONCE):
            for row in rows:
                if await self._contains(searched_text, row):
                    results.append(row.id)
                if len(results) > page.limit:
                    return results
            after = rows[-1].id
        return results

    async def _contains(self, searched_text: Needle, row: TextRow) -> bool:
        try:
            return await contains_needle(self.core, self.domain, searched_text, row)
        except GraphError:
            await self.check()
            raise
