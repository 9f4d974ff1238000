"""The first look: Neo4j itself compares the live graph with the log, and names only the subjects that seem to differ.

It goes through the log and through the live graph at once, each in pages in the order of ids, so nothing holds all
subjects. Whatever differs is named; not all that is named differs, so each is examined afterwards. Keys and search
windows are compared here, page by page, because Cypher can make neither.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio.to_thread

from graph_memory.memory.tasks import task_group
from graph_memory.memory.verify.compare import Subject
from graph_memory.memory.verify.facts import Facts, KeyRow, WindowRow, expected_rows, found_rows
from graph_memory.model.events import HEADER, Draft, Event, Op
from graph_memory.model.kinds import TYPE_OF, Kind
from graph_memory.model.ontology.ontology import Ontology, PropertyRule
from graph_memory.model.projection import indexed_rules
from graph_memory.model.search_windows import most_windows, windows
from graph_memory.model.subjects import StoredValue
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

PAGE = 1_000
"""Subjects that are compared at a time."""
TEXT = 4 * 1024 * 1024
"""Characters of text, or a little more, of which the windows are compared at a time."""


@dataclass(frozen=True, slots=True)
class LogPage:
    """What was found of the next subjects of the log: each that seems to differ by its id and connection type."""

    last: str | None
    subjects: int
    differing: Sequence[tuple[str, str | None]]
    unproved: Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class LivePage:
    """What the log does not know of the next part of the live graph."""

    last: str | None
    unknown: Sequence[Any]


@dataclass(frozen=True, slots=True)
class WindowsFound:
    """Search windows, and the owners of those that no text is long enough for."""

    found: Sequence[Sequence[Any]]
    beyond: Sequence[str]


@dataclass(frozen=True, slots=True)
class Unproved:
    """A subject that agrees with its last event so far: its small text, and the values of its indexed properties."""

    id: str
    kind: str
    type: str
    sha256: str | None
    characters: int | None
    values: Sequence[StoredValue | None]


DIFFERING = query("verify/differing", LogPage)
UNKNOWN_IDS = query("verify/unknown_ids", LivePage)
UNKNOWN_CONNECTIONS = query("verify/unknown_connections", LivePage)
LIVE_TYPE_IDS = query("verify/live_type_ids", Subject)
KEYS_BETWEEN = query("verify/keys_between", list[list[str]])
WINDOWS_BETWEEN = query("verify/windows_between", WindowsFound)
TEXTS = query("verify/texts", list[list[str]])


@dataclass(slots=True)
class FirstLook:
    """Looks through one domain. `subjects` are those that its log knows."""

    reader: Reader
    domain: str
    ontology: Ontology
    contents: set[tuple[str, str]]
    """The contents that were looked at, each by its hash and encoding."""
    subjects: int = 0
    _differing: list[Subject] = field(default_factory=list[Subject])
    _unknown: list[Subject] = field(default_factory=list[Subject])
    _unknown_connections: list[Subject] = field(default_factory=list[Subject])
    _rules: dict[str, list[PropertyRule]] = field(init=False)

    def __post_init__(self) -> None:
        self._rules = _keyed(self.ontology)

    async def suspects(self) -> list[Subject]:
        """Return all subjects that differ, and perhaps some that do not."""
        async with task_group() as tasks:
            tasks.start_soon(self._go_through_log)
            tasks.start_soon(self._go_through_live)
        types = await self.reader.read(LIVE_TYPE_IDS, domain=self.domain)
        return list(dict.fromkeys([*self._differing, *self._unknown, *types, *self._unknown_connections]))

    async def _go_through_log(self) -> None:
        keyed = {kind_and_type: [rule.name for rule in rules] for kind_and_type, rules in self._rules.items()}
        given = {"domain": self.domain, "limit": PAGE, "header": dict.fromkeys(HEADER, True), "keyed": keyed}
        after = ""
        while (page := (await self.reader.read(DIFFERING, after=after, **given))[0]).last is not None:
            self.subjects += page.subjects
            self._differing += [Subject(*one) for one in page.differing]
            differing = {one_id for one_id, _ in page.differing}
            left = [Unproved(*one) for one in page.unproved]
            for start, end, some in _portions(after, page.last, left):
                found = await self._rows_differ(start, end, some)
                self._differing += await self._subjects_of(found - differing)
            after = page.last

    async def _rows_differ(self, after: str, last: str, subjects: Sequence[Unproved]) -> set[str]:
        """Return whose derived rows or text seem to differ of all whose ids are after one and up to another."""
        hashes = sorted({one.sha256 for one in subjects if one.sha256 is not None})
        places = most_windows(max((one.characters or 0 for one in subjects), default=0))
        given = {"domain": self.domain, "after": after, "last": last}
        [texts] = await self.reader.read(TEXTS, domain=self.domain, hashes=hashes) if hashes else [[]]
        [keys] = await self.reader.read(KEYS_BETWEEN, **given)
        [found] = await self.reader.read(WINDOWS_BETWEEN, **given, places=places)
        return {*found.beyond} | await anyio.to_thread.run_sync(
            self._unlike,
            subjects,
            dict(texts),
            [KeyRow(*one) for one in keys],
            [WindowRow(*one) for one in found.found],
        )

    def _unlike(
        self,
        subjects: Sequence[Unproved],
        texts: Mapping[str, str],
        keys: Sequence[KeyRow],
        windows_: Sequence[WindowRow],
    ) -> set[str]:
        found = dict(found_rows(self.domain, keys, windows_))
        unlike: set[str] = set()
        for one in subjects:
            text = texts.get(one.sha256 or "")
            is_read = one.sha256 is None or (text is not None and _hash(text) == one.sha256)
            if not is_read or self._expected(one, text) != found.pop(one.id, {}):
                unlike.add(one.id)
            elif one.sha256 is not None:
                self.contents.add((one.sha256, "utf-8"))
        return unlike | found.keys()

    def _expected(self, one: Unproved, text: str | None) -> Facts:
        rules = self._rules.get(f"{one.kind}/{one.type}", [])
        state = {rule.name: value for rule, value in zip(rules, one.values, strict=True) if value is not None}
        made = tuple(windows(text or ""))
        draft = Draft(op=Op.UPDATE, kind=Kind(one.kind), subject=one.id, type=one.type, state=state, windows=made)
        return expected_rows(self.domain, draft, rules)

    async def _subjects_of(self, ids: set[str]) -> list[Subject]:
        """Return the subjects of these ids, but not of those that the log does not know: others find them."""
        rows = await self.reader.read(LAST_EVENTS, domain=self.domain, subjects=sorted(ids)) if ids else []
        drafts = [Event.from_row(row).draft for row in rows]
        return [Subject(one.subject, one.type if one.kind is Kind.CONNECTION else None) for one in drafts]

    async def _go_through_live(self) -> None:
        after = ""
        while (page := (await self.reader.read(UNKNOWN_IDS, domain=self.domain, after=after, limit=PAGE))[0]).last:
            self._unknown += [Subject(one, None) for one in page.unknown]
            after = page.last
        after = ""
        while (
            page := (await self.reader.read(UNKNOWN_CONNECTIONS, domain=self.domain, after=after, limit=PAGE))[0]
        ).last:
            self._unknown_connections += [Subject(*one) for one in page.unknown]
            after = page.last


def _keyed(ontology: Ontology) -> dict[str, list[PropertyRule]]:
    """Return the rules of the properties that have keys, by kind and type: those of types that have any."""
    types = {Kind.NODE: ontology.node_types, Kind.CONNECTION: ontology.connection_types}
    rules = {f"{kind}/{one.name}": indexed_rules(kind, one.name, ontology) for kind in TYPE_OF for one in types[kind]}
    return {kind_and_type: those for kind_and_type, those in rules.items() if those}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _portions(after: str, last: str, subjects: Sequence[Unproved]) -> Iterator[tuple[str, str, Sequence[Unproved]]]:
    """Divide what is between two ids into parts of about so much text: where each begins and ends, and who is in it."""
    part: list[Unproved] = []
    size = 0
    for one in subjects:
        part.append(one)
        size += one.characters or 0
        if size >= TEXT:
            yield after, one.id, part
            after, part, size = one.id, [], 0
    if after != last:
        yield after, last, part
