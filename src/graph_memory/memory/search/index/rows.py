"""Computes a subject's index rows, and how an event changes them.

An unchanged row is not written, so it keeps its vector. A changed row is ended, not deleted, so that past states can be
searched. The module does no I/O: the indexer reads and writes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, cast

from graph_memory.memory.domains.lineage import END
from graph_memory.memory.search.index.changed_rows import Changes
from graph_memory.memory.search.index.index_filters import (
    EARLIEST,
    LATEST,
    make_filter_tokens,
    microseconds,
    until_token,
)
from graph_memory.memory.search.passages.own_names import names as own_names
from graph_memory.memory.search.passages.passages import SubjectPassage, split_subject
from graph_memory.memory.search.text import names
from graph_memory.memory.search.text.segmentation import extra_words
from graph_memory.model.events import Event, Op
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ConnectionState, NodeState
from graph_memory.model.values.fields import ROOT

WORDS = "_words"
"""The row field for a passage's additional words, which Lucene would tokenize differently."""
MIN_LIFETIME = 60_000_000
"""Minimum lifetime, in microseconds, of a non-current passage that gets a vector."""
MAX_SESSION_LENGTH = 500
"""Maximum number of characters of a session name in a row. Longer names do not fit into an index, and are hashed."""
_ORDERED_PLACES = ("content", "text")
"""The places whose passages are ordered: content, and observations' texts."""
_EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
"""The time from which positions in a sequence are counted."""
_MAX_EVENTS = 1 << 22
_MAX_MILLISECONDS = 1 << 41


@dataclass(frozen=True, slots=True)
class Version:
    """A subject's state after an event. The state is None if the event deleted the subject."""

    seq: int
    at: int
    owner: str
    kind: Kind
    type: str
    unit: str
    state: NodeState | ConnectionState | Mapping[str, object] | None
    text: str | None
    session: str | None
    has_new_type: bool = False
    """Whether the event changed a node's type."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage's text and index fields. The stored row has the same field names with a leading underscore."""

    place: str
    head: str
    text: str
    date: str
    type: str
    created: int
    valid_from: int
    valid_to: int
    sequence: str | None = None
    position: int | None = None
    order: float | None = None

    @property
    def embedded(self) -> str:
        """The text to embed: the head, followed by the text."""
        return text_to_embed(self.head, self.text)

    @classmethod
    def from_row(cls, row: Mapping[str, object]) -> Passage:
        """Return the passage stored in an index row."""
        return cls(**{field.name: cast("Any", row.get(f"_{field.name}")) for field in fields(cls)})


@dataclass(frozen=True, slots=True)
class OpenPassage:
    """A current passage, the event and time of its creation, and whether its row still needs to be written."""

    passage: Passage
    since: int
    at: int
    is_new: bool = False


def text_to_embed(head: str, text: str) -> str:
    """Return the text to embed for a passage: the head, followed by the text."""
    return f"{head}: {text}" if head else text


def version_of(event: Event, text: str | None, node_type: str | None, *, has_new_type: bool = False) -> Version:
    """Return a subject's version after an event, with its text and, for an observation, its node's type."""
    draft = event.draft
    unit = (draft.from_id or draft.subject) if draft.kind is Kind.OBSERVATION else draft.subject
    return Version(
        seq=event.seq,
        at=microseconds(event.at),
        owner=draft.subject,
        kind=draft.kind,
        type=(node_type or "") if draft.kind is Kind.OBSERVATION else draft.type or "",
        unit=unit,
        state=None if draft.op is Op.DELETE or draft.state is None else _state(event),
        text=text,
        session=event.origin.session if draft.op is Op.CREATE else None,
        has_new_type=has_new_type,
    )


def _state(event: Event) -> NodeState | ConnectionState | Mapping[str, object]:
    draft = event.draft
    stored: dict[str, object] = {
        "_id": draft.subject,
        "_type": draft.type,
        "_version": event.seq,
        **(draft.state or {}),
    }
    match draft.kind:
        case Kind.NODE:
            return NodeState.from_live(stored)
        case Kind.CONNECTION:
            return ConnectionState.from_live(stored, draft.from_id or "", draft.to_id or "")
        case _:
            return stored


class SubjectRows:
    """One subject's current index rows while a page of the log is processed."""

    def __init__(self, domain: str, passages: Iterable[OpenPassage], names: Iterable[tuple[str, str]]) -> None:
        self._domain = domain
        self._open = {passage.passage.place: passage for passage in passages}
        self._names: dict[str, tuple[str, int | None]] = {words: (name, None) for name, words in names}

    def add_changes(self, version: Version, changes: Changes) -> None:
        """Add the row changes for a new version of the subject to `changes`."""
        self._last_version = version
        passages = {
            passage.place: passage
            for passage in passages_of(version, [open_passage.passage for open_passage in self._open.values()])
        }
        for place, open_passage in list(self._open.items()):
            if passages.get(place) != open_passage.passage:
                del self._open[place]
                self._end_passage(open_passage, version, changes)
        for place, passage in passages.items():
            if place not in self._open:
                self._open[place] = OpenPassage(passage, version.seq, version.at, is_new=True)
        self._add_name_changes(version, changes)

    def add_type_change(self, node: Version, observation: str, changes: Changes) -> None:
        """Add the row changes of an observation whose node has changed its type to `changes`."""
        version = replace(node, owner=observation, kind=Kind.OBSERVATION, unit=node.owner, state=None, text=None)
        for place, open_passage in list(self._open.items()):
            if open_passage.passage.type != version.type:
                self._last_version = version
                self._end_passage(open_passage, version, changes)
                passage = replace(open_passage.passage, type=version.type)
                self._open[place] = OpenPassage(passage, version.seq, version.at, is_new=True)

    def add_current_rows(self, changes: Changes) -> None:
        """Add the rows to `changes` that were created in the page and are still current at its end."""
        for open_passage in self._open.values():
            if open_passage.is_new:
                changes.created.append({"passage": self._passage_row(open_passage, END), "waits": True})
        changes.created_names += [
            self._name_row(words, name, since, END) for words, (name, since) in self._names.items() if since is not None
        ]

    def _end_passage(self, open_passage: OpenPassage, version: Version, changes: Changes) -> None:
        if open_passage.is_new:
            waits = version.at - open_passage.at >= MIN_LIFETIME
            changes.created.append({"passage": self._passage_row(open_passage, version.seq), "waits": waits})
        else:
            end_fields = {"until": version.seq, "at": version.at, "token": until_token(version.seq)}
            changes.closed.setdefault(version.owner, {})[open_passage.passage.place] = end_fields

    def _passage_row(self, open_passage: OpenPassage, until: int) -> dict[str, object]:
        return row_of(self._domain, self._last_version, open_passage, until)

    def _add_name_changes(self, version: Version, changes: Changes) -> None:
        forms = forms_of(version)
        for words, (name, since) in list(self._names.items()):
            if forms.get(words) == name:
                continue
            del self._names[words]
            if since is None:
                changes.closed_names.append({"owner": version.owner, "words": words, "until": version.seq})
            else:
                changes.created_names.append(self._name_row(words, name, since, version.seq))
        for words, name in forms.items():
            self._names.setdefault(words, (name, version.seq))

    def _name_row(self, words: str, name: str, since: int, until: int) -> dict[str, object]:
        return {
            "_domain": self._domain,
            "_owner": self._last_version.owner,
            "_key": key_of(words),
            "_words": words,
            "_name": name,
            "_since": since,
            "_until": until,
        }


def row_of(domain: str, version: Version, open_passage: OpenPassage, until: int) -> dict[str, object]:
    """Return the index row of a passage that is current until event `until`."""
    passage = open_passage.passage
    identity = f"{version.owner}\n{passage.place}\n{open_passage.since}"
    filter_tokens = make_filter_tokens(
        domain=domain,
        type_name=passage.type,
        digest=sha256(identity.encode(errors="surrogatepass")).hexdigest(),
        since=open_passage.since,
        until=until,
        created=passage.created,
        valid_from=passage.valid_from,
        valid_to=passage.valid_to,
    )
    values = {f"_{field.name}": getattr(passage, field.name) for field in fields(passage)}
    values |= {WORDS: words_of(passage.head, passage.text)}
    return {
        **{name: value for name, value in values.items() if value is not None},
        "_domain": domain,
        "_owner": version.owner,
        "_owner_kind": str(version.kind),
        "_unit": version.unit,
        "_sha256": sha256(passage.embedded.encode(errors="surrogatepass")).hexdigest(),
        "_since": open_passage.since,
        "_until": until,
        "_at": open_passage.at,
        "_filter": filter_tokens,
    }


def words_of(head: str, text: str) -> str | None:
    """Return the words that Lucene would tokenize differently, or None if there are none."""
    return extra_words(f"{head}\n{text}")


def key_of(words: str) -> str:
    """Return the longest word of a name. The name's row is looked up by this word."""
    return max(words.split(), key=len, default="")


def forms_of(version: Version) -> dict[str, str]:
    """Return a subject's names and their shorter forms, by their words.

    Names without words are skipped. A deleted subject has no names.
    """
    written_names = [] if version.state is None else own_names(version.state, version.text)
    forms: dict[str, str] = {}
    for name in reversed(written_names):  # the first of two names with the same words is kept
        for form in names.name_variants(name):
            if words := names.split_words(form):
                forms[f" {' '.join(words)} "] = form
    return forms


def passages_of(version: Version, current_passages: Sequence[Passage]) -> list[Passage]:
    """Return a version's passages. Passages of the previous version keep their positions."""
    state = version.state
    if state is None:
        return []
    new_pieces = split_subject(state, version.text)
    base = _base_passage(version, state)
    ordered_pieces = [piece for piece in new_pieces if piece.place.partition("/")[0] in _ORDERED_PLACES]
    if not ordered_pieces:
        return [_passage(base, piece) for piece in new_pieces]
    previous = next((passage for passage in current_passages if passage.sequence is not None), None)
    sequence = _sequence(version, state, previous)
    position = previous.position if previous is not None else _position(base.created, version.seq)
    orders = _orders(
        [piece.place for piece in ordered_pieces], {passage.place: passage.order or 0.0 for passage in current_passages}
    )
    order_by_place = {piece.place: order for piece, order in zip(ordered_pieces, orders, strict=True)}
    return [
        replace(_passage(base, piece), sequence=sequence, position=position, order=order_by_place[piece.place])
        if piece.place in order_by_place
        else _passage(base, piece)
        for piece in new_pieces
    ]


def _passage(base: Passage, piece: SubjectPassage) -> Passage:
    return replace(base, place=piece.place, head=piece.head, text=piece.text)


def _base_passage(version: Version, state: NodeState | ConnectionState | Mapping[str, object]) -> Passage:
    """Return a passage without text. It has the fields that all passages of the version share."""
    if isinstance(state, (NodeState, ConnectionState)):
        valid_from, valid_to, created = state.validity.valid_from, state.validity.valid_to, state.created
    else:
        times = cast("Mapping[str, datetime | None]", state)
        valid_from, valid_to, created = times.get("_valid_from"), times.get("_valid_to"), times.get("_created")
        created = created or times.get("_time")
    date = valid_from or created
    return Passage(
        place="",
        head="",
        text="",
        date=f"{date.day} {date:%B} {date.year}" if date else "",
        type=version.type,
        created=microseconds(created) if created else version.at,
        valid_from=microseconds(valid_from) if valid_from else EARLIEST,
        valid_to=microseconds(valid_to) if valid_to else LATEST,
    )


def _sequence(
    version: Version, state: NodeState | ConnectionState | Mapping[str, object], previous: Passage | None
) -> str:
    """Return the key of the passage sequence: the subject's path, else its session, else the subject itself.

    The session is the node's property `session`, which event nodes have, or else the session that created the node.
    """
    if isinstance(state, NodeState) and state.fields.path not in (None, ROOT):
        return f"path/{state.fields.path}"
    if previous is not None and previous.sequence and not previous.sequence.startswith("path/"):
        return previous.sequence
    if isinstance(state, NodeState) and previous is None:
        session = state.properties.get("session")
        if session := (session if isinstance(session, str) else None) or version.session:
            is_long = len(session) > MAX_SESSION_LENGTH
            return f"session/{sha256(session.encode(errors='surrogatepass')).hexdigest() if is_long else session}"
    return f"owner/{version.unit}"


def _position(created: int, seq: int) -> int:
    """Return a subject's sort key in its sequence: creation time in milliseconds, then event number."""
    since_epoch = (created - microseconds(_EPOCH)) // 1_000
    return min(max(since_epoch, 0), _MAX_MILLISECONDS - 1) * _MAX_EVENTS + seq % _MAX_EVENTS


def _orders(places: Sequence[str], current_orders: Mapping[str, float]) -> list[float]:
    """Return increasing sort numbers for places. A place keeps its number as long as the numbers increase.

    A new place gets a number between its neighbours. If there is none, all places get new numbers.
    """
    kept_orders: list[tuple[int, float]] = []
    for index, place in enumerate(places):
        order = current_orders.get(place)
        if order is not None and (not kept_orders or order > kept_orders[-1][1]):
            kept_orders.append((index, order))
    if not kept_orders:
        return [float(index) for index in range(len(places))]
    order_by_index = dict(kept_orders)
    first, last = kept_orders[0], kept_orders[-1]
    order_by_index |= {index: first[1] - (first[0] - index) for index in range(first[0])}
    order_by_index |= {index: last[1] + (index - last[0]) for index in range(last[0] + 1, len(places))}
    for (start, low), (end, high) in itertools.pairwise(kept_orders):
        step = (high - low) / (end - start)
        order_by_index |= {index: low + step * (index - start) for index in range(start + 1, end)}
    orders = [order_by_index[index] for index in range(len(places))]
    if any(after <= before for before, after in itertools.pairwise(orders)):
        return [float(index) for index in range(len(places))]
    return orders
