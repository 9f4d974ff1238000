"""Undoing changes: what is asked, what is around it, what stands against it, and what it comes to. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from graph_memory.memory.changes.values import UniqueValue
from graph_memory.model.content import Content
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.exact import same_state
from graph_memory.model.kinds import Kind
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.subjects import State

MOST_TOLD = 20
"""Conflicts that an error lists."""


class OnConflict(StrEnum):
    """What to do about a change that cannot simply be undone."""

    STOP = "stop"
    """Change nothing and say what stands against it."""
    SKIP = "skip"
    """Leave those subjects as they are."""
    FORCE = "force"
    """Undo later changes too, where that is possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """One subject whose changes are to be undone: its state before the first of them, and its last event."""

    subject: str
    last: Event
    target: State | None
    later: tuple[int, ...] = ()
    """Numbers of its changes since, that are not to be undone."""
    is_implied: bool = False
    """Whether it comes along with a node that is restored: then it is restored if it can be."""
    content: Content | None = None
    unique: frozenset[UniqueValue] = frozenset()
    """The values of unique properties that it would get."""
    owners: tuple[str, ...] = ()
    """Who else has one of them now."""

    @property
    def kind(self) -> Kind:
        """What it is."""
        return self.last.draft.kind

    @property
    def is_live(self) -> bool:
        """Whether it exists now."""
        return self.last.draft.op is not Op.DELETE

    @property
    def is_type(self) -> bool:
        """Whether it is a type of the ontology."""
        return self.kind in (Kind.NODE_TYPE, Kind.CONNECTION_TYPE)

    @property
    def ends(self) -> tuple[str, ...]:
        """The nodes that it needs: the ends of a connection, the node of an observation."""
        return tuple(end for end in (self.last.draft.from_id, self.last.draft.to_id) if end is not None)

    @property
    def changes_nothing(self) -> bool:
        """Whether it is already as it was; of what was erased nobody knows."""
        if self.last.draft.erased:
            return False
        now = self.last.draft.state if self.is_live else None
        if self.target is None or now is None:
            return self.target is now
        return same_state(self.target, now, ("_modified",))


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why one subject's changes cannot simply be undone."""

    subject: str
    reason: str
    is_forcible: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What lives around the subjects: types, nodes that are ends, and what is attached to nodes that would go."""

    ontology: Ontology
    living: Mapping[str, str] = field(default_factory=dict[str, str])
    """Nodes that are ends of the subjects, with their types."""
    attached: Mapping[str, Sequence[Draft]] = field(default_factory=dict[str, Sequence[Draft]])
    """For each node that would be deleted, the deletions of what is attached to it now."""
    users: Mapping[str, str] = field(default_factory=dict[str, str])
    """For types that would be taken back, something of each that lives and is neither a subject nor attached."""
    ontology_event: Event | None = None
    """The last event of the ontology itself, given when types would be taken back."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What undoing comes to: changes to write, and what is left as it is."""

    drafts: tuple[Draft, ...]
    skipped: tuple[Conflict, ...]
    ontology: Ontology
    """The types that there are then."""


def refused(conflicts: Sequence[Conflict]) -> GraphError:
    """Return the error that names what stands against it."""
    first = conflicts[0]
    more = f", and {len(conflicts) - 1} more" if len(conflicts) > 1 else ""
    choices = "on_conflict skip leaves these as they are"
    force = "; force undoes the later changes too" if any(conflict.is_forcible for conflict in conflicts) else ""
    told = [
        {"subject": conflict.subject, "reason": conflict.reason, "forcible": conflict.is_forcible}
        for conflict in conflicts[:MOST_TOLD]
    ]
    message = f"{first.subject} cannot be reverted: {first.reason}{more}; nothing was changed"
    return GraphError(Code.REVERT_CONFLICT, message, {"conflicts": told, "hint": f"{choices}{force}."})
