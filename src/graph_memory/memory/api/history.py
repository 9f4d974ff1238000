"""`History`: the log and earlier states of a memory."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graph_memory.memory.api.facade import Facade
from graph_memory.memory.branches.results import Merged, StrategyName
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
from graph_memory.model.rights import require
from graph_memory.model.time.points import parse_session_reference
from graph_memory.model.values.arguments import check_domain
from graph_memory.storage.log.reads import last_events

if TYPE_CHECKING:
    from graph_memory.memory.retention.logged_nodes import LoggedNode
    from graph_memory.memory.retention.results import Compacted, Erased, Scanned
    from graph_memory.memory.sessions.past import PastMemory


class History(Facade):
    """The log of a memory: every change with its actor and time. Use it as `Memory.history`.

    A point in the log is a log number, the id of an event, or a time: RFC 3339, a date, or words such as `"2 hours
    ago"`, `"yesterday"`, `"last monday"` or `"since March"`, in UTC unless it names another zone. For a whole day,
    month or minute, `until` and `at` mean its end, and all other arguments its start. `since` and `until` also take
    `"last session"`: the latest session before the caller's own, of the same actor if there is one. Add a name to
    narrow it, as in `"last session of Apollo"`: the project of a summary, an actor or a session id. All methods raise
    ONTOLOGY_NOT_FOUND for a domain that does not exist, EVENT_NOT_FOUND, HISTORY_COMPACTED if that part of the log was
    compacted, and INVALID_ARGUMENT.
    """

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
        """Return changes in words, newest first; with `full`, also the states before and after each.

        The changes at `since` and `until` are included. `subject` is the id of a node, connection or observation.
        `types` are names of node or connection types. The session `current` is the caller's own. A page has 50 changes
        by default; `next_cursor` leads to older ones.
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
        """Return two points of the log. `last session` is replaced by its log number."""
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
        """Yield each new change, by any actor, once and in the order of the log.

        It starts with the change at `since`, or by default with the next change. To continue later without gaps, store
        the `seq` of the last change and start at the next number. The log is read every `every` seconds. The filters
        are the same as in `log`. Raises HISTORY_COMPACTED if changes were compacted before they were yielded, and
        STORE_CONFLICT if changes have been missing from the log for a minute.
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
        """Return up to 50 sessions that changed the domain, latest first: actor, times, and what was changed.

        A session also has the summary that `session_end` stored for it.
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
        """Store a person's verdicts on changes, by log position. The graph and the log do not change."""
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
        """Return the differences between the states of a domain at `since` and at `until` (default now).

        With `against`, it compares this domain at `since` (default now) with another domain, such as a branch, at
        `until`; "added" and "removed" are seen from this domain. A point means the state after its change, so the
        change at `since` itself is not included. Changes that were undone in between do not appear.

        The counts are complete. The entries show each value, and with `content` also text diffs. A page has 50 entries
        by default, at most 200. Long values and diffs are marked where they are cut. `next_cursor` leads to the next
        page between the same two points, even after new writes.

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
        """Return a read-only view of the domain after the last change at or before a point. Nothing is copied."""
        place = await resolve_revision(self._core.store, self._domain(domain), "at", at)
        from graph_memory.memory.sessions.past import PastMemory

        return PastMemory(self._core, place.domain, place.seq)

    async def branch(self, name: str, *, at: int | str | None = None, domain: str | None = None) -> Branched:
        """Create a branch: a new domain that starts with the state of this one at a point (default now).

        It has the same ids, contents and types, and shares the log up to the fork. Later changes to one do not affect
        the other. Repeat the call to resume a branch that was interrupted.

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
        """Undo changes, given by their ids or log numbers or as a range of the log, in one logged batch.

        Each subject gets the state that it had before the first of these changes. A deleted node comes back with its
        id, its content, and the connections that were deleted with it if their other ends exist. If a subject cannot be
        reverted, for example because it changed again later, `stop` changes nothing, `skip` leaves out that subject,
        and `force` undoes the later changes too. An added type is removed only if no remaining node or type needs it;
        `force` does not change that. Reverting a revert brings the changes back.

        More than 5,000 events are written in pages: others can still read, but writes raise DOMAIN_BUSY. Repeat the
        call to resume a revert that was interrupted. The result lists the first 100 changes.

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
        """Merge the changes of `source` since the common state of both domains into this domain, or into another one.

        Subjects that both have changed are merged property by property, and texts line by line; where that is
        impossible, there is a conflict. A resolution settles the conflicts of a subject: `{"subject": id, "take":
        "ours"}` keeps the target's side, `"theirs"` takes the source's. With `property` it settles one property, which
        can also get a new `value`. The strategy settles the other conflicts; `manual` changes nothing while there are
        any. A preview only returns the planned changes. A merge is one write, and merging again changes nothing.

        Raises MERGE_CONFLICT, INVALID_ARGUMENT for an id or property that does not exist, CONTENT_READ_FAILED,
        CONTENT_TOO_LARGE, FILE_CREATION_FAILED, DOMAIN_BUSY during a long operation in either domain, and
        HISTORY_COMPACTED if the common state was compacted, or may have been.
        """
        from graph_memory.memory.branches.merge import merge
        from graph_memory.memory.branches.report import parse_choices

        choices = parse_choices(strategy, resolutions)
        return await merge(self._core, require(check_domain(source)), self._domain(into), choices, preview=preview)

    async def erase(self, subject: str, *, dry_run: bool = False, domain: str | None = None) -> Erased:
        """Erase a node, connection, observation or link for good, with every earlier state and content.

        It cannot be undone. A node is erased with its connections, the observations about it and the links from it, in
        the domain and in all domains that share its log: its branches, and the domains that it was branched from. The
        events keep only their numbers, times and actors. Repeat the call to resume an erasure that was interrupted.
        Mentions in texts of other nodes stay: find them with `scan`.

        Raises NODE_NOT_FOUND, DOMAIN_BUSY and FILE_CREATION_FAILED.
        """
        from graph_memory.memory.retention.erasure import erase

        return await erase(self._core, self._domain(domain), subject, dry_run=dry_run)

    async def used_ids(self, ids: Sequence[str], *, domain: str | None = None) -> frozenset[str]:
        """Return the ids that subjects have or had, including deleted and erased subjects."""
        events = await last_events(self._core.store, self._domain(domain), ids)
        return frozenset(event.draft.subject for event in events)

    async def logged_nodes(
        self, types: Sequence[str], *, session: str | None = None, text: str | None = None, domain: str | None = None
    ) -> Sequence[LoggedNode]:
        """Return the nodes of the given types in the log, including deleted ones, with the texts of their states.

        `session` selects states with this value of the property `session`; `text` selects states that contain a text,
        ignoring case. Large contents, which are blobs, are not read.
        """
        from graph_memory.memory.retention.logged_nodes import logged_nodes

        return await logged_nodes(self._core, self._domain(domain), types, session, text)

    async def compact(
        self, before: int | str, *, archive: Path | None = None, dry_run: bool = False, domain: str | None = None
    ) -> Compacted:
        """Remove the events before a point from the log: each subject keeps one snapshot of its state at that point.

        That state and all later ones stay readable; reading earlier ones raises HISTORY_COMPACTED. The events are first
        written to an archive, by default in the folder `archives` of the home. Sessions keep their counts. A dry run
        returns the earliest point that would stay readable, and the nodes that would lose their first state. Batches
        are not divided, so compaction may end a little earlier. Repeat the call to resume a compaction that was
        interrupted.

        Raises DOMAIN_BUSY, HISTORY_COMPACTED, FILE_CREATION_FAILED and CONTENT_READ_FAILED.
        """
        from graph_memory.memory.retention.compaction import compact

        return await compact(self._core, self._domain(domain), before, archive, dry_run=dry_run)

    async def scan(self, text: str) -> Scanned:
        """Search for a text, such as an id, in every property of the whole database, and in the blobs of all domains.

        The text is compared exactly, and in its case-folded form with the copies in the search index. Blobs are
        searched for its UTF-8 bytes, and vectors are not searched. Raises CONTENT_READ_FAILED and TIMEOUT.
        """
        from graph_memory.memory.retention.scan import scan

        return await scan(self._core, text)
