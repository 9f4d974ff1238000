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
from graph_memory.memory.queries import IdRow, Page
from graph_memory.model.arguments import UNLIMITED, check_query
from graph_memory.model.results import NodeIds
from graph_memory.model.subjects import content_ref
from graph_memory.model.windows import Needle, gram_text
from graph_memory.storage.projecting import Found
from graph_memory.storage.queries import query
from graph_memory.storage.store import Transaction

MANY = 250
"""Windows that wait in a domain before they are indexed: looking through so many does not slow a search down."""
_AT_ONCE = 250
"""Windows that are indexed in one transaction."""
_BATCH = 100


@dataclass(frozen=True, slots=True)
class Candidates:
    """Nodes that may be meant, by windows that wait to be indexed and by the index, and how many windows wait."""

    new: list[str]
    indexed: list[str]
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


BY_GRAMS = query("search/by_grams", Candidates)
BY_SCAN = query("search/by_scan", IdRow)
TEXTS = query("search/texts", TextRow)
NEW_WINDOWS = query("search/new_windows", NewWindow)
INDEX_WINDOWS = query("search/index_windows", Found)


class Search:
    """Substring search, and the indexing of what it searches."""

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

    async def index(self, domain: str) -> None:
        """Index the windows of a domain that wait for it, some at a time; it may be left off at any time."""
        while new := await self._core.store.read(NEW_WINDOWS, domain=domain, limit=_AT_ONCE):
            if not await self._index(domain, new):
                return

    async def _candidates(self, domain: str, needle: Needle, node_type: str | None, page: Page) -> Sequence[str]:
        params = {"domain": domain, "needle": needle.probe, "type": node_type, **page.params}
        if needle.is_short:
            return [row.id for row in await self._core.store.read(BY_SCAN, **params)]
        [found] = await self._core.store.read(BY_GRAMS, grams=needle.lucene(domain), **params)
        if found.waiting > MANY:
            self._core.background.start(f"indexing domain {domain}", self.index(domain))
        return sorted({*found.new, *found.indexed})

    async def _index(self, domain: str, new: Sequence[NewWindow]) -> int:
        """Index windows that were read, and return how many of them were still there."""
        rows = [asdict(window) | {"grams": gram_text(domain, window.text)} for window in new]

        async def attempt(transaction: Transaction) -> int:
            return sum(row.found for row in await transaction.run(INDEX_WINDOWS, domain=domain, rows=rows))

        return await self._core.store.write("index_windows", attempt)

    async def _verified(self, domain: str, needle: Needle, ids: Sequence[str]) -> list[str]:
        """Return the candidates whose whole text holds a needle that is longer than what windows can show."""
        found: list[str] = []
        for start in range(0, len(ids), _BATCH):
            rows = await self._core.store.read(TEXTS, domain=domain, ids=ids[start : start + _BATCH])
            found += [row.id for row in rows if await holds(self._core, domain, needle, row)]
        return found


async def holds(core: Core, domain: str, needle: Needle, row: TextRow) -> bool:
    """Say whether a node's whole text holds a needle. Raises CONTENT_READ_FAILED."""
    ref = content_ref(row.event or {})
    if ref is None or not ref.is_text:
        return False
    return needle.is_in((await core.contents.fetch(domain, ref, row.text)).text or "")
