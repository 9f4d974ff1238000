"""The first look: Neo4j itself compares the live graph with the log, and names only the subjects that seem to differ.

It goes through the log in the order of subjects, which gives the number of each one's last event from the index alone.
Each page of subjects is a range of ids; what the live graph has there gives the numbers of the events that something in
it agrees with in everything. So all that is kept is one byte for each event, and where the two differ, a subject is
examined. Whatever differs is found; not all that is found differs. Several ranges are looked at at once, so that Neo4j
works on all cores. Keys and search windows are compared here: Cypher makes neither.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import anyio
import anyio.to_thread

from graph_memory.memory.background import task_group
from graph_memory.memory.verify.compare import Subject
from graph_memory.memory.verify.facts import Facts, KeyRow, WindowRow, expected_rows, found_rows
from graph_memory.model.events import HEADER, Draft, Op
from graph_memory.model.ontology.indexes import Index, properties_of
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import indexes_in
from graph_memory.model.subjects.kinds import TYPE_OF, Kind
from graph_memory.model.subjects.subjects import StoredValue
from graph_memory.model.text.search_windows import most_windows, windows
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

PAGE = 2_000
"""Subjects that are looked at, or compared, at a time."""
AT_ONCE = 3
"""Pages that are looked at at once: two for two cores of Neo4j, one whose derived rows are compared here."""
TEXT = 4 * 1024 * 1024
"""Bytes of text, or a little more, of which the windows are compared at a time."""
CARRIED = 4_000
"""Characters of the longest text that comes with its node."""
_END = "\U0010ffff" * 8
"""After every id."""

Named = tuple[str, str | None]
"""The id of a subject, and its connection type where it is a connection."""


@dataclass(frozen=True, slots=True)
class LogPage:
    """The numbers of the last events of the log's next subjects."""

    last: str | None
    numbers: Sequence[int]


@dataclass(frozen=True, slots=True)
class LivePage:
    """The numbers of the events that a part of the live graph agrees with, and what agrees with none."""

    proved: Sequence[int]
    unlike: Sequence[Named]
    unproved: Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class InversesPage:
    """The connections of a part of the live graph whose second relationships are not right, and those of none."""

    unlike: Sequence[Named]
    loose: Sequence[Named]


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
    text: str | None
    """A node's text where that is short; others are read apart, so that a page has a limit."""


LAST_NUMBERS = query("verify/last_numbers", LogPage)
PROVED = query("verify/proved", LivePage)
UNLIKE_INVERSES = query("verify/unlike_inverses", InversesPage)
SUBJECTS_AT = query("verify/subjects_at", list[Named])
LIVE_TYPE_IDS = query("verify/live_type_ids", Subject)
KEYS_BETWEEN = query("verify/keys_between", list[list[str]])
WINDOWS_BETWEEN = query("verify/windows_between", WindowsFound)
KEYS_OF = query("verify/keys_of", list[list[str]])
CONNECTIONS_AMONG = query("verify/connections_among", list[tuple[str, str, bool]])
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
    proved: bytearray = field(default_factory=bytearray)
    """For each number of the log, what is as its event says: none, one, or two for more."""
    _last: bytearray = field(default_factory=bytearray)
    _suspects: set[Subject] = field(default_factory=set[Subject])
    _indexes: dict[str, Sequence[Index]] = field(init=False)

    def __post_init__(self) -> None:
        self._indexes = _indexed(self.ontology)

    async def suspects(self) -> list[Subject]:
        """Return all subjects that differ, and perhaps some that do not."""
        await self._go_through()
        numbers = _where_unlike(self._last, self.proved)
        for start in range(0, len(numbers), PAGE):
            arguments = {"domain": self.domain, "numbers": numbers[start : start + PAGE]}
            [results] = await self.reader.read(SUBJECTS_AT, **arguments)
            self._suspects |= {Subject(*named) for named in results}
        self._suspects |= set(await self.reader.read(LIVE_TYPE_IDS, domain=self.domain))
        return sorted(self._suspects, key=lambda subject: (str(subject.id), subject.type or ""))

    async def _go_through(self) -> None:
        after: str | None = ""
        room = anyio.Semaphore(AT_ONCE)
        async with task_group() as tasks:
            while after is not None:
                [page] = await self.reader.read(LAST_NUMBERS, domain=self.domain, after=after, limit=PAGE)
                self.subjects += len(page.numbers)
                _note(self._last, page.numbers)
                last = page.last if len(page.numbers) == PAGE else None
                await room.acquire()
                tasks.start_soon(self._look_at, after, last or _END, room)
                after = last

    async def _look_at(self, after: str, last: str, room: anyio.Semaphore) -> None:
        """Compare what the live graph has between two ids, and its derived rows."""
        keyed = {kind_and_type: properties_of(indexes) for kind_and_type, indexes in self._indexes.items()}
        arguments = {"domain": self.domain, "header": dict.fromkeys(HEADER, True), "keyed": keyed, "carried": CARRIED}
        [page] = await self.reader.read(PROVED, after=after, last=last, **arguments)
        _note(self.proved, page.proved)
        self._suspects |= {Subject(*named) for named in page.unlike if named[1] is not None}
        await self._look_at_inverses(after, last)
        unproved = [Unproved(*one) for one in page.unproved]
        nodes = sorted((one for one in unproved if one.kind == Kind.NODE), key=lambda unproved: unproved.id)
        connections = [one for one in unproved if one.kind != Kind.NODE]
        unlike = {one for one, type_ in page.unlike if type_ is None}
        loose: set[str] = set()
        for start, end, some in _portions(after, last, nodes):
            arguments = {"domain": self.domain, "after": start, "last": end}
            [keys] = await self.reader.read(KEYS_BETWEEN, **arguments)
            places = most_windows(max((unproved.size or 0 for unproved in some), default=0))
            [windows_] = await self.reader.read(WINDOWS_BETWEEN, **arguments, places=places)
            differing, unclaimed = await self._unlike(some, keys, windows_)
            unlike |= differing
            loose |= unclaimed
        for first in range(0, len(connections), PAGE):
            some = connections[first : first + PAGE]
            [keys] = await self.reader.read(KEYS_OF, domain=self.domain, owners=[unproved.id for unproved in some])
            differing, _ = await self._unlike(some, keys, WindowsFound((), ()))
            unlike |= differing
        await self._suspect(unlike, loose)
        room.release()

    async def _look_at_inverses(self, after: str, last: str) -> None:
        """Compare the second relationships between two ids with their connections."""
        if inverses := self.ontology.inverses:
            arguments = {"domain": self.domain, "after": after, "last": last, "inverses": inverses}
            [page] = await self.reader.read(UNLIKE_INVERSES, **arguments)
            self._suspects |= {Subject(*named) for named in (*page.unlike, *page.loose)}

    async def _unlike(
        self, subjects: Sequence[Unproved], keys: Sequence[Sequence[str]], windows_: WindowsFound
    ) -> tuple[set[str], set[str]]:
        """Return whose derived rows or text seem to differ, and who else has keys."""
        hashes = sorted({subject.sha256 for subject in subjects if subject.sha256 is not None and subject.text is None})
        [texts] = await self.reader.read(TEXTS, domain=self.domain, hashes=hashes) if hashes else [[]]
        return await anyio.to_thread.run_sync(self._compare, subjects, dict(texts), keys, windows_)

    def _compare(
        self,
        subjects: Sequence[Unproved],
        texts: Mapping[str, str],
        keys: Sequence[Sequence[str]],
        windows_: WindowsFound,
    ) -> tuple[set[str], set[str]]:
        windows_found = [WindowRow(*one) for one in windows_.found]
        found = dict(found_rows(self.domain, [KeyRow(*key) for key in keys], windows_found))
        unlike = set(windows_.beyond)
        for subject in subjects:
            text = subject.text if subject.text is not None else texts.get(subject.sha256 or "")
            is_read = subject.sha256 is None or (text is not None and _hash(text) == subject.sha256)
            if not is_read or self._expected(subject, text) != found.pop(subject.id, {}):
                unlike.add(subject.id)
            elif subject.sha256 is not None:
                self.contents.add((subject.sha256, "utf-8"))
        unlike |= found.keys() & {row.owner for row in windows_found}
        return unlike, found.keys() - unlike

    def _expected(self, unproved: Unproved, text: str | None) -> Facts:
        indexes = self._indexes.get(f"{unproved.kind}/{unproved.type}", ())
        values = zip(properties_of(indexes), unproved.values, strict=True)
        state = {name: value for name, value in values if value is not None}
        made = tuple(windows(text or ""))
        draft = Draft(
            op=Op.UPDATE, kind=Kind(unproved.kind), subject=unproved.id, type=unproved.type, state=state, windows=made
        )
        return expected_rows(self.domain, draft, indexes)

    async def _suspect(self, unlike: set[str], loose: set[str]) -> None:
        """Note ids that may be those of connections, and those that have keys without being nodes that have any.

        Keys of a living connection whose type has keys are compared where its node is.
        """
        ids = sorted(unlike | loose)
        [results] = await self.reader.read(CONNECTIONS_AMONG, domain=self.domain, ids=ids) if ids else [[]]
        types = {one: type_ for one, type_, _ in results}
        compared = {one for one, type_, lives in results if lives and f"{Kind.CONNECTION}/{type_}" in self._indexes}
        self._suspects |= {Subject(one, types.get(one)) for one in unlike | (loose - compared)}


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


def _indexed(ontology: Ontology) -> dict[str, Sequence[Index]]:
    """Return the indexes of types, by kind and type: of those that have any."""
    types = {Kind.NODE: ontology.node_types, Kind.CONNECTION: ontology.connection_types}
    found = {
        f"{kind}/{type_.name}": indexes_in(kind, type_.name, ontology) for kind in TYPE_OF for type_ in types[kind]
    }
    return {kind_and_type: those for kind_and_type, those in found.items() if those}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _portions(after: str, last: str, subjects: Sequence[Unproved]) -> Iterator[tuple[str, str, Sequence[Unproved]]]:
    """Split an id range into chunks of about `TEXT` bytes: the first id, last id and subjects of each."""
    part: list[Unproved] = []
    size = 0
    for subject in subjects:
        part.append(subject)
        size += subject.size or 0
        if size >= TEXT:
            yield after, subject.id, part
            after, part, size = subject.id, [], 0
    if part or after != last:
        yield after, last, part
