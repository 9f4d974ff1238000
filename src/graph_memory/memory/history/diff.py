"""Differences between two points of a log, or between two domains."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, cast

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END, changes_between, revision_of, seq_at
from graph_memory.memory.graph.empty_result_warnings import unknown_types
from graph_memory.memory.graph.stored_type_names import stored_types
from graph_memory.memory.history.comparison import (
    IGNORED,
    compare_states,
    content_change,
    reason_not_compared,
    text_diff,
)
from graph_memory.memory.history.diff_results import ContentChange, Diff, DiffCounts, DiffEntry, Difference
from graph_memory.memory.history.digest import digest
from graph_memory.memory.history.log import PAGE
from graph_memory.memory.history.narration import ChangeToDescribe, summary
from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.rights import require
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import State, content_ref
from graph_memory.model.values.arguments import (
    check_domain,
    check_limit,
    invalid_argument,
    invalid_cursor_error,
    is_encodable,
)
from graph_memory.storage.queries import query

PAGE_CHARACTERS = 100_000
"""Maximum size of the entries of a page, in characters."""

MAX_ENTRIES = 200
"""Maximum number of entries of a page. It is low because entries are read with their states and inline texts."""

_CURSOR_PATTERN = re.compile(
    r"between:([0-9]{1,15}):([0-9]{1,15}):counts:((?:[a-z_]+[.](?:added|removed|changed)[.][0-9]{1,15},)*):after:(.+)",
    re.DOTALL,
)
Counts = Sequence[list[Any]]
"""Counts of differing subjects: each entry is a list of kind, difference and count."""
_OPERATIONS: Mapping[Difference, Op] = {"added": Op.CREATE, "removed": Op.DELETE, "changed": Op.UPDATE}


@dataclass(frozen=True, slots=True)
class DifferencesRow:
    """The counts of differing subjects, and a page of these subjects with their events."""

    counts: list[list[Any]]
    page: list[Mapping[str, Any]]


DIFFERENCES = query("history/differences", DifferencesRow)


@dataclass(frozen=True, slots=True)
class Span:
    """The log positions that a diff compares. For a further page, also the last subject and the counts of all pages."""

    since: int
    until: int
    after: str = ""
    counts: Counts | None = None

    def cursor(self, counts: Counts, last: str) -> str:
        """Return the cursor for the page after the subject `last`. It contains the counts, which cover all pages."""
        counts_text = "".join(f"{kind}.{operation}.{number}," for kind, operation, number in counts)
        return f"between:{self.since}:{self.until}:counts:{counts_text}:after:{last}"


@dataclass(frozen=True, slots=True)
class DiffedSubject:
    """A subject that differs between two log positions, with its states and inline texts at both."""

    operation: Difference
    draft: Draft
    before: State | None
    from_title: str | None
    to_title: str | None
    texts: tuple[str | None, str | None]
    at: datetime
    """The time of the subject's last event."""
    batch: str | None
    """The id of the batch that wrote the subject's last event."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> DiffedSubject:
        """Return the differing subject in a row of `DifferencesRow.page`."""
        operation = cast("Difference", row["operation"])
        last = Event.from_row(row["after"] or row["before"])
        draft = last.draft
        return cls(
            operation=operation,
            draft=replace(
                draft,
                op=_OPERATIONS[operation],
                state=draft.state if row["after"] else None,
                # An update of a subject that was created in the range counts as a creation. A create with a previous
                # event is a restore.
                previous=None if not row["before"] and draft.op is not Op.CREATE else draft.previous,
            ),
            before=Event.from_row(row["before"]).draft.state if row["before"] else None,
            from_title=row["from_title"],
            to_title=row["to_title"],
            texts=(row["text_before"], row["text_after"]),
            at=last.at,
            batch=row["batch"],
        )

    @property
    def after(self) -> State | None:
        """The state at the later point."""
        return self.draft.state

    @property
    def rendered(self) -> ChangeToDescribe:
        """The difference as a change that `summary` can describe."""
        return ChangeToDescribe(self.draft, self.before, self.from_title, self.to_title, at=self.at, batch=self.batch)

    def entry(self) -> DiffEntry:
        """Return the result entry for the difference. For content, it contains only the sizes."""
        values = compare_states(self.before, self.after) if self.before and self.after else None
        return DiffEntry(
            subject=self.draft.subject,
            kind=self.draft.kind,
            type=self.draft.type,
            title=cast("str | None", (self.after or self.before or {}).get("_title")),
            operation=self.operation,
            summary=summary(self.rendered),
            properties=(values and values.properties) or None,
            attributes=(values and values.attributes) or None,
            more=values.more if values else None,
            content=content_change(self.before, self.after),
        )


async def diff(
    core: Core,
    domain: str,
    *,
    since: int | str | None,
    until: int | str | None,
    against: str | None,
    subject: str | None,
    types: Sequence[str] | None,
    content: bool,
    limit: int | None,
    cursor: str | None,
) -> Diff:
    """Return the differences between two states. See `History.diff`."""
    page_size = min(PAGE if limit is None else check_limit(limit), MAX_ENTRIES)
    other = domain if against is None else require(check_domain(against))
    span = await _resolve_span(core, domain, other, since, until, cursor)
    before = await revision_of(core.store, domain, span.since)
    after = await revision_of(core.store, other, span.until)
    [row] = await core.store.read(
        DIFFERENCES,
        stretches=[asdict(event_range) for event_range in await changes_between(core.store, before, after)],
        from_domain=before.domain,
        since=before.seq,
        to_domain=after.domain,
        until=after.seq,
        subject=subject,
        types=await stored_types(core, other, types),
        ignored=sorted(IGNORED),
        after=span.after,
        most=END if span.counts is None else page_size + 1,
        limit=page_size + 1,
        texts=content,
    )
    differences = [DiffedSubject.of(page_row) for page_row in row.page[:page_size]]
    entries = await _read_page(core, (before.domain, after.domain), differences, content=content)
    listed, is_last = differences[: len(entries)], len(entries) == len(row.page)
    counts = row.counts if span.counts is None else span.counts
    return Diff(
        since=span.since,
        until=span.until,
        against=against,
        **_add_counts(counts).model_dump(),
        by_kind=_add_counts_by_kind(counts),
        entries=tuple(entries),
        changes=tuple(item.line() for item in digest(difference.rendered for difference in listed)),
        next_cursor=None if is_last else span.cursor(counts, entries[-1].subject),
        warnings=None if counts else await unknown_types(core, domain, types),
    )


async def _resolve_span(
    core: Core, domain: str, other: str, since: int | str | None, until: int | str | None, cursor: str | None
) -> Span:
    """Return the span to compare. A cursor contains the log positions of the first page."""
    if cursor is not None:
        span = _parse_cursor(cursor)
        return replace(span, until=await seq_at(core.store, other, "until", span.until))
    first = await seq_at(core.store, domain, "since", since)
    last = await seq_at(core.store, other, "until", until)
    if domain == other and since is None:
        raise invalid_argument(
            "since", "Neither since nor against was given", "Pass since, or another domain as against."
        )
    if domain == other and last < first:
        message = f"until ({last} in the log) is before since ({first})"
        raise invalid_argument("until", message, "Pass the earlier point as since.")
    return Span(first, last)


def _parse_cursor(cursor: str) -> Span:
    match = _CURSOR_PATTERN.fullmatch(cursor)
    if match is None or not is_encodable(cursor):
        raise invalid_cursor_error(cursor)
    counts = [part.split(".") for part in match[3].split(",")[:-1]]
    if not {kind for kind, _, _ in counts} <= set(Kind):
        raise invalid_cursor_error(cursor)
    return Span(
        int(match[1]), int(match[2]), match[4], [[kind, difference, int(number)] for kind, difference, number in counts]
    )


async def _read_page(
    core: Core, domains: tuple[str, str], differences: Sequence[DiffedSubject], *, content: bool
) -> list[DiffEntry]:
    """Return the entries that fit on a page, or at least the first one."""
    entries: list[DiffEntry] = []
    remaining_characters = PAGE_CHARACTERS
    for difference in differences:
        entry = difference.entry()
        if content and entry.content is not None:
            entry = entry.model_copy(
                update={"content": await _with_text_diff(core, domains, difference, entry.content)}
            )
        remaining_characters -= len(entry.model_dump_json())
        if remaining_characters < 0 and entries:
            break
        entries.append(entry)
    return entries


async def _with_text_diff(
    core: Core, domains: tuple[str, str], difference: DiffedSubject, change: ContentChange
) -> ContentChange:
    """Add a text diff to a change of content, if possible. Raises CONTENT_READ_FAILED if it cannot be read."""
    if reason := reason_not_compared(difference.before, difference.after):
        return change.model_copy(update={"note": reason})
    before = await _fetch_text(core, domains[0], difference.before, difference.texts[0])
    after = await _fetch_text(core, domains[1], difference.after, difference.texts[1])
    diff_text, note = await anyio.to_thread.run_sync(text_diff, before, after)
    return change.model_copy(update={"diff": diff_text, "note": note})


async def _fetch_text(core: Core, domain: str, state: State | None, inline: str | None) -> str | None:
    ref = content_ref(state or {})
    return (await core.contents.fetch(domain, ref, inline)).text if ref else None


def _add_counts(counts: Counts) -> DiffCounts:
    numbers = {"added": 0, "removed": 0, "changed": 0}
    for _, operation, number in counts:
        numbers[operation] += number
    return DiffCounts(**numbers)


def _add_counts_by_kind(counts: Counts) -> dict[Kind, DiffCounts]:
    kinds = sorted({Kind(count[0]) for count in counts})
    return {kind: _add_counts([count for count in counts if count[0] == kind]) for kind in kinds}
