"""Relations of single-valued types, such as where a person lives. A second relation raises a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from graph_memory.memory.entities.remember_results import RELATION_CHOICES, Question, question_id
from graph_memory.memory.entity_graph.values.request import NewRelation
from graph_memory.memory.entity_graph.values.rows import RelatedRow
from graph_memory.memory.statements.language.folding import plain, words_only
from graph_memory.memory.statements.language.languages import LANGUAGES
from graph_memory.memory.statements.statement_verdict import MOST_ASKED
from graph_memory.model.text.wording import quoted
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BY_WHOM = frozenset({"owned by", "managed by", "led by", "headed by"})
_OF_WHAT = frozenset({"owns", "manages", "leads", "heads"})
"""Types of which an entity has one incoming relation."""
_MOST = 1_000
"""Maximum number of relations of one entity that are read."""


@dataclass(frozen=True, slots=True)
class RelationOfRow:
    """A current relation of an entity, and the entity at its other end."""

    place: int
    id: str
    kind: str
    other: str | None
    since: datetime


RELATIONS_OF = query("entities/relations_of", RelationOfRow)


@dataclass(frozen=True, slots=True)
class _Second:
    """A new relation of a single-valued type."""

    relation: NewRelation
    is_start: bool
    """Whether the entity is the start of the relation."""

    @property
    def thing(self) -> str:
        return self.relation.from_name if self.is_start else self.relation.to_name

    def question(self, known: str, kind: str, other: str, since: str = "") -> Question:
        """Return the question about a known relation, given its id, type and other end."""
        relation = self.relation
        ends = (relation.from_name, other) if self.is_start else (other, relation.to_name)
        reason = f"{relation.type}: {quoted(self.thing)} has one at a time"
        return Question(
            id=question_id(relation.id, known),
            known_text=f"{ends[0]} {kind} {ends[1]}{since}",
            new_text=f"{relation.from_name} {relation.type} {relation.to_name}",
            reason=reason,
            score=1.0,
            choices=dict(RELATION_CHOICES),
        )


async def relations_like(
    reader: Reader, domain: str, wanted: Sequence[NewRelation], ids: Mapping[str, str]
) -> Mapping[str, Sequence[RelationOfRow]]:
    """Return the existing relations of the same single-valued type, by the id of the new relation.

    `ids` has the ids of the ends by name.
    """
    seconds = [second for second in _seconds(wanted) if second.thing in ids]
    rows = [
        {"place": place, "node": ids[second.thing], "is_start": second.is_start} for place, second in enumerate(seconds)
    ]
    found: dict[str, list[RelationOfRow]] = {}
    for row in await reader.read(RELATIONS_OF, domain=domain, rows=rows, limit=_MOST) if rows else []:
        relation = seconds[row.place].relation
        if kind_of(row.kind) == kind_of(relation.type):
            found.setdefault(relation.id, []).append(row)
    return found


def questions_of_relations(made: Sequence[NewRelation], known: Mapping[str, Sequence[RelationOfRow]]) -> list[Question]:
    """Return the questions that new relations raise, given the result of `relations_like`. Pure."""
    seconds, questions = _seconds(made), list[Question]()
    for place, second in enumerate(seconds):
        kind = kind_of(second.relation.type)
        questions += [
            second.question(row.id, row.kind, row.other or "", f" (since {row.since:%Y-%m-%d})")
            for row in known.get(second.relation.id, ())
        ]
        earlier = (
            each for each in seconds[:place] if (each.thing, kind_of(each.relation.type)) == (second.thing, kind)
        )
        others = ((each, each.relation.to_name if second.is_start else each.relation.from_name) for each in earlier)
        questions += [second.question(each.relation.id, each.relation.type, other) for each, other in others]
    return questions[:MOST_ASKED]


def _seconds(relations: Sequence[NewRelation]) -> list[_Second]:
    return [_Second(relation, is_start=side) for relation in relations if (side := side_of(relation.type)) is not None]


def ends_by_name(wanted: Sequence[NewRelation], rows: Iterable[RelatedRow]) -> dict[str, str]:
    """Return the ids of the existing ends of relations by name."""
    found: dict[str, str] = {}
    for relation, row in zip(wanted, rows, strict=True):
        ends = ((relation.from_name, row.from_id), (relation.to_name, row.to_id))
        found |= {name: node for name, node in ends if node is not None}
    return found


def side_of(kind: str) -> bool | None:
    """Return whether a single-valued type is outgoing (true) or incoming (false); None for other types."""
    text = kind_of(kind)
    return True if text in _ends() else False if text in _OF_WHAT else None


def kind_of(kind: str) -> str:
    """Return the words of a type as written: `WORKS_AT`, `worksAt` and `works at` are equal."""
    return " ".join(words_only(plain(_HUMP.sub(" ", kind).replace("_", " "))).split())


@cache
def _ends() -> frozenset[str]:
    """Return the single-valued types of which an entity has one outgoing relation."""
    return _BY_WHOM | {kind_of(part) for language in LANGUAGES for part in language.holds_one.split(",")}
