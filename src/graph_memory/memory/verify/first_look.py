"""The first look: Neo4j itself compares the live graph with the log, and names only the subjects that seem to differ.

It goes through the log and through the live graph at once, each in pages in the order of ids. One side gives the number
of each living subject's last event, the other the numbers of the events that something in the live graph agrees with in
everything. So all that is kept is one byte for each event, and where the two differ, a subject is examined. Whatever
differs is found; not all that is found differs. Keys and search windows are compared here: Cypher makes neither.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
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
"""Subjects that are looked at, or compared, at a time."""
TEXT = 4 * 1024 * 1024
"""Bytes of text, or a little more, of which the windows are compared at a time."""
_END = "\U0010ffff" * 8
"""After every id."""

Named = tuple[str, str | None]
"""The id of a subject, and its connection type where it is a connection."""


@dataclass(frozen=True, slots=True)
class LogPage:
    """What the log says of its next subjects."""

    last: str | None
    subjects: int
    living: Sequence[int]
    others: Sequence[Named]
    unproved: Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class LivePage:
    """The numbers of the events that the next part of the live graph agrees with, and what agrees with none."""

    last: str | None
    proved: Sequence[int]
    unlike: Sequence[Named]


@dataclass(frozen=True, slots=True)
class WindowsFound:
    """Search windows, and the owners of those that no text is long enough for."""

    found: Sequence[Sequence[Any]]
    beyond: Sequence[str]


@dataclass(frozen=True, slots=True)
class Unproved:
    """A subject that has keys or text, as its last event says: the values of its indexed properties."""

    id: str
    kind: str
    type: str
    sha256: str | None
    size: int | None
    values: Sequence[StoredValue | None]


LAST_NUMBERS = query("verify/last_numbers", LogPage)
PROVED = query("verify/proved", LivePage)
SUBJECTS_AT = query("verify/subjects_at", list[Named])
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
    contents: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """The contents that were looked at, each by its hash and encoding."""
    subjects: int = 0
    living: bytearray = field(default_factory=bytearray)
    """For each number of the log, whether it is the last of a node, connection or observation that lives."""
    _suspects: list[Subject] = field(default_factory=list[Subject])
    _proved: bytearray = field(default_factory=bytearray)
    _rules: dict[str, list[PropertyRule]] = field(init=False)

    def __post_init__(self) -> None:
        self._rules = _keyed(self.ontology)

    async def suspects(self) -> list[Subject]:
        """Return all subjects that differ, and perhaps some that do not."""
        async with task_group() as tasks:
            tasks.start_soon(self._go_through_log)
            tasks.start_soon(self._go_through_live)
        numbers = _where_unlike(self.living, self._proved)
        for start in range(0, len(numbers), PAGE):
            given = {"domain": self.domain, "numbers": numbers[start : start + PAGE]}
            [found] = await self.reader.read(SUBJECTS_AT, **given)
            self._suspects += [Subject(*one) for one in found]
        self._suspects += await self.reader.read(LIVE_TYPE_IDS, domain=self.domain)
        return sorted(set(self._suspects), key=lambda one: (str(one.id), one.type or ""))

    async def _go_through_log(self) -> None:
        keyed = {kind_and_type: [rule.name for rule in rules] for kind_and_type, rules in self._rules.items()}
        given = {"domain": self.domain, "limit": PAGE, "keyed": keyed}
        page = LogPage("", 0, (), (), ())
        while (after := page.last) is not None:
            [page] = await self.reader.read(LAST_NUMBERS, after=after, **given)
            self.subjects += page.subjects
            self._suspects += [Subject(*one) for one in page.others]
            _note(self.living, page.living)
            left = [Unproved(*one) for one in page.unproved]
            for start, end, some in _portions(after, page.last or _END, left):
                found = await self._rows_differ(start, end, some)
                await self._suspect(found.difference(one for one, _ in page.others))

    async def _go_through_live(self) -> None:
        given = {"domain": self.domain, "limit": PAGE, "header": dict.fromkeys(HEADER, True)}
        page = LivePage("", (), ())
        while page.last is not None:
            [page] = await self.reader.read(PROVED, after=page.last, **given)
            _note(self._proved, page.proved)
            await self._suspect({one for one, type_ in page.unlike if type_ is None})
            self._suspects += [Subject(*one) for one in page.unlike if one[1] is not None]

    async def _rows_differ(self, after: str, last: str, subjects: Sequence[Unproved]) -> set[str]:
        """Return whose derived rows or text seem to differ of all whose ids are after one and up to another."""
        hashes = sorted({one.sha256 for one in subjects if one.sha256 is not None})
        places = most_windows(max((one.size or 0 for one in subjects), default=0))
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

    async def _suspect(self, ids: set[str]) -> None:
        """Note ids of which it is not known yet whether they are connections, and of what type."""
        rows = await self.reader.read(LAST_EVENTS, domain=self.domain, subjects=sorted(ids)) if ids else []
        drafts = [Event.from_row(row).draft for row in rows]
        types = {draft.subject: draft.type for draft in drafts if draft.kind is Kind.CONNECTION}
        self._suspects += [Subject(one, types.get(one)) for one in ids]


def _note(numbers: bytearray, new: Iterable[int]) -> None:
    """Count one more for each of these numbers."""
    for number in new:
        if number >= len(numbers):
            numbers.extend(bytes(number + 1 - len(numbers)))
        numbers[number] = min(numbers[number] + 1, 2)


def _where_unlike(some: bytearray, others: bytearray) -> list[int]:
    """Return the numbers that are not counted as often in one as in the other."""
    pairs = zip_longest(some, others, fillvalue=0)
    return [number for number, (one, other) in enumerate(pairs) if one != other]


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
        size += one.size or 0
        if size >= TEXT:
            yield after, one.id, part
            after, part, size = one.id, [], 0
    if after != last:
        yield after, last, part
