"""What the indexes find, and what is read of it: each a statement, in a domain as it is or as it was."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from graph_memory.memory.search.index.coverage import Coverage
from graph_memory.memory.search.index.index_filters import EARLIEST, LATEST, lexical_filter, microseconds
from graph_memory.memory.search.place import Place
from graph_memory.memory.search.ranking.scoring import Asked, Passage, Said
from graph_memory.memory.search.request import Filters
from graph_memory.memory.search.text.analysers import ANALYSERS, Analyser
from graph_memory.memory.search.text.bm25 import Query as Question
from graph_memory.memory.search.text.lexical_query import quoted
from graph_memory.memory.search.text.names import words as words_of_names
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.analysers import index_of
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

SAMPLE = 1_000
"""About how many passages stand for a domain when words are counted."""
WALKED = 16
"""Rows of a sequence that are looked at on either side of a passage: those that have ended are among them."""
KEPT = 8
"""Of these, how many on either side of a passage are kept at most."""
CHARACTERS = 900
"""Characters of text before and after a passage: twice 60 words, for what stands around it has something around it."""
BEARERS = 100
"""A name that more bear says nothing."""
MOST_NAMES = 200
"""Names in a text that are looked for in other texts, the longest first."""
MOST_TERMS = 64
MOST_TEXTS = 200
"""Passages of one of the best that are looked through for names."""
COUNTED = 200
"""Passages of an owner that are counted: beyond that, more make no difference to a score."""
COMPARED = 50
"""The last observations of something that are compared with the question where nothing but its name was found."""
MOST_OBSERVED = 10_000
"""Observations of a node that are counted."""
_MOST_KEYS = 5_000


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that an index found, and its score there."""

    id: str
    owner: str
    unit: str
    score: float


@dataclass(frozen=True, slots=True)
class AroundRow:
    """Passages in the order in which they stand, and what they say: their ids, heads, texts and dates."""

    runs: list[list[str]]
    said: list[tuple[str, str, str, str]]


@dataclass(frozen=True, slots=True)
class ObservedRow:
    """What was observed of a node, as the passages of it."""

    node: str
    said: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ObservedCountRow:
    """How many observations of a node hold."""

    node: str
    having: int


@dataclass(frozen=True, slots=True)
class FrequencyRow:
    """How many passages a query finds, by its place among the queries."""

    place: int
    having: int


@dataclass(frozen=True, slots=True)
class NameRow:
    """A name in a text, who bears it, and how many passages of the sample have it."""

    name: str
    owners: list[str]
    having: int


@dataclass(frozen=True, slots=True)
class TextsRow:
    """The texts of an owner."""

    owner: str
    texts: list[str]


LEXICAL = query("search/lexical", Found)
NEAREST = query("search/nearest", Found)
NEAREST_OF_TYPES = query("search/nearest_of_types", Found)
AROUND = query("search/around", AroundRow)
PASSAGES = query("search/passages", Passage)
PASSAGES_OF = query("search/passages_of", cast("type[dict[str, object]]", dict))
OBSERVED_OF = query("search/observed_of", ObservedRow)
COUNTS = query("search/observed_counts", ObservedCountRow)
FREQUENCIES = query("search/frequencies", FrequencyRow)
NAMES_IN = query("search/names_in", NameRow)
TEXTS_OF = query("search/texts_of", TextsRow)


@dataclass(frozen=True, slots=True)
class Scope(Place):
    """What is searched: where, how far that is indexed, and what passages must be."""

    coverage: Coverage
    filters: Filters
    asked: str
    """The domain that was asked: what a branch was before its fork lies in the log of another."""
    then: datetime | None = None
    """The time of the number of the log as of which is searched, if one is named."""

    @property
    def analyser(self) -> Analyser:
        """What makes words of the domain's texts."""
        return ANALYSERS[self.coverage.analyser]

    @property
    def index(self) -> str:
        """The full-text index of the domain's analyser."""
        return index_of(self.coverage.analyser)

    @property
    def level(self) -> int:
        """The level of the sample that stands for the domain."""
        return max(round(math.log2(max(self.coverage.open, 1) / SAMPLE)), 0)

    def lucene(self) -> str:
        """Return what passages must be, in Lucene's syntax."""
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
        """The sample of the domain, in Lucene's syntax, whatever passages must be."""
        return lexical_filter(self.domain, at=self.at, level=self.level)

    def takes(self, passage: Passage) -> bool:
        """Say whether a passage is what it must be, as far as the indexes hold it."""
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
        """The time, in microseconds, after which an observation must end to be shown."""
        has_past = self.filters.ended or self.filters.valid is not None
        return EARLIEST if has_past else microseconds(self.then or utc_now())


async def lexical(scope: Scope, words: str, limit: int) -> list[Found]:
    """Return the passages that a query in Lucene's syntax finds; without words those that are what they must be.

    Raises INVALID_ARGUMENT for a query that is none.
    """
    asked = f"{scope.lucene()} +({words})" if words else scope.lucene()
    arguments = {"index": scope.index, "asked": asked, "at": scope.number, "limit": limit}
    return await scope.core.store.read(LEXICAL, domain=scope.domain, **arguments)


async def nearest(scope: Scope, vector: Sequence[float], limit: int) -> list[Found]:
    """Return the passages whose vectors are nearest."""
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


async def around(
    scope: Scope, ids: Sequence[str], alone: Sequence[str] = ()
) -> tuple[list[Said], Sequence[Sequence[str]]]:
    """Return what passages say and what stands around them, what others say, and runs of those that stand in order."""
    if not ids and not alone:
        return [], ()
    bounds = {"at": scope.number, "most": WALKED, "kept": KEPT, "characters": CHARACTERS}
    [row] = await scope.core.store.read(AROUND, ids=list(ids), alone=list(alone), **bounds)
    return [Said(*each) for each in row.said], row.runs


async def passages(scope: Scope, ids: Sequence[str], vector: Sequence[float] | None) -> list[Passage]:
    """Return passages, how near they are to a vector, and how many passages their owners have, up to 200."""
    if not ids:
        return []
    arguments = {"vector": None if vector is None else list(vector), "model": scope.coverage.model, "at": scope.number}
    return await scope.core.store.read(PASSAGES, ids=list(ids), most=COUNTED, **arguments)


async def passages_of(scope: Scope, owners: Sequence[str], vector: Sequence[float] | None, limit: int) -> list[Passage]:
    """Return the passages of owners that are what they must be, of at most so many."""
    arguments = {"vector": None if vector is None else list(vector), "model": scope.coverage.model, "at": scope.number}
    rows = await scope.core.store.read(PASSAGES_OF, domain=scope.domain, owners=list(owners), limit=limit, **arguments)
    return [Passage(**cast("dict[str, Any]", row)) for row in rows]


async def observed_of(
    scope: Scope, nodes: Sequence[str], vector: Sequence[float] | None, most: int
) -> dict[str, list[Passage]]:
    """Return what was observed of nodes and holds, the last of each first, up to so many."""
    if not nodes:
        return {}
    ends = scope.filters.valid or scope.shown_until
    arguments = {"vector": None if vector is None else list(vector), "model": scope.coverage.model, "at": scope.number}
    rows = await scope.core.store.read(
        OBSERVED_OF, domain=scope.domain, nodes=list(nodes), ends=ends, most=most, **arguments
    )
    found = {row.node: [Passage(**each) for each in row.said] for row in rows if row.said}
    return {node: [passage for passage in said if scope.takes(passage)] for node, said in found.items()}


async def observed_counts(scope: Scope, nodes: Sequence[str]) -> dict[str, int]:
    """Return how many observations of nodes hold, counted up to a number; of a time in the world nothing is counted."""
    if not nodes or scope.filters.valid is not None:
        return {}
    arguments = {"nodes": list(nodes), "at": scope.number, "ends": scope.shown_until, "most": MOST_OBSERVED}
    return {row.node: row.having for row in await scope.core.store.read(COUNTS, domain=scope.domain, **arguments)}


async def asked_of(scope: Scope, question: Question) -> Asked:
    """Return a question with the frequencies of its terms in a sample of the domain."""
    named: dict[str, str] = {}
    for word in question.words[:MOST_TERMS]:
        named.setdefault(question.analyser.stem(word), word)
    sample = scope.sample
    phrases = [quoted(word) for word in named.values()]
    queries = [sample, *(f"{sample} +(_text:{phrase} _head:{phrase} _words:{phrase})" for phrase in phrases)]
    rows = await scope.core.store.read(FREQUENCIES, index=scope.index, queries=queries)
    texts, *having = [row.having for row in rows]
    return Asked(question, texts, dict(zip(named, having, strict=True)))


async def names_in(scope: Scope, text: str) -> list[NameRow]:
    """Return the names that stand in a text, with how many passages of the sample have each."""
    words = words_of_names(text)
    arguments = {"index": scope.index, "filter": scope.sample, "at": scope.number, "most": BEARERS, "limit": MOST_NAMES}
    keys = list(dict.fromkeys(words))[:_MOST_KEYS]
    return await scope.core.store.read(
        NAMES_IN, domain=scope.domain, keys=keys, text=f" {' '.join(words)} ", **arguments
    )


async def texts_of(scope: Scope, owners: Sequence[str]) -> dict[str, str]:
    """Return the whole texts of owners."""
    arguments = {"owners": list(owners), "at": scope.number, "most": MOST_TEXTS}
    rows = await scope.core.store.read(TEXTS_OF, domain=scope.domain, **arguments)
    return {row.owner: " ".join(row.texts) for row in rows}
