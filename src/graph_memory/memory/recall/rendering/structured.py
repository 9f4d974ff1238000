"""Renders a recall as an object within a token budget. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from graph_memory.memory.recall.rendering.prose import (
    FIRST,
    LEAST,
    LEAST_OF_TIES,
    MOST_TIES,
    OF_TIES,
    PART,
    Packed,
    in_turn,
)
from graph_memory.memory.recall.rendering.recall_input import Observed, RecallInput, RecallItem, Tie
from graph_memory.memory.recall.rendering.sentence_selection import select_sentences
from graph_memory.memory.search.text.bm25 import Query
from graph_memory.memory.search.token_budget import Count, Room

Content = dict[str, Any]
MORE = "more_observations"
_ENVELOPE_TOKENS = 2
"""Maximum number of tokens of the marks around a value."""


def pack_structured(material: RecallInput, question: Query, most: int, count: Count) -> tuple[Content, Packed]:
    """Return items and connections as an object within a token budget, and the rendered items.

    Stored text is not altered, because JSON marks its end.
    """
    page = _Object(count, most - count("{}"))
    if material.note:
        page.add("notes", material.note)
    for kind, number in sorted(material.counts.items(), key=lambda pair: -pair[1]):
        page.add("counts", {"type": kind, "nodes": number})
    changes = [page.add("changes", line.removeprefix("- ")) for line in material.changes]
    entries: dict[str, _Entry] = {}
    cut: list[str] = []
    tied: set[str] = set()

    def render_item(item: RecallItem) -> None:
        entry = _fitting_entry(item, question, page)
        if entry is not None and page.add("things", entry):
            entries[item.id] = _Entry(item, entry, item.observed)
            cut.extend([item.id] if entry.get("is_part") else [])
            page.observe(entries[item.id], FIRST, round(page.left * item.share))
            _connect(page, material, item.id, tied)

    def render_observations(items: Sequence[RecallItem]) -> None:
        for item in items:
            if item.id in entries:
                page.observe(entries[item.id], 0, page.left)

    near, others = in_turn(material.items)
    for item in near:
        render_item(item)
    render_observations([item for item in near if item.share])
    for item in others:
        render_item(item)
    render_observations(material.items)
    lists = [(head.lower().replace(" ", "_"), items) for head, items in material.lists]
    for key, list_items in lists:
        for item in list_items:
            page.add(key, _brief_entry(item))
    tokens = page.trim(most)
    left = [entry["id"] for entry in page.content.get("things", ())]
    wanted = {item.id for _, items in lists for item in items}
    named = {entry["id"] for key, _ in lists for entry in page.content.get(key, ())}
    left_out = len(material.items) - len(left) + len(wanted - named) + changes.count(False)
    unshown = {node: entry.unshown for node, entry in entries.items() if entry.unshown and node in left}
    return page.content, Packed("", tokens, tuple(left), tuple(cut), left_out, unshown)


def _connect(page: _Object, material: RecallInput, item: str, tied: set[str]) -> None:
    """Add an item's remaining connections, highest weight first, within its share of the remaining tokens."""
    own = [tie for tie in material.ties if item in (tie.from_id, tie.to_id) and tie.id not in tied]
    room = max(round(page.left * OF_TIES), LEAST_OF_TIES)
    for tie in sorted(own, key=lambda tie: (-tie.weight, tie.id))[:MOST_TIES]:
        entry = _tie(tie, material)
        if (cost := page.cost(entry)) <= room and page.add("connections", entry):
            room -= cost
            tied.add(tie.id)


def as_json(value: object) -> str:
    """Return a value as compact JSON, the form in which tokens are counted."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(slots=True)
class _Entry:
    """The entry of an item, and the observations that have not been added yet."""

    item: RecallItem
    content: Content
    waiting: Sequence[Observed]

    @property
    def unshown(self) -> int:
        return len(self.waiting) + self.item.unread


@dataclass(slots=True)
class _Object(Room):
    """An object whose lists grow while there is room."""

    content: Content = field(default_factory=Content)

    def cost(self, value: object) -> int:
        return self.count(as_json(value)) + _ENVELOPE_TOKENS

    def add(self, key: str, value: object) -> bool:
        """Add a value to a list if there is room. Return whether it was added."""
        cost = self.cost(value) + (0 if key in self.content else self.cost(key) + _ENVELOPE_TOKENS)
        if fits := self.take(cost):
            self.content.setdefault(key, []).append(value)
        return fits

    def observe(self, entry: _Entry, fewest: int, room: int) -> None:
        """Add observations within `room` tokens, at least `fewest` of them, and the number of the others."""
        waiting: list[Observed] = []
        before = entry.content.pop(MORE, 0)
        added = 0
        for observed in entry.waiting:
            rendered = {"text": observed.text, "when": observed.when} | (
                {"over": observed.over.to_dict()} if observed.over else {}
            )
            rendered |= {"until": observed.until} if observed.until else {}
            most = room if added >= fewest else max(room, round(self.left * PART), LEAST)
            if self.left <= 0 or (cost := self.cost(rendered)) > min(self.left, most):
                waiting.append(observed)
                continue
            entry.content.setdefault("observations", []).append(rendered)
            self.left -= cost
            room -= cost
            added += 1
        entry.waiting = waiting
        if entry.unshown:
            entry.content[MORE] = entry.unshown
            self.left -= 0 if before else self.cost({MORE: entry.unshown})

    def trim(self, most: int) -> int:
        """Remove values until the content fits, and return its number of tokens. Until then, sizes are estimates."""
        while (tokens := self.count(as_json(self.content))) > most and self.content:
            key = next(reversed(self.content))
            self.content[key].pop()
            if not self.content[key]:
                del self.content[key]
        return tokens


def _fitting_entry(item: RecallItem, question: Query, page: _Object) -> Content | None:
    """Return an item's entry, cut to its share of the remaining tokens, or None if none of it fits."""
    room = min(page.left, max(round(page.left * PART), LEAST))
    bare = _brief_entry(item)
    full = {**bare, **_full_entry(item)}
    if item.text:
        full["text"] = item.text
    if page.cost(full) <= room:
        return {**full, "is_part": True} if item.is_part else full
    if item.summary and page.cost(summed := {**bare, "summary": item.summary, "is_part": True}) <= room:
        return summed
    available = room - page.cost({**bare, **_full_entry(item), "text": "", "is_part": True})
    part = select_sentences(" ".join(item.text.split()), question, available, page.count)
    if part and page.cost(entry := {**bare, **_full_entry(item), "text": part, "is_part": True}) <= page.left:
        return entry
    return {**bare, "is_part": True} if page.cost({**bare, "is_part": True}) <= page.left else None


def _brief_entry(item: RecallItem) -> Content:
    content: Content = {"id": item.id, "type": item.type, "title": item.title}
    if item.ends is not None:
        content |= {"from_id": item.ends[0], "to_id": item.ends[2]}
    return content | ({"when": item.when} if item.when else {}) | ({"uses": item.uses} if item.uses else {})


def _full_entry(item: RecallItem) -> Content:
    content: Content = {"path": item.path} if item.path else {}
    if item.facts:
        content["properties"] = dict(item.facts)
    return content


def _tie(tie: Tie, material: RecallInput) -> Content:
    content: Content = {"id": tie.id, "type": tie.type, "from_id": tie.from_id, "to_id": tie.to_id}
    for key, end in (("from", tie.from_id), ("to", tie.to_id)):
        if end in material.known:
            content[key] = material.known[end].title
    when = {"until": tie.until} if tie.until else {"since": tie.since} if tie.since else {}
    return content | {"weight": round(tie.weight, 4)} | when
