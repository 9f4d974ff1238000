"""Relations of single-valued types, such as a person's home. A second relation of the type raises a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from graph_memory.memory.entities.remember_results import RELATION_CHOICES, Question, question_id
from graph_memory.memory.entity_graph.values.request import NewRelation
from graph_memory.memory.entity_graph.values.rows import EqualRelationsRow
from graph_memory.memory.statements.language.folding import fold_text, words_only
from graph_memory.memory.statements.language.languages import LANGUAGES
from graph_memory.memory.statements.statement_verdict import MAX_QUESTIONS
from graph_memory.model.text.wording import quote
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

_WORD_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PASSIVE_TYPES = frozenset({"owned by", "managed by", "led by", "headed by"})
_INCOMING_TYPES = frozenset({"owns", "manages", "leads", "heads"})
"""Types with at most one incoming relation per entity."""
_MAX_RELATIONS = 1_000
"""Maximum number of relations of one entity that are read."""


@dataclass(frozen=True, slots=True)
class RelationOfRow:
    """A current relation of an entity, and the entity at the other endpoint."""

    place: int
    id: str
    kind: str
    other: str | None
    since: datetime


RELATIONS_OF = query("entities/relations_of", RelationOfRow)


@dataclass(frozen=True, slots=True)
class _SingleValuedRelation:
    relation: NewRelation
    is_start: bool
    """Whether the entity with a single relation of the type is the start of the relation."""

    @property
    def entity(self) -> str:
        return self.relation.from_name if self.is_start else self.relation.to_name

    def question(self, known: str, kind: str, other: str, since: str = "") -> Question:
        """Return the question about a known relation, given its id, its type and the entity at the other endpoint.

        `since` is added to the text of the known relation.
        """
        relation = self.relation
        ends = (relation.from_name, other) if self.is_start else (other, relation.to_name)
        reason = f"{quote(self.entity)} usually has only one {relation.type} relation at a time"
        return Question(
            id=question_id(relation.id, known),
            known_text=f"{ends[0]} {kind} {ends[1]}{since}",
            new_text=f"{relation.from_name} {relation.type} {relation.to_name}",
            reason=reason,
            score=1.0,
            choices=dict(RELATION_CHOICES),
        )


async def read_single_valued(
    reader: Reader, domain: str, relations: Sequence[NewRelation], ids: Mapping[str, str]
) -> Mapping[str, Sequence[RelationOfRow]]:
    """Return the stored relations with the same entity and single-valued type, keyed by the id of the new relation.

    `ids` maps the names of start and end entities to their ids.
    """
    single_valued_relations = [
        single_valued for single_valued in _single_valued_relations(relations) if single_valued.entity in ids
    ]
    rows = [
        {"place": place, "node": ids[single_valued.entity], "is_start": single_valued.is_start}
        for place, single_valued in enumerate(single_valued_relations)
    ]
    rows_by_relation: dict[str, list[RelationOfRow]] = {}
    for row in await reader.read(RELATIONS_OF, domain=domain, rows=rows, limit=_MAX_RELATIONS) if rows else []:
        new_relation = single_valued_relations[row.place].relation
        if type_words(row.kind) == type_words(new_relation.type):
            rows_by_relation.setdefault(new_relation.id, []).append(row)
    return rows_by_relation


def questions_of_relations(
    created: Sequence[NewRelation], known: Mapping[str, Sequence[RelationOfRow]]
) -> list[Question]:
    """Return the questions that new relations raise, given the result of `read_single_valued`."""
    single_valued_relations, questions = _single_valued_relations(created), list[Question]()
    for place, single_valued in enumerate(single_valued_relations):
        kind = type_words(single_valued.relation.type)
        questions += [
            single_valued.question(row.id, row.kind, row.other or "", f" (since {row.since:%Y-%m-%d})")
            for row in known.get(single_valued.relation.id, ())
        ]
        for earlier in single_valued_relations[:place]:
            if (earlier.entity, type_words(earlier.relation.type)) == (single_valued.entity, kind):
                other = earlier.relation.to_name if single_valued.is_start else earlier.relation.from_name
                questions.append(single_valued.question(earlier.relation.id, earlier.relation.type, other))
    return questions[:MAX_QUESTIONS]


def _single_valued_relations(relations: Sequence[NewRelation]) -> list[_SingleValuedRelation]:
    return [
        _SingleValuedRelation(relation, is_start=is_start)
        for relation in relations
        if (is_start := is_outgoing_single_valued(relation.type)) is not None
    ]


def ends_by_name(relations: Sequence[NewRelation], rows: Iterable[EqualRelationsRow]) -> dict[str, str]:
    """Return the ids of the existing start and end entities of relations, keyed by name."""
    ids: dict[str, str] = {}
    for relation, row in zip(relations, rows, strict=True):
        ends = ((relation.from_name, row.from_id), (relation.to_name, row.to_id))
        ids |= {name: node for name, node in ends if node is not None}
    return ids


def is_outgoing_single_valued(kind: str) -> bool | None:
    """Return True if an entity has at most one outgoing relation of the type.

    Returns False if an entity has at most one incoming relation of the type, and None for other types.
    """
    text = type_words(kind)
    return True if text in _outgoing_types() else False if text in _INCOMING_TYPES else None


def type_words(kind: str) -> str:
    """Return the lower-case words of a type, so that `WORKS_AT`, `worksAt` and `works at` compare as equal."""
    return " ".join(words_only(fold_text(_WORD_BOUNDARY.sub(" ", kind).replace("_", " "))).split())


@cache
def _outgoing_types() -> frozenset[str]:
    return _PASSIVE_TYPES | {type_words(part) for language in LANGUAGES for part in language.holds_one.split(",")}
