"""Finds stored entities to which a new name may refer. Each of them becomes a question for the caller."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from graph_memory.memory.changes.context import read_in_parts
from graph_memory.memory.entities.names.similar_names import LIKE, SAME, ComparedEntity, evidence, is_part, part_of_two
from graph_memory.memory.entities.names.spans import find_spans
from graph_memory.memory.entities.remember_results import Candidate, question_id
from graph_memory.memory.entity_graph.entity_queries import NODES_BY_NAME
from graph_memory.memory.entity_graph.names import names_with_words, near_names
from graph_memory.memory.entity_graph.values.rows import NodeRow
from graph_memory.memory.entity_graph.values.spelling import ENTITY
from graph_memory.model.text.wording import quote
from graph_memory.storage.store import Reader

_MAX_CANDIDATES = 3
_MAX_WORDS = 6
"""Maximum number of words in a known name that is searched for in a new name."""
_MAX_NEW = 10
"""Maximum number of new names per call that are compared with known names."""
_NAME = re.compile(r"[^\W\d_][\w.'’-]*(?: [^\W\d_a-zà-ÿ][\w.'’-]*)*")
_MAX_SPANS, _MIN_LETTERS = 8, 3
"""Maximum number of parts of a text that are compared with known names, and minimum number of letters of a part."""


async def find_candidates(reader: Reader, domain: str, name: str, kind: str = ENTITY) -> list[Candidate]:
    """Return the entities whose names are similar to a new name, contain it, or are contained in it."""
    rows = await _entities_named(
        reader, domain, [*await near_names(reader, domain, name), *find_spans(name, _MAX_WORDS)]
    )
    return await _rank(reader, domain, ComparedEntity(name, kind), rows.values(), LIKE)


async def candidates_of_new(reader: Reader, domain: str, names: Mapping[str, str]) -> Mapping[str, Sequence[Candidate]]:
    """Return, for each new name, the existing entities whose name contains it or is part of it.

    An entity is omitted if the shorter name is part of several names. Names without candidates are also omitted.
    Returns an empty mapping for more than 10 new names.
    """
    candidates_by_name: dict[str, Sequence[Candidate]] = {}
    for name, kind in names.items() if len(names) <= _MAX_NEW else ():
        near = await names_containing(reader, domain, name)
        rows = await _entities_named(reader, domain, [*near, *find_spans(name, _MAX_WORDS)])
        if (new := rows.pop(name, None)) and rows:
            candidates = await _rank(reader, domain, ComparedEntity(name, kind), rows.values(), SAME)
            candidates_by_name[name] = with_question_ids(new.id, candidates)
    return {name: candidates for name, candidates in candidates_by_name.items() if candidates}


def with_question_ids(new: str, known: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates with the ids of their questions. `new` is the id of the new entity."""
    return [candidate.model_copy(update={"question": question_id(new, candidate.id)}) for candidate in known]


async def suggest_entities(reader: Reader, domain: str, text: str) -> list[str]:
    """Return the entities that a text may refer to, each as a string with its name and id, most similar first."""
    spans = dict.fromkeys(match[0] for match in _NAME.finditer(text) if len(match[0]) >= _MIN_LETTERS)
    parts = sorted(spans, key=lambda span: not span[0].isupper())[:_MAX_SPANS]
    candidates_by_id = {
        candidate.id: candidate for span in parts for candidate in await find_candidates(reader, domain, span)
    }
    best = sorted(candidates_by_id.values(), key=lambda candidate: -candidate.likeness)[:_MAX_CANDIDATES]
    return [f"{quote(candidate.name)} ({candidate.id})" for candidate in best]


async def _entities_named(reader: Reader, domain: str, names: Iterable[str]) -> dict[str, NodeRow]:
    rows = await read_in_parts(reader, NODES_BY_NAME, domain, names=list(dict.fromkeys(names)))
    return {row.name: row for row in rows if not row.is_mentioned}


async def _rank(
    reader: Reader, domain: str, new: ComparedEntity, rows: Iterable[NodeRow], min_score: float
) -> list[Candidate]:
    """Return the known entities whose similarity to the new entity is at least `min_score`, most similar first."""
    known = [row for row in rows if row.name != new.name]
    name_counts = {new.name: sum(is_part(new.name, row.name) for row in known)}
    results: list[Candidate] = []
    for row in known:
        if is_part(row.name, new.name):
            name_counts[row.name] = len({new.name, *await names_containing(reader, domain, row.name)})
        part = part_of_two(new.name, row.name) or new.name
        similarity = evidence(new, ComparedEntity(row.name, row.type), 0, None, name_counts[part])
        if similarity.score >= min_score:
            results.append(
                Candidate(id=row.id, name=row.name, likeness=similarity.score, reason=similarity.sorted_reasons[0])
            )
    return sorted(results, key=lambda candidate: (-candidate.likeness, candidate.name))[:_MAX_CANDIDATES]


async def names_containing(reader: Reader, domain: str, part: str) -> list[str]:
    """Return the names of entities whose names contain `part`."""
    return [name for name in await names_with_words(reader, domain, part) if is_part(part, name)]
