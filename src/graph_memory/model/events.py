"""The log: drafts that a decision asks for, the events they become, and the receipt for having written them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import cast

from ulid import ULID

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.subjects.kinds import DECLARED, ONTOLOGY_KINDS, Kind
from graph_memory.model.subjects.protection import PROTECTION, Guard, stored_protection
from graph_memory.model.subjects.subjects import State, StoredValue, content_ref, present
from graph_memory.model.text.wording import quoted
from graph_memory.model.time.clock import next_time
from graph_memory.model.values.arguments import fault, is_encodable
from graph_memory.model.values.content import Content


class Op(StrEnum):
    """What an event did to its subject."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    SNAPSHOT = "snapshot"
    """It changed nothing: the states with which the log of a branch begins, or one that was compacted."""


def new_id(prefix: str) -> str:
    """Return a fresh id: the prefix and a ULID, sortable by the time of its making."""
    return f"{prefix}_{ULID()}"


WHOLE_ID = re.compile(r"(mem|conn|obs|link)_[0-9A-HJKMNP-TV-Z]{26}|session_(?:[0-9a-f]{12}|[0-9a-f]{32})")
"""The form of the ids that are made for data and sessions."""


def is_whole(name: str) -> bool:
    """Say whether a name has the form of the ids that are made for data and sessions: it is the beginning of no other.

    Who looks for what a name may be the beginning of need not look then.
    """
    return WHOLE_ID.fullmatch(name) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Who asked for a change: the session, `agent` or `user`, and a name; and whether it was by the command line."""

    session: str | None = None
    source: str = "user"
    actor: str | None = None
    at_command_line: bool = False

    def __post_init__(self) -> None:
        """Raise INVALID_ARGUMENT for a name that nothing can keep."""
        for argument, given in (("session", self.session), ("actor", self.actor)):
            if given is not None and not is_encodable(given):
                raise fault(argument, f"{quoted(given)} contains a lone surrogate", "Remove it from the name.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One change that a decision asks for, before the log has numbered it.

    `state` is the whole state after the change, None for a delete. `content` is given when the change writes
    content, with its search `windows` when those were made already; `previous` is the subject's version before.
    What is `erased` is a delete to everybody who reads the log; `was` is what it did, None for the erasure itself.
    """

    op: Op
    kind: Kind
    subject: str
    type: str | None = None
    from_id: str | None = None
    to_id: str | None = None
    previous: int | None = None
    state: State | None = None
    content: Content | None = None
    windows: tuple[str, ...] | None = None
    erased: bool = False
    was: Op | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """By what a write that was asked for is known again, by any process: its first event has this id, and this hash."""

    batch: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A draft in its place in a domain's log. The first of a write with an idempotency key has the request's hash."""

    domain: str
    seq: int
    id: str
    at: datetime
    batch: str
    origin: Origin
    draft: Draft
    request: str | None = None
    refused: str | None = None

    def row(self) -> State:
        """Return the event as the properties of its `_Event` node."""
        return {**(self.draft.state or {}), **self.header()}

    def header(self) -> State:
        """Return what its `_Event` node has beside its subject's state."""
        header: dict[str, StoredValue | None] = {
            "_domain": self.domain,
            "_seq": self.seq,
            "_id": self.id,
            "_op": str(self.draft.op),
            "_kind": str(self.draft.kind),
            "_subject": self.draft.subject,
            "_type": self.draft.type,
            "_from": self.draft.from_id,
            "_to": self.draft.to_id,
            "_prev": self.draft.previous,
            "_at": self.at,
            "_session": self.origin.session,
            "_source": self.origin.source,
            "_actor": self.origin.actor,
            "_batch": self.batch,
            "_request": self.request,
            "_refused": self.refused,
            "_erased": self.draft.erased or None,
            "_was": str(self.draft.was) if self.draft.was else None,
        }
        return present(header)

    @classmethod
    def from_row(cls, row: Mapping[str, object]) -> Event:
        """Return the event that an `_Event` node's properties describe; its times may be text.

        Raises STORE_CONFLICT for one that was damaged.
        """
        try:
            return cls._from_row(row)
        except (KeyError, ValueError) as error:
            amiss = f"it lacks {error}" if isinstance(error, KeyError) else f"{error}"
            message = f"Event {row.get('_seq')} of domain {row.get('_domain')} cannot be read: {amiss}"
            hint = "The log was changed from outside. Restore the database from a backup."
            raise GraphError(Code.STORE_CONFLICT, message, {"hint": hint}) from error

    @classmethod
    def _from_row(cls, row: Mapping[str, object]) -> Event:
        row = with_moments(row)
        header = cast("Mapping[str, str]", row)
        op = Op(header["_op"])
        state = {key: cast("StoredValue", value) for key, value in row.items() if key not in HEADER}
        content_ref(state)
        draft = Draft(
            op=op,
            kind=Kind(header["_kind"]),
            subject=header["_subject"],
            type=header.get("_type"),
            from_id=header.get("_from"),
            to_id=header.get("_to"),
            previous=cast("int | None", row.get("_prev")),
            state=None if op is Op.DELETE else state,
            erased=row.get("_erased") is True,
            was=Op(header["_was"]) if "_was" in header else None,
        )
        return cls(
            domain=header["_domain"],
            seq=cast("int", row["_seq"]),
            id=header["_id"],
            at=cast("datetime", row["_at"]),
            batch=header["_batch"],
            request=header.get("_request"),
            refused=header.get("_refused"),
            origin=Origin(session=header.get("_session"), source=header["_source"], actor=header.get("_actor")),
            draft=draft,
        )


HEADER = frozenset(
    {"_domain", "_seq", "_id", "_op", "_kind", "_subject", "_type", "_from", "_to", "_prev"}
    | {"_at", "_session", "_source", "_actor", "_batch", "_request", "_refused", "_snapshot_of"}
    | {"_erased", "_was"}
)
"""The names on an `_Event` that are not its subject's state."""


TIMES = frozenset({"_at", "_created", "_modified"})
"""The times that nearly every event has."""


def with_moments(row: Mapping[str, object]) -> Mapping[str, object]:
    """Return properties of an event in which these times are times, not text."""
    texts = {name: text for name in TIMES if isinstance(text := row.get(name), str)}
    return {**row, **{name: datetime.fromisoformat(text) for name, text in texts.items()}}


def in_its_place(state: State, last: Event) -> State:
    """Return what a type becomes, with the place among the types that it has had until its last event."""
    kept = (last.draft.state or {}).get(DECLARED, last.seq)
    own = {name: value for name, value in state.items() if name != DECLARED}
    return own if last.draft.op is Op.DELETE else {**own, DECLARED: kept}


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a receipt."""

    op: Op
    kind: Kind
    subject: str
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a write did: its changes in log order, none when there was nothing to change.

    It is `repeated` when the log had the write already, from an earlier run of it, which may have `refused` something.
    """

    domain: str
    batch: str
    changes: tuple[Change, ...] = ()
    repeated: bool = False
    refused: str | None = None

    @classmethod
    def of(cls, domain: str, batch: str, events: Iterable[Event]) -> Receipt:
        """Return the receipt for events that were written."""
        lines = (Change(event.draft.op, event.draft.kind, event.draft.subject, event.seq) for event in events)
        return cls(domain=domain, batch=batch, changes=tuple(lines))

    @property
    def seq(self) -> int | None:
        """The log's number after the write, None when nothing was written."""
        return self.changes[-1].seq if self.changes else None

    def version_of(self, subject: str) -> int | None:
        """Return the subject's version after the write, None when the write did not touch it."""
        return next((change.seq for change in reversed(self.changes) if change.subject == subject), None)


def number(
    drafts: Sequence[Draft],
    *,
    domain: str,
    after: int,
    at: datetime,
    batch: str,
    origin: Origin,
    first: str | None = None,
    request: str | None = None,
    refused: str | None = None,
) -> list[Event]:
    """Return the drafts as events numbered from `after + 1`.

    The first event has the request and what of it was refused, and its id is that of the batch, unless the batch began
    before and it is given one.
    """
    return [
        Event(
            domain=domain,
            seq=after + place,
            id=(first or batch) if place == 1 else new_id("evt"),
            at=at,
            batch=batch,
            origin=origin,
            draft=draft,
            request=request if place == 1 else None,
            refused=refused if place == 1 else None,
        )
        for place, draft in enumerate(drafts, start=1)
    ]


def ontology_version(events: Iterable[Event], before: int) -> int:
    """Return the version of the ontology after the events: the seq of the last event that changed it."""
    return max((event.seq for event in events if event.draft.kind in ONTOLOGY_KINDS), default=before)


def guard_after(events: Iterable[Event], before: Guard) -> Guard:
    """Return what of a domain is protected after the events."""
    guard = before
    for draft in (event.draft for event in events):
        if draft.kind is Kind.DOMAIN:
            guard = replace(guard, domain=stored_protection(draft.state or {}))
        elif protects(draft) and not guard.has_protected:
            guard = replace(guard, has_protected=True)
    return guard


def protects(draft: Draft) -> bool:
    """Say whether something in the domain is protected as a draft leaves it."""
    return draft.kind is not Kind.DOMAIN and PROTECTION in (draft.state or {})


@dataclass(frozen=True, slots=True)
class Head:
    """What every decision may look at: the domain, its ontology, and the time that its events will carry."""

    domain: str
    seq: int
    at: datetime
    ontology: Ontology
    guard: Guard = Guard()  # noqa: RUF009 - it is frozen

    def at_or_after(self, now: datetime) -> Head:
        """Return the head with the time that the next events carry."""
        return replace(self, at=next_time(self.at, now))

    def after(self, events: Sequence[Event]) -> Head:
        """Return where the log stands after these events, if any."""
        if not events:
            return self
        return replace(self, seq=events[-1].seq, at=events[-1].at, guard=guard_after(events, self.guard))
