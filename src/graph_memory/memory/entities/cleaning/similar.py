"""Finds possible duplicates: of one entity, or in a whole domain. The caller decides whether they are the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.entities.cleaning.results import Duplicate, Duplicates, SimilarEntities, SimilarEntity
from graph_memory.memory.entities.cleaning.survey import (
    SurveyRow,
    check_list_limit,
    entity_id,
    read_survey,
    survey,
)
from graph_memory.memory.entities.names.candidates import names_containing
from graph_memory.memory.entities.names.find_entities import name_of_entity
from graph_memory.memory.entities.names.similar_names import (
    LIKE,
    ComparedEntity,
    Evidence,
    evidence,
    pairs,
    part_of_two,
    parts,
)
from graph_memory.memory.entities.observations.current import CURRENT
from graph_memory.memory.entities.remember_results import question_id
from graph_memory.memory.search.place import DomainState
from graph_memory.memory.search.request import Request
from graph_memory.memory.search.search import search
from graph_memory.memory.traversal.contents import directions_of
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import ReadyCall
from graph_memory.model.subjects.subjects import fold_entity_text
from graph_memory.model.values.strength import check_fraction
from graph_memory.storage.queries import query

_MAX_SHARING = 5
"""Maximum number of entities with the same observation. An observation that more entities share is no evidence."""
_MAX_TEXTS = 5_000
_MAX_COMPARED = 200
"""Maximum number of candidates for each part of an entity's name, and of candidates with shared observations."""
_MAX_PARTS = 10
"""Maximum number of name parts for which the matching names are counted. Other parts count as ambiguous."""
_MAX_NEAREST = 30
"""Maximum number of nearest neighbours by vector with which an entity is compared."""
_MAX_TEXT = 1_000
"""Maximum number of characters of an entity's name and observations from which its vector is computed."""
_MAX_WITH_VECTORS = 2_000
"""Maximum number of entities, in all pairs together, that are compared by vectors."""


@dataclass(frozen=True, slots=True)
class SharingRow:
    """An entity that shares observations with another, and the number of shared observations."""

    id: str
    shared: int


@dataclass(frozen=True, slots=True)
class SharedRow:
    """Entities that have an observation with the same text."""

    ids: list[str]


PARTS = query("entities/parts", str)
SHARING = query("entities/sharing", SharingRow)
SHARED = query("entities/shared", SharedRow)
Pair = tuple[str, str]


async def find_similar(core: Core, domain: str, name: str, limit: int) -> SimilarEntities:
    """Return the entities that are similar to an entity. See `Entities.find_similar`."""
    limit = check_list_limit(limit)
    own_id = await entity_id(core.store, domain, await name_of_entity(core.store, domain, name))
    [own] = await read_survey(core.store, domain, [own_id])
    sharing = await core.store.read(SHARING, domain=domain, node=own_id, most=_MAX_COMPARED)
    shared = {row.id: row.shared for row in sharing}
    nearest = await _read_nearest(core, domain, own)
    cosines = nearest or {}
    name_parts = sorted({part for name in own.compared_fields.names for part in _word_parts(name)})
    ids_by_name = await core.store.read(PARTS, domain=domain, parts=name_parts, limit=_MAX_COMPARED)
    ids = [subject_id for subject_id in dict.fromkeys((*shared, *cosines, *ids_by_name)) if subject_id != own_id]
    rows = [row for row in await read_survey(core.store, domain, ids) if not own.is_different_from(row)]
    fits = await _count_name_uses(core, domain, own, rows)
    results: list[tuple[Evidence, SurveyRow]] = []
    for row in rows:
        similarity = evidence(
            own.compared_fields, row.compared_fields, shared.get(row.id, 0), cosines.get(row.id), fits.get(row.id, 0)
        )
        if similarity.score >= LIKE:
            results.append((similarity, row))
    results.sort(key=lambda pair: (-pair[0].score, pair[1].name))
    similars = tuple(
        SimilarEntity(
            name=row.name,
            type=row.type,
            score=similarity.score,
            reasons=similarity.sorted_reasons,
            call=_next_call(*_sort_by_weight(own, row), similarity),
        )
        for similarity, row in results[:limit]
    )
    return SimilarEntities(entity=name, similar=similars, without_vectors=nearest is None)


async def _count_name_uses(core: Core, domain: str, own: SurveyRow, rows: Sequence[SurveyRow]) -> dict[str, int]:
    """Return the number of names that contain the shorter of the two names, keyed by the id of the similar entity."""
    parts = {row.id: part for row in rows if (part := part_of_two(own.name, row.name))}
    counts = {
        part: len(await names_containing(core.store, domain, part)) for part in sorted({*parts.values()})[:_MAX_PARTS]
    }
    return {subject_id: counts.get(part, 2) for subject_id, part in parts.items()}


def _word_parts(name: str) -> Iterator[str]:
    for word in parts(name):
        if len(word) >= 3:
            yield from (word[:3], word[-3:])
    yield fold_entity_text(name)


async def _read_nearest(core: Core, domain: str, own: SurveyRow) -> Mapping[str, float] | None:
    """Return the cosine similarities of the nearest nodes, keyed by node id, or None if there are no vectors."""
    if core.embedder is None:
        return None
    texts = [observation.text for observation in await core.store.read(CURRENT, domain=domain, node=own.id)]
    text = f"{own.name}. {' '.join(texts)}"[:_MAX_TEXT]
    try:
        result = await search(core, domain, Request(query=text, mode="semantic", max_results=_MAX_NEAREST))
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return None
    if result.mode != "semantic":
        return None
    return {hit.id: 1 - hit.distance for hit in result.hits if hit.kind == "node" and hit.distance is not None}


async def find_duplicates(core: Core, domain: str, limit: int, min_score: float) -> Duplicates:
    """Return pairs of entities that may be the same. See `Entities.find_duplicates`."""
    limit, score = check_list_limit(limit), check_fraction("min_score", min_score)
    rows, counts = await survey(core, domain)
    duplicates = await duplicates_among(core, domain, rows, score)
    left_out = max(counts.entities - len(rows), 0)
    return Duplicates(
        duplicates=tuple(duplicates[:limit]), found=len(duplicates), compared=len(rows), left_out=left_out
    )


async def duplicates_among(core: Core, domain: str, rows: Sequence[SurveyRow], min_score: float) -> list[Duplicate]:
    """Return pairs of these entities that may be the same, most similar first."""
    rows_by_id = {row.id: row for row in rows}
    texts = await core.store.read(SHARED, domain=domain, most=_MAX_SHARING, limit=_MAX_TEXTS)
    shared = Counter(pair for row in texts for pair in combinations(sorted(row.ids), 2))
    compared = {row.id: row.compared_fields for row in rows}
    likely = await anyio.to_thread.run_sync(_find_likely, compared, shared)
    cosines = await _read_cosines(core, domain, list(likely))
    duplicates: list[Duplicate] = []
    for (first, second), fits in likely.items():
        similarity = evidence(
            compared[first], compared[second], shared[first, second], cosines.get((first, second)), fits
        )
        row, other = rows_by_id[first], rows_by_id[second]
        if similarity.score >= min_score and not row.is_different_from(other):
            kept, merged = _sort_by_weight(row, other)
            duplicates.append(
                Duplicate(
                    question=question_id(merged.id, kept.id),
                    names=(kept.name, merged.name),
                    score=similarity.score,
                    reasons=similarity.sorted_reasons,
                    call=_next_call(kept, merged, similarity),
                )
            )
    return sorted(duplicates, key=lambda duplicate: (-duplicate.score, duplicate.names))


def _find_likely(compared: Mapping[str, ComparedEntity], shared: Mapping[Pair, int]) -> dict[Pair, int]:
    """Return the pairs that may be the same entity, with the number of names that contain the shorter name."""
    candidates = dict.fromkeys(
        (*(pair for pair in shared if all(subject_id in compared for subject_id in pair)), *pairs(compared))
    )
    ids_of_shorter: dict[Pair, str] = {}
    for first, second in candidates:
        if part := part_of_two(compared[first].name, compared[second].name):
            ids_of_shorter[first, second] = first if part == compared[first].name else second
    counts = Counter(ids_of_shorter.values())
    return {
        (first, second): counts[ids_of_shorter.get((first, second), "")]
        for first, second in candidates
        if evidence(compared[first], compared[second], shared.get((first, second), 0), None, 1).reasons
    }


async def _read_cosines(core: Core, domain: str, likely: Sequence[Pair]) -> dict[Pair, float]:
    """Return the cosine similarities of the pairs in which both entities have vectors."""
    if core.embedder is None or not likely:
        return {}
    ids = list(dict.fromkeys(subject_id for pair in likely for subject_id in pair))[:_MAX_WITH_VECTORS]
    vectors = await directions_of(DomainState(core, domain, None), ids)
    return {
        (first, second): float(vectors[first] @ vectors[second])
        for first, second in likely
        if first in vectors and second in vectors
    }


def _sort_by_weight(row: SurveyRow, other: SurveyRow) -> tuple[SurveyRow, SurveyRow]:
    """Return both entities. The entity to keep comes first."""
    kept, merged = sorted((row, other), key=lambda row: row.weight, reverse=True)
    return kept, merged


def _next_call(kept: SurveyRow, merged: SurveyRow, similarity: Evidence) -> ReadyCall:
    """Return the next call: a merge if the entities share a name, else `open_nodes`."""
    call = ReadyCall(tool="open_nodes", arguments={"names": [kept.name, merged.name]})
    if similarity.has_one_name:
        call = ReadyCall(tool="merge_entities", arguments={"names": [merged.name], "into": kept.name})
    return call
