"""Finds known entities that a new name may mean. Each becomes a question for the caller."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from graph_memory.memory.changes.context import read_in_parts
from graph_memory.memory.entities.names.similar_names import LIKE, SAME, Compared, evidence, is_part, part_of_two
from graph_memory.memory.entities.names.spans import find_spans
from graph_memory.memory.entities.remember_results import Candidate, question_id
from graph_memory.memory.entity_graph.entity_queries import NAMED
from graph_memory.memory.entity_graph.names import names_with_words, near_names
from graph_memory.memory.entity_graph.values.rows import NamedRow
from graph_memory.memory.entity_graph.values.spelling import ENTITY
from graph_memory.model.text.wording import quoted
from graph_memory.storage.store import Reader

_MOST = 3
_LONGEST = 6
"""Maximum number of words of a known name that is searched for in a new name."""
_NEW = 10
"""Maximum number of new names of one call that are compared with known names."""
_NAME = re.compile(r"[^\W\d_][\w.'’-]*(?: [^\W\d_a-zà-ÿ][\w.'’-]*)*")
_SPANS, _SHORTEST = 8, 3
"""Maximum number of parts of a text that are compared with known names, and minimum number of letters of a part."""


async def candidates(reader: Reader, domain: str, name: str, kind: str = ENTITY) -> list[Candidate]:
    """Return the entities with names similar to a new name of a type, or of which one contains the other."""
    rows = await _named(reader, domain, [*await near_names(reader, domain, name), *find_spans(name, _LONGEST)])
    return await _weighed(reader, domain, Compared(name, kind), rows.values(), LIKE)


async def candidates_of_new(reader: Reader, domain: str, names: Mapping[str, str]) -> Mapping[str, Sequence[Candidate]]:
    """Return the only entity whose name contains a new name or is part of it, by new name."""
    found: dict[str, Sequence[Candidate]] = {}
    for name, kind in names.items() if len(names) <= _NEW else ():
        near = [word for word in await names_with_words(reader, domain, name) if is_part(name, word)]
        rows = await _named(reader, domain, [*near, *find_spans(name, _LONGEST)])
        if (new := rows.pop(name, None)) and rows:
            near = await _weighed(reader, domain, Compared(name, kind), rows.values(), SAME)
            found[name] = as_questions(new.id, near)
    return {name: each for name, each in found.items() if each}


def as_questions(new: str, known: Iterable[Candidate]) -> list[Candidate]:
    """Return candidates with the ids of their questions. `new` is the id of the new entity."""
    return [candidate.model_copy(update={"question": question_id(new, candidate.id)}) for candidate in known]


async def meant_in_text(reader: Reader, domain: str, text: str) -> list[str]:
    """Return the names and ids of entities that a text may mean, as text."""
    spans = dict.fromkeys(match[0] for match in _NAME.finditer(text) if len(match[0]) >= _SHORTEST)
    requests = sorted(spans, key=lambda span: not span[0].isupper())[:_SPANS]
    found = {candidate.id: candidate for span in requests for candidate in await candidates(reader, domain, span)}
    best = sorted(found.values(), key=lambda candidate: -candidate.likeness)[:_MOST]
    return [f"{quoted(candidate.name)} ({candidate.id})" for candidate in best]


async def _named(reader: Reader, domain: str, names: Iterable[str]) -> dict[str, NamedRow]:
    rows = await read_in_parts(reader, NAMED, domain, names=list(dict.fromkeys(names)))
    return {row.name: row for row in rows if not row.is_mentioned}


async def _weighed(
    reader: Reader, domain: str, new: Compared, rows: Iterable[NamedRow], least: float
) -> list[Candidate]:
    """Return the known entities that are similar enough to a new one, most likely first."""
    known = [row for row in rows if row.name != new.name]
    fits = {new.name: sum(is_part(new.name, row.name) for row in known)}
    results: list[Candidate] = []
    for row in known:
        if is_part(row.name, new.name):
            fits[row.name] = len({new.name, *await fitting(reader, domain, row.name)})
        part = part_of_two(new.name, row.name) or new.name
        said = evidence(new, Compared(row.name, row.type), 0, None, fits[part])
        if said.score >= least:
            results.append(Candidate(id=row.id, name=row.name, likeness=said.score, reason=said.told[0]))
    return sorted(results, key=lambda candidate: (-candidate.likeness, candidate.name))[:_MOST]


async def fitting(reader: Reader, domain: str, part: str) -> list[str]:
    """Return the names of entities that contain a name."""
    return [word for word in await names_with_words(reader, domain, part) if is_part(part, word)]
