"""Expected and live facts of a subject, and their differences.

A fact has a short name, such as `property status` or `window 0`, and a plain value. Two sets of facts are compared
name by name, so all kinds of subjects and derived rows are handled alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.ontology.indexes import Index
from graph_memory.model.ontology.ontology import ANY, Ontology
from graph_memory.model.projection import (
    Row,
    indexes_in,
    inverse_state,
    inverse_type,
    key_rows,
    live_state,
    window_rows,
)
from graph_memory.model.results import Difference
from graph_memory.model.subjects.kinds import ATTACHED, TYPES, Kind
from graph_memory.model.subjects.subjects import State
from graph_memory.model.text.search_windows import trigram_text
from graph_memory.model.text.wording import as_text
from graph_memory.model.values.exact import ExactValue, exact_key

Facts = dict[str, object]
LEADS = "way to its target"
"""Name of the fact that a link leads only to its target. The fact also holds if the target does not exist."""
COPIES = "copies"
"""Name of the fact with the number of relationships with the same connection id. Only set if there are several."""
_MAX_VALUE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A stored index key: an indexed value, and the id of the subject that has the value."""

    owner: str
    kind: str
    type: str
    property: str
    value: str


@dataclass(frozen=True, slots=True)
class WindowRow:
    """A stored search window: a part of a node's text that can be searched."""

    owner: str
    type: str
    place: int
    text: object
    grams: str | None
    is_new: bool

    def row(self, domain: str) -> Row:
        """Return the window as the projection would write it. Includes the stored grams only if they are wrong."""
        is_indexed = self.is_new or self.grams == trigram_text(domain, str(self.text))
        index_fault: Row = {} if is_indexed else {"_grams": self.grams}
        return {"_place": self.place, "_type": self.type, "_text": self.text, **index_fault}


@dataclass(frozen=True, slots=True)
class InverseRow:
    """A stored inverse relationship, with the id of its connection."""

    owner: str
    type: str
    stored: Mapping[str, object]


def expected_facts(event: Event, ontology: Ontology) -> Facts:
    """Return the facts that the live graph should contain about a subject after its last event.

    A deleted subject has no facts. The event's draft must contain the node's text, from which search windows are
    computed.
    """
    draft = event.draft
    if draft.op is Op.DELETE or draft.kind is Kind.DOMAIN:
        return {}
    facts = state_facts(live_state(event))
    if draft.kind is Kind.NODE:
        facts["labels"] = draft.type
    if draft.kind in ATTACHED:
        facts |= ends(draft.from_id, draft.to_id)
    if draft.kind is Kind.LINK:
        facts[LEADS] = True
    if draft.kind is Kind.CONNECTION_TYPE:
        facts |= _type_ends(draft.state or {})
    facts |= expected_rows(event.domain, draft, indexes_in(draft.kind, draft.type or "", ontology))
    if name := inverse_type(draft, ontology):
        facts |= inverse_facts([InverseRow(draft.subject, name, inverse_state(event, name))])
    if draft.kind in TYPES:
        facts["defined by the ontology"] = "yes"
    if sha256 := (draft.state or {}).get("_content_sha256"):
        facts |= {"content": sha256, "content in store": sha256}
    return facts


def expected_rows(domain: str, draft: Draft, indexes: Sequence[Index]) -> Facts:
    """Return the expected facts about a subject's keys in these indexes and, for a node, about its search windows."""
    windows = window_rows(domain, draft) if draft.kind is Kind.NODE else ()
    return key_facts(key_rows(domain, draft, indexes)) | window_facts(windows)


def stored_row_facts(
    domain: str, keys: Iterable[KeyRow], windows: Iterable[WindowRow], inverses: Iterable[InverseRow] = ()
) -> Mapping[str, Facts]:
    """Return the facts about stored keys, windows and inverse relationships, keyed by owner."""
    key_rows_by_owner: dict[str, list[Row]] = {}
    for key in keys:
        row: Row = {"_kind": key.kind, "_type": key.type, "_property": key.property, "_value": key.value}
        key_rows_by_owner.setdefault(key.owner, []).append(row)
    windows_by_owner: dict[str, list[Row]] = {}
    for window in windows:
        windows_by_owner.setdefault(window.owner, []).append(window.row(domain))
    inverses_by_owner: dict[str, list[InverseRow]] = {}
    for inverse in inverses:
        inverses_by_owner.setdefault(inverse.owner, []).append(inverse)
    return {
        owner: key_facts(key_rows_by_owner.get(owner, ()))
        | window_facts(windows_by_owner.get(owner, ()))
        | inverse_facts(inverses_by_owner.get(owner, ()))
        for owner in key_rows_by_owner.keys() | windows_by_owner.keys() | inverses_by_owner.keys()
    }


def state_facts(stored: Mapping[str, object]) -> Facts:
    """Return the facts about stored properties. Omits the content, which is compared by its hash."""
    return {f"property {key}": exact_key(value) for key, value in stored.items() if key != "_content"}


def ends(from_id: str | None, to_id: str | None) -> Facts:
    """Return the facts about the endpoints of a connection, or about the node of an observation or link."""
    return {name: end for name, end in (("from", from_id), ("to", to_id)) if end is not None}


def key_facts(rows: Iterable[Row]) -> Facts:
    """Return the facts about the index keys of a subject."""
    return _number_repeats((f"key {row['_kind']} {row['_type']} {row['_property']}", row["_value"]) for row in rows)


def inverse_facts(rows: Iterable[InverseRow]) -> Facts:
    """Return the facts about the inverse relationships of one connection."""
    facts: list[tuple[str, object]] = []
    for row in rows:
        inverse_name = f"inverse {row.type}"
        facts += [
            (inverse_name, "there"),
            *((f"{inverse_name} {name}", value) for name, value in state_facts(row.stored).items()),
        ]
    return _number_repeats(facts)


WINDOW_FACTS = ("window ", "type of window ", "grams of window ")
"""Prefixes of the names of facts about search windows."""


def window_facts(rows: Iterable[Row]) -> Facts:
    """Return the facts about a node's search windows."""
    facts: list[tuple[str, object]] = []
    for row in rows:
        window_name = f"window {row['_place']}"
        facts += [(window_name, row["_text"]), (f"type of {window_name}", row["_type"])]
        facts += [(f"grams of {window_name}", row["_grams"])] if "_grams" in row else []
    return _number_repeats(facts)


def _number_repeats(facts: Iterable[tuple[str, object]]) -> Facts:
    """Return the facts, keyed by name. Numbers repeated names, so that a superfluous row shows as a difference."""
    pairs = list(facts)
    unique: Facts = dict(pairs)
    if len(unique) == len(pairs):
        return unique
    unique = {}
    for name, value in sorted(pairs, key=repr):
        unique[name if name not in unique else f"{name}, repeated, {len(unique)}"] = value
    return unique


def _type_ends(state: State) -> Facts:
    def names(key: str) -> tuple[str, ...]:
        return tuple(sorted(set(cast("Sequence[str]", state.get(key, ()))) - {ANY}))

    return {"from types": names("_from_types"), "to types": names("_to_types")}


def compare(kind: str, subject: str, expected: Facts, live: Facts) -> list[Difference]:
    """Return the differences between the facts of one subject.

    If the subject is missing on one side, returns a single difference.
    """
    if expected and not live:
        return [Difference(kind=kind, subject=subject, problem="missing from the live graph")]
    if live and not expected:
        return [Difference(kind=kind, subject=subject, problem="in the live graph, but not in the log")]
    names = [name for name in sorted(expected | live) if expected.get(name) != live.get(name)]
    inverse_prefixes = tuple(
        f"{name} property " for name in names if name.startswith("inverse ") and " property " not in name
    )
    names = [name for name in names if not name.startswith(inverse_prefixes)]
    return [_difference(kind, subject, name, expected.get(name), live.get(name)) for name in names]


def _difference(kind: str, subject: str, name: str, expected: object, live: object) -> Difference:
    return Difference(
        kind=kind, subject=subject, problem=f"{name} differs", expected=_as_text(expected), found=_as_text(live)
    )


def _as_text(value: object) -> str | None:
    if value is None:
        return None
    text = str(value) if isinstance(value, ExactValue) else as_text(value)
    return text[:_MAX_VALUE_CHARACTERS]
