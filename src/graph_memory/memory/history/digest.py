"""Changes in a few words, one line per node, such as `Tomas Lind: + "head of platform"; launch 20 Nov → 4 Dec`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graph_memory.memory.history.narration import Rendered, alias_words, bound_words, summary
from graph_memory.model.events import Op
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.subjects.subjects import ENTITY, RELATION, State, StoredValue, is_pattern_data
from graph_memory.model.text.name_list import ALIASES, listed_names
from graph_memory.model.text.wording import as_text, quote
from graph_memory.model.values.exact import same_value

Quote = Callable[[str], str]
"""Returns a stored text in quotation marks."""
Parts = Mapping[str, "Part"]

REMOVED = "−"
"""The sign of a fact that was deleted or ended."""
_BOUNDS = ("_valid_from", "_valid_to")
_SHOWN = {"_tags": "tags", "_path": "path", "_entity": "type", **dict.fromkeys(_BOUNDS, "")}
"""The attributes of nodes whose changes are described, with their display names."""
_RELATION = re.compile(r"[\w-]{1,24}(?: [\w-]{1,24}){0,3}")
"""A connection type in words that is too short to contain an instruction."""
_PLAIN = re.compile(r"[\w.:@/+-]{1,40}|[A-Z0-9][\w.'-]{0,20}(?: [A-Z0-9][\w.'-]{0,20}){1,2}")
"""A text that needs no quotation marks: a word, or a few words with capitals or digits, such as a name or a date."""


@dataclass(frozen=True, slots=True)
class Part:
    """One change of a node in words. `subject` is the changed subject, such as an observation."""

    subject: str
    words: str
    text: str = ""
    """The text of an observation, as quoted in the words."""


@dataclass(slots=True)
class ThingChanges:
    """All changes of one node, the newest first."""

    id: str
    title: str
    type: str
    state: str = ""
    """`new`, `restored`, `deleted` or `merged`. Empty for a node that existed before."""
    parts: dict[str, Part] = field(default_factory=dict[str, Part])

    def line(self, parts: Sequence[Part] | None = None) -> str:
        """Return the changes, or only some parts of them, as one line."""
        state = "" if self.state == "merged" else self.state
        about = " ".join(word for word in (state, self.type if state == "new" else "") if word)
        words = "; ".join(part.words for part in (self.parts.values() if parts is None else parts))
        return f"{self.title}{f' ({about})' if about else ''}{': ' if words else ''}{words}"


def digest(changes: Iterable[Rendered], quote_text: Quote = quote) -> list[ThingChanges]:
    """Return the changes by node, in the given order, which is newest first.

    Changes of observations and connections are listed under their node or source node. If a value changed several
    times, only the first change is included. Changes of types and domains are described as in the log.
    """
    items: dict[str, ThingChanges] = {}
    merges = _Merges()
    for change in changes:
        draft = change.draft
        if draft.erased:
            continue
        if draft.kind is Kind.DOMAIN or draft.kind is Kind.ONTOLOGY or draft.kind in TYPES:
            items.setdefault(draft.subject, ThingChanges(draft.subject, summary(change), ""))
            continue
        about = draft.subject if draft.kind is Kind.NODE else draft.from_id or draft.subject
        item = items.setdefault(about, ThingChanges(about, _title(change, about, quote_text), ""))
        if draft.kind is Kind.NODE:
            _note_node(item, change)
        parts = _parts(change, quote_text)
        merges.note(change, about, parts)
        for key, part in parts.items():
            item.parts.setdefault(key, part)
    merges.apply(items)
    return list(items.values())


@dataclass(slots=True)
class _Merges:
    """Detects merges of entities: one write deletes an entity, and another entity gets its name as an alias."""

    deleted: dict[str, tuple[str, str | None]] = field(default_factory=dict[str, tuple[str, str | None]])
    """Names and write ids by the ids of deleted nodes."""
    holders: dict[tuple[str, str | None], str] = field(default_factory=dict[tuple[str, str | None], str])
    """Ids of nodes by their new aliases and the write ids."""
    changed: dict[str, str | None] = field(default_factory=dict[str, str | None])
    """The newest write ids by the keys of parts."""

    def note(self, change: Rendered, about: str, parts: Parts) -> None:
        draft = change.draft
        if draft.kind is Kind.NODE:
            if draft.op is Op.DELETE:
                self.deleted.setdefault(about, (str((change.before or {}).get("name", "")), change.batch))
            self.holders |= dict.fromkeys(((name, change.batch) for name in _new_aliases(change)), about)
        self.changed.update((key, change.batch) for key in parts if key not in self.changed)

    def apply(self, nodes: Mapping[str, ThingChanges]) -> None:
        """Mark merged nodes. Shows the merge instead of the changes that it made."""
        for item in nodes.values():
            deletion = self.deleted.get(item.id)
            if item.state != "deleted" or deletion is None or deletion not in self.holders:
                continue
            remaining = {key: part for key, part in item.parts.items() if self.changed[key] != deletion[1]}
            merged = Part(item.id, f"merged into {nodes[self.holders[deletion]].title}")
            item.state, item.parts = "merged", {item.id: merged, **remaining}


def _new_aliases(change: Rendered) -> set[str]:
    old, new = (
        {name.strip() for key in ALIASES for name in listed_names((state or {}).get(key))}
        for state in (change.before, change.draft.state)
    )
    return new - old


def plain(value: StoredValue, quote: Quote) -> str:
    """Return a value without quotation marks if it is a name, a date or a number."""
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) else quote(value)
    return as_text(value) if isinstance(value, int | float | datetime) else quote(", ".join(value))


def _title(change: Rendered, about: str, quote: Quote) -> str:
    state = change.draft.state or change.before or {}
    name = state.get("name") or state.get("_title") if change.draft.kind is Kind.NODE else change.from_title
    return plain(str(name or about), quote)


def _note_node(item: ThingChanges, change: Rendered) -> None:
    """Record whether a node is new, restored or deleted, according to its newest creation or deletion."""
    draft, state = change.draft, change.draft.state or change.before or {}
    item.type = item.type or plain(str(state.get(ENTITY) or draft.type), quote)
    if draft.op is Op.DELETE:
        item.state = item.state or "deleted"
    elif draft.op is Op.CREATE:
        item.state = item.state or ("new" if draft.previous is None else "restored")


def _parts(change: Rendered, quote: Quote) -> Parts:
    """Return the changes of a subject in words, with a key for each changed value."""
    draft, before, after = change.draft, change.before or {}, change.draft.state or {}
    if draft.kind is Kind.NODE:
        return {} if draft.op is Op.DELETE else _of_node(change, before, after, quote)
    subject = draft.subject
    if draft.kind is Kind.OBSERVATION:
        text = quote(str(after.get("_text") or before.get("_text") or subject))
        return {subject: Part(subject, f"{_sign(draft.op, before, after)} {text}", text)}
    state = after or before
    end = change.to_title or draft.to_id or f"{state.get('_target_domain')}:{state.get('_target')}"
    kind = str(state.get(RELATION) or draft.type or state.get("_link_type")).replace("_", " ")
    kind = kind if _RELATION.fullmatch(kind) else quote(kind)
    return {subject: Part(subject, f"{_sign(draft.op, before, after)} {kind} {plain(end, quote)}")}


def _sign(op: Op, before: State, after: State) -> str:
    """Return `+` for a new or reopened fact, `−` for a deleted or ended one, and `~` for other changes."""
    if op is Op.DELETE or ("_valid_to" in after and "_valid_to" not in before):
        return REMOVED
    return "~" if op is Op.UPDATE and not ("_valid_to" in before and "_valid_to" not in after) else "+"


def _of_node(change: Rendered, before: State, after: State, quote: Quote) -> Parts:
    subject = change.draft.subject
    keys = [key for key in {**after, **before} if key in _SHOWN or not key.startswith("_")]
    if not before:  # the line of a new node contains its name and its type
        keys = [key for key in keys if key not in ("name", ENTITY)]
    if "_title" in before and "name" not in keys:
        keys.insert(0, "_title")
    parts = {f"{subject} {key}": _value(change, key, before, after, quote) for key in keys}
    if before and before.get("_content_sha256") != after.get("_content_sha256"):
        parts[f"{subject} content"] = Part(subject, "content rewritten")
    return {key: part for key, part in parts.items() if part is not None}


def _value(change: Rendered, key: str, before: State, after: State, quote: Quote) -> Part | None:
    subject, value, other = change.draft.subject, before.get(key), after.get(key)
    if same_value(value, other):
        return None
    if key in _BOUNDS:
        return Part(subject, bound_words(key, value, other, change.at))
    if key in ALIASES:
        return Part(subject, alias_words(value, other, quote))
    name = plain(_SHOWN.get(key, "title" if key == "_title" else key), quote)
    if other is None:
        return Part(subject, f"{name} removed")
    if is_pattern_data(key, other):
        return None if value is None else Part(subject, f"{name} changed")
    text = plain(other, quote)
    return Part(subject, f"{name} {text}" if value is None else f"{name} {plain(value, quote)} → {text}")
