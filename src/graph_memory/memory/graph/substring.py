"""Exact substring search over the text content of nodes.

Windows that may hold the needle come from a full-text index of trigrams, and each is compared with the needle, so
there are no false positives; every window with the needle has all its trigrams, so there are no false negatives.
A new window is not in the index yet, because indexing it within the write would cost more than all the rest of the
write: until somebody searches, and many are waiting, each search looks through those that wait.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.graph.consistent_read import Look, OvertakenRow, look, page_of
from graph_memory.memory.graph.queries import Page, id_query, nodes_of
from graph_memory.model.matching import Wanted
from graph_memory.model.results import NodeIds
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import content_ref
from graph_memory.model.text.search_windows import Needle, gram_text
from graph_memory.model.values.arguments import UNLIMITED, check_query
from graph_memory.storage.queries import Query, marked, query
from graph_memory.storage.store import Transaction

MANY = 250
"""Windows that wait in a domain before they are indexed: looking through so many does not slow a search down."""
_AT_ONCE = 250
"""Windows that are indexed in one transaction."""
_BATCH = 100


@dataclass(frozen=True, slots=True)
class Candidates:
    """Nodes that may be meant, and how many windows wait to be indexed."""

    ids: Sequence[str]
    waiting: int


@dataclass(frozen=True, slots=True)
class NewWindow:
    """A window that waits to be indexed."""

    owner: str
    place: int
    text: str


@dataclass(frozen=True, slots=True)
class TextRow:
    """A node as an event has it, or nothing, and its text where that is small."""

    id: str
    event: Mapping[str, object] | None
    text: str | None


BY_GRAMS = marked(query("graph/by_grams", Candidates))
BY_SCAN = id_query("graph/by_scan")
TEXTS = query("graph/texts", TextRow)
NEW_WINDOWS = query("graph/new_windows", NewWindow)
INDEX_WINDOWS = query("graph/index_windows", int)
INDEXED_WINDOWS = query("graph/indexed_windows", int)


class Search:
    """Substring search, and the indexing of what it searches."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def search_content(
        self, domain: str, text: str, page: Page, *, node_type: str | None, detail: bool = False
    ) -> NodeIds:
        """Return the nodes whose text content holds `text`. `Memory.search_content` tells the rest."""
        needle = Needle.of(check_query(text))
        wanted = Wanted(kind=Kind.NODE, type=node_type, properties={}, text=text)

        async def read(after: str, limit: int) -> Look[str | None]:
            if needle.is_whole:
                return await self._candidates(domain, needle, node_type, after, limit)
            found = await self._candidates(domain, needle, node_type, after, UNLIMITED)
            ids = sorted({row for row in found.rows if row is not None})
            return found.of(await self._verified(domain, needle, ids))

        async def is_meant(row: OvertakenRow) -> bool:
            return wanted.takes(row.event) and await holds(self._core, domain, needle, row)

        results = await page_of(self._core, domain, page.after, page.size, read, is_meant)
        return await nodes_of(self._core, domain, page, wanted, results, detail=detail)

    async def index(self, domain: str) -> None:
        """Index the windows of a domain that wait for it, some at a time; it may be left off at any time."""
        while new := await self._core.store.read(NEW_WINDOWS, domain=domain, limit=_AT_ONCE):
            if not await self._index(domain, new):
                return

    async def _candidates(
        self, domain: str, needle: Needle, node_type: str | None, after: str, limit: int
    ) -> Look[str | None]:
        arguments = {"needle": needle.probe, "type": node_type, "after": after, "limit": limit}
        if needle.is_short:
            return await look(self._core, BY_SCAN, domain, **arguments)
        found = await look(self._core, BY_GRAMS, domain, grams=needle.lucene(domain), **arguments)
        if sum(row.waiting for row in found.rows) > MANY:
            self._core.background.start(f"indexing domain {domain}", self.index(domain))
        return found.of(sorted({id_ for row in found.rows for id_ in row.ids}))

    async def _index(self, domain: str, new: Sequence[NewWindow]) -> int:
        """Index windows that were read, and return how many of them were still there.

        They stop waiting in a transaction of its own: within one, a reader could find them in neither place.
        """
        rows = [asdict(window) | {"grams": gram_text(domain, window.text)} for window in new]
        number = 0
        for statement in (INDEX_WINDOWS, INDEXED_WINDOWS):

            async def attempt(transaction: Transaction, statement: Query[int] = statement) -> int:
                return sum(await transaction.run(statement, domain=domain, rows=rows))

            number = await self._core.store.write("index_windows", attempt)
        return number

    async def _verified(self, domain: str, needle: Needle, ids: Sequence[str]) -> list[str]:
        """Return the candidates whose whole text holds a needle that is longer than what windows can show."""
        results: list[str] = []
        for start in range(0, len(ids), _BATCH):
            rows = await self._core.store.read(TEXTS, domain=domain, ids=ids[start : start + _BATCH])
            results += [row.id for row in rows if await holds(self._core, domain, needle, row)]
        return results


async def holds(core: Core, domain: str, needle: Needle, row: TextRow | OvertakenRow) -> bool:
    """Say whether a node's whole text holds a needle. Raises CONTENT_READ_FAILED."""
    ref = content_ref(row.event or {})
    if ref is None or not ref.is_text:
        return False
    return needle.is_in((await core.contents.fetch(domain, ref, row.text)).text or "")
