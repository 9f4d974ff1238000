"""Protection of domains, nodes and connections: reason, expiry, and the actors who may remove it.

Actors who may remove it may also write. Clients choose their actor names, so protection guards against mistakes, not
against attackers. It expires without clean-up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import as_text, join_names, join_parts, printable

PROTECTION = "_protection"
"""The property with the protection in a state. It is one JSON text, so that it is compared and merged as a whole."""
LONGEST_REASON = 1_000
MOST_NAMES = 100
LONGEST_NAME = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """The protection of one domain, node or connection."""

    locked_by: str
    locked_at: datetime
    reason: str | None = None
    expires_at: datetime | None = None
    can_be_unprotected_by: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return the protection as JSON text, in its stored form."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_dict(self) -> dict[str, object]:
        """Return the protection as plain data for `read_protection`."""
        rendered = {
            "locked_by": self.locked_by,
            "locked_at": as_text(self.locked_at),
            "reason": self.reason,
            "expires_at": self.expires_at and as_text(self.expires_at),
            "can_be_unprotected_by": list(self.can_be_unprotected_by) or None,
        }
        return {name: value for name, value in rendered.items() if value is not None}

    def is_active(self, at: datetime) -> bool:
        """Return whether the protection has not expired at the given time."""
        return self.expires_at is None or at < self.expires_at

    def allows_write(self, actor: str | None) -> bool:
        """Return whether the actor may write despite the protection."""
        return actor in self.can_be_unprotected_by

    def allows_lift(self, actor: str | None, *, at_command_line: bool) -> bool:
        """Return whether an actor may remove the protection: a named actor or, if none is named, the command line."""
        return self.allows_write(actor) if self.can_be_unprotected_by else at_command_line

    @property
    def terms(self) -> tuple[object, ...]:
        """The reason, expiry and names, which make two protections equal."""
        return self.reason, self.expires_at, self.can_be_unprotected_by

    def refusal(self, message: str, details: Mapping[str, object]) -> GraphError:
        """Return the PROTECTED error for a rejected write, with the reason, the names, and the expiry."""
        fields: dict[str, object] = {
            **details,
            "locked_by": self.locked_by,
            "reason": self.reason,
            "can_be_unprotected_by": list(self.can_be_unprotected_by),
            "expires_at": self.expires_at and as_text(self.expires_at),
        }
        present = {name: value for name, value in fields.items() if value is not None}
        return GraphError(Code.PROTECTED, message, {**present, "hint": self._hint})

    @property
    def _hint(self) -> str:
        names = join_parts([*map(printable, self.can_be_unprotected_by)])
        writers = "Only {names} may write to it"
        who = Hint(writers, ", or remove the protection with {unprotect}", ".", names=names)
        if not self.can_be_unprotected_by:
            who = Hint("Only {graph-memory unprotect} on the command line can remove the protection.")
        why = f"Reason: {printable(self.reason.rstrip('.'))}. " if self.reason else ""
        until = f" It expires at {as_text(self.expires_at)}." if self.expires_at else ""
        return Hint("{why}{who}{until}", why=why, who=who, until=until)


@dataclass(frozen=True, slots=True)
class DomainProtections:
    """Whether a domain, or anything in it, is protected."""

    domain: Protection | None = None
    has_protected: bool = False
    """Whether any subject in the domain is, or was, protected. If not, writes do not look for protections."""

    @classmethod
    def of(cls, protection: str | None, has_protected: bool) -> DomainProtections:
        """Return the protections that the stored properties of a domain describe."""
        return cls(stored_protection({PROTECTION: protection}), has_protected)


def stored_protection(state: Mapping[str, object]) -> Protection | None:
    """Return the protection in a state, or None."""
    text = state.get(PROTECTION)
    return None if text is None else parse_protection(cast("str", text))


def parse_protection(text: str) -> Protection:
    """Return the protection in JSON text. Raises ValueError for invalid text."""
    try:
        data = json.loads(text)
    except ValueError:
        raise ValueError("is not JSON") from None
    if not isinstance(data, dict):
        raise ValueError("is not a JSON object")  # noqa: TRY004 - pydantic turns ValueError into a validation error
    return read_protection(cast("dict[str, Any]", data))


def read_protection(data: Mapping[str, Any]) -> Protection:
    """Return the protection in plain data. Raises ValueError."""
    if unknown := sorted(data.keys() - {"locked_by", "locked_at", "reason", "expires_at", "can_be_unprotected_by"}):
        raise ValueError(f"has the unknown key {unknown[0]}")
    names = data.get("can_be_unprotected_by", [])
    if not isinstance(names, list):
        raise ValueError("has a can_be_unprotected_by that is not a list")  # noqa: TRY004 - as above
    return Protection(
        locked_by=_check_actor(data.get("locked_by")),
        locked_at=_parse_time(data.get("locked_at")),
        reason=check_reason(data["reason"]) if "reason" in data else None,
        expires_at=_parse_time(data["expires_at"]) if "expires_at" in data else None,
        can_be_unprotected_by=check_names(cast("list[object]", names)),
    )


def describe_protection(text: str) -> str:
    """Return a stored protection as text: its expiry, who may remove it, and the reason."""
    protection = parse_protection(text)
    until = f" until {as_text(protection.expires_at)}" if protection.expires_at else ""
    names = [printable(name) for name in protection.can_be_unprotected_by]
    who = f", removable by {join_names(names)}" if names else ""
    return f"read-only{until}{who}{f': {printable(protection.reason)}' if protection.reason else ''}"


def check_reason(reason: object) -> str:
    """Check a reason, and return it. Raises ValueError."""
    if not isinstance(reason, str) or not reason.strip() or len(reason) > LONGEST_REASON:
        raise ValueError(f"reason must be a text of 1 to {LONGEST_REASON:,} characters")
    return reason


def check_names(names: Sequence[object]) -> tuple[str, ...]:
    """Check names of actors, and return them without duplicates. Raises ValueError."""
    if len(names) > MOST_NAMES:
        raise ValueError(f"can_be_unprotected_by has more than {MOST_NAMES} names")
    return tuple(dict.fromkeys(map(_check_name, names)))


def _check_actor(actor: object) -> str:
    """Check the name of the actor that set a protection, and return it. It may be any text. Raises ValueError."""
    if not isinstance(actor, str):
        raise ValueError("has a locked_by that is not a text")  # noqa: TRY004 - as above
    return actor


def _check_name(name: object) -> str:
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
        raise ValueError(f"a name of an actor must be a text of 1 to {LONGEST_NAME} characters")
    return name


def _parse_time(text: object) -> datetime:
    moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    if moment is None or moment.tzinfo is None:
        raise ValueError("has a time without a zone")
    return moment.astimezone(UTC)
