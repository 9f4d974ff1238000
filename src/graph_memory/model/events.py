"""The log: drafts of changes, the events that record them, and the receipts of writes."""

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
from graph_memory.model.subjects.protection import PROTECTION, Protections, stored_protection
from graph_memory.model.subjects.subjects import State, StoredValue, content_ref, without_nulls
from graph_memory.model.text.wording import quote
from graph_memory.model.time.clock import next_time
from graph_memory.model.values.arguments import invalid_argument, is_encodable
from graph_memory.model.values.content import Content


class Op(StrEnum):
    """The operation of an event on its subject."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    SNAPSHOT = "snapshot"
    """A subject's state at the start of a branch's log or of a compacted log. It is not a change."""


def new_id(prefix: str) -> str:
    """Return a new id: the prefix and a ULID, which sorts by creation time."""
    return f"{prefix}_{ULID()}"


GENERATED_ID = re.compile(r"(mem|conn|obs|link)_[0-9A-HJKMNP-TV-Z]{26}|session_(?:[0-9a-f]{12}|[0-9a-f]{32})")
"""Matches the generated ids of nodes, connections, observations, links and sessions."""


def is_generated_id(name: str) -> bool:
    """Return whether the name has the form of a complete generated id. A prefix of an id is not enough."""
    return GENERATED_ID.fullmatch(name) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The origin of a change: session, source (`agent` or `user`), actor, and whether a shell command made it."""

    session: str | None = None
    source: str = "user"
    actor: str | None = None
    at_command_line: bool = False

    def __post_init__(self) -> None:
        """Check the fields. Raises INVALID_ARGUMENT if the session or the actor contains a lone surrogate."""
        for argument, text in (("session", self.session), ("actor", self.actor)):
            if text is not None and not is_encodable(text):
                raise invalid_argument(argument, f"{quote(text)} contains a lone surrogate", "Remove it from the name.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A change of one subject that has no number yet, or the part of an event that describes its change.

    `state` is the complete state after the change, or None if the change deletes the subject. `content` is set if the
    change writes content, and `windows` if the content's search windows are already computed. `previous` is the
    subject's version before the change. An `erased` change is treated as a deletion. Its `erased_op` is the operation
    before the erasure, or None for the erasure itself.
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
    erased_op: Op | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """The identity of a write with an idempotency key: its batch's id, and the hash of its operations."""

    batch: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A change in a domain's log, with its number, id, time, batch and origin.

    The first event of a write with an idempotency key also contains the hash of its request and its rejected parts.
    """

    domain: str
    seq: int
    id: str
    at: datetime
    batch: str
    origin: Origin
    draft: Draft
    request: str | None = None
    rejected_parts: str | None = None

    def row(self) -> State:
        """Return all properties of the event's `_Event` node."""
        return {**(self.draft.state or {}), **self.header()}

    def header(self) -> State:
        """Return the properties of the event's `_Event` node without its subject's state."""
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
            "_refused": self.rejected_parts,
            "_erased": self.draft.erased or None,
            "_was": str(self.draft.erased_op) if self.draft.erased_op else None,
        }
        return without_nulls(header)

    @classmethod
    def from_row(cls, row: Mapping[str, object]) -> Event:
        """Return the event that an `_Event` node stores. Times among its properties can be strings.

        Raises STORE_CONFLICT if a property is missing or invalid.
        """
        try:
            return cls._from_row(row)
        except (KeyError, ValueError) as error:
            problem = f"it lacks {error}" if isinstance(error, KeyError) else f"{error}"
            message = f"Event {row.get('_seq')} of domain {row.get('_domain')} cannot be read: {problem}"
            hint = "Another program changed the log. Restore the database from a backup."
            raise GraphError(Code.STORE_CONFLICT, message, {"hint": hint}) from error

    @classmethod
    def _from_row(cls, row: Mapping[str, object]) -> Event:
        row = with_parsed_times(row)
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
            erased_op=Op(header["_was"]) if "_was" in header else None,
        )
        return cls(
            domain=header["_domain"],
            seq=cast("int", row["_seq"]),
            id=header["_id"],
            at=cast("datetime", row["_at"]),
            batch=header["_batch"],
            request=header.get("_request"),
            rejected_parts=header.get("_refused"),
            origin=Origin(session=header.get("_session"), source=header["_source"], actor=header.get("_actor")),
            draft=draft,
        )


HEADER = frozenset(
    {"_domain", "_seq", "_id", "_op", "_kind", "_subject", "_type", "_from", "_to", "_prev"}
    | {"_at", "_session", "_source", "_actor", "_batch", "_request", "_refused", "_snapshot_of"}
    | {"_erased", "_was"}
)
"""The properties of an `_Event` that are not part of its subject's state."""


TIMES = frozenset({"_at", "_created", "_modified"})
"""The properties of an `_Event` node that are times and that most events have."""


def with_parsed_times(row: Mapping[str, object]) -> Mapping[str, object]:
    """Return an event's properties, with the properties in TIMES parsed as datetimes."""
    texts = {name: text for name in TIMES if isinstance(text := row.get(name), str)}
    return {**row, **{name: datetime.fromisoformat(text) for name, text in texts.items()}}


def keep_declaration_order(state: State, last: Event) -> State:
    """Return a type's new state with its declared position. A type that was deleted gets a new position."""
    declared_at = (last.draft.state or {}).get(DECLARED, last.seq)
    other_values = {name: value for name, value in state.items() if name != DECLARED}
    return other_values if last.draft.op is Op.DELETE else {**other_values, DECLARED: declared_at}


@dataclass(frozen=True, slots=True)
class Change:
    """A change in a receipt: its operation, its subject and its event number."""

    op: Op
    kind: Kind
    subject: str
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The changes of a write, in log order. They are empty if there was nothing to change.

    `repeated` is true if an earlier call with the same idempotency key made the write. `rejected_parts` describes the
    rejected parts of the write as stored text.
    """

    domain: str
    batch: str
    changes: tuple[Change, ...] = ()
    repeated: bool = False
    rejected_parts: str | None = None

    @classmethod
    def of(cls, domain: str, batch: str, events: Iterable[Event]) -> Receipt:
        """Return the receipt for the events appended by a write."""
        changes = (Change(event.draft.op, event.draft.kind, event.draft.subject, event.seq) for event in events)
        return cls(domain=domain, batch=batch, changes=tuple(changes))

    @property
    def seq(self) -> int | None:
        """The number of the write's last event, or None if nothing was written."""
        return self.changes[-1].seq if self.changes else None

    def version_of(self, subject: str) -> int | None:
        """Return the version of the subject after the write, or None if the write did not change it."""
        return next((change.seq for change in reversed(self.changes) if change.subject == subject), None)


def number_events(
    drafts: Sequence[Draft],
    *,
    domain: str,
    after: int,
    at: datetime,
    batch: str,
    origin: Origin,
    first: str | None = None,
    request: str | None = None,
    rejected_parts: str | None = None,
) -> list[Event]:
    """Return the drafts as events numbered from `after + 1`.

    The first event contains the request's hash and its rejected parts. Its id is `first`, by default the batch's id.
    """
    return [
        Event(
            domain=domain,
            seq=after + position,
            id=(first or batch) if position == 1 else new_id("evt"),
            at=at,
            batch=batch,
            origin=origin,
            draft=draft,
            request=request if position == 1 else None,
            rejected_parts=rejected_parts if position == 1 else None,
        )
        for position, draft in enumerate(drafts, start=1)
    ]


def ontology_version(events: Iterable[Event], before: int) -> int:
    """Return the number of the last event that changed the ontology, or `before` if none of the events did."""
    return max((event.seq for event in events if event.draft.kind in ONTOLOGY_KINDS), default=before)


def protections_after(events: Iterable[Event], before: Protections) -> Protections:
    """Return a domain's protections after the events. `before` are its protections before them."""
    protections = before
    for draft in (event.draft for event in events):
        if draft.kind is Kind.DOMAIN:
            protections = replace(protections, domain=stored_protection(draft.state or {}))
        elif protects(draft) and not protections.has_protected:
            protections = replace(protections, has_protected=True)
    return protections


def protects(draft: Draft) -> bool:
    """Return whether a node or connection is protected after the draft."""
    return draft.kind is not Kind.DOMAIN and PROTECTION in (draft.state or {})


@dataclass(frozen=True, slots=True)
class Head:
    """The state of a domain's log on which a write is based. `at` is the time of the next write's events."""

    domain: str
    seq: int
    at: datetime
    ontology: Ontology
    protections: Protections = Protections()  # noqa: RUF009 - it is frozen

    def with_next_event_time(self, now: datetime) -> Head:
        """Return the head with the time of the next events. `now` is the current time."""
        return replace(self, at=next_time(self.at, now))

    def after(self, events: Sequence[Event]) -> Head:
        """Return the head of the log after the events. If there are none, return this head."""
        if not events:
            return self
        return replace(
            self, seq=events[-1].seq, at=events[-1].at, protections=protections_after(events, self.protections)
        )
