"""`History`: reads the log and earlier states of a memory, and reverts, branches, merges, erases and compacts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from graph_memory.memory.api.facade import Facade
from graph_memory.memory.branches.results import MergeResult, StrategyName
from graph_memory.memory.domains.lineage import resolve_revision
from graph_memory.memory.history import diff, follow, last_session, resolve_subject, reviews
from graph_memory.memory.history import log as history
from graph_memory.memory.history.diff_results import Diff
from graph_memory.memory.history.results import (
    ChangeCount,
    Choice,
    LogEntry,
    LogPage,
    NamedSubject,
    Operation,
    RevertResult,
    ReviewList,
    Sessions,
    Source,
    Verdict,
)
from graph_memory.model.results import BranchResult
from graph_memory.model.rights import require
from graph_memory.model.time.points import parse_session_reference
from graph_memory.model.values.arguments import check_domain
from graph_memory.storage.log.reads import last_events

if TYPE_CHECKING:
    from graph_memory.memory.retention.logged_nodes import LoggedNode
    from graph_memory.memory.retention.results import CompactionResult, ErasureResult, ScanResult
    from graph_memory.memory.sessions.past import PastMemory


class History(Facade):
    """The log of a memory: every change with its actor and time. Use it as `Memory.history`.

    A point in the log is a log number, the id of an event, or a time: RFC 3339, a date, or words such as `"2 hours
    ago"`, `"yesterday"`, `"last monday"` or `"since March"`, in UTC unless it specifies another time zone. For a whole
    day, month or minute, `until` and `at` mean its end, and all other arguments its start. `since` and `until` also
    accept `"last session"`: the latest session before the caller's own session, preferably by the same actor. To select
    another session, add the project of a summary, an actor or a session id, as in `"last session of Apollo"`. All
    methods raise ONTOLOGY_NOT_FOUND if the domain does not exist, EVENT_NOT_FOUND if the log does not contain the
    event, HISTORY_COMPACTED if that part of the log was compacted, and INVALID_ARGUMENT if an argument is invalid.
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
        with_observations: bool = False,
        latest_only: bool = False,
        domain: str | None = None,
    ) -> LogPage:
        """Return changes in words, newest first. With `full`, also return the states before and after each change.

        The changes at `since` and `until` are included. `subject` is the id of a node, connection or observation. With
        `with_observations`, the changes of the node's observations are returned too. With `latest_only`, only the last
        change of each subject is returned, and no deletions. `types` are names of node or connection types. The session
        `"current"` is the caller's own session. A page has 50 changes by default; pass `next_cursor` to get older
        changes.
        """
        log_filter = history.Filter(
            subject=subject,
            session=history.session_of(self._core, session),
            source=source,
            actor=actor,
            operations=operations,
            types=types,
        )
        name = self._domain(domain)
        since, until = await self._resolve_points(name, since, until)
        return await history.log(
            self._core,
            name,
            log_filter,
            since=since,
            until=until,
            limit=limit,
            cursor=cursor,
            full=full,
            with_observations=with_observations,
            latest_only=latest_only,
        )

    async def _resolve_points(
        self, domain: str, since: int | str | None, until: int | str | None
    ) -> tuple[int | str | None, int | str | None]:
        """Return `since` and `until`, with `"last session"` replaced by that session's first or last log number."""
        first = await last_session.point_at(self._core, domain, "since", since)
        return first, await last_session.point_at(self._core, domain, "until", until)

    async def positions(self, domains: Collection[str]) -> Mapping[str, int]:
        """Return the number of each domain's last event, in one read. Domains that do not exist are omitted.

        Raises INSUFFICIENT_RIGHTS if the caller may not read one of the domains.
        """
        return await follow.read_positions(self._core, [require(check_domain(name)) for name in domains])

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
        """Yield each new change by any actor, once and in log order.

        It starts with the change at `since`, by default with the next change. To continue later without gaps, store the
        `seq` of the last change, and start at the next number. The log is read every `every` seconds. The filters are
        the same as in `log`. Raises HISTORY_COMPACTED if changes were compacted before they were yielded, and
        STORE_CONFLICT if changes have been missing from the log for a minute.
        """
        log_filter = history.Filter(
            subject=subject,
            session=history.session_of(self._core, session),
            source=source,
            actor=actor,
            operations=operations,
            types=types,
        )
        return follow.follow(self._core, self._domain(domain), log_filter, since=since, full=full, interval=every)

    async def count_changes(
        self, begin: datetime, end: datetime, *, periods: int = 40, domain: str | None = None
    ) -> tuple[ChangeCount, ...]:
        """Return the number of changes by kind and operation in equal periods from `begin` to `end`, oldest first.

        Changes before `begin` count in the first period, and changes after `end` in the last. Compacted changes, and
        changes that a branch shares with its source, are not counted. Raises INVALID_ARGUMENT if `periods` is not 1 to
        1,000, a time has no zone, or `end` is before `begin`.
        """
        return await history.count_changes(self._core, self._domain(domain), begin, end, periods)

    async def sessions(
        self,
        *,
        since: int | str | None = None,
        until: int | str | None = None,
        limit: int | None = None,
        domain: str | None = None,
    ) -> Sessions:
        """Return up to 50 sessions that changed the domain, latest first, with their actors, times and change counts.

        If `session_end` stored a summary of a session, the session contains it.
        """
        name = self._domain(domain)
        since, until = await self._resolve_points(name, since, until)
        sessions = await history.list_sessions(self._core, name, since=since, until=until, limit=limit)
        from graph_memory.memory.sessions.sessions import with_summaries

        return await with_summaries(self._core, name, sessions)

    async def named(self, text: str, *, domain: str | None = None) -> tuple[NamedSubject, ...]:
        """Return up to 12 nodes and connections that a text may refer to.

        The text can be their id, the first 6 or more characters of their id, or their title. A complete id returns only
        the subject with that id. Deleted subjects are returned only if no existing subject matches.
        """
        return await resolve_subject.resolve_subject(self._core, self._domain(domain), text)

    async def reviewed(self, *, changes: Collection[int] | None = None, domain: str | None = None) -> ReviewList:
        """Return the changes in a domain's own log that a person has reviewed, with the verdicts.

        `changes` selects changes by log number. By default, all verdicts are returned.
        """
        return await reviews.read_reviews(self._core, self._domain(domain), changes)

    async def mark_reviewed(self, verdicts: Mapping[int, Verdict | None], *, domain: str | None = None) -> ReviewList:
        """Store a person's verdicts on changes, by log number, and return them. None removes a verdict.

        The graph and the log are not changed. Raises INVALID_ARGUMENT for a change that is not in the domain's own log,
        such as a change of a branch's base.
        """
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

        With `against`, compares this domain at `since` (default now) with another domain, such as a branch, at `until`;
        "added" and "removed" are from the point of view of this domain. A point means the state after its change, so
        the change at `since` itself is not included. Changes that were undone between the points do not appear.

        The counts include the differences on all pages. The entries show each value and, with `content`, text diffs. A
        page has 50 entries by default, and at most 200. Long values and diffs are truncated and marked as such. Pass
        `next_cursor` to get the next page between the same two points, even after new writes.

        Raises CONTENT_READ_FAILED if content is missing or damaged.
        """
        name = self._domain(domain)
        is_session = parse_session_reference(since) is not None
        first, until = await self._resolve_points(name, since, until)
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
        """Return a read-only view of the domain's state after the last change at or before a point. Copies nothing."""
        revision = await resolve_revision(self._core.store, self._domain(domain), "at", at)
        from graph_memory.memory.sessions.past import PastMemory

        return PastMemory(self._core, revision.domain, revision.seq)

    async def branch(self, name: str, *, at: int | str | None = None, domain: str | None = None) -> BranchResult:
        """Create a branch: a new domain that starts with this domain's state at a point (default now).

        The branch has the same ids, contents and types, and shares the log up to the fork. Later changes to one domain
        do not affect the other. If creating the branch was interrupted, repeat the call to resume it.

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
    ) -> RevertResult:
        """Undo changes, given as event ids, log numbers, or a range of the log. The log records the undo as one batch.

        Each subject gets the state that it had before the first of these changes. A deleted node is restored with its
        id, its content, and the connections that were deleted with it, if their other nodes exist. If a subject cannot
        be reverted, for example because it changed again later, `on_conflict` decides: `stop` changes nothing, `skip`
        skips the subject, and `force` also undoes the later changes. An added type is removed only if no remaining node
        or type needs it, even with `force`. If you revert a revert, the changes are made again.

        More than 5,000 events are written in pages. In the meantime, other callers can read, but their writes raise
        DOMAIN_BUSY. Repeat the call to resume an interrupted revert. The result lists the first 100 changes.

        Raises EVENT_NOT_FOUND, REVERT_CONFLICT and CONTENT_READ_FAILED.
        """
        from graph_memory.memory.revert.pages import revert_selection
        from graph_memory.memory.revert.selection import select_events

        name = self._domain(domain)
        since, until = await self._resolve_points(name, since, until)
        selected = await select_events(self._core, name, event_ids, since, until)
        return await revert_selection(self._core, name, selected, on_conflict=on_conflict, dry_run=dry_run)

    async def revert_session(
        self, session: str, *, on_conflict: Choice = "stop", dry_run: bool = False, domain: str | None = None
    ) -> RevertResult:
        """Undo all changes of one session. See `revert`. Raises INVALID_ARGUMENT if the session changed nothing."""
        from graph_memory.memory.revert.pages import revert_selection
        from graph_memory.memory.revert.selection import select_session

        name = self._domain(domain)
        selected = await select_session(self._core, name, session)
        return await revert_selection(self._core, name, selected, on_conflict=on_conflict, dry_run=dry_run)

    async def merge(
        self,
        source: str,
        *,
        into: str | None = None,
        preview: bool = False,
        strategy: StrategyName = "manual",
        resolutions: Sequence[Mapping[str, object]] | None = None,
    ) -> MergeResult:
        """Merge the changes of `source` since the common state of both domains into this domain, or into `into`.

        Subjects that both domains changed are merged property by property, and texts line by line. If that is
        impossible, there is a conflict. A resolution resolves the conflicts of a subject: `{"subject": id, "take":
        "ours"}` keeps the target's values, and `"theirs"` takes the source's values. A resolution with `property`
        resolves only that property, and can also set a new `value`. The strategy resolves all other conflicts. With
        `manual`, nothing is changed while conflicts remain. A preview only returns the planned changes. A merge is one
        write, and merging again changes nothing.

        Raises MERGE_CONFLICT if conflicts remain, INVALID_ARGUMENT if an id or property in a resolution does not exist,
        CONTENT_READ_FAILED, CONTENT_TOO_LARGE, FILE_CREATION_FAILED, DOMAIN_BUSY during a long operation in either
        domain, and HISTORY_COMPACTED if the common state was compacted, or may have been.
        """
        from graph_memory.memory.branches.merge import merge
        from graph_memory.memory.branches.report import parse_choices

        choices = parse_choices(strategy, resolutions)
        return await merge(self._core, require(check_domain(source)), self._domain(into), choices, preview=preview)

    async def erase(self, subject: str, *, dry_run: bool = False, domain: str | None = None) -> ErasureResult:
        """Erase a node, connection, observation or link permanently, with every earlier state and content.

        An erasure cannot be undone. A node is erased with its connections, its observations and the links from it. It
        is erased in the domain and in all domains that share its log: its branches, and the domains from which it was
        branched. The events keep only their numbers, times and actors. Repeat the call to resume an interrupted
        erasure. Mentions in other nodes' texts are kept. Use `scan` to list them.

        Raises NODE_NOT_FOUND, DOMAIN_BUSY and FILE_CREATION_FAILED.
        """
        from graph_memory.memory.retention.erasure import erase

        return await erase(self._core, self._domain(domain), subject, dry_run=dry_run)

    async def used_ids(self, ids: Sequence[str], *, domain: str | None = None) -> frozenset[str]:
        """Return the given ids that occur in the log, including ids of deleted and erased subjects."""
        events = await last_events(self._core.store, self._domain(domain), ids)
        return frozenset(event.draft.subject for event in events)

    async def logged_nodes(
        self,
        types: Sequence[str],
        *,
        properties: Mapping[str, str] | None = None,
        text: str | None = None,
        prefix: str | None = None,
        domain: str | None = None,
    ) -> Sequence[LoggedNode]:
        """Return the nodes of the given types in the log, including deleted nodes, with the texts of all their states.

        `properties` selects states with these values, and `prefix` nodes by the start of their ids. `text` selects
        states that contain it, ignoring case, or that have a blob, because the blob may contain it. Blobs are not read:
        see `logged_text`.
        """
        from graph_memory.memory.retention.logged_nodes import logged_nodes

        return await logged_nodes(self._core, self._domain(domain), types, properties or {}, text, prefix)

    async def logged_text(self, node: LoggedNode, *, domain: str | None = None) -> str:
        """Return all texts of a node from `logged_nodes`, including its blobs. Raises CONTENT_READ_FAILED."""
        from graph_memory.memory.retention.logged_nodes import read_all_texts

        return await read_all_texts(self._core, self._domain(domain), node)

    async def compact(
        self, before: int | str, *, archive: Path | None = None, dry_run: bool = False, domain: str | None = None
    ) -> CompactionResult:
        """Remove the events before a point from the log. Each subject keeps one snapshot of its state at that point.

        The state at the point and all later states stay readable, but reading an earlier state raises
        HISTORY_COMPACTED. The events are first written to an archive, by default in the folder `archives` in the home
        folder. Sessions keep their change counts. With `dry_run`, returns the earliest point that would stay readable,
        and the nodes that would lose their first state. Because batches are not split, compaction may end a little
        before the point. Repeat the call to resume an interrupted compaction.

        Raises DOMAIN_BUSY, HISTORY_COMPACTED, FILE_CREATION_FAILED and CONTENT_READ_FAILED.
        """
        from graph_memory.memory.retention.compaction import compact

        return await compact(self._core, self._domain(domain), before, archive, dry_run=dry_run)

    async def scan(self, text: str) -> ScanResult:
        """Search for a string, such as an id, in every property of the whole database, and in all domains' blobs.

        Properties are searched for exactly this string, the search index for its case-folded form, and blobs for its
        UTF-8 bytes. Base64 in metadata is searched for these bytes if there are at least five. Compressed or encrypted
        data and vectors are not searched. Raises CONTENT_READ_FAILED for an unreadable blob, and TIMEOUT.
        """
        from graph_memory.memory.retention.scan import scan

        return await scan(self._core, text)
