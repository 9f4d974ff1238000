"""`History`: everything that can be asked of a memory's past. The work is done in the modules beside it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path

from graph_memory.memory.branches import branch, merge, report
from graph_memory.memory.branches.results import How, Merged
from graph_memory.memory.core import Core
from graph_memory.memory.history import diff, follow, naming, past
from graph_memory.memory.history import log as history
from graph_memory.memory.history.diff_results import Diff
from graph_memory.memory.history.past import Past
from graph_memory.memory.history.results import (
    Choice,
    LogEntry,
    LogPage,
    Named,
    Operation,
    Reverted,
    Sessions,
    Source,
)
from graph_memory.memory.retention import compaction, erasure, scan
from graph_memory.memory.retention.results import Compacted, Erased, Scanned
from graph_memory.memory.revert import pages, selection
from graph_memory.model.arguments import check_domain
from graph_memory.model.results import Branched


class History:
    """The log of a memory: every change that was made, by whom, and when. It is `Memory.history`.

    Points in the log are given as a number of it, as an event's id, or as a time: RFC 3339, a date, or words such as
    `"2 hours ago"`, `"yesterday"`, `"last monday"` or `"since March"`, in UTC unless it says another zone. Of a whole
    day, month or minute, `until` and `at` mean the end, everything else the beginning. All methods raise
    ONTOLOGY_NOT_FOUND for a domain that there is not, EVENT_NOT_FOUND, HISTORY_COMPACTED for one whose past is gone,
    and INVALID_ARGUMENT.
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
        """Return changes, newest first, each with a line of words; with `full` also the states before and after.

        `since` and `until` are within. `subject` is the id of a node, connection or observation; `types` are names
        of node or connection types; the session `current` is that of whoever asks. 50 to a page unless `limit` says
        otherwise; `next_cursor` leads to older ones.
        """
        wanted = history.Filter(
            subject=subject,
            session=history.session_of(self._core, session),
            source=source,
            actor=actor,
            operations=operations,
            types=types,
        )
        return await history.log(
            self._core, self._domain(domain), wanted, since=since, until=until, limit=limit, cursor=cursor, full=full
        )

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
        """Give each change as it comes, whoever makes it, once and in the order of the log, until nobody asks any more.

        It begins with the change at `since`, without it with the next one that is made; who kept the `seq` of the
        last change that it was given goes on at the next number and misses nothing. The log is looked at `every` so
        many seconds, which costs one small read. What is asked for is told as in `log`. Raises when it is first asked,
        and later HISTORY_COMPACTED where changes were compacted that were not given yet, and STORE_CONFLICT where
        some have been missing from the log for a minute.
        """
        wanted = history.Filter(
            subject=subject,
            session=history.session_of(self._core, session),
            source=source,
            actor=actor,
            operations=operations,
            types=types,
        )
        return follow.follow(self._core, self._domain(domain), wanted, since=since, full=full, every=every)

    async def sessions(
        self,
        *,
        since: int | str | None = None,
        until: int | str | None = None,
        limit: int | None = None,
        domain: str | None = None,
    ) -> Sessions:
        """Return who changed the domain, the last to write first: when, how much, and what about; at most 50."""
        return await history.sessions(self._core, self._domain(domain), since=since, until=until, limit=limit)

    async def named(self, text: str, *, domain: str | None = None) -> tuple[Named, ...]:
        """Return the nodes and connections that a person may mean by a text.

        They have it as their id, as the beginning of their id, if it has 6 characters, or as their title. If an id is
        the text itself, it is that one alone. Deleted ones are given only where nothing else is. At most 12.
        """
        return await naming.named(self._core, self._domain(domain), text)

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
        """Return what differs between the domain as it was at `since` and as it was at `until`, by default now.

        With `against` it is compared with another domain, such as a branch of it: as this one was at `since`, by
        default now, and the other at `until`. What came or went between is seen from this domain.
        A point stands for the state after its last change: the change at `since` itself counts as made already. The
        counts are of all that differs; the entries, 50 to a page unless `limit` says otherwise, at most 200, tell it
        value by value, with `content` also as text diffs. What was changed and changed back is no difference. Long
        values and diffs are cut, and say so. `next_cursor` leads on between the same two points, whatever was written
        meanwhile.

        Raises CONTENT_READ_FAILED.
        """
        return await diff.diff(
            self._core,
            self._domain(domain),
            since=since,
            until=until,
            against=against,
            subject=subject,
            types=types,
            content=content,
            limit=limit,
            cursor=cursor,
        )

    async def as_of(self, at: int | str, *, domain: str | None = None) -> Past:
        """Return the domain as it was after the last change at or before a point, to be read without a copy of it."""
        return await past.past_at(self._core, self._domain(domain), at)

    async def branch(self, name: str, *, at: int | str | None = None, domain: str | None = None) -> Branched:
        """Make a branch: a new domain that begins with what this one was at a point, by default now.

        It has the ids, contents and types that were there then; the past before the fork is shared. What is changed in
        one of the two is not changed in the other. One that was cut off goes on when the same is asked for again.

        Raises DOMAIN_ALREADY_EXISTS, CONTENT_READ_FAILED and FILE_CREATION_FAILED.
        """
        return await branch.branch(self._core, self._domain(domain), at, name)

    async def revert(
        self,
        *,
        event_ids: Sequence[str] | None = None,
        since: int | str | None = None,
        until: int | str | None = None,
        on_conflict: Choice = "stop",
        dry_run: bool = False,
        domain: str | None = None,
    ) -> Reverted:
        """Undo changes, given by the ids of their events or as a stretch of the log, as one batch that is logged too.

        Each subject gets the state that it had before the first of them. A deleted node comes back with its id, its
        content, and the connections that went with it whose other ends live. Where a subject was changed since, or
        something stands against it: `stop` changes nothing, `skip` leaves that subject as it is, `force` undoes the
        later changes too. A type is taken back when nothing that stays needs it; that cannot be forced. Undoing an undo
        brings the changes back.

        More than 5,000 events are written in pages: others can read meanwhile, those who write are told DOMAIN_BUSY,
        and one that was cut off goes on when the same is asked for again. Its answer lists the first 100 changes.

        Raises EVENT_NOT_FOUND, REVERT_CONFLICT and CONTENT_READ_FAILED.
        """
        name = self._domain(domain)
        selected = await selection.of_events(self._core, name, event_ids, since, until)
        return await pages.revert_any(self._core, name, selected, on_conflict=on_conflict, dry_run=dry_run)

    async def revert_session(
        self, session: str, *, on_conflict: Choice = "stop", dry_run: bool = False, domain: str | None = None
    ) -> Reverted:
        """Undo all that one session changed, as `revert` does. Raises INVALID_ARGUMENT if it changed nothing."""
        name = self._domain(domain)
        selected = await selection.of_session(self._core, name, session)
        return await pages.revert_any(self._core, name, selected, on_conflict=on_conflict, dry_run=dry_run)

    async def merge(
        self,
        source: str,
        *,
        into: str | None = None,
        preview: bool = False,
        strategy: How = "manual",
        resolutions: Sequence[Mapping[str, object]] | None = None,
    ) -> Merged:
        """Write into this domain, or into another, what was changed in `source` since both were the same.

        What both have changed is merged property by property, text line by line; where that cannot be, there is a
        conflict. A resolution settles those of a subject: `{"subject": id, "take": "ours"}` leaves them as they are in
        the target, `"theirs"` takes them from the source; with `property` it settles one value, which can also be
        given as `value`. The strategy settles the rest; `manual` changes nothing while there are any. A preview only
        says what would be. It is one write, and merging once more changes nothing.

        Raises MERGE_CONFLICT, CONTENT_READ_FAILED, CONTENT_TOO_LARGE and FILE_CREATION_FAILED; DOMAIN_BUSY while
        something long goes on in either; HISTORY_COMPACTED where the state that both come from was compacted, or may
        have been.
        """
        choices = report.choices_from(strategy, resolutions)
        return await merge.merge(self._core, check_domain(source), self._domain(into), choices, preview=preview)

    async def erase(self, subject: str, *, dry_run: bool = False, domain: str | None = None) -> Erased:
        """Erase a node, connection or observation for good, with its whole past: every state and content of it goes.

        A node's connections, and observations about it, go with it. It goes from the domain and from all that share
        its past: the branches, and what they were branched from. Its events stay in their places, with their times and
        who made them, but without content. It cannot be undone. One that was cut off goes on when the same is asked
        for again. Texts of others that mention it are not searched: `scan` finds these.

        Raises NODE_NOT_FOUND, DOMAIN_BUSY and FILE_CREATION_FAILED.
        """
        return await erasure.erase(self._core, self._domain(domain), subject, dry_run=dry_run)

    async def compact(
        self, before: int | str, *, archive: Path | None = None, dry_run: bool = False, domain: str | None = None
    ) -> Compacted:
        """Free the events before a point: each subject keeps the state that it had then, as one snapshot.

        The state at that point, and all later ones, can be read as before; earlier ones answer HISTORY_COMPACTED. The
        events go into an archive first, by default in the folder `archives` of the home; sessions stay counted. A dry
        run tells from when on questions will be answered, and which nodes lose their first state. No
        batch is cut in two, so it may end a little earlier. One that was cut off goes on when it is asked for again.

        Raises DOMAIN_BUSY, HISTORY_COMPACTED, FILE_CREATION_FAILED and CONTENT_READ_FAILED.
        """
        return await compaction.compact(self._core, self._domain(domain), before, archive, dry_run=dry_run)

    async def scan(self, text: str) -> Scanned:
        """Look for a text, such as an id, in every property of the whole database, and in the blobs of all domains.

        It is compared exactly; the copies that the search keeps are compared in the form that these have. Of blobs, the
        bytes in UTF-8 are compared. Raises CONTENT_READ_FAILED and TIMEOUT.
        """
        return await scan.scan(self._core, text)
