"""Row types of the queries that look up entities by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from graph_memory.model.events import Draft, Op
from graph_memory.model.subjects.kinds import Kind


@dataclass(frozen=True, slots=True)
class IdRow:
    """An entity that was identified by its id."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class NodeRow:
    """An entity, or a node that is only an endpoint of relations."""

    name: str
    id: str
    type: str
    version: int
    is_mentioned: bool

    @property
    def deletion(self) -> Draft:
        """The draft that deletes the node."""
        return _deletion(self)


@dataclass(frozen=True, slots=True)
class EntityObservationsRow:
    """An entity, the time at which it ended, and the id, text and version of each observation with a requested text."""

    name: str
    id: str
    over: datetime | None
    matches: list[tuple[str, str, int]]

    @property
    def deletions(self) -> list[Draft]:
        """The drafts that delete the matching observations."""
        return [
            Draft(op=Op.DELETE, kind=Kind.OBSERVATION, subject=subject, from_id=self.id, previous=version)
            for subject, _, version in self.matches
        ]


@dataclass(frozen=True, slots=True)
class EqualRelationsRow:
    """A relation's endpoint nodes, and the id, stored type and version of each stored relation equal to it."""

    place: int
    from_id: str | None
    from_type: str | None
    from_mentioned: bool
    to_id: str | None
    to_type: str | None
    to_mentioned: bool
    matches: list[tuple[str, str, int]]

    @property
    def ends(self) -> dict[str, str]:
        """The types of the endpoint nodes, by node id. Missing endpoints are omitted."""
        ends = ((self.from_id, self.from_type), (self.to_id, self.to_type))
        return {subject_id: kind or "" for subject_id, kind in ends if subject_id is not None}

    @property
    def deletions(self) -> list[Draft]:
        """The drafts that delete the equal stored relations."""
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
            for subject, kind, version in self.matches
        ]


@dataclass(frozen=True, slots=True)
class EndRow:
    """A node that is only an endpoint of relations, and these relations."""

    id: str
    type: str
    version: int
    relations: list[str]

    def loses_all_relations(self, is_deleted: Callable[[str], bool]) -> bool:
        """Return whether all relations of the node are deleted. The node must then be deleted too."""
        return all(map(is_deleted, self.relations))

    @property
    def deletion(self) -> Draft:
        """The draft that deletes this node."""
        return _deletion(self)


def _deletion(row: NodeRow | EndRow) -> Draft:
    return Draft(op=Op.DELETE, kind=Kind.NODE, subject=row.id, type=row.type, previous=row.version)
