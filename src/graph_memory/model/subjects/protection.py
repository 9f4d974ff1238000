"""Protection: what is read-only, why and until when, and who may lift it. It ends by itself, without being cleaned up.

Whoever may lift it may also write. Names of actors are claims: it guards against mistakes, not against attackers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import listed, listed_parts, shown

PROTECTION = "_protection"
"""The name under which a state keeps it, as JSON: one value, so that it is compared and merged as a whole."""
LONGEST_REASON = 1_000
MOST_NAMES = 100
LONGEST_NAME = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """That something is read-only: since when and by whom, why, until when, and who may lift it."""

    locked_by: str
    locked_at: datetime
    reason: str | None = None
    expires_at: datetime | None = None
    can_be_unprotected_by: tuple[str, ...] = ()

    def text(self) -> str:
        """Return it as stored."""
        return json.dumps(self.told(), ensure_ascii=False)

    def told(self) -> dict[str, object]:
        """Return it as plain data, as `read_protection` takes it."""
        told = {
            "locked_by": self.locked_by,
            "locked_at": _told(self.locked_at),
            "reason": self.reason,
            "expires_at": self.expires_at and _told(self.expires_at),
            "can_be_unprotected_by": list(self.can_be_unprotected_by) or None,
        }
        return {name: value for name, value in told.items() if value is not None}

    def holds(self, at: datetime) -> bool:
        """Say whether it has not expired at that time."""
        return self.expires_at is None or at < self.expires_at

    def lets_write(self, actor: str | None) -> bool:
        """Say whether somebody of that name may write all the same."""
        return actor in self.can_be_unprotected_by

    def lets_lift(self, actor: str | None, *, at_command_line: bool) -> bool:
        """Say whether somebody may lift or change it: who is named; when nobody is, whoever is at the command line."""
        return self.lets_write(actor) if self.can_be_unprotected_by else at_command_line

    @property
    def meaning(self) -> tuple[object, ...]:
        """What it says, whoever made it and when."""
        return self.reason, self.expires_at, self.can_be_unprotected_by

    def refusal(self, message: str, details: Mapping[str, object]) -> GraphError:
        """Return the error for a write that it forbids, with the reason, who may lift it, and until when it holds."""
        told: dict[str, object] = {
            **details,
            "locked_by": self.locked_by,
            "reason": self.reason,
            "can_be_unprotected_by": list(self.can_be_unprotected_by),
            "expires_at": self.expires_at and _told(self.expires_at),
        }
        known = {name: value for name, value in told.items() if value is not None}
        return GraphError(Code.PROTECTED, message, {**known, "hint": self._hint})

    @property
    def _hint(self) -> str:
        names = listed_parts([*map(shown, self.can_be_unprotected_by)])
        writing = "Only {names} may write to it"
        who = Hint(writing, ", or lift the protection with {unprotect}", ".", names=names)
        if not self.can_be_unprotected_by:
            who = Hint("Only {graph-memory unprotect} on the command line lifts the protection.")
        why = f"Reason: {shown(self.reason.rstrip('.'))}. " if self.reason else ""
        until = f" It expires at {_told(self.expires_at)}." if self.expires_at else ""
        return Hint("{why}{who}{until}", why=why, who=who, until=until)


@dataclass(frozen=True, slots=True)
class Guard:
    """What of a domain is protected: all of it, or perhaps something in it."""

    domain: Protection | None = None
    has_protected: bool = False
    """Whether anything in it is, or once was, protected: where nothing is, no write looks for it."""

    @classmethod
    def of(cls, protection: str | None, has_protected: bool) -> Guard:
        """Return what a domain's own node tells."""
        return cls(stored_protection({PROTECTION: protection}), has_protected)


def stored_protection(state: Mapping[str, object]) -> Protection | None:
    """Return the protection that a state keeps, None when there is none."""
    text = state.get(PROTECTION)
    return None if text is None else protection_from(cast("str", text))


def protection_from(text: str) -> Protection:
    """Return the protection that a text stands for. Raises ValueError for a text that stands for none."""
    try:
        told = json.loads(text)
    except ValueError:
        raise ValueError("is not JSON") from None
    if not isinstance(told, dict):
        raise ValueError("is not a JSON object")  # noqa: TRY004 - what pydantic takes for a fault of the text
    return read_protection(cast("dict[str, Any]", told))


def read_protection(told: Mapping[str, Any]) -> Protection:
    """Return the protection that plain data stands for. Raises ValueError."""
    if unknown := sorted(told.keys() - {"locked_by", "locked_at", "reason", "expires_at", "can_be_unprotected_by"}):
        raise ValueError(f"has {unknown[0]}, which no protection has")
    names = told.get("can_be_unprotected_by", [])
    if not isinstance(names, list):
        raise ValueError("has a can_be_unprotected_by that is not a list")  # noqa: TRY004 - as above
    return Protection(
        locked_by=_actor(told.get("locked_by")),
        locked_at=_moment(told.get("locked_at")),
        reason=check_reason(told["reason"]) if "reason" in told else None,
        expires_at=_moment(told["expires_at"]) if "expires_at" in told else None,
        can_be_unprotected_by=check_names(cast("list[object]", names)),
    )


def told_protection(text: str) -> str:
    """Return in words what a stored protection says: until when, who may lift it, and why."""
    found = protection_from(text)
    until = f" until {_told(found.expires_at)}" if found.expires_at else ""
    names = [shown(name) for name in found.can_be_unprotected_by]
    who = f", lifted by {listed(names)}" if names else ""
    return f"read-only{until}{who}{f': {shown(found.reason)}' if found.reason else ''}"


def check_reason(given: object) -> str:
    """Return a reason that may be. Raises ValueError."""
    if not isinstance(given, str) or not given.strip() or len(given) > LONGEST_REASON:
        raise ValueError(f"reason must be a text of 1 to {LONGEST_REASON:,} characters")
    return given


def check_names(given: Sequence[object]) -> tuple[str, ...]:
    """Return names of actors, each once. Raises ValueError."""
    if len(given) > MOST_NAMES:
        raise ValueError(f"can_be_unprotected_by has more than {MOST_NAMES} names")
    return tuple(dict.fromkeys(map(_name, given)))


def _actor(given: object) -> str:
    """Return who made a protection: a client calls itself as it likes."""
    if not isinstance(given, str):
        raise ValueError("has a locked_by that is not a text")  # noqa: TRY004 - as above
    return given


def _name(given: object) -> str:
    if not isinstance(given, str) or not given.strip() or len(given) > LONGEST_NAME:
        raise ValueError(f"a name of an actor must be a text of 1 to {LONGEST_NAME} characters")
    return given


def _moment(given: object) -> datetime:
    moment = datetime.fromisoformat(given) if isinstance(given, str) else None
    if moment is None or moment.tzinfo is None:
        raise ValueError("has a time without a zone")
    return moment.astimezone(UTC)


def _told(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
