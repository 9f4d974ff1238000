"""Exact substring search over the text content of nodes.

A full-text index of trigrams returns candidate windows. Each candidate is compared with the needle (the folded search
text), so there are no false positives. Every window that contains the needle also contains all its trigrams, so there
are no false negatives. New windows are not indexed by the write, because indexing would take longer than the rest of
the write. Searches scan new windows instead. A search that finds many new windows starts to index them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.graph.consistent_read import ConcurrentChange, MarkedRows, read_id_page, read_marked
from graph_memory.memory.graph.queries import Page, id_query, node_page
from graph_memory.model.matching import Criteria
from graph_memory.model.results import NodeIds
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import content_ref
from graph_memory.model.text.search_windows import Needle, trigram_text
from graph_memory.model.values.arguments import UNLIMITED, check_query
from graph_memory.storage.queries import Query, query, with_mark
from graph_memory.storage.store import Transaction

MAX_WAITING = 250
"""Number of unindexed windows in a domain above which indexing starts. Scanning fewer does not delay a search."""
_MAX_PER_TRANSACTION = 250
"""Maximum number of windows that are indexed in one transaction."""
_TEXTS_PER_READ = 100


@dataclass(frozen=True, slots=True)
class Candidates:
    """The ids of nodes that may contain the needle, and the number of windows that wait to be indexed."""

    ids: Sequence[str]
    waiting: int


@dataclass(frozen=True, slots=True)
class NewWindow:
    """A search window that waits to be indexed: its node, position and text."""

    owner: str
    place: int
    text: str


@dataclass(frozen=True, slots=True)
class TextRow:
    """The last event of a node, if any, and its inline text."""

    id: str
    event: Mapping[str, object] | None
    text: str | None


BY_GRAMS = with_mark(query("graph/by_grams", Candidates))
BY_SCAN = id_query("graph/by_scan")
TEXTS = query("graph/texts", TextRow)
NEW_WINDOWS = query("graph/new_windows", NewWindow)
INDEX_WINDOWS = query("graph/index_windows", int)
INDEXED_WINDOWS = query("graph/indexed_windows", int)


class SubstringSearch:
    """Searches for substrings in the text contents of nodes, and indexes the windows of new texts."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def search_content(
        self, domain: str, text: str, page: Page, *, node_type: str | None, detail: bool = False
    ) -> NodeIds:
        """Return the nodes whose text content contains `text`. See `Memory.search_content`."""
        needle = Needle.of(check_query(text))
        criteria = Criteria(kind=Kind.NODE, type=node_type, properties={}, text=text)

        async def read(after: str, limit: int) -> MarkedRows[str | None]:
            if needle.fits_window:
                return await self._find_candidates(domain, needle, node_type, after, limit)
            marked_rows = await self._find_candidates(domain, needle, node_type, after, UNLIMITED)
            ids = sorted({row for row in marked_rows.rows if row is not None})
            return marked_rows.with_rows(await self._verify(domain, needle, ids))

        async def matches(row: ConcurrentChange) -> bool:
            return criteria.matches(row.event) and await contains_needle(self._core, domain, needle, row)

        results = await read_id_page(self._core, domain, page.after, page.size, read, matches)
        return await node_page(self._core, domain, page, criteria, results, detail=detail)

    async def index(self, domain: str) -> None:
        """Index the waiting windows of a domain in steps. The method can be cancelled at any time."""
        while new_windows := await self._core.store.read(NEW_WINDOWS, domain=domain, limit=_MAX_PER_TRANSACTION):
            if not await self._index_windows(domain, new_windows):
                return

    async def _find_candidates(
        self, domain: str, needle: Needle, node_type: str | None, after: str, limit: int
    ) -> MarkedRows[str | None]:
        arguments = {"needle": needle.probe, "type": node_type, "after": after, "limit": limit}
        if needle.is_short:
            return await read_marked(self._core, BY_SCAN, domain, **arguments)
        marked_rows = await read_marked(self._core, BY_GRAMS, domain, grams=needle.lucene(domain), **arguments)
        if sum(row.waiting for row in marked_rows.rows) > MAX_WAITING:
            self._core.background.start(f"indexing domain {domain}", self.index(domain))
        return marked_rows.with_rows(sorted({subject_id for row in marked_rows.rows for subject_id in row.ids}))

    async def _index_windows(self, domain: str, new_windows: Sequence[NewWindow]) -> int:
        """Index windows, and return the number of windows that still existed.

        A second transaction marks them as indexed. If one transaction did both, a reader could miss them in the index
        and in the scan.
        """
        rows = [asdict(window) | {"grams": trigram_text(domain, window.text)} for window in new_windows]
        count = 0
        for statement in (INDEX_WINDOWS, INDEXED_WINDOWS):

            async def attempt(transaction: Transaction, statement: Query[int] = statement) -> int:
                return sum(await transaction.run(statement, domain=domain, rows=rows))

            count = await self._core.store.write("index_windows", attempt)
        return count

    async def _verify(self, domain: str, needle: Needle, ids: Sequence[str]) -> list[str]:
        """Return the candidates whose whole text contains the needle, which is too long for a single window."""
        results: list[str] = []
        for start in range(0, len(ids), _TEXTS_PER_READ):
            rows = await self._core.store.read(TEXTS, domain=domain, ids=ids[start : start + _TEXTS_PER_READ])
            results += [row.id for row in rows if await contains_needle(self._core, domain, needle, row)]
        return results


async def contains_needle(core: Core, domain: str, needle: Needle, row: TextRow | ConcurrentChange) -> bool:
    """Return whether the whole text of a node contains a needle. Raises CONTENT_READ_FAILED if it cannot be read."""
    ref = content_ref(row.event or {})
    if ref is None or not ref.is_text:
        return False
    return needle.is_in((await core.contents.fetch(domain, ref, row.text)).text or "")
