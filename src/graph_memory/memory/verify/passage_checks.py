"""Compares the search index with the log, up to the last indexed event.

Later writes do not change the state as of that event, so the comparison needs no lock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.search.index.copying import OWNERS_AT
from graph_memory.memory.search.index.coverage import POSITION
from graph_memory.memory.search.index.index import EventRow, NameRow, PassageRow, versions_of
from graph_memory.memory.search.index.rows import WORDS, OpenPassage, Passage, Version, forms_of, passages_of, row_of
from graph_memory.model.events import Op
from graph_memory.model.results import Difference
from graph_memory.model.subjects.kinds import DATA
from graph_memory.storage.log.reads import SUBJECT_PAGE
from graph_memory.storage.queries import query

SEARCH = "search"
"""The kind of differences in the search index."""
_VECTOR_FIELDS = ("_embedding", "_model", "_next_embedding", "_next_model")
PAGE = 500
"""Maximum number of subjects that one page compares."""

PASSAGES_AT = query("verify/passages_at", PassageRow)
NAMES_AT = query("verify/names_at", NameRow)
EVENTS_BY_NUMBER = query("verify/events_by_number", EventRow)


@dataclass(slots=True)
class _Rows:
    passages: list[Mapping[str, object]]
    names: dict[str, str]


async def find_passage_differences(core: Core, domain: str) -> list[Difference]:
    """Return a difference for each passage or name in the index that differs from the log.

    If there is no index, returns an empty list. If events were removed from the log meanwhile, compares again.
    """
    while True:
        before = await core.store.first_row(POSITION, domain=domain)
        if before is None or before.seq is None or before.is_emptied:
            return []
        differences = await _compare_subjects(core, domain, before.seq, has_current_words=before.has_current_words)
        after = await core.store.first_row(POSITION, domain=domain)
        if after is not None and after.epoch == before.epoch:
            return differences


async def _compare_subjects(core: Core, domain: str, at: int, *, has_current_words: bool) -> list[Difference]:
    """Return the differences between the search rows and the log, as of event `at`.

    Ignores word fields if the index was not yet tokenized by the current rules.
    """
    differences: list[Difference] = []
    live_subjects, after = set[str](), ""
    while page := await core.store.read(SUBJECT_PAGE, source=domain, at=at, after=after, limit=PAGE):
        live_rows = [row for row in page if row.op != Op.DELETE and row.kind in DATA]
        versions = await _read_versions(core, domain, [row.origin for row in live_rows], at)
        rows = await _read_rows(core, domain, at, [version.owner for version in versions])
        for version in versions:
            differences += _compare_rows(domain, version, rows[version.owner], () if has_current_words else (WORDS,))
        live_subjects.update(row.subject for row in live_rows)  # including subjects with unreadable content
        after = page[-1].subject
    return [*differences, *await _unknown_owners(core, domain, at, live_subjects)]


async def _read_versions(core: Core, domain: str, numbers: Sequence[int], at: int) -> Sequence[Version]:
    rows = await core.store.read(EVENTS_BY_NUMBER, domain=domain, numbers=numbers, at=at)
    pair = await versions_of(core, domain, rows)
    return pair[1] if pair else []


async def _read_rows(core: Core, domain: str, at: int, owners: Sequence[str]) -> dict[str, _Rows]:
    rows_by_owner = {owner: _Rows([], {}) for owner in owners}
    for row in await core.store.read(PASSAGES_AT, domain=domain, owners=owners, at=at):
        rows_by_owner[row.owner].passages.append(row.row)
    for name in await core.store.read(NAMES_AT, domain=domain, owners=owners, at=at):
        rows_by_owner[name.owner].names[name.words] = name.name
    return rows_by_owner


def _compare_rows(domain: str, version: Version, rows: _Rows, ignored_fields: Sequence[str]) -> Iterator[Difference]:
    """Yield the differences between the stored rows of a subject and the rows for its last event."""
    stored_rows = {str(row["_place"]): row for row in rows.passages}
    if len(stored_rows) != len(rows.passages):
        yield _difference(version.owner, "has a passage twice")
    stored_passages = [Passage.from_row(row) for row in rows.passages]
    expected = {passage.place: passage for passage in passages_of(version, stored_passages)}
    for place in sorted(expected.keys() | stored_rows.keys()):
        if place not in stored_rows:
            yield _difference(version.owner, f"has no passage {place}")
        elif place not in expected:
            yield _difference(version.owner, f"has the unexpected passage {place}")
        elif _without_fields(
            _expected_row(domain, version, expected[place], stored_rows[place]), ignored_fields
        ) != _without_fields(stored_rows[place], ignored_fields):
            yield _difference(version.owner, f"has a passage {place} that differs from the log")
    names = forms_of(version)
    if names != rows.names and (not ignored_fields or {*names.values()} != {*rows.names.values()}):
        yield _difference(version.owner, "has other names in the index than in the log")


def _expected_row(domain: str, version: Version, passage: Passage, stored: Mapping[str, object]) -> dict[str, object]:
    since, until, at = (int(str(stored[name])) for name in ("_since", "_until", "_at"))
    return row_of(domain, version, OpenPassage(passage, since, at), until)


def _without_fields(row: Mapping[str, object], ignored: Sequence[str]) -> dict[str, object]:
    return {name: value for name, value in row.items() if name not in _VECTOR_FIELDS and name not in ignored}


async def _unknown_owners(core: Core, domain: str, at: int, live_subjects: set[str]) -> list[Difference]:
    """Return a difference for each owner of search rows that is not among the existing subjects `live_subjects`."""
    differences: list[Difference] = []
    after = ""
    while owners := await core.store.read(OWNERS_AT, domain=domain, at=at, after=after, limit=PAGE, most=END):
        differences += [
            _difference(owner, "does not exist, but has passages") for owner in owners if owner not in live_subjects
        ]
        after = owners[-1]
    return differences


def _difference(owner: str, problem: str) -> Difference:
    return Difference(kind=SEARCH, subject=owner, problem=problem)
