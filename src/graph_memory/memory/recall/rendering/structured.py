"""Renders a recall as an object within a token budget."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from graph_memory.memory.recall.rendering.prose import (
    FIRST,
    LEAST,
    MAX_CONNECTIONS_SHARE,
    MAX_ITEM_SHARE,
    MAX_RENDERED_CONNECTIONS,
    MIN_CONNECTIONS_TOKENS,
    RenderedRecall,
    split_items,
)
from graph_memory.memory.recall.rendering.recall_input import RecallEdge, RecallFact, RecallInput, RecallItem
from graph_memory.memory.recall.rendering.sentence_selection import select_sentences
from graph_memory.memory.search.text.bm25 import Query
from graph_memory.memory.search.token_budget import Count, RemainingTokens

Content = dict[str, Any]
MORE = "more_observations"
_ENVELOPE_TOKENS = 2
"""Maximum number of tokens of the punctuation around a value."""


def pack_structured(material: RecallInput, question: Query, most: int, count: Count) -> tuple[Content, RenderedRecall]:
    """Return items and connections as an object within a token budget, with the ids of the rendered items.

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
    rendered_ties: set[str] = set()

    def render_item(item: RecallItem) -> None:
        entry = _entry_that_fits(item, question, page)
        if entry is not None and page.add("things", entry):
            entries[item.id] = _Entry(item, entry, item.observed)
            cut.extend([item.id] if entry.get("is_part") else [])
            page.add_observations(entries[item.id], FIRST, round(page.left * item.share))
            _add_connections(page, material, item.id, rendered_ties)

    def render_observations(items: Sequence[RecallItem]) -> None:
        for item in items:
            if item.id in entries:
                page.add_observations(entries[item.id], 0, page.left)

    first_items, others = split_items(material.items)
    for item in first_items:
        render_item(item)
    render_observations([item for item in first_items if item.share])
    for item in others:
        render_item(item)
    render_observations(material.items)
    lists = [(head.lower().replace(" ", "_"), items) for head, items in material.lists]
    for key, list_items in lists:
        for item in list_items:
            page.add(key, _brief_entry(item))
    tokens = page.trim(most)
    rendered_ids = [entry["id"] for entry in page.content.get("things", ())]
    listed_ids = {item.id for _, items in lists for item in items}
    shown_in_lists = {entry["id"] for key, _ in lists for entry in page.content.get(key, ())}
    left_out = len(material.items) - len(rendered_ids) + len(listed_ids - shown_in_lists) + changes.count(False)
    unshown = {
        node: entry.omitted_count for node, entry in entries.items() if entry.omitted_count and node in rendered_ids
    }
    return page.content, RenderedRecall("", tokens, tuple(rendered_ids), tuple(cut), left_out, unshown)


def _add_connections(page: _Object, material: RecallInput, item: str, rendered_ties: set[str]) -> None:
    """Add an item's remaining connections, highest weight first, within its share of the remaining tokens."""
    remaining_ties = [
        tie for tie in material.connections if item in (tie.from_id, tie.to_id) and tie.id not in rendered_ties
    ]
    room = max(round(page.left * MAX_CONNECTIONS_SHARE), MIN_CONNECTIONS_TOKENS)
    for tie in sorted(remaining_ties, key=lambda tie: (-tie.weight, tie.id))[:MAX_RENDERED_CONNECTIONS]:
        entry = _connection_entry(tie, material)
        if (cost := page.cost(entry)) <= room and page.add("connections", entry):
            room -= cost
            rendered_ties.add(tie.id)


def to_compact_json(value: object) -> str:
    """Return a value as compact JSON, the form in which tokens are counted."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(slots=True)
class _Entry:
    """The entry of an item, and the observations that have not been added yet."""

    item: RecallItem
    content: Content
    waiting: Sequence[RecallFact]

    @property
    def omitted_count(self) -> int:
        return len(self.waiting) + self.item.unread


@dataclass(slots=True)
class _Object(RemainingTokens):
    """A JSON object whose lists grow within a token budget."""

    content: Content = field(default_factory=Content)

    def cost(self, value: object) -> int:
        return self.count(to_compact_json(value)) + _ENVELOPE_TOKENS

    def add(self, key: str, value: object) -> bool:
        """Append a value to the list under a key if it fits the budget. Return whether it was added."""
        cost = self.cost(value) + (0 if key in self.content else self.cost(key) + _ENVELOPE_TOKENS)
        if fits := self.deduct(cost):
            self.content.setdefault(key, []).append(value)
        return fits

    def add_observations(self, entry: _Entry, fewest: int, room: int) -> None:
        """Add observations within `room` tokens, but at least `fewest`, and the number of omitted observations."""
        not_rendered: list[RecallFact] = []
        previous_count = entry.content.pop(MORE, 0)
        added = 0
        for observed in entry.waiting:
            rendered: Content = {"text": observed.text, "when": observed.when}
            rendered |= {"over": observed.over.to_dict()} if observed.over else {}
            rendered |= {"until": observed.until} if observed.until else {}
            most = room if added >= fewest else max(room, round(self.left * MAX_ITEM_SHARE), LEAST)
            if self.left <= 0 or (cost := self.cost(rendered)) > min(self.left, most):
                not_rendered.append(observed)
                continue
            entry.content.setdefault("observations", []).append(rendered)
            self.left -= cost
            room -= cost
            added += 1
        entry.waiting = not_rendered
        if entry.omitted_count:
            entry.content[MORE] = entry.omitted_count
            self.left -= 0 if previous_count else self.cost({MORE: entry.omitted_count})

    def trim(self, most: int) -> int:
        """Remove values until the content has at most `most` tokens. Returns the exact number of tokens."""
        while (tokens := self.count(to_compact_json(self.content))) > most and self.content:
            key = next(reversed(self.content))
            self.content[key].pop()
            if not self.content[key]:
                del self.content[key]
        return tokens


def _entry_that_fits(item: RecallItem, question: Query, page: _Object) -> Content | None:
    """Return an item's entry, cut to its share of the remaining tokens, or None if no part of the entry fits."""
    room = min(page.left, max(round(page.left * MAX_ITEM_SHARE), LEAST))
    brief_entry = _brief_entry(item)
    full_entry = {**brief_entry, **_full_entry(item)}
    if item.text:
        full_entry["text"] = item.text
    if page.cost(full_entry) <= room:
        return {**full_entry, "is_part": True} if item.is_part else full_entry
    if item.summary and page.cost(summary_entry := {**brief_entry, "summary": item.summary, "is_part": True}) <= room:
        return summary_entry
    available = room - page.cost({**brief_entry, **_full_entry(item), "text": "", "is_part": True})
    part = select_sentences(" ".join(item.text.split()), question, available, page.count)
    if part and page.cost(entry := {**brief_entry, **_full_entry(item), "text": part, "is_part": True}) <= page.left:
        return entry
    return {**brief_entry, "is_part": True} if page.cost({**brief_entry, "is_part": True}) <= page.left else None


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


def _connection_entry(tie: RecallEdge, material: RecallInput) -> Content:
    content: Content = {"id": tie.id, "type": tie.type, "from_id": tie.from_id, "to_id": tie.to_id}
    for key, end in (("from", tie.from_id), ("to", tie.to_id)):
        if end in material.known:
            content[key] = material.known[end].title
    when = {"until": tie.until} if tie.until else {"since": tie.since} if tie.since else {}
    return content | {"weight": round(tie.weight, 4)} | when
