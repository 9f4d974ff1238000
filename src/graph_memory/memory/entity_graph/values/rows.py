"""What is read of things by their names, as the store gives it. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from graph_memory.model.events import Draft, Op
from graph_memory.model.subjects.kinds import Kind


@dataclass(frozen=True, slots=True)
class IdRow:
    """An entity that was given by its id."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class NamedRow:
    """An entity, or a name that is only an end of relations."""

    name: str
    id: str
    type: str
    version: int
    is_mentioned: bool

    @property
    def deletion(self) -> Draft:
        """The deletion of it."""
        return _deletion(self)


@dataclass(frozen=True, slots=True)
class ObservedRow:
    """An entity, since when it holds no more, and what of it has some texts: lists of id, text and version."""

    name: str
    id: str
    over: datetime | None
    found: list[tuple[str, str, int]]

    @property
    def deletions(self) -> list[Draft]:
        """The deletions of what has these texts."""
        return [
            Draft(op=Op.DELETE, kind=Kind.OBSERVATION, subject=subject, from_id=self.id, previous=version)
            for subject, _, version in self.found
        ]


@dataclass(frozen=True, slots=True)
class RelatedRow:
    """The ends of a relation, and what is the same: lists of id, stored type and version."""

    place: int
    from_id: str | None
    from_type: str | None
    from_mentioned: bool
    to_id: str | None
    to_type: str | None
    to_mentioned: bool
    found: list[tuple[str, str, int]]

    @property
    def ends(self) -> dict[str, str]:
        """The ends that are there, with their types."""
        ends = ((self.from_id, self.from_type), (self.to_id, self.to_type))
        return {id_: kind or "" for id_, kind in ends if id_ is not None}

    @property
    def deletions(self) -> list[Draft]:
        """The deletions of what is the same."""
        return [
            Draft(
                op=Op.DELETE,
                kind=Kind.CONNECTION,
                subject=subject,
                type=kind,
                from_id=self.from_id,
                to_id=self.to_id,
                previous=version,
            )
            for subject, kind, version in self.found
        ]


@dataclass(frozen=True, slots=True)
class EndRow:
    """What is only named as an end of relations, and relations that lead to it."""

    id: str
    type: str
    version: int
    relations: list[str]

    def is_left_by(self, goes: Callable[[str], bool]) -> bool:
        """Say whether it goes too, as all that leads to it goes."""
        return all(map(goes, self.relations))

    @property
    def deletion(self) -> Draft:
        """The deletion of it."""
        return _deletion(self)


def _deletion(row: NamedRow | EndRow) -> Draft:
    return Draft(op=Op.DELETE, kind=Kind.NODE, subject=row.id, type=row.type, previous=row.version)
