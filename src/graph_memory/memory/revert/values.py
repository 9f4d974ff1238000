"""Undoing changes: what is asked, what is around it, what stands against it, and what it comes to. Pure."""

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

MOST_NAMED = 3
"""Conflicts that the message names; the details have more."""
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
class Reversal:
    """One subject whose changes are to be undone: its state before the first of them, and its last event."""

    subject: str
    last: Event
    target: State | None
    type: str | None = None
    """The type that it had; None where it has that now."""
    later: tuple[int, ...] = ()
    """Numbers of its changes since that are not to be undone and still have an effect."""
    is_implied: bool = False
    """Whether it comes along with a node that is restored: then it is restored if it can be."""
    content: Content | None = None

    @property
    def kind(self) -> Kind:
        """What it is."""
        return self.last.draft.kind

    @property
    def is_live(self) -> bool:
        """Whether it exists now."""
        return self.last.draft.op is not Op.DELETE

    def as_it_was(self) -> Draft:
        """Return the change that undoes its changes."""
        op = Op.DELETE if self.target is None else Op.UPDATE if self.is_live else Op.CREATE
        content = self.content if self.target is not None else None
        name = (self.type if self.target is not None else None) or self.last.draft.type
        return replace(self.last.draft, op=op, type=name, previous=self.last.seq, state=self.target, content=content)

    @property
    def becomes_another(self) -> bool:
        """Whether it lives on as a node of another type."""
        return self.is_live and self.target is not None and self.as_it_was().type != self.last.draft.type

    @property
    def changes_nothing(self) -> bool:
        """Whether it is already as it was; of what was erased nobody knows."""
        if self.last.draft.erased:
            return False
        now = self.last.draft.state if self.is_live else None
        if self.target is None or now is None:
            return self.target is now
        return same_state(self.target, now, ("_modified", DECLARED)) and not self.becomes_another


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why one subject's changes cannot simply be undone."""

    subject: str
    reason: str
    is_forcible: bool = False
    needs: str | None = None
    """The node that has to exist first."""
    title: str | None = None
    call: ReadyCall | None = None
    """The call that restores the node that the subject needs, if that node was deleted."""

    @property
    def name(self) -> str:
        """The subject with its title, as far as that is known."""
        return with_title(self.subject, self.title)


class NotReverted(GraphError):  # noqa: N818 - it says what did not happen
    """The error for changes that cannot be undone, with all conflicts."""

    def __init__(self, conflicts: Sequence[Conflict]) -> None:
        error = refused(conflicts)
        super().__init__(error.code, error.message, error.details)
        self.conflicts = conflicts


@dataclass(frozen=True, slots=True)
class Plan:
    """What undoing comes to: changes to write, and what is left as it is."""

    drafts: tuple[Draft, ...]
    skipped: tuple[Conflict, ...]
    ontology: Ontology
    """The types that there are then."""


def refused(conflicts: Sequence[Conflict], calls: Mapping[str, ReadyCall] | None = None) -> GraphError:
    """Return the error that names the conflicts, and the call for each choice."""
    named = [f"{conflict.name} cannot be reverted: {conflict.reason}" for conflict in conflicts[:MOST_NAMED]]
    more = f"; and {len(conflicts) - MOST_NAMED} more" if len(conflicts) > MOST_NAMED else ""
    choices = Hint("{on_conflict} skip leaves these as they are")
    force = "; force undoes the later changes too" if any(conflict.is_forcible for conflict in conflicts) else ""
    together = ". To undo all changes of the call that made them, give the since and until of its receipt"
    lines = [_told(conflict) for conflict in conflicts[:MOST_TOLD]]
    message = f"{'; '.join(named)}{more}; nothing was changed"
    ready = {"calls": {choice: call.to_dict() for choice, call in calls.items()}} if calls else {}
    hint = Hint("{choices}{force}{together}.", choices=choices, force=force, together=together)
    return GraphError(Code.REVERT_CONFLICT, message, {"conflicts": lines, **ready, "hint": hint})


def _told(conflict: Conflict) -> dict[str, object]:
    title = {} if conflict.title is None else {"title": conflict.title}
    call = {} if conflict.call is None else {"call": conflict.call.to_dict()}
    return {
        "subject": conflict.subject,
        **title,
        "reason": conflict.reason,
        "forcible": conflict.is_forcible,
        **call,
    }
