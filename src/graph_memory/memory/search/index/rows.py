"""Computes the index rows of a subject, and how an event changes them.

An unchanged row is not written, so it keeps its vector. A changed row is ended, not deleted, so searches of the past
work. The module is pure: the indexer reads and writes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, cast

from graph_memory.memory.domains.lineage import END
from graph_memory.memory.search.index.changed_rows import Changes
from graph_memory.memory.search.index.index_filters import EARLIEST, LATEST, microseconds, tokens, until_token
from graph_memory.memory.search.passages.own_names import names as own_names
from graph_memory.memory.search.passages.passages import Piece, pieces
from graph_memory.memory.search.text import names
from graph_memory.memory.search.text.segmentation import extra_words
from graph_memory.model.events import Event, Op
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ConnectionState, NodeState
from graph_memory.model.values.fields import ROOT

WORDS = "_words"
"""The field of a passage for words that Lucene would tokenize differently."""
MIN_LIFETIME = 60_000_000
"""Minimum lifetime of a passage, in microseconds, to get a vector although it is no longer current."""
MAX_SESSION_LENGTH = 500
"""Maximum number of characters of a session name in a row. A longer name is stored as its hash."""
_ORDERED_PLACES = ("content", "text")
"""Places with an order: content, and the texts of observations."""
_EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
_TURNS = 1 << 22
_MILLISECONDS = 1 << 41


@dataclass(frozen=True, slots=True)
class Version:
    """The state of a subject after an event. The state is None if the event deleted the subject."""

    seq: int
    at: int
    owner: str
    kind: Kind
    type: str
    unit: str
    state: NodeState | ConnectionState | Mapping[str, object] | None
    text: str | None
    session: str | None
    retyped: bool = False
    """Whether the event changed the type of a node."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The text and index fields of a passage. The row has the same field names with an underscore."""

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
        """The text that is embedded."""
        return text_to_embed(self.head, self.text)

    @classmethod
    def from_row(cls, row: Mapping[str, object]) -> Passage:
        """Return the passage of a row."""
        return cls(**{field.name: cast("Any", row.get(f"_{field.name}")) for field in fields(cls)})


@dataclass(frozen=True, slots=True)
class OpenPassage:
    """A current passage, the event and time of its creation, and whether its row has yet to be written."""

    passage: Passage
    since: int
    at: int
    is_new: bool = False


def text_to_embed(head: str, text: str) -> str:
    """Return the text to embed for a passage: the head, followed by the text."""
    return f"{head}: {text}" if head else text


def version_of(event: Event, text: str | None, node_type: str | None, *, retyped: bool = False) -> Version:
    """Return the version of a subject after an event, with its text and, for an observation, the node type."""
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
        retyped=retyped,
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


class Owner:
    """The rows of one subject while a page of the log is processed."""

    def __init__(self, domain: str, passages: Iterable[OpenPassage], names: Iterable[tuple[str, str]]) -> None:
        self._domain = domain
        self._open = {passage.passage.place: passage for passage in passages}
        self._names: dict[str, tuple[str, int | None]] = {words: (name, None) for name, words in names}

    def follow(self, version: Version, changes: Changes) -> None:
        """Add the row changes that a version causes to `changes`."""
        self._last = version
        passages = {
            passage.place: passage
            for passage in passages_of(version, [open_passage.passage for open_passage in self._open.values()])
        }
        for place, present in list(self._open.items()):
            if passages.get(place) != present.passage:
                del self._open[place]
                self._end(present, version, changes)
        for place, passage in passages.items():
            if place not in self._open:
                self._open[place] = OpenPassage(passage, version.seq, version.at, is_new=True)
        self._follow_names(version, changes)

    def follow_node(self, node: Version, observation: str, changes: Changes) -> None:
        """Add the row changes of an observation whose node's type has changed."""
        version = replace(node, owner=observation, kind=Kind.OBSERVATION, unit=node.owner, state=None, text=None)
        for place, present in list(self._open.items()):
            if present.passage.type != version.type:
                self._last = version
                self._end(present, version, changes)
                passage = replace(present.passage, type=version.type)
                self._open[place] = OpenPassage(passage, version.seq, version.at, is_new=True)

    def end(self, changes: Changes) -> None:
        """Add the rows to create: those still current at the end of the page."""
        for present in self._open.values():
            if present.is_new:
                changes.created.append({"passage": self._row(present, END), "waits": True})
        changes.created_names += [
            self._name(words, name, since, END) for words, (name, since) in self._names.items() if since is not None
        ]

    def _end(self, present: OpenPassage, version: Version, changes: Changes) -> None:
        if present.is_new:
            waits = version.at - present.at >= MIN_LIFETIME
            changes.created.append({"passage": self._row(present, version.seq), "waits": waits})
        else:
            ended = {"until": version.seq, "at": version.at, "token": until_token(version.seq)}
            changes.closed.setdefault(version.owner, {})[present.passage.place] = ended

    def _row(self, present: OpenPassage, until: int) -> dict[str, object]:
        return row_of(self._domain, self._last, present, until)

    def _follow_names(self, version: Version, changes: Changes) -> None:
        forms = forms_of(version)
        for words, (name, since) in list(self._names.items()):
            if forms.get(words) == name:
                continue
            del self._names[words]
            if since is None:
                changes.closed_names.append({"owner": version.owner, "words": words, "until": version.seq})
            else:
                changes.created_names.append(self._name(words, name, since, version.seq))
        for words, name in forms.items():
            self._names.setdefault(words, (name, version.seq))

    def _name(self, words: str, name: str, since: int, until: int) -> dict[str, object]:
        about: dict[str, object] = {"_domain": self._domain, "_owner": self._last.owner, "_key": key_of(words)}
        return {**about, "_words": words, "_name": name, "_since": since, "_until": until}


def row_of(domain: str, version: Version, present: OpenPassage, until: int) -> dict[str, object]:
    """Return the index row of a passage that is current until event `until`."""
    passage = present.passage
    identity = f"{version.owner}\n{passage.place}\n{present.since}"
    filter_tokens = tokens(
        domain=domain,
        type_name=passage.type,
        digest=sha256(identity.encode(errors="surrogatepass")).hexdigest(),
        since=present.since,
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
        "_since": present.since,
        "_until": until,
        "_at": present.at,
        "_filter": filter_tokens,
    }


def words_of(head: str, text: str) -> str | None:
    """Return the additional words to index for a passage, or None if there are none."""
    return extra_words(f"{head}\n{text}")


def key_of(words: str) -> str:
    """Return the longest word of a name, by which its row is looked up."""
    return max(words.split(), key=len, default="")


def forms_of(version: Version) -> dict[str, str]:
    """Map the words of each name, and of the name's shorter form, to the name as written."""
    return {} if version.state is None else dict(_names_by_words(own_names(version.state, version.text)))


def _names_by_words(results: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the words of each name, and the name. Skips names without words."""
    for name in reversed(results):  # the first of two names with the same words is kept
        for form in names.forms(name):
            if words := names.words(form):
                yield f" {' '.join(words)} ", form


def passages_of(version: Version, present: Sequence[Passage]) -> list[Passage]:
    """Return the passages of a version. Passages of the previous version keep their positions."""
    state = version.state
    if state is None:
        return []
    new_pieces = pieces(state, version.text)
    base = _base_passage(version, state)
    in_order = [piece for piece in new_pieces if _has_order(piece.place)]
    if not in_order:
        return [_passage(base, piece) for piece in new_pieces]
    before = next((passage for passage in present if passage.sequence is not None), None)
    sequence = _sequence(version, state, before)
    position = before.position if before is not None else _position(base.created, version.seq)
    orders = _orders([piece.place for piece in in_order], {passage.place: passage.order or 0.0 for passage in present})
    order_by_place = {piece.place: order for piece, order in zip(in_order, orders, strict=True)}
    return [
        replace(_passage(base, piece), sequence=sequence, position=position, order=order_by_place[piece.place])
        if piece.place in order_by_place
        else _passage(base, piece)
        for piece in new_pieces
    ]


def _has_order(place: str) -> bool:
    return place.partition("/")[0] in _ORDERED_PLACES


def _passage(base: Passage, piece: Piece) -> Passage:
    return replace(base, place=piece.place, head=piece.head, text=piece.text)


def _base_passage(version: Version, state: NodeState | ConnectionState | Mapping[str, object]) -> Passage:
    """Return the fields that all passages of a version have in common."""
    if isinstance(state, (NodeState, ConnectionState)):
        begins, ends, created = state.validity.valid_from, state.validity.valid_to, state.created
    else:
        times = cast("Mapping[str, datetime | None]", state)
        begins, ends, created = times.get("_valid_from"), times.get("_valid_to"), times.get("_created")
        created = created or times.get("_time")
    moment = begins or created
    return Passage(
        place="",
        head="",
        text="",
        date=f"{moment.day} {moment:%B} {moment.year}" if moment else "",
        type=version.type,
        created=microseconds(created) if created else version.at,
        valid_from=microseconds(begins) if begins else EARLIEST,
        valid_to=microseconds(ends) if ends else LATEST,
    )


def _sequence(
    version: Version, state: NodeState | ConnectionState | Mapping[str, object], before: Passage | None
) -> str:
    """Return the sequence of a subject's text: its path, or else its session, or else its own sequence.

    The session is the node's property `session`, which event nodes have, or else the session that created the node.
    """
    if isinstance(state, NodeState) and state.fields.path not in (None, ROOT):
        return f"path/{state.fields.path}"
    if before is not None and before.sequence and not before.sequence.startswith("path/"):
        return before.sequence
    if isinstance(state, NodeState) and before is None and (session := _session_property(state) or version.session):
        return f"session/{_shorten_session(session)}"
    return f"owner/{version.unit}"


def _session_property(state: NodeState) -> str | None:
    """Return the property `session`, or None if it is not a text."""
    session = state.properties.get("session")
    return session if isinstance(session, str) else None


def _shorten_session(session: str) -> str:
    """Return a session name, hashed if it is too long for an index."""
    if len(session) <= MAX_SESSION_LENGTH:
        return session
    return sha256(session.encode(errors="surrogatepass")).hexdigest()


def _position(created: int, seq: int) -> int:
    """Return a position in a sequence: by the millisecond of creation, then by event number."""
    since_epoch = (created - microseconds(_EPOCH)) // 1_000
    return min(max(since_epoch, 0), _MILLISECONDS - 1) * _TURNS + seq % _TURNS


def _orders(places: Sequence[str], present: Mapping[str, float]) -> list[float]:
    """Return increasing numbers for places. Places keep their numbers while they are in order.

    A new place gets a number between its neighbours. If none is left, all places get new numbers.
    """
    kept_orders: list[tuple[int, float]] = []
    for number, place in enumerate(places):
        order = present.get(place)
        if order is not None and (not kept_orders or order > kept_orders[-1][1]):
            kept_orders.append((number, order))
    if not kept_orders:
        return [float(number) for number in range(len(places))]
    scores = dict(kept_orders)
    first, last = kept_orders[0], kept_orders[-1]
    scores |= {number: first[1] - (first[0] - number) for number in range(first[0])}
    scores |= {number: last[1] + (number - last[0]) for number in range(last[0] + 1, len(places))}
    for (start, low), (end, high) in itertools.pairwise(kept_orders):
        step = (high - low) / (end - start)
        scores |= {number: low + step * (number - start) for number in range(start + 1, end)}
    orders = [scores[number] for number in range(len(places))]
    if any(after <= before for before, after in itertools.pairwise(orders)):
        return [float(number) for number in range(len(places))]
    return orders
