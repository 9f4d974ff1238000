"""The values of a revert: reversals, conflicts and plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.results import ReadyCall
from graph_memory.model.subjects.kinds import DECLARED, Kind
from graph_memory.model.subjects.subjects import State
from graph_memory.model.text.wording import with_title
from graph_memory.model.values.content import Content
from graph_memory.model.values.exact import same_state

MAX_NAMED = 3
"""Maximum number of conflicts that an error message lists."""
MAX_REPORTED = 20
"""Maximum number of conflicts in the details of an error."""


class OnConflict(StrEnum):
    """The choice of how to handle a subject with a conflict."""

    STOP = "stop"
    """Change nothing and raise REVERT_CONFLICT."""
    SKIP = "skip"
    """Leave these subjects unchanged."""
    FORCE = "force"
    """Undo later changes too, if possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """The reversal of a subject's changes, with the subject's state before the first change, and its last event."""

    subject: str
    last: Event
    target: State | None
    type: str | None = None
    """The earlier type, or None if the type is unchanged."""
    later: tuple[int, ...] = ()
    """Event numbers of the subject's later changes that are not undone and still have an effect."""
    is_implied: bool = False
    """Whether the subject was deleted together with a node that is restored. It is restored if possible."""
    content: Content | None = None

    @property
    def kind(self) -> Kind:
        """The kind of the subject."""
        return self.last.draft.kind

    @property
    def is_live(self) -> bool:
        """Whether the subject currently exists."""
        return self.last.draft.op is not Op.DELETE

    def as_draft(self) -> Draft:
        """Return the draft that writes the target state. If the subject did not exist then, the draft deletes it."""
        op = Op.DELETE if self.target is None else Op.UPDATE if self.is_live else Op.CREATE
        content = self.content if self.target is not None else None
        subject_type = (self.type if self.target is not None else None) or self.last.draft.type
        return replace(
            self.last.draft, op=op, type=subject_type, previous=self.last.seq, state=self.target, content=content
        )

    @property
    def changes_type(self) -> bool:
        """Whether the subject stays live but gets another type."""
        return self.is_live and self.target is not None and self.as_draft().type != self.last.draft.type

    @property
    def has_no_effect(self) -> bool:
        """Whether the subject already has the target state. False for an erased subject, since its state is unknown."""
        if self.last.draft.erased:
            return False
        now = self.last.draft.state if self.is_live else None
        if self.target is None or now is None:
            return self.target is now
        return same_state(self.target, now, ("_modified", DECLARED)) and not self.changes_type


@dataclass(frozen=True, slots=True)
class Conflict:
    """A reason why one subject's changes cannot be undone."""

    subject: str
    reason: str
    can_be_forced: bool = False
    needs: str | None = None
    """The id of the node that has to exist first."""
    title: str | None = None
    call: ReadyCall | None = None
    """The call that restores the node `needs`, if the node was deleted."""

    @property
    def name(self) -> str:
        """The id of the subject, with its title if known."""
        return with_title(self.subject, self.title)


class RevertConflictError(GraphError):
    """The error for changes that cannot be undone. `conflicts` has all conflicts, the details only some of them."""

    def __init__(self, conflicts: Sequence[Conflict]) -> None:
        error = revert_conflict_error(conflicts)
        super().__init__(error.code, error.message, error.details)
        self.conflicts = conflicts


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes to write, and the skipped conflicts."""

    drafts: tuple[Draft, ...]
    skipped: tuple[Conflict, ...]
    ontology: Ontology
    """The ontology after the revert."""


def revert_conflict_error(conflicts: Sequence[Conflict], calls: Mapping[str, ReadyCall] | None = None) -> GraphError:
    """Return the error for conflicts. Its details contain the first conflicts, and the given calls."""
    choices = Hint("Use {on_conflict} skip to leave these unchanged")
    force_hint = ", or force to undo later changes too" if any(conflict.can_be_forced for conflict in conflicts) else ""
    receipt_hint = ". To undo a whole call, pass the since and until of its result"
    reported_conflicts = [_render_conflict(conflict) for conflict in conflicts[:MAX_REPORTED]]
    calls_by_choice = {"calls": {choice: call.to_dict() for choice, call in calls.items()}} if calls else {}
    hint = Hint("{choices}{force}{receipt}.", choices=choices, force=force_hint, receipt=receipt_hint)
    details = {"conflicts": reported_conflicts, **calls_by_choice, "hint": hint}
    return GraphError(Code.REVERT_CONFLICT, _conflict_message(conflicts), details)


def _conflict_message(conflicts: Sequence[Conflict]) -> str:
    if len(conflicts) == 1:
        return f"{conflicts[0].name} cannot be reverted: {conflicts[0].reason}. Nothing was changed"
    lines = [f"  {conflict.name}: {conflict.reason}" for conflict in conflicts[:MAX_NAMED]]
    more = [f"  and {len(conflicts) - MAX_NAMED:,} more"] if len(conflicts) > MAX_NAMED else []
    return "\n".join([f"{len(conflicts):,} changes cannot be reverted, and nothing was changed:", *lines, *more])


def _render_conflict(conflict: Conflict) -> dict[str, object]:
    title = {} if conflict.title is None else {"title": conflict.title}
    call = {} if conflict.call is None else {"call": conflict.call.to_dict()}
    return {
        "subject": conflict.subject,
        **title,
        "reason": conflict.reason,
        "forcible": conflict.can_be_forced,
        **call,
    }
