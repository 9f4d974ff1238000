"""Describes changes in one line per node, such as `Tomas Lind: + "head of platform"; launch 20 Nov → 4 Dec`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graph_memory.memory.history.narration import ChangeToDescribe, alias_words, bound_words, summary
from graph_memory.model.events import Op
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.subjects.subjects import ENTITY, RELATION, State, StoredValue, is_pattern_data
from graph_memory.model.text.name_list import ALIASES, listed_names
from graph_memory.model.text.wording import as_text, quote
from graph_memory.model.values.exact import same_value

Quote = Callable[[str], str]
"""A function that returns a stored text in quotation marks."""
Parts = Mapping[str, "ChangeDescription"]

REMOVED = "−"
"""The sign of a fact that was deleted or ended."""
_BOUNDS = ("_valid_from", "_valid_to")
_SHOWN_ATTRIBUTES = {"_tags": "tags", "_path": "path", "_entity": "type", **dict.fromkeys(_BOUNDS, "")}
"""The node attributes whose changes are described, with their display names."""
_RELATION = re.compile(r"[\w-]{1,24}(?: [\w-]{1,24}){0,3}")
"""Matches a connection type's name that is too short to contain an instruction. Other names are quoted."""
_PLAIN = re.compile(r"[\w.:@/+-]{1,40}|[A-Z0-9][\w.'-]{0,20}(?: [A-Z0-9][\w.'-]{0,20}){1,2}")
"""Matches text that needs no quotation marks: a word, or a few words with capitals or digits, such as a name or a date.
"""


@dataclass(frozen=True, slots=True)
class ChangeDescription:
    """The description of one change of a node. `subject` is the node, or the changed observation or connection."""

    subject: str
    words: str
    text: str = ""
    """For an observation, its text as quoted in `words`, otherwise empty."""


@dataclass(slots=True)
class NodeChanges:
    """The changes of one node, newest first."""

    id: str
    title: str
    type: str
    state: str = ""
    """`new`, `restored`, `deleted` or `merged`. Empty for a node that existed before."""
    parts: dict[str, ChangeDescription] = field(default_factory=dict[str, ChangeDescription])

    def line(self, parts: Sequence[ChangeDescription] | None = None) -> str:
        """Return one line with the node's title and its changes: all changes, or only the given changes."""
        state = "" if self.state == "merged" else self.state
        about = " ".join(word for word in (state, self.type if state == "new" else "") if word)
        words = "; ".join(part.words for part in (self.parts.values() if parts is None else parts))
        return f"{self.title}{f' ({about})' if about else ''}{': ' if words else ''}{words}"


def digest(changes: Iterable[ChangeToDescribe], quote_text: Quote = quote) -> list[NodeChanges]:
    """Group changes by node. `changes` must be sorted, newest first. The nodes keep this order.

    Changes of observations and connections are listed under their node or source node. If a value changed several
    times, only the newest change is included. Changes of types and domains are described as in the log.
    """
    items: dict[str, NodeChanges] = {}
    merges = _Merges()
    for change in changes:
        draft = change.draft
        if draft.erased:
            continue
        if draft.kind is Kind.DOMAIN or draft.kind is Kind.ONTOLOGY or draft.kind in TYPES:
            items.setdefault(draft.subject, NodeChanges(draft.subject, summary(change), ""))
            continue
        node_id = draft.subject if draft.kind is Kind.NODE else draft.from_id or draft.subject
        item = items.setdefault(node_id, NodeChanges(node_id, _title(change, node_id, quote_text), ""))
        if draft.kind is Kind.NODE:
            _record_node_state(item, change)
        parts = _parts(change, quote_text)
        merges.record(change, node_id, parts)
        for key, part in parts.items():
            item.parts.setdefault(key, part)
    merges.apply(items)
    return list(items.values())


@dataclass(slots=True)
class _Merges:
    """Detects merges of entities: one write deletes an entity, and another entity gets its name as an alias."""

    deletions: dict[str, tuple[str, str | None]] = field(default_factory=dict[str, tuple[str, str | None]])
    """The name of each deleted node and the id of the write that deleted it, keyed by node id."""
    holders: dict[tuple[str, str | None], str] = field(default_factory=dict[tuple[str, str | None], str])
    """The id of the node that got an alias. The keys are the alias and the id of the write that added it."""
    newest_writes: dict[str, str | None] = field(default_factory=dict[str, str | None])
    """The id of the newest write that changed each value, keyed as in `Parts`."""

    def record(self, change: ChangeToDescribe, node_id: str, parts: Parts) -> None:
        draft = change.draft
        if draft.kind is Kind.NODE:
            if draft.op is Op.DELETE:
                self.deletions.setdefault(node_id, (str((change.before or {}).get("name", "")), change.batch))
            self.holders |= dict.fromkeys(((name, change.batch) for name in _new_aliases(change)), node_id)
        self.newest_writes.update((key, change.batch) for key in parts if key not in self.newest_writes)

    def apply(self, nodes: Mapping[str, NodeChanges]) -> None:
        """Mark deleted nodes that were merged into other nodes. One entry replaces the changes made by the merge."""
        for item in nodes.values():
            deletion = self.deletions.get(item.id)
            if item.state != "deleted" or deletion is None or deletion not in self.holders:
                continue
            remaining = {key: part for key, part in item.parts.items() if self.newest_writes[key] != deletion[1]}
            merged = ChangeDescription(item.id, f"merged into {nodes[self.holders[deletion]].title}")
            item.state, item.parts = "merged", {item.id: merged, **remaining}


def _new_aliases(change: ChangeToDescribe) -> set[str]:
    old, new = (
        {name.strip() for key in ALIASES for name in listed_names((state or {}).get(key))}
        for state in (change.before, change.draft.state)
    )
    return new - old


def quote_unless_plain(value: StoredValue, quote: Quote) -> str:
    """Return a value as text, in quotation marks unless it is a name, a date or a number."""
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) else quote(value)
    return as_text(value) if isinstance(value, int | float | datetime) else quote(", ".join(value))


def _title(change: ChangeToDescribe, node_id: str, quote: Quote) -> str:
    state = change.draft.state or change.before or {}
    name = state.get("name") or state.get("_title") if change.draft.kind is Kind.NODE else change.from_title
    return quote_unless_plain(str(name or node_id), quote)


def _record_node_state(item: NodeChanges, change: ChangeToDescribe) -> None:
    """Record whether a node is new, restored or deleted, according to its newest creation or deletion."""
    draft, state = change.draft, change.draft.state or change.before or {}
    item.type = item.type or quote_unless_plain(str(state.get(ENTITY) or draft.type), quote)
    if draft.op is Op.DELETE:
        item.state = item.state or "deleted"
    elif draft.op is Op.CREATE:
        item.state = item.state or ("new" if draft.previous is None else "restored")


def _parts(change: ChangeToDescribe, quote: Quote) -> Parts:
    """Return the descriptions of a subject's changes, keyed by changed value."""
    draft, before, after = change.draft, change.before or {}, change.draft.state or {}
    if draft.kind is Kind.NODE:
        return {} if draft.op is Op.DELETE else _node_parts(change, before, after, quote)
    subject = draft.subject
    if draft.kind is Kind.OBSERVATION:
        text = quote(str(after.get("_text") or before.get("_text") or subject))
        return {subject: ChangeDescription(subject, f"{_sign(draft.op, before, after)} {text}", text)}
    state = after or before
    end = change.to_title or draft.to_id or f"{state.get('_target_domain')}:{state.get('_target')}"
    connection_words = str(state.get(RELATION) or draft.type or state.get("_link_type")).replace("_", " ")
    connection_words = connection_words if _RELATION.fullmatch(connection_words) else quote(connection_words)
    return {
        subject: ChangeDescription(
            subject, f"{_sign(draft.op, before, after)} {connection_words} {quote_unless_plain(end, quote)}"
        )
    }


def _sign(op: Op, before: State, after: State) -> str:
    """Return `+` for a new or reopened fact, `−` for a deleted or ended one, and `~` for other changes."""
    if op is Op.DELETE or ("_valid_to" in after and "_valid_to" not in before):
        return REMOVED
    return "~" if op is Op.UPDATE and not ("_valid_to" in before and "_valid_to" not in after) else "+"


def _node_parts(change: ChangeToDescribe, before: State, after: State, quote: Quote) -> Parts:
    subject = change.draft.subject
    keys = [key for key in {**after, **before} if key in _SHOWN_ATTRIBUTES or not key.startswith("_")]
    if not before:  # the line of a new node contains its name and its type
        keys = [key for key in keys if key not in ("name", ENTITY)]
    if "_title" in before and "name" not in keys:
        keys.insert(0, "_title")
    parts = {f"{subject} {key}": _value_part(change, key, before, after, quote) for key in keys}
    if before and before.get("_content_sha256") != after.get("_content_sha256"):
        parts[f"{subject} content"] = ChangeDescription(subject, "content rewritten")
    return {key: part for key, part in parts.items() if part is not None}


def _value_part(
    change: ChangeToDescribe, key: str, before: State, after: State, quote: Quote
) -> ChangeDescription | None:
    subject, old_value, new_value = change.draft.subject, before.get(key), after.get(key)
    if same_value(old_value, new_value):
        return None
    if key in _BOUNDS:
        return ChangeDescription(subject, bound_words(key, old_value, new_value, change.at))
    if key in ALIASES:
        return ChangeDescription(subject, alias_words(old_value, new_value, quote))
    name = quote_unless_plain(_SHOWN_ATTRIBUTES.get(key, "title" if key == "_title" else key), quote)
    if new_value is None:
        return ChangeDescription(subject, f"{name} removed")
    if is_pattern_data(key, new_value):
        return None if old_value is None else ChangeDescription(subject, f"{name} changed")
    text = quote_unless_plain(new_value, quote)
    return ChangeDescription(
        subject, f"{name} {text}" if old_value is None else f"{name} {quote_unless_plain(old_value, quote)} → {text}"
    )
