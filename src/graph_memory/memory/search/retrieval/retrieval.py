"""Queries the indexes and reads passages, in the current or an earlier state of a domain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from graph_memory.memory.search.index.coverage import Coverage
from graph_memory.memory.search.index.index_filters import EARLIEST, LATEST, lexical_filter, microseconds
from graph_memory.memory.search.place import DomainState
from graph_memory.memory.search.ranking.scoring import Passage, PassageText, QuerySample
from graph_memory.memory.search.request import Filters
from graph_memory.memory.search.text.analysers import ANALYSERS, Analyser
from graph_memory.memory.search.text.bm25 import Query as Question
from graph_memory.memory.search.text.lexical_query import quote
from graph_memory.memory.search.text.names import split_words
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import TOOL
from graph_memory.model.text.analysers import index_of
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

SAMPLE_SIZE = 1_000
"""Approximate number of passages in the sample for counting words."""
MAX_ROWS_AROUND = 16
"""Number of rows read on either side of a passage in its sequence, including ended rows."""
MAX_PASSAGES_AROUND = 8
"""Maximum number of passages kept on either side of a passage."""
CONTEXT_CHARACTERS = 900
"""Number of characters read before and after a passage: 120 words, because the passages around it need context too."""
MAX_OWNERS_OF_NAME = 100
"""Maximum number of a name's owners. A name with more owners identifies none of them."""
MAX_NAMES = 200
"""Maximum number of names in a text that are looked up, longest names first."""
MAX_TERMS = 64
MAX_TEXTS = 200
"""Maximum number of passages that are searched for names in each of the best units."""
MAX_COUNTED_PASSAGES = 200
"""Maximum number of counted passages per owner. Higher numbers do not affect scores."""
MAX_COMPARED_OBSERVATIONS = 50
"""Maximum number of latest observations that are compared with the query if only their node's name matched."""
MAX_COUNTED_OBSERVATIONS = 10_000
"""Maximum number of observations of a node that are counted."""
_MAX_KEYS = 5_000


@dataclass(frozen=True, slots=True)
class IndexHit:
    """A passage from an index, with its score."""

    id: str
    owner: str
    unit: str
    score: float


@dataclass(frozen=True, slots=True)
class ContextRow:
    """The texts of passages, and the ids of adjacent passages in reading order."""

    runs: list[list[str]]
    texts: list[tuple[str, str, str, str]]


@dataclass(frozen=True, slots=True)
class ObservationsRow:
    """A node's observations, as passages of the index."""

    node: str
    passages: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ObservationCountRow:
    """The number of a node's current observations."""

    node: str
    having: int


@dataclass(frozen=True, slots=True)
class FrequencyRow:
    """The number of passages that match a query, and the query's position in the list of queries."""

    place: int
    having: int


@dataclass(frozen=True, slots=True)
class NameRow:
    """A name that occurs in a text, its owners, and the number of passages in the sample that contain it."""

    name: str
    owners: list[str]
    having: int


@dataclass(frozen=True, slots=True)
class TextsRow:
    """An owner's passage texts, in order."""

    owner: str
    texts: list[str]


LEXICAL = query("search/lexical", IndexHit)
NEAREST = query("search/nearest", IndexHit)
NEAREST_OF_TYPES = query("search/nearest_of_types", IndexHit)
PASSAGE_CONTEXT = query("search/passage_context", ContextRow)
PASSAGES = query("search/passages", Passage)
PASSAGES_OF = query("search/passages_of", cast("type[dict[str, object]]", dict))
LATEST_OBSERVATIONS = query("search/latest_observations", ObservationsRow)
OBSERVATION_COUNTS = query("search/observed_counts", ObservationCountRow)
FREQUENCIES = query("search/frequencies", FrequencyRow)
NAMES_IN = query("search/names_in", NameRow)
TEXTS_OF = query("search/texts_of", TextsRow)


@dataclass(frozen=True, slots=True)
class Scope(DomainState):
    """The scope of a search: the domain, its index's coverage, and the filters for passages."""

    coverage: Coverage
    filters: Filters
    requested_domain: str
    """The requested domain. A branch's state before its fork is in another domain's log."""
    then: datetime | None = None
    """The time of the event whose state is searched, for a past state."""

    @property
    def analyser(self) -> Analyser:
        """The analyser of the domain's texts."""
        return ANALYSERS[self.coverage.analyser]

    @property
    def index(self) -> str:
        """The name of the full-text index for the domain's analyser."""
        return index_of(self.coverage.analyser)

    def lucene_filter(self) -> str:
        """Return the passage filters in Lucene's syntax."""
        filters = self.filters
        return lexical_filter(
            self.domain,
            at=self.at,
            types=filters.types,
            created=filters.created,
            start_bounds=filters.start_bounds,
            valid_at=filters.valid,
        )

    @property
    def sample(self) -> str:
        """The query for about `SAMPLE_SIZE` passages of the domain, in Lucene's syntax. It ignores the filters."""
        level = max(round(math.log2(max(self.coverage.open, 1) / SAMPLE_SIZE)), 0)
        return lexical_filter(self.domain, at=self.at, level=level)

    def accepts(self, passage: Passage) -> bool:
        """Return whether a passage matches the filters that the indexes support."""
        filters = self.filters
        first, last = filters.created or (EARLIEST, LATEST)
        return (
            (not filters.types or passage.type in filters.types)
            and first <= passage.created <= last
            and (
                filters.start_bounds is None or filters.start_bounds[0] <= passage.valid_from <= filters.start_bounds[1]
            )
            and (filters.valid is None or passage.valid_from <= filters.valid < passage.valid_to)
            and self.shows(passage)
        )

    def shows(self, passage: Passage) -> bool:
        """Return whether a passage can be shown. Ended observations are shown only if the request includes the past."""
        return passage.owner_kind != Kind.OBSERVATION or passage.valid_to > self.shown_until

    @property
    def shown_until(self) -> int:
        """A time in microseconds. Observations that ended before this time are not shown."""
        has_past = self.filters.includes_ended or self.filters.valid is not None
        return EARLIEST if has_past else microseconds(self.then or utc_now())


async def find_by_words(scope: Scope, words: str, limit: int) -> list[IndexHit]:
    """Return up to `limit` passages that match a query in Lucene's syntax.

    An empty query matches all passages that pass the filters. Raises INVALID_ARGUMENT if the query's syntax is invalid.
    """
    lucene_query = f"{scope.lucene_filter()} +({words})" if words else scope.lucene_filter()
    arguments = {"index": scope.index, "lucene": lucene_query, "at": scope.number, "limit": limit}
    return await scope.core.store.read(LEXICAL, domain=scope.domain, **arguments)


async def find_nearest(scope: Scope, vector: Sequence[float], limit: int) -> list[IndexHit]:
    """Return up to `limit` passages that pass the filters, nearest to `vector` first."""
    filters = scope.filters
    first, last = filters.created or (EARLIEST, LATEST)
    begun_from, begun_to = filters.start_bounds or (EARLIEST, LATEST)
    arguments: dict[str, object] = {
        "model": scope.coverage.model,
        "vector": list(vector),
        "at": scope.number,
        "created_from": first,
        "created_to": last,
        "begun_from": begun_from,
        "begun_by": begun_to if filters.valid is None else min(filters.valid, begun_to),
        "not_ended_by": EARLIEST - 1 if filters.valid is None else filters.valid,
        "limit": limit,
    }
    if filters.types:
        return await scope.core.store.read(
            NEAREST_OF_TYPES, domain=scope.domain, types=list(filters.types), **arguments
        )
    return await scope.core.store.read(NEAREST, domain=scope.domain, **arguments)


async def read_context(
    scope: Scope, ids: Sequence[str], alone: Sequence[str] = ()
) -> tuple[list[PassageText], Sequence[Sequence[str]]]:
    """Return the texts of passages and their neighbours, and the ids of adjacent passages in reading order.

    For passages in `alone`, only their own texts are returned.
    """
    if not ids and not alone:
        return [], ()
    bounds = {
        "at": scope.number,
        "most": MAX_ROWS_AROUND,
        "kept": MAX_PASSAGES_AROUND,
        "characters": CONTEXT_CHARACTERS,
    }
    [row] = await scope.core.store.of(scope.domain).read(PASSAGE_CONTEXT, ids=list(ids), alone=list(alone), **bounds)
    return [PassageText(*fields) for fields in row.texts], row.runs


async def read_passages(scope: Scope, ids: Sequence[str], vector: Sequence[float] | None) -> list[Passage]:
    """Return passages with their cosine similarity to a vector.

    Each passage also has the number of its owner's passages (at most 200), and whether its text is a tool's output.
    """
    if not ids:
        return []
    arguments = {"vector": None if vector is None else list(vector), "model": scope.coverage.model, "at": scope.number}
    return await scope.core.store.of(scope.domain).read(
        PASSAGES, ids=list(ids), most=MAX_COUNTED_PASSAGES, tool=TOOL, **arguments
    )


async def read_passages_of(
    scope: Scope, owners: Sequence[str], vector: Sequence[float] | None, limit: int
) -> list[Passage]:
    """Return at most `limit` passages of the owners, in the state of the scope. The filters do not apply."""
    arguments = {"vector": None if vector is None else list(vector), "model": scope.coverage.model, "at": scope.number}
    rows = await scope.core.store.read(PASSAGES_OF, domain=scope.domain, owners=list(owners), limit=limit, **arguments)
    return [Passage(**cast("dict[str, Any]", row)) for row in rows]


async def latest_observations(
    scope: Scope, nodes: Sequence[str], vector: Sequence[float] | None, limit: int
) -> dict[str, list[Passage]]:
    """Return the latest current observations of each node, at most `limit` per node."""
    if not nodes:
        return {}
    ends = scope.filters.valid or scope.shown_until
    arguments = {"vector": None if vector is None else list(vector), "model": scope.coverage.model, "at": scope.number}
    rows = await scope.core.store.read(
        LATEST_OBSERVATIONS, domain=scope.domain, nodes=list(nodes), ends=ends, most=limit, **arguments
    )
    passages_by_node = {row.node: [Passage(**fields) for fields in row.passages] for row in rows if row.passages}
    return {
        node: [passage for passage in observations if scope.accepts(passage)]
        for node, observations in passages_by_node.items()
    }


async def count_observations(scope: Scope, nodes: Sequence[str]) -> dict[str, int]:
    """Return each node's number of current observations, counted up to `MAX_COUNTED_OBSERVATIONS`.

    Returns an empty dictionary if the scope has a `valid_at` time.
    """
    if not nodes or scope.filters.valid is not None:
        return {}
    arguments = {"nodes": list(nodes), "at": scope.number, "ends": scope.shown_until, "most": MAX_COUNTED_OBSERVATIONS}
    return {
        row.node: row.having
        for row in await scope.core.store.read(OBSERVATION_COUNTS, domain=scope.domain, **arguments)
    }


async def sample_query(scope: Scope, question: Question) -> QuerySample:
    """Return a query with its terms' frequencies in a sample of the domain."""
    word_by_term: dict[str, str] = {}
    for word in question.words[:MAX_TERMS]:
        word_by_term.setdefault(question.analyser.stem(word), word)
    sample = scope.sample
    phrases = [quote(word) for word in word_by_term.values()]
    queries = [sample, *(f"{sample} +(_text:{phrase} _head:{phrase} _words:{phrase})" for phrase in phrases)]
    rows = await scope.core.store.of(scope.domain).read(FREQUENCIES, index=scope.index, queries=queries)
    sample_size, *frequencies = [row.having for row in rows]
    return QuerySample(question, sample_size, dict(zip(word_by_term, frequencies, strict=True)))


async def find_names(scope: Scope, text: str) -> list[NameRow]:
    """Return the names that occur in a text, and how many passages of the sample contain each."""
    words = split_words(text)
    arguments = {
        "index": scope.index,
        "filter": scope.sample,
        "at": scope.number,
        "most": MAX_OWNERS_OF_NAME,
        "limit": MAX_NAMES,
    }
    keys = list(dict.fromkeys(words))[:_MAX_KEYS]
    return await scope.core.store.read(
        NAMES_IN, domain=scope.domain, keys=keys, text=f" {' '.join(words)} ", **arguments
    )


async def texts_of(scope: Scope, owners: Sequence[str]) -> dict[str, str]:
    """Return the text of each owner, joined from at most `MAX_TEXTS` passages."""
    arguments = {"owners": list(owners), "at": scope.number, "most": MAX_TEXTS}
    rows = await scope.core.store.read(TEXTS_OF, domain=scope.domain, **arguments)
    return {row.owner: " ".join(row.texts) for row in rows}
