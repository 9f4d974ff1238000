"""Exact substring search over the text content of nodes.

Windows that may hold the needle come from a full-text index of trigrams, and each is compared with the needle, so
there are no false positives; every window with the needle has all its trigrams, so there are no false negatives.
"""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.queries import IdRow, Page
from graph_memory.model.arguments import UNLIMITED, check_query
from graph_memory.model.results import NodeIds
from graph_memory.model.subjects import content_ref
from graph_memory.model.windows import Needle
from graph_memory.storage.queries import query

_BATCH = 100


@dataclass(frozen=True, slots=True)
class TextRow:
    """A candidate's last event, and its text where that is small."""

    id: str
    event: dict[str, object]
    text: str | None


BY_GRAMS = query("search/by_grams", IdRow)
BY_SCAN = query("search/by_scan", IdRow)
TEXTS = query("search/texts", TextRow)


class Search:
    """Substring search."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def search_content(self, domain: str, text: str, page: Page, *, node_type: str | None) -> NodeIds:
        """Return the nodes whose text content holds `text`. `Memory.search_content` tells the rest."""
        needle = Needle.of(check_query(text))
        if needle.is_whole:
            ids = await self._candidates(domain, needle, node_type, page)
        else:
            everything = Page(after=page.after, limit=UNLIMITED)
            ids = await self._verified(domain, needle, await self._candidates(domain, needle, node_type, everything))
        found, cursor = page.cut(ids)
        return NodeIds(node_ids=found, next_cursor=cursor)

    async def _candidates(self, domain: str, needle: Needle, node_type: str | None, page: Page) -> list[str]:
        params = {"domain": domain, "needle": needle.probe, "type": node_type, **page.params}
        if needle.is_short:
            rows = await self._core.store.read(BY_SCAN, **params)
        else:
            rows = await self._core.store.read(BY_GRAMS, grams=needle.lucene(domain), **params)
        return [row.id for row in rows]

    async def _verified(self, domain: str, needle: Needle, ids: list[str]) -> list[str]:
        """Return the candidates whose whole text holds a needle that is longer than what windows can show."""
        found: list[str] = []
        for start in range(0, len(ids), _BATCH):
            rows = await self._core.store.read(TEXTS, domain=domain, ids=ids[start : start + _BATCH])
            found += [row.id for row in rows if await self._holds(domain, needle, row)]
        return found

    async def _holds(self, domain: str, needle: Needle, row: TextRow) -> bool:
        ref = content_ref(row.event)
        if ref is None:
            return False
        content = await self._core.contents.fetch(domain, ref, row.text)
        return content.text is not None and needle.is_in(content.text)
