"""Synchronises a folder of Markdown notes with a domain's entities by a three-way merge.

The merge base is their last common state.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import contains_event, seq_at
from graph_memory.memory.entity_graph.domain import ensure_domain
from graph_memory.memory.folder_sync.entity_notes import EntityNote
from graph_memory.memory.folder_sync.folder_ends import NODE
from graph_memory.memory.folder_sync.folder_files import copies_folder, read_files
from graph_memory.memory.folder_sync.folder_writes import Decided, FolderWriter
from graph_memory.memory.folder_sync.matching import Matching
from graph_memory.memory.folder_sync.memory_writes import Changes, ConcurrentWrite, write_changes
from graph_memory.memory.folder_sync.results import FolderSyncResult, SyncConflict, SyncCounts
from graph_memory.memory.folder_sync.snapshot import Snapshot, read_snapshot
from graph_memory.memory.folder_sync.state_file import folder_lock, read_state, write_state
from graph_memory.memory.folder_sync.three_way import Outcome, Side, SyncedNote, decide
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.name_key import name_key
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.progress import Progress
from graph_memory.storage.log.writing import utc_now

ACTOR = "sync"
"""The actor of a synchronisation's changes if the caller has none."""
_MAX_ATTEMPTS = 5
_MAX_UNCONFIRMED = 5
"""Maximum number of deletions that need no confirmation, even if they are more than half of the notes, but not all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncOptions:
    """The options of a synchronisation."""

    prefer: Side | None = None
    delete: bool = False
    dry_run: bool = False


async def sync_folder(
    core: Core, domain: str, folder: Path, options: SyncOptions, progress: Progress
) -> FolderSyncResult:
    """Synchronise a folder and a domain. See `Transfer.sync_folder`."""
    if options.prefer not in (None, "folder", "memory"):
        raise invalid_argument("prefer", f"{quote(options.prefer)} is not a side", "Use folder or memory.")
    session = core.origin.session or f"sync_{uuid4().hex[:12]}"
    origin = replace(core.origin, session=session, actor=core.origin.actor or ACTOR)
    inner = replace(core, origin=origin)
    root = await anyio.to_thread.run_sync(_check_folder, folder, options.dry_run)
    with nullcontext() if options.dry_run else folder_lock(root):
        for _ in range(_MAX_ATTEMPTS):
            try:
                return await _Sync(inner, domain, root, options, progress, begin=core).run()
            except ConcurrentWrite:
                continue
    hint = "Run the sync again when there are fewer writes to the domain."
    raise GraphError(Code.DOMAIN_BUSY, f"Domain {domain} was changed during each attempt", {"hint": hint})


@dataclass(slots=True)
class _Sync:
    core: Core
    domain: str
    root: Path
    options: SyncOptions
    progress: Progress
    begin: Core
    """The core that creates the domain. It is outside the synchronisation's session, so that reverting the session
    keeps the domain."""
    is_compared_anew: bool = False
    """Whether there is no usable common state, because the domain's log does not contain the recorded state."""

    async def run(self) -> FolderSyncResult:
        matching = await self._match()
        decided = await self._decide(matching)
        self._check_deletions(matching, decided)
        changes = _changes_of(matching, decided)
        snapshot, writer = matching.snapshot, None
        if changes and (snapshot.seq or not self.options.dry_run):
            snapshot = await self._write_memory(matching, decided, changes)
        if not self.options.dry_run:
            name = utc_now().strftime("%Y-%m-%dT%H-%M-%S-%f")
            writer = FolderWriter(matching, decided, snapshot, name)
            self.progress("Writing notes", None)
            await anyio.to_thread.run_sync(writer.run)
            position = snapshot.seq, snapshot.event
            await anyio.to_thread.run_sync(write_state, matching.files.root, self.domain, *position, writer.entries)
        return self._report(matching, decided, changes, snapshot, writer)

    async def _match(self) -> Matching:
        state = await anyio.to_thread.run_sync(read_state, self.root, self.domain)
        self.progress("Reading notes", None)
        files = await anyio.to_thread.run_sync(read_files, self.root)
        snapshot = await self._read_memory()
        # The log lacks the last common state if the domain was recreated or restored.
        is_usable = (
            state is not None
            and snapshot.seq > 0
            and await contains_event(self.core.store, self.domain, state.seq, state.event)
        )
        self.is_compared_anew = state is not None and not is_usable
        matching = Matching(files, state.entries if state and is_usable else {}, snapshot, self.options.prefer)
        await anyio.to_thread.run_sync(matching.run)
        return matching

    async def _read_memory(self) -> Snapshot:
        try:
            seq = await seq_at(self.core.store, self.domain, "at", None)
        except GraphError as error:
            if error.code is not Code.ONTOLOGY_NOT_FOUND:
                raise
            return Snapshot(0)
        return await read_snapshot(self.core, self.domain, seq, self.progress, moment=utc_now())

    async def _decide(self, matching: Matching) -> Decided:
        bases: dict[int, Snapshot] = {}
        for seq in {pair.entry.seq for pair in matching.pairs if pair.entry and pair.needs_base}:
            bases[seq] = await self._read_base(seq, matching.snapshot.seq)
        decided: list[tuple[SyncedNote, Outcome]] = []
        for pair in matching.pairs:
            base = None
            if pair.entry is not None and pair.needs_base:
                base = bases[pair.entry.seq].notes.get(pair.entry.node)
                if base is not None and base.fingerprint != pair.entry.memory:  # parts of it were erased
                    base = None
            decided.append((pair, decide(pair, base, self.options.prefer)))
        return _without_taken_names(matching, decided)

    async def _read_base(self, seq: int, newest: int) -> Snapshot:
        """Return the entities as of an earlier event, or an empty snapshot if the log no longer has that state."""
        if not 0 < seq <= newest:
            return Snapshot(seq)
        try:
            return await read_snapshot(self.core, self.domain, seq, self.progress)
        except GraphError as error:
            if error.code is not Code.HISTORY_COMPACTED:
                raise
            return Snapshot(seq)

    def _check_deletions(self, matching: Matching, decided: Decided) -> None:
        """Raise INVALID_ARGUMENT if most notes of one side are missing and would be deleted on the other side."""
        if self.options.delete:
            return
        total = len(matching.entries)
        deleted_pairs = [pair for pair, outcome in decided if outcome.note is None and outcome.is_settled]
        for side, count in (
            ("memory", sum(pair.memory is not None for pair in deleted_pairs)),
            ("folder", sum(pair.has_file for pair in deleted_pairs)),
        ):
            if count and (count == total or (count > _MAX_UNCONFIRMED and 2 * count > total)):
                other = "folder" if side == "memory" else "memory"
                hint = f"If you deleted them in the {other}, use --delete. Otherwise, check the folder and the domain."
                message = f"{count:,} of {total:,} notes are missing in the {other}, and would be deleted in the {side}"
                raise invalid_argument("folder", message, hint)

    async def _write_memory(self, matching: Matching, decided: Decided, changes: Changes) -> Snapshot:
        """Write the changes to the memory, and return its new state. A dry run only checks the changes."""
        names = matching.ends.names | {pair.subject: outcome.note.name for pair, outcome in decided if outcome.note}

        def name_of(end: str) -> str:
            return names.get(end[1:], "") if end.startswith(NODE) else end[1:]

        seq = matching.snapshot.seq
        if seq == 0:
            await ensure_domain(self.begin, self.domain)
            seq = await seq_at(self.core.store, self.domain, "at", None)
        self.progress("Writing entities", None)
        try:
            seq = await write_changes(self.core, self.domain, seq, changes, name_of, dry_run=self.options.dry_run)
        except GraphError as error:
            note = matching.snapshot.notes.get(str(error.details.get("id")))
            if error.code is not Code.PROTECTED or note is None:
                raise
            hint = Hint("Its note is {note}. {hint}", note=quote(note.name), hint=error.hint)
            raise GraphError(error.code, error.message, {**error.details, "hint": hint}) from error
        if self.options.dry_run:
            return matching.snapshot
        return await read_snapshot(self.core, self.domain, seq, self.progress, moment=utc_now())

    def _report(
        self, matching: Matching, decided: Decided, changes: Changes, snapshot: Snapshot, writer: FolderWriter | None
    ) -> FolderSyncResult:
        conflicts = tuple(
            SyncConflict(
                path=str(pair.path) if pair.path and pair.has_file else None,
                name=(pair.memory or pair.folder or EntityNote(name=pair.folder_name, type="")).name,
                fields=outcome.conflicts,
                settled=outcome.is_settled,
            )
            for pair, outcome in decided
            if outcome.conflicts
        )
        notes = [f"{printable(path)} cannot be read: {reason}" for path, reason in matching.files.unreadable.items()]
        notes += [
            f"{quote(name)} has no note: its description is binary or too large"
            for name in matching.snapshot.left_out.values()
        ]
        if self.is_compared_anew:
            notes.append("The domain was deleted or restored since the last sync, so all notes were compared")
        copies = copies_folder(matching.files.root, writer.run_name) if writer and writer.has_copies else None
        return FolderSyncResult(
            domain=self.domain,
            dry_run=self.options.dry_run,
            seq=snapshot.seq,
            session=self.core.origin.session if changes and not self.options.dry_run else None,
            folder=writer.counts if writer else _expected_counts(decided),
            memory=SyncCounts(created=len(changes.created), updated=len(changes.updated), deleted=len(changes.deleted)),
            conflicts=conflicts,
            copies=str(copies) if copies else None,
            notes=(*notes, *(writer.notes if writer else ())),
        )


def _check_folder(folder: Path, dry_run: bool) -> Path:
    """Return a folder's absolute path. Creates the folder if its parent exists, except in a dry run.

    Raises INVALID_ARGUMENT if it is not a folder.
    """
    path = folder.expanduser()
    try:
        if not dry_run:
            path.mkdir(exist_ok=True)
        if path.is_dir():
            return path.resolve()
    except OSError as error:
        reason = error.strerror or str(error)
        raise invalid_argument("folder", f"{printable(folder)} cannot be used: {reason}", "Pass a folder.") from error
    raise invalid_argument("folder", f"{printable(folder)} is not a folder", "Pass a folder.")


def _changes_of(matching: Matching, decided: Decided) -> Changes:
    """Return the changes to make in the memory."""
    changes = Changes()
    for pair, outcome in decided:
        memory, note = matching.snapshot.notes.get(pair.subject), outcome.note
        if not outcome.is_settled:
            continue
        if memory is None and note is not None:
            changes.created.append(note)
        elif memory is not None and note is None:
            changes.deleted.append(memory.name)
        elif memory is not None and note is not None and memory.key != note.key:
            changes.updated.append((memory, note))
    return changes


def _without_taken_names(matching: Matching, decided: Decided) -> Sequence[tuple[SyncedNote, Outcome]]:
    """Return the outcomes. A new name that another entity has, before or after the sync, becomes a conflict."""
    deleted = {pair.subject for pair, outcome in decided if outcome.note is None and outcome.is_settled}
    before = ((subject, note) for subject, note in matching.snapshot.notes.items() if subject not in deleted)
    after = ((pair.subject, outcome.note) for pair, outcome in decided if outcome.note is not None)
    owners: dict[str, set[str]] = {name: {subject} for subject, name in matching.snapshot.left_out.items()}
    alias_owners: dict[str, set[str]] = {}
    for subject, note in (*before, *after):
        owners.setdefault(note.name, set()).add(subject)
        for alias in note.aliases:
            alias_owners.setdefault(name_key(alias), set()).add(subject)

    def is_taken(pair: SyncedNote, name: str) -> bool:
        if pair.memory is not None:
            return name != pair.memory.name and owners[name] != {pair.subject}
        return bool((owners[name] | alias_owners.get(name_key(name), set())) - {pair.subject})

    return [
        (pair, replace(outcome, conflicts=("name",), is_settled=False))
        if outcome.note is not None and is_taken(pair, outcome.note.name)
        else (pair, outcome)
        for pair, outcome in decided
    ]


def _expected_counts(decided: Decided) -> SyncCounts:
    """Return the numbers of files that would be created, updated and deleted."""
    settled = [(pair, outcome.note) for pair, outcome in decided if outcome.is_settled]
    return SyncCounts(
        created=sum(note is not None and not pair.has_file for pair, note in settled),
        updated=sum(
            note is not None
            and pair.has_file
            and pair.is_memory_changed
            and (pair.folder is None or pair.folder.key != note.key)
            for pair, note in settled
        ),
        deleted=sum(note is None and pair.has_file for pair, note in settled),
    )
