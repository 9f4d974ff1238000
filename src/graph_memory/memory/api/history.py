"""`History`: everything that can be asked of a memory's past. The work is done in the modules beside it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graph_memory.memory.branches.results import Merged, StrategyName
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import resolve_revision
from graph_memory.memory.history import diff, follow, last_session, resolve_subject, reviews
from graph_memory.memory.history import log as history
from graph_memory.memory.history.diff_results import Diff
from graph_memory.memory.history.results import (
    Choice,
    LogEntry,
    LogPage,
    Named,
    Operation,
    Reverted,
    Reviewed,
    Sessions,
    Source,
    Verdict,
)
from graph_memory.model.results import Branched
from graph_memory.model.time.points import parse_session_reference
from graph_memory.model.values.arguments import check_domain

if TYPE_CHECKING:
    from graph_memory.memory.retention.results import Compacted, Erased, Scanned
    from graph_memory.memory.sessions.past import PastMemory


class History:
    """The log of a memory: every change that was made, by whom, and when. It is `Memory.history`.

    A point in the log is a log number, the id of an event, or a time: RFC 3339, a date, or words such as
    `"2 hours ago"`, `"yesterday"`, `"last monday"` or `"since March"`, in UTC unless it names another zone. Of a whole
    day, month or minute, `until` and `at` mean the end, everything else the beginning. `since` and `until` also take
    `"last session"`: the latest one before the caller's own, of the same actor if there is one, otherwise of anybody;
    and `"last session of Apollo"`, with a project of a summary, an actor or a session id. All methods raise
    ONTOLOGY_NOT_FOUND for a domain that does not exist, EVENT_NOT_FOUND, HISTORY_COMPACTED if that part of the log was
    compacted, and INVALID_ARGUMENT.
    """

    def __init__(self, core: Core, domain_of: Callable[[str | None], str]) -> None:
        self._core = core
        self._domain = domain_of

    async def log(
        self,
        *,
        since: int | str | None = None,
        until: int | str | None = None,
        subject: str | None = None,
        session: str | None = None,
        source: Source | None = None,
        actor: str | None = None,
        operations: Sequence[Operation] | None = None,
        types: Sequence[str] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        full: bool = False,
        domain: str | None = None,
    ) -> LogPage:
        """Return changes, newest first, each in words; with `full` also the states before and after.

        The changes at `since` and `until` are included. `subject` is the id of a node, connection or observation;
        `types` are names of node or connection types; the session `current` is the caller's own. A page has 50 changes
        unless `limit` says otherwise; `next_cursor` leads to older ones.
        """
        wanted = history.Filter(
            subject=subject,
            session=history.session_of(self._core, session),
            source=source,
            actor=actor,
            operations=operations,
            types=types,
        )
        name = self._domain(domain)
        since, until = await self._points(name, since, until)
        return await history.log(
            self._core, name, wanted, since=since, until=until, limit=limit, cursor=cursor, full=full
        )

    async def _points(
        self, domain: str, since: int | str | None, until: int | str | None
    ) -> tuple[int | str | None, int | str | None]:
        """Return two points of the log with `last session` as a number."""
        first = await last_session.point_at(self._core, domain, "since", since)
        return first, await last_session.point_at(self._core, domain, "until", until)

    def follow(
        self,
        *,
        since: int | str | None = None,
        subject: str | None = None,
        session: str | None = None,
        source: Source | None = None,
        actor: str | None = None,
        operations: Sequence[Operation] | None = None,
        types: Sequence[str] | None = None,
        full: bool = False,
        every: float = 0.5,
        domain: str | None = None,
    ) -> AsyncGenerator[LogEntry]:
        """Yield each new change, by anyone, once and in the order of the log.

        It starts with the change at `since`, or without it with the next change. To continue later without gaps, keep
        the `seq` of the last change and start at the next number. It reads the log every `every` seconds. The filters
        are the same as in `log`. It raises HISTORY_COMPACTED if changes were compacted before they were yielded, and
        STORE_CONFLICT if some have been missing from the log for a minute.
        """
        wanted = history.Filter(
            subject=subject,
            session=history.session_of(self._core, session),
            source=source,
            actor=actor,
            operations=operations,
            types=types,
        )
        return follow.follow(self._core, self._domain(domain), wanted, since=since, full=full, interval=every)

    async def sessions(
        self,
        *,
        since: int | str | None = None,
        until: int | str | None = None,
        limit: int | None = None,
        domain: str | None = None,
    ) -> Sessions:
        """Return the sessions that changed the domain, latest first: who, when, how much and what; at most 50.

        A session has the summary that `session_end` kept of it.
        """
        name = self._domain(domain)
        since, until = await self._points(name, since, until)
        sessions = await history.sessions(self._core, name, since=since, until=until, limit=limit)
        from graph_memory.memory.sessions.sessions import with_summaries

        return await with_summaries(self._core, name, sessions)

    async def named(self, text: str, *, domain: str | None = None) -> tuple[Named, ...]:
        """Return up to 12 nodes and connections that a text may refer to.

        The text is their id, the start of their id (6 characters or more), or their title. If it is a whole id, only
        that subject is returned. Deleted subjects are returned only if there are no others.
        """
        return await resolve_subject.resolve_subject(self._core, self._domain(domain), text)

    async def reviewed(self, *, domain: str | None = None) -> Reviewed:
        """Return the reviewed changes of a domain's own log, with their verdicts."""
        return await reviews.read_reviews(self._core, self._domain(domain))

    async def mark_reviewed(self, verdicts: Mapping[int, Verdict], *, domain: str | None = None) -> Reviewed:
        """Store a person's verdicts on changes, by log position. It changes neither graph nor log."""
        return await reviews.mark_reviewed(self._core, self._domain(domain), verdicts)

    async def diff(
        self,
        *,
        since: int | str | None = None,
        until: int | str | None = None,
        against: str | None = None,
        subject: str | None = None,
        types: Sequence[str] | None = None,
        content: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> Diff:
        """Return the differences between the states of a domain at `since` and at `until`, by default now.

        With `against`, it compares this domain, as it was at `since` (by default now), with another one, such as a
        branch, as that was at `until`; added and removed are seen from this domain. A point means the state after its
        change, so the change at `since` itself is not part of the difference. What was changed and changed back is
        not a difference.

        The counts are complete. The entries show each value, with `content` also text diffs; a page has 50 unless
        `limit` says otherwise, at most 200. Long values and diffs are cut, and say so. `next_cursor` leads to the next
        page between the same two points, whatever is written meanwhile.

        Raises CONTENT_READ_FAILED.
        """
        name = self._domain(domain)
        is_session = parse_session_reference(since) is not None
        first, until = await self._points(name, since, until)
        return await diff.diff(
            self._core,
            name,
            since=first - 1 if is_session and isinstance(first, int) else first,
            until=until,
            against=against,
            subject=subject,
            types=types,
            content=content,
            limit=limit,
            cursor=cursor,
        )

    async def as_of(self, at: int | str, *, domain: str | None = None) -> PastMemory:
        """Return the domain as it was after the last change at or before a point. It can be read; nothing is copied."""
        place = await resolve_revision(self._core.store, self._domain(domain), "at", at)
        from graph_memory.memory.sessions.past import PastMemory

        return PastMemory(self._core, place.domain, place.seq)

    async def branch(self, name: str, *, at: int | str | None = None, domain: str | None = None) -> Branched:
        """Create a branch: a new domain that starts with the state of this one at a point, by default now.

        It has the same ids, contents and types, and shares the past before the fork. Changes to one of the two do not
        affect the other. The same call resumes a branch that was interrupted.

        Raises DOMAIN_ALREADY_EXISTS, CONTENT_READ_FAILED and FILE_CREATION_FAILED.
        """
        from graph_memory.memory.branches.branch import branch

        return await branch(self._core, self._domain(domain), at, name)

    async def revert(
        self,
        *,
        event_ids: Sequence[int | str] | None = None,
        since: int | str | None = None,
        until: int | str | None = None,
        on_conflict: Choice = "stop",
        dry_run: bool = False,
        domain: str | None = None,
    ) -> Reverted:
        """Undo changes, given by their ids or numbers in the log or as a range of it, in one batch that is logged too.

        Each subject gets the state that it had before the first of these changes. A deleted node comes back with its
        id, its content, and the connections that were deleted with it, if their other ends exist. If a subject was
        changed since, or another reason prevents it: `stop` changes nothing, `skip` leaves that subject as it is,
        `force` undoes the later changes too. A type is removed if nothing that stays needs it; that cannot be forced.
        Reverting a revert brings the changes back.

        More than 5,000 events are written in pages: others can read meanwhile, and writers get DOMAIN_BUSY. The same
        call resumes a revert that was interrupted. The result lists the first 100 changes.

        Raises EVENT_NOT_FOUND, REVERT_CONFLICT and CONTENT_READ_FAILED.
        """
        from graph_memory.memory.revert.pages import revert_any
        from graph_memory.memory.revert.selection import of_events

        name = self._domain(domain)
        since, until = await self._points(name, since, until)
        selected = await of_events(self._core, name, event_ids, since, until)
        return await revert_any(self._core, name, selected, on_conflict=on_conflict, dry_run=dry_run)

    async def revert_session(
        self, session: str, *, on_conflict: Choice = "stop", dry_run: bool = False, domain: str | None = None
    ) -> Reverted:
        """Undo everything that one session changed, as `revert` does. Raises INVALID_ARGUMENT if it changed nothing."""
        from graph_memory.memory.revert.pages import revert_any
        from graph_memory.memory.revert.selection import of_session

        name = self._domain(domain)
        selected = await of_session(self._core, name, session)
        return await revert_any(self._core, name, selected, on_conflict=on_conflict, dry_run=dry_run)

    async def merge(
        self,
        source: str,
        *,
        into: str | None = None,
        preview: bool = False,
        strategy: StrategyName = "manual",
        resolutions: Sequence[Mapping[str, object]] | None = None,
    ) -> Merged:
        """Merge the changes of `source` since the two had the same state into this domain, or into another.

        What both changed is merged property by property, and text line by line; where that is impossible, there is a
        conflict. A resolution resolves the conflicts of a subject: `{"subject": id, "take": "ours"}` keeps the target's
        side, `"theirs"` takes the source's; with `property` it resolves one value, which can also be given as `value`.
        The strategy resolves the rest; `manual` changes nothing while there are conflicts. A preview only returns what
        would be done. A merge is one write, and merging again changes nothing.

        Raises MERGE_CONFLICT, INVALID_ARGUMENT for an id or a property that does not exist, CONTENT_READ_FAILED,
        CONTENT_TOO_LARGE and FILE_CREATION_FAILED; DOMAIN_BUSY during a long operation in either domain;
        HISTORY_COMPACTED if the state that both come from was compacted, or may have been.
        """
        from graph_memory.memory.branches.merge import merge
        from graph_memory.memory.branches.report import parse_choices

        choices = parse_choices(strategy, resolutions)
        return await merge(self._core, check_domain(source), self._domain(into), choices, preview=preview)

    async def erase(self, subject: str, *, dry_run: bool = False, domain: str | None = None) -> Erased:
        """Erase a node, connection, observation or link for good, with every past state and content.

        It cannot be undone. A node's connections, observations about it and links from it are erased with it, in the
        domain and in all that share its past: branches, and the domains that they were made from. The events keep their
        numbers, times and authors, but nothing else. The same call resumes an erasure that was interrupted. Texts of
        other nodes that mention it are not searched: `scan` finds them.

        Raises NODE_NOT_FOUND, DOMAIN_BUSY and FILE_CREATION_FAILED.
        """
        from graph_memory.memory.retention.erasure import erase

        return await erase(self._core, self._domain(domain), subject, dry_run=dry_run)

    async def compact(
        self, before: int | str, *, archive: Path | None = None, dry_run: bool = False, domain: str | None = None
    ) -> Compacted:
        """Remove the events before a point from the log: each subject keeps one snapshot of its state at that point.

        That state, and all later ones, can be read as before; reading earlier ones raises HISTORY_COMPACTED. The events
        are first written to an archive, by default in the folder `archives` of the home; sessions keep their counts. A
        dry run returns the point from which on questions can be answered, and which nodes lose their first state. No
        batch is divided, so it may end a little earlier. The same call resumes a compaction that was interrupted.

        Raises DOMAIN_BUSY, HISTORY_COMPACTED, FILE_CREATION_FAILED and CONTENT_READ_FAILED.
        """
        from graph_memory.memory.retention.compaction import compact

        return await compact(self._core, self._domain(domain), before, archive, dry_run=dry_run)

    async def scan(self, text: str) -> Scanned:
        """Look for a text, such as an id, in every property of the whole database, and in the blobs of all domains.

        Vectors are left out: they are numbers. The text is compared exactly, with the copies that the search keeps in
        their case-folded form. In blobs, its bytes in UTF-8 are compared. Raises CONTENT_READ_FAILED and TIMEOUT.
        """
        from graph_memory.memory.retention.scan import scan

        return await scan(self._core, text)
