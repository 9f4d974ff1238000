"""Compares the live graph with the log quickly, inside Neo4j, and returns only subjects that may differ.

The log is read in order of subject ids, so the index alone provides the number of each subject's last event. Each page
of subjects is a range of ids. For each range, Neo4j returns the numbers of the events with which the live graph agrees.
Only one byte per event is kept in memory, and only subjects whose bytes differ are examined. The result contains all
differing subjects, and possibly some that do not differ. Several ranges are compared concurrently, so that Neo4j uses
all cores. This module compares keys and search windows itself, because Cypher cannot compute them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

import anyio
import anyio.to_thread

from graph_memory.memory.background import task_group
from graph_memory.memory.verify.compare import Subject
from graph_memory.memory.verify.facts import Facts, KeyRow, WindowRow, expected_rows, stored_row_facts
from graph_memory.model.events import HEADER, Draft, Op
from graph_memory.model.ontology.indexes import Index, properties_of
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import indexes_in
from graph_memory.model.subjects.kinds import TYPE_OF, Kind
from graph_memory.model.subjects.subjects import StoredValue
from graph_memory.model.text.search_windows import max_windows, windows
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

PAGE = 2_000
"""Maximum number of subjects that one page compares."""
CONCURRENT_PAGES = 3
"""Number of concurrent pages. Two keep two cores of Neo4j busy, while this module compares the rows of a third."""
PART_BYTES = 4 * 1024 * 1024
"""Approximate number of bytes of text whose windows are compared at a time."""
MAX_INLINE_TEXT = 4_000
"""Maximum number of characters of a text that is returned with its node."""
_END = "\U0010ffff" * 8
"""A string that sorts after every id."""

SubjectKey = tuple[str, str | None]
"""The id of a subject, and the type of a connection (None for other subjects)."""
LiveKey = tuple[str, str | None, str | None]
"""The id of a subject, and the type and source node of a connection (None for other subjects)."""


@dataclass(frozen=True, slots=True)
class LogPage:
    """A page of the log's subjects, with the number of each one's last event."""

    last: str | None
    numbers: Sequence[int]


@dataclass(frozen=True, slots=True)
class LivePage:
    """For a range of the live graph, the numbers of the matching events, and the subjects that match no event."""

    proved: Sequence[int]
    unlike: Sequence[LiveKey]
    unproved: Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class InversesPage:
    """Connections whose inverse relationships are wrong, and inverse relationships without a connection."""

    unlike: Sequence[SubjectKey]
    loose: Sequence[SubjectKey]


@dataclass(frozen=True, slots=True)
class WindowsPage:
    """Search windows, and the owners of windows that lie beyond the end of the longest text."""

    rows: Sequence[Sequence[Any]]
    beyond: Sequence[str]


@dataclass(frozen=True, slots=True)
class UnverifiedSubject:
    """A subject whose keys or text must still be compared by this module, with the values of its indexed properties."""

    id: str
    kind: str
    type: str
    sha256: str | None
    size: int | None
    values: Sequence[StoredValue | None]
    text: str | None
    """A node's text if it is short. Longer texts are read separately, so that the size of a page is limited."""


LAST_NUMBERS = query("verify/last_numbers", LogPage)
PROVED = query("verify/proved", LivePage)
UNLIKE_INVERSES = query("verify/unlike_inverses", InversesPage)
SUBJECTS_AT = query("verify/subjects_at", list[SubjectKey])
LIVE_TYPE_IDS = query("verify/live_type_ids", str)
KEYS_BETWEEN = query("verify/keys_between", list[list[str]])
WINDOWS_BETWEEN = query("verify/windows_between", WindowsPage)
KEYS_OF = query("verify/keys_of", list[list[str]])
CONNECTIONS_AMONG = query("verify/connections_among", list[tuple[str, str, bool]])
TEXTS = query("verify/texts", list[list[str]])


@dataclass(slots=True)
class QuickComparison:
    """The quick comparison of one domain. `subjects` is the number of subjects in its log."""

    reader: Reader
    domain: str
    ontology: Ontology
    contents: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Hash and encoding of each piece of content that was checked."""
    subjects: int = 0
    proved: bytearray = field(default_factory=bytearray)
    """For each event number, the number of live subjects that match the event. The value 2 means two or more."""
    _last_event_counts: bytearray = field(default_factory=bytearray)
    """For each event number, the number of subjects whose last event it is: 0 or 1."""
    _suspects: set[Subject] = field(default_factory=set[Subject])
    _nodes: dict[Subject, set[str]] = field(default_factory=dict[Subject, set[str]])
    """The ids of the source nodes of live connections, keyed by suspected subject."""
    _indexes: dict[str, Sequence[Index]] = field(init=False)

    def __post_init__(self) -> None:
        self._indexes = _indexes_by_type(self.ontology)

    async def suspects(self) -> list[Subject]:
        """Return all subjects that differ, and possibly some that do not."""
        await self._compare_all()
        counts = zip_longest(self._last_event_counts, self.proved, fillvalue=0)
        numbers = [number for number, (logged_count, live_count) in enumerate(counts) if logged_count != live_count]
        for start in range(0, len(numbers), PAGE):
            params = {"domain": self.domain, "numbers": numbers[start : start + PAGE]}
            [subject_keys] = await self.reader.read(SUBJECTS_AT, **params)
            self._suspects |= {Subject(*key) for key in subject_keys}
        types = await self.reader.read(LIVE_TYPE_IDS, domain=self.domain)
        self._suspects |= {Subject(type_id, None) for type_id in types}
        sorted_suspects = sorted(self._suspects, key=lambda subject: (str(subject.id), subject.type or ""))
        return [replace(subject, nodes=tuple(sorted(self._nodes.get(subject, ())))) for subject in sorted_suspects]

    async def _compare_all(self) -> None:
        after: str | None = ""
        slots = anyio.Semaphore(CONCURRENT_PAGES)
        async with task_group() as tasks:
            while after is not None:
                [page] = await self.reader.read(LAST_NUMBERS, domain=self.domain, after=after, limit=PAGE)
                self.subjects += len(page.numbers)
                _count_numbers(self._last_event_counts, page.numbers)
                last = page.last if len(page.numbers) == PAGE else None
                await slots.acquire()
                tasks.start_soon(self._compare_range, after, last or _END, slots)
                after = last

    async def _compare_range(self, after: str, last: str, slots: anyio.Semaphore) -> None:
        """Compare the live subjects with ids between `after` and `last` with the log, and then their derived rows."""
        indexed_properties = {kind_and_type: properties_of(indexes) for kind_and_type, indexes in self._indexes.items()}
        params = {
            "domain": self.domain,
            "header": dict.fromkeys(HEADER, True),
            "keyed": indexed_properties,
            "carried": MAX_INLINE_TEXT,
        }
        [page] = await self.reader.read(PROVED, after=after, last=last, **params)
        _count_numbers(self.proved, page.proved)
        for subject_id, connection_type, node in page.unlike:
            if connection_type is not None and node is not None:
                self._nodes.setdefault(Subject(subject_id, connection_type), set()).add(node)
        self._suspects |= self._nodes.keys()
        await self._compare_inverses(after, last)
        unproved_subjects = [UnverifiedSubject(*subject) for subject in page.unproved]
        nodes = sorted(
            (subject for subject in unproved_subjects if subject.kind == Kind.NODE),
            key=lambda subject: subject.id,
        )
        connections = [subject for subject in unproved_subjects if subject.kind != Kind.NODE]
        differing_ids = {subject_id for subject_id, connection_type, _ in page.unlike if connection_type is None}
        other_owners: set[str] = set()
        for start, end, subjects in _split_range(after, last, nodes):
            params = {"domain": self.domain, "after": start, "last": end}
            [keys] = await self.reader.read(KEYS_BETWEEN, **params)
            places = max_windows(max((subject.size or 0 for subject in subjects), default=0))
            [stored_windows] = await self.reader.read(WINDOWS_BETWEEN, **params, places=places)
            differing_in_part, unclaimed_owners = await self._find_differing(subjects, keys, stored_windows)
            differing_ids |= differing_in_part
            other_owners |= unclaimed_owners
        for first in range(0, len(connections), PAGE):
            subjects = connections[first : first + PAGE]
            [keys] = await self.reader.read(KEYS_OF, domain=self.domain, owners=[subject.id for subject in subjects])
            differing_in_part, _ = await self._find_differing(subjects, keys, WindowsPage((), ()))
            differing_ids |= differing_in_part
        await self._add_suspects(differing_ids, other_owners)
        slots.release()

    async def _compare_inverses(self, after: str, last: str) -> None:
        """Compare inverse relationships with their connections, for connection ids between `after` and `last`."""
        if inverses := self.ontology.inverses:
            params = {"domain": self.domain, "after": after, "last": last, "inverses": inverses}
            [page] = await self.reader.read(UNLIKE_INVERSES, **params)
            self._suspects |= {Subject(*key) for key in (*page.unlike, *page.loose)}

    async def _find_differing(
        self, subjects: Sequence[UnverifiedSubject], keys: Sequence[Sequence[str]], stored_windows: WindowsPage
    ) -> tuple[set[str], set[str]]:
        """Return the ids of subjects whose keys, windows or text seem to differ, and of other owners of these keys."""
        hashes = sorted({subject.sha256 for subject in subjects if subject.sha256 is not None and subject.text is None})
        [texts] = await self.reader.read(TEXTS, domain=self.domain, hashes=hashes) if hashes else [[]]
        return await anyio.to_thread.run_sync(self._compare, subjects, dict(texts), keys, stored_windows)

    def _compare(
        self,
        subjects: Sequence[UnverifiedSubject],
        texts: Mapping[str, str],
        keys: Sequence[Sequence[str]],
        stored_windows: WindowsPage,
    ) -> tuple[set[str], set[str]]:
        window_rows = [WindowRow(*values) for values in stored_windows.rows]
        facts = dict(stored_row_facts(self.domain, [KeyRow(*key) for key in keys], window_rows))
        differing_ids = set(stored_windows.beyond)
        for subject in subjects:
            text = subject.text if subject.text is not None else texts.get(subject.sha256 or "")
            is_text_read = subject.sha256 is None or (text is not None and _hash(text) == subject.sha256)
            if not is_text_read or self._expected_rows(subject, text) != facts.pop(subject.id, {}):
                differing_ids.add(subject.id)
            elif subject.sha256 is not None:
                self.contents.add((subject.sha256, "utf-8"))
        differing_ids |= facts.keys() & {row.owner for row in window_rows}
        return differing_ids, facts.keys() - differing_ids

    def _expected_rows(self, unproved: UnverifiedSubject, text: str | None) -> Facts:
        indexes = self._indexes.get(f"{unproved.kind}/{unproved.type}", ())
        values = zip(properties_of(indexes), unproved.values, strict=True)
        state = {name: value for name, value in values if value is not None}
        window_texts = tuple(windows(text or ""))
        draft = Draft(
            op=Op.UPDATE,
            kind=Kind(unproved.kind),
            subject=unproved.id,
            type=unproved.type,
            state=state,
            windows=window_texts,
        )
        return expected_rows(self.domain, draft, indexes)

    async def _add_suspects(self, differing_ids: set[str], other_owners: set[str]) -> None:
        """Add the subjects with these ids to the suspects, with the types of connections.

        `other_owners` have keys, but are not among the compared subjects. Existing connections that must have keys are
        omitted, since they are compared with their source node.
        """
        ids = sorted(differing_ids | other_owners)
        [results] = await self.reader.read(CONNECTIONS_AMONG, domain=self.domain, ids=ids) if ids else [[]]
        types = {subject: connection_type for subject, connection_type, _ in results}
        compared_ids = {
            subject
            for subject, connection_type, is_live in results
            if is_live and f"{Kind.CONNECTION}/{connection_type}" in self._indexes
        }
        self._suspects |= {
            Subject(subject, types.get(subject)) for subject in differing_ids | (other_owners - compared_ids)
        }


def _count_numbers(numbers: bytearray, added_numbers: Iterable[int]) -> None:
    """Add one to the count of each number. A count of 2 stays, since it means two or more."""
    for number in added_numbers:
        if number >= len(numbers):
            numbers.extend(bytes(number + 1 - len(numbers)))
        numbers[number] = min(numbers[number] + 1, 2)


def _indexes_by_type(ontology: Ontology) -> dict[str, Sequence[Index]]:
    """Return the indexes, keyed by kind and type. Omits types without indexes."""
    types = {Kind.NODE: ontology.node_types, Kind.CONNECTION: ontology.connection_types}
    indexes = {
        f"{kind}/{type_definition.name}": indexes_in(kind, type_definition.name, ontology)
        for kind in TYPE_OF
        for type_definition in types[kind]
    }
    return {kind_and_type: type_indexes for kind_and_type, type_indexes in indexes.items() if type_indexes}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _split_range(
    after: str, last: str, subjects: Sequence[UnverifiedSubject]
) -> Iterator[tuple[str, str, Sequence[UnverifiedSubject]]]:
    """Yield the bounds and subjects of parts of a range of ids. Each part has about `PART_BYTES` bytes of text."""
    part: list[UnverifiedSubject] = []
    size = 0
    for subject in subjects:
        part.append(subject)
        size += subject.size or 0
        if size >= PART_BYTES:
            yield after, subject.id, part
            after, part, size = subject.id, [], 0
    if part or after != last:
        yield after, last, part
