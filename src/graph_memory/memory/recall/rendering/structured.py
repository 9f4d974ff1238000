"""What is told, as an object that fits a budget to the token. It is pure."""

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
from graph_memory.memory.recall.rendering.recall_input import Material, Observed, Thing, Tie
from graph_memory.memory.recall.rendering.sentence_selection import shortened
from graph_memory.memory.search.text.bm25 import Query
from graph_memory.memory.search.token_budget import Count, Room

Content = dict[str, Any]
MORE = "more_observations"
_AROUND = 2
"""Tokens of the marks around a value, rather too many."""


def structured(material: Material, question: Query, most: int, count: Count) -> tuple[Content, Packed]:
    """Return things and connections as an object of so many tokens of JSON at most, and what of it was told.

    Stored text stands in it as it is: JSON says where it ends.
    """
    page = _Object(count, most - count("{}"))
    if material.note:
        page.add("notes", material.note)
    for kind, number in sorted(material.counts.items(), key=lambda each: -each[1]):
        page.add("counts", {"type": kind, "nodes": number})
    changes = [page.add("changes", line.removeprefix("- ")) for line in material.changes]
    told: dict[str, _Entry] = {}
    cut: list[str] = []
    tied: set[str] = set()

    def tell(thing: Thing) -> None:
        entry = _fitting(thing, question, page)
        if entry is not None and page.add("things", entry):
            told[thing.id] = _Entry(thing, entry, thing.observed)
            cut.extend([thing.id] if entry.get("is_part") else [])
            page.observe(told[thing.id], FIRST, round(page.left * thing.share))
            _connect(page, material, thing.id, tied)

    def observe_on(things: Sequence[Thing]) -> None:
        for thing in things:
            if thing.id in told:
                page.observe(told[thing.id], 0, page.left)

    near, others = in_turn(material.things)
    for thing in near:
        tell(thing)
    observe_on([thing for thing in near if thing.share])
    for thing in others:
        tell(thing)
    observe_on(material.things)
    lists = [(head.lower().replace(" ", "_"), things) for head, things in material.lists]
    for key, things in lists:
        for thing in things:
            page.add(key, _named(thing))
    tokens = page.trimmed(most)
    left = [each["id"] for each in page.content.get("things", ())]
    wanted = {thing.id for _, things in lists for thing in things}
    named = {each["id"] for key, _ in lists for each in page.content.get(key, ())}
    left_out = len(material.things) - len(left) + len(wanted - named) + changes.count(False)
    untold = {each: entry.untold for each, entry in told.items() if entry.untold and each in left}
    return page.content, Packed("", tokens, tuple(left), tuple(cut), left_out, untold)


def _connect(page: _Object, material: Material, thing: str, tied: set[str]) -> None:
    """Add the connections of a thing that are not there yet, those that count most, to their part of what is left."""
    own = [each for each in material.ties if thing in (each.from_id, each.to_id) and each.id not in tied]
    room = max(round(page.left * OF_TIES), LEAST_OF_TIES)
    for tie in sorted(own, key=lambda each: (-each.weight, each.id))[:MOST_TIES]:
        entry = _tie(tie, material)
        if (cost := page.cost(entry)) <= room and page.add("connections", entry):
            room -= cost
            tied.add(tie.id)


def as_json(value: object) -> str:
    """Return a value as compact JSON, as its tokens are counted."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(slots=True)
class _Entry:
    """What is told of a thing, and what was observed of it that waits for room."""

    thing: Thing
    content: Content
    waiting: Sequence[Observed]

    @property
    def untold(self) -> int:
        return len(self.waiting) + self.thing.unread


@dataclass(slots=True)
class _Object(Room):
    """An object of lists that grow as long as there is room."""

    content: Content = field(default_factory=Content)

    def cost(self, value: object) -> int:
        return self.count(as_json(value)) + _AROUND

    def add(self, key: str, value: object) -> bool:
        """Add to a list, if there is room."""
        cost = self.cost(value) + (0 if key in self.content else self.cost(key) + _AROUND)
        if fits := self.take(cost):
            self.content.setdefault(key, []).append(value)
        return fits

    def observe(self, entry: _Entry, fewest: int, room: int) -> None:
        """Add what was observed in so many tokens, and so many observations in any case, and count the others."""
        waiting: list[Observed] = []
        before = entry.content.pop(MORE, 0)
        added = 0
        for each in entry.waiting:
            told = {"text": each.text, "when": each.when} | ({"over": each.over.to_dict()} if each.over else {})
            told |= {"until": each.until} if each.until else {}
            most = room if added >= fewest else max(room, round(self.left * PART), LEAST)
            if self.left <= 0 or (cost := self.cost(told)) > min(self.left, most):
                waiting.append(each)
                continue
            entry.content.setdefault("observations", []).append(told)
            self.left -= cost
            room -= cost
            added += 1
        entry.waiting = waiting
        if entry.untold:
            entry.content[MORE] = entry.untold
            self.left -= 0 if before else self.cost({MORE: entry.untold})

    def trimmed(self, most: int) -> int:
        """Return the tokens of it all, after taking out what is too much: costs are of parts, and nearly add up."""
        while (tokens := self.count(as_json(self.content))) > most and self.content:
            key = next(reversed(self.content))
            self.content[key].pop()
            if not self.content[key]:
                del self.content[key]
        return tokens


def _fitting(thing: Thing, question: Query, page: _Object) -> Content | None:
    """Return an entry of a thing that is no more than its part of what is left; None where nothing of it fits."""
    room = min(page.left, max(round(page.left * PART), LEAST))
    bare = _named(thing)
    full = {**bare, **_told(thing)}
    if thing.text:
        full["text"] = thing.text
    if page.cost(full) <= room:
        return {**full, "is_part": True} if thing.is_part else full
    if thing.summary and page.cost(summed := {**bare, "summary": thing.summary, "is_part": True}) <= room:
        return summed
    available = room - page.cost({**bare, **_told(thing), "text": "", "is_part": True})
    part = shortened(" ".join(thing.text.split()), question, available, page.count)
    if part and page.cost(found := {**bare, **_told(thing), "text": part, "is_part": True}) <= page.left:
        return found
    return {**bare, "is_part": True} if page.cost({**bare, "is_part": True}) <= page.left else None


def _named(thing: Thing) -> Content:
    found: Content = {"id": thing.id, "type": thing.type, "title": thing.title}
    if thing.ends is not None:
        found |= {"from_id": thing.ends[0], "to_id": thing.ends[2]}
    return found | ({"when": thing.when} if thing.when else {}) | ({"uses": thing.uses} if thing.uses else {})


def _told(thing: Thing) -> Content:
    found: Content = {"path": thing.path} if thing.path else {}
    if thing.facts:
        found["properties"] = dict(thing.facts)
    return found


def _tie(tie: Tie, material: Material) -> Content:
    found: Content = {"id": tie.id, "type": tie.type, "from_id": tie.from_id, "to_id": tie.to_id}
    for key, end in (("from", tie.from_id), ("to", tie.to_id)):
        if end in material.known:
            found[key] = material.known[end].title
    when = {"until": tie.until} if tie.until else {"since": tie.since} if tie.since else {}
    return found | {"weight": round(tie.weight, 4)} | when
