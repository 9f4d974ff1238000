"""Queries the indexes and reads passages, in the current or an earlier state of a domain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from graph_memory.memory.search.index.coverage import Coverage
from graph_memory.memory.search.index.index_filters import EARLIEST, LATEST, lexical_filter, microseconds
from graph_memory.memory.search.place import Place
from graph_memory.memory.search.ranking.scoring import Passage, PassageText, QuerySample
from graph_memory.memory.search.request import Filters
from graph_memory.memory.search.text.analysers import ANALYSERS, Analyser
from graph_memory.memory.search.text.bm25 import Query as Question
from graph_memory.memory.search.text.lexical_query import quote
from graph_memory.memory.search.text.names import words as words_of_names
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.analysers import index_of
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

SAMPLE_SIZE = 1_000
"""Approximate number of passages in the sample in which words are counted."""
MAX_ROWS_AROUND = 16
"""Number of rows of a sequence that are read on either side of a passage, including ended ones."""
MAX_PASSAGES_AROUND = 8
"""Maximum number of passages that are kept on either side of a passage."""
CONTEXT_CHARACTERS = 900
"""Number of characters that are read before and after a passage: 120 words, since the passages around it need context
too.
"""
MAX_OWNERS_OF_NAME = 100
"""Maximum number of owners of a name. A name with more owners identifies none of them."""
MAX_NAMES = 200
"""Maximum number of names in a text that are searched for in other texts, longest first."""
MAX_TERMS = 64
MAX_TEXTS = 200
"""Maximum number of passages of one of the best units that are searched for names."""
MAX_COUNTED_PASSAGES = 200
"""Maximum number of passages of an owner that are counted. More make no difference to a score."""
MAX_COMPARED_OBSERVATIONS = 50
"""Number of latest observations that are compared with the query if only the name of their node was found."""
MAX_COUNTED_OBSERVATIONS = 10_000
"""Maximum number of observations of a node that are counted."""
_MAX_KEYS = 5_000


@dataclass(frozen=True, slots=True)
class IndexHit:
    """A passage that an index found, with its score."""

    id: str
    owner: str
    unit: str
    score: float


@dataclass(frozen=True, slots=True)
class ContextRow:
    """Sequences of passages in order, with their ids, heads, texts and dates."""

    runs: list[list[str]]
    texts: list[tuple[str, str, str, str]]


@dataclass(frozen=True, slots=True)
class ObservationsRow:
    """The observations of a node, as its passages."""

    node: str
    passages: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ObservationCountRow:
    """The number of observations of a node that hold."""

    node: str
    having: int


@dataclass(frozen=True, slots=True)
class FrequencyRow:
    """The number of passages that a query finds, and the position of that query in the list."""

    place: int
    having: int


@dataclass(frozen=True, slots=True)
class NameRow:
    """A name in a text, its owners, and the number of passages in the sample that contain it."""

    name: str
    owners: list[str]
    having: int


@dataclass(frozen=True, slots=True)
class TextsRow:
    """The texts of an owner."""

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
class Scope(Place):
    """The scope of a search: the domain, the coverage of its index, and the filters for passages."""

    coverage: Coverage
    filters: Filters
    requested_domain: str
    """The requested domain. The state of a branch before its fork is in the log of another domain."""
    then: datetime | None = None
    """The time of the event as of which the search runs, if a past state is requested."""

    @property
    def analyser(self) -> Analyser:
        """The analyser of the domain's texts."""
        return ANALYSERS[self.coverage.analyser]

    @property
    def index(self) -> str:
        """The full-text index of the domain's analyser."""
        return index_of(self.coverage.analyser)

    @property
    def level(self) -> int:
        """The level of the sample that represents the domain."""
        return max(round(math.log2(max(self.coverage.open, 1) / SAMPLE_SIZE)), 0)

    def lucene(self) -> str:
        """Return the filters for passages in Lucene's syntax."""
        filters = self.filters
        return lexical_filter(
            self.domain,
            at=self.at,
            types=filters.types,
            created=filters.created,
            began=filters.began,
            valid_at=filters.valid,
        )

    @property
    def sample(self) -> str:
        """The sample of the domain in Lucene's syntax, without the filters."""
        return lexical_filter(self.domain, at=self.at, level=self.level)

    def takes(self, passage: Passage) -> bool:
        """Return whether a passage matches the filters that the indexes can check."""
        filters = self.filters
        first, last = filters.created or (EARLIEST, LATEST)
        return (
            (not filters.types or passage.type in filters.types)
            and first <= passage.created <= last
            and (filters.began is None or filters.began[0] <= passage.valid_from <= filters.began[1])
            and (filters.valid is None or passage.valid_from <= filters.valid < passage.valid_to)
            and self.shows(passage)
        )

    def shows(self, passage: Passage) -> bool:
        """Return whether a passage is shown: an ended observation only if the request includes the past."""
        return passage.owner_kind != Kind.OBSERVATION or passage.valid_to > self.shown_until

    @property
    def shown_until(self) -> int:
        """The time in microseconds: observations that ended before it are not shown."""
        has_past = self.filters.ended or self.filters.valid is not None
        return EARLIEST if has_past else microseconds(self.then or utc_now())


async def find_by_words(scope: Scope, words: str, limit: int) -> list[IndexHit]:
    """Return the passages that match a query in Lucene's syntax. An empty query matches all that pass the filters.

    Raises INVALID_ARGUMENT if the query has invalid syntax.
    """
    lucene_query = f"{scope.lucene()} +({words})" if words else scope.lucene()
    arguments = {"index": scope.index, "lucene": lucene_query, "at": scope.number, "limit": limit}
    return await scope.core.store.read(LEXICAL, domain=scope.domain, **arguments)


async def find_nearest(scope: Scope, vector: Sequence[float], limit: int) -> list[IndexHit]:
    """Return the passages with the nearest vectors."""
    filters = scope.filters
    first, last = filters.created or (EARLIEST, LATEST)
    begun_from, begun_to = filters.began or (EARLIEST, LATEST)
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
    """Return the texts of passages and their ids in reading order. Passages in `alone` get no context."""
    if not ids and not alone:
        return [], ()
    bounds = {
        "at": scope.number,
        "most": MAX_ROWS_AROUND,
        "kept": MAX_PASSAGES_AROUND,
        "characters": CONTEXT_CHARACTERS,
    }
    [row] = await scope.core.store.read(PASSAGE_CONTEXT, ids=list(ids), alone=list(alone), **bounds)
    return [PassageText(*fields) for fields in row.texts], row.runs


async def read_passages(scope: Scope, ids: Sequence[str], vector: Sequence[float] | None) -> list[Passage]:
    """Return passages, each with its cosine similarity to a vector and its owner's number of passages, up to 200."""
    if not ids:
        return []
    arguments = {"vector": None if vector is None else list(vector), "model": scope.coverage.model, "at": scope.number}
    return await scope.core.store.read(PASSAGES, ids=list(ids), most=MAX_COUNTED_PASSAGES, **arguments)


async def read_passages_of(
    scope: Scope, owners: Sequence[str], vector: Sequence[float] | None, limit: int
) -> list[Passage]:
    """Return the passages of owners that match the filters, at most `limit`."""
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
        node: [passage for passage in observations if scope.takes(passage)]
        for node, observations in passages_by_node.items()
    }


async def count_observations(scope: Scope, nodes: Sequence[str]) -> dict[str, int]:
    """Return the number of current observations of nodes, up to a limit. Empty if the scope has a `valid_at` time."""
    if not nodes or scope.filters.valid is not None:
        return {}
    arguments = {"nodes": list(nodes), "at": scope.number, "ends": scope.shown_until, "most": MAX_COUNTED_OBSERVATIONS}
    return {
        row.node: row.having
        for row in await scope.core.store.read(OBSERVATION_COUNTS, domain=scope.domain, **arguments)
    }


async def sample_query(scope: Scope, question: Question) -> QuerySample:
    """Return a query with the frequencies of its terms in a sample of the domain."""
    word_by_term: dict[str, str] = {}
    for word in question.words[:MAX_TERMS]:
        word_by_term.setdefault(question.analyser.stem(word), word)
    sample = scope.sample
    phrases = [quote(word) for word in word_by_term.values()]
    queries = [sample, *(f"{sample} +(_text:{phrase} _head:{phrase} _words:{phrase})" for phrase in phrases)]
    rows = await scope.core.store.read(FREQUENCIES, index=scope.index, queries=queries)
    texts, *having = [row.having for row in rows]
    return QuerySample(question, texts, dict(zip(word_by_term, having, strict=True)))


async def find_names(scope: Scope, text: str) -> list[NameRow]:
    """Return the names that occur in a text, with the number of passages of the sample that contain each."""
    words = words_of_names(text)
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
    """Return the whole texts of owners."""
    arguments = {"owners": list(owners), "at": scope.number, "most": MAX_TEXTS}
    rows = await scope.core.store.read(TEXTS_OF, domain=scope.domain, **arguments)
    return {row.owner: " ".join(row.texts) for row in rows}
