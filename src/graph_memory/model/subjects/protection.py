"""Protection of domains, nodes and connections: reason, expiry, and the actors who may remove it.

Actors who may remove a protection may also write. Clients choose their actor names, so protection prevents mistakes,
not attacks. An expired protection has no effect, and is not removed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import as_text, printable, quote

PROTECTION = "_protection"
"""The property that stores a subject's protection. It is one JSON string, so it is compared and merged as a whole."""
LONGEST_REASON = 1_000
MOST_NAMES = 100
LONGEST_NAME = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """A domain's, node's or connection's protection: who set it, when, why and until when, and who may remove it."""

    locked_by: str
    locked_at: datetime
    reason: str | None = None
    expires_at: datetime | None = None
    can_be_unprotected_by: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return the protection as JSON text for storage."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_dict(self) -> dict[str, object]:
        """Return the protection as JSON-compatible data for `read_protection`. Empty fields are omitted."""
        rendered = {
            "locked_by": self.locked_by,
            "locked_at": as_text(self.locked_at),
            "reason": self.reason,
            "expires_at": self.expires_at and as_text(self.expires_at),
            "can_be_unprotected_by": list(self.can_be_unprotected_by) or None,
        }
        return {name: value for name, value in rendered.items() if value is not None}

    def is_active(self, at: datetime) -> bool:
        """Return whether the protection has not expired by this time."""
        return self.expires_at is None or at < self.expires_at

    def allows_write(self, actor: str | None) -> bool:
        """Return whether the actor may write despite the protection."""
        return actor in self.can_be_unprotected_by

    def allows_lift(self, actor: str | None, *, at_command_line: bool) -> bool:
        """Return whether the actor may remove the protection. If no actors are listed, only the command line may."""
        return self.allows_write(actor) if self.can_be_unprotected_by else at_command_line

    @property
    def terms(self) -> tuple[object, ...]:
        """The values by which two protections are compared: reason, expiry and actors' names."""
        return self.reason, self.expires_at, self.can_be_unprotected_by

    def protected_error(self, message: str, details: Mapping[str, object]) -> GraphError:
        """Return the PROTECTED error for a rejected write, with the reason, the names, and the expiry."""
        fields: dict[str, object] = {
            **details,
            "locked_by": self.locked_by,
            "reason": self.reason,
            "can_be_unprotected_by": list(self.can_be_unprotected_by),
            "expires_at": self.expires_at and as_text(self.expires_at),
        }
        filled_fields = {name: value for name, value in fields.items() if value is not None}
        return GraphError(Code.PROTECTED, message, {**filled_fields, "hint": self._hint})

    @property
    def _hint(self) -> str:
        names = " and ".join(map(quote, self.can_be_unprotected_by))
        who = Hint("Only {names} can change it. Ask for the protection to be removed.", names=names)
        if not self.can_be_unprotected_by:
            who = Hint("Only {graph-memory unprotect} on the command line can remove the protection.")
        why = f"Reason: {printable(self.reason.rstrip('.'))}. " if self.reason else ""
        until = f" It expires at {as_text(self.expires_at)}." if self.expires_at else ""
        return Hint("{why}{who}{until}", why=why, who=who, until=until)


@dataclass(frozen=True, slots=True)
class Protections:
    """A domain's protection, and whether subjects in the domain could be protected."""

    domain: Protection | None = None
    has_protected: bool = False
    """Whether any subject in the domain is or was protected. If not, writes do not check protections."""

    @classmethod
    def of(cls, protection: str | None, has_protected: bool) -> Protections:
        """Return a domain's protections, given its stored protection as JSON text."""
        return cls(stored_protection({PROTECTION: protection}), has_protected)


def stored_protection(state: Mapping[str, object]) -> Protection | None:
    """Return the protection in a subject's state, or None. Raises ValueError if it is invalid."""
    text = state.get(PROTECTION)
    return None if text is None else parse_protection(cast("str", text))


def parse_protection(text: str) -> Protection:
    """Parse a protection from JSON text. Raises ValueError if the text is invalid."""
    try:
        data = json.loads(text)
    except ValueError:
        raise ValueError("is not JSON") from None
    if not isinstance(data, dict):
        raise ValueError("is not a JSON object")  # noqa: TRY004 - pydantic turns ValueError into a validation error
    return read_protection(cast("dict[str, Any]", data))


def read_protection(data: Mapping[str, Any]) -> Protection:
    """Parse a protection from plain data. Raises ValueError if the data is invalid."""
    if unknown := sorted(data.keys() - {"locked_by", "locked_at", "reason", "expires_at", "can_be_unprotected_by"}):
        raise ValueError(f"contains the unknown key {unknown[0]}")
    names = data.get("can_be_unprotected_by", [])
    if not isinstance(names, list):
        raise ValueError("contains a can_be_unprotected_by that is not a list")  # noqa: TRY004 - as above
    locked_by = data.get("locked_by")
    if not isinstance(locked_by, str):
        raise ValueError("contains a locked_by that is not a string")  # noqa: TRY004 - as above
    return Protection(
        locked_by=locked_by,
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
    who = f", {' or '.join(names)} can unprotect it" if names else ""
    return f"protected{until}{who}{f': {printable(protection.reason)}' if protection.reason else ''}"


def check_reason(reason: object) -> str:
    """Check a reason, and return it. Raises ValueError if it is not text, blank or too long."""
    if not isinstance(reason, str) or not reason.strip() or len(reason) > LONGEST_REASON:
        raise ValueError(f"reason must be a string of 1 to {LONGEST_REASON:,} characters")
    return reason


def check_names(names: Sequence[object]) -> tuple[str, ...]:
    """Check actors' names, and return them without duplicates.

    Raises ValueError if a name is not text, blank or too long, or if there are too many.
    """
    if len(names) > MOST_NAMES:
        raise ValueError(f"can_be_unprotected_by contains more than {MOST_NAMES} names")
    return tuple(dict.fromkeys(map(_check_name, names)))


def _check_name(name: object) -> str:
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
        raise ValueError(f"the name of an actor must be a string of 1 to {LONGEST_NAME} characters")
    return name


def _parse_time(text: object) -> datetime:
    moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    if moment is None or moment.tzinfo is None:
        raise ValueError("contains a time without a time zone")
    return moment.astimezone(UTC)
