"""Indexes the log for search, outside of write transactions.

A page of the log is read without a lock. Its rows are written under the index's lock, together with the new position,
unless another process has indexed the page or erased data in the meantime. Large events are written in parts.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import LiteralString

from anyio import to_thread

from graph_memory.embedding import Embedder, EmbeddingUnavailable, are_comparable
from graph_memory.memory.core import Core
from graph_memory.memory.domains.deletion import STAGES
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.search.index import coverage as cover
from graph_memory.memory.search.index.batch_size import BatchSize, choose_batch_size
from graph_memory.memory.search.index.coverage import POSITION, WORD_RULES_VERSION, Coverage, Position
from graph_memory.memory.search.index.index_filters import until_token
from graph_memory.memory.search.index.retokenization import retokenize_page
from graph_memory.memory.search.index.rows import (
    MIN_LIFETIME,
    Changes,
    OpenPassage,
    Passage,
    SubjectRows,
    Version,
    text_to_embed,
    version_of,
)
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Event, Op
from graph_memory.model.subjects.kinds import DATA, Kind
from graph_memory.model.subjects.subjects import content_ref
from graph_memory.model.text.analysers import ENGLISH, label_of
from graph_memory.storage.driver_errors import exceeds_resources
from graph_memory.storage.log.jobs import READY
from graph_memory.storage.queries import NoRow, query
from graph_memory.storage.store import Transaction

PAGE = 250
"""Maximum number of events indexed in one transaction."""
PAGE_TEXT = 1_000_000
"""Maximum size of a page with several events, in characters: its texts, properties, names and ended passages."""
AT_ONCE, FEW_AT_ONCE_WAITING = 32, 8
"""Number of texts that are embedded at once. It is lower while a search waits: a long text takes half a second."""
UNHURRIED_SECONDS = 2.0
"""If more seconds than this remain for embedding, no search is waiting for the index."""
MAX_VECTORS = 1_000
"""Maximum number of passages that get a vector in one transaction. Passages with the same text count separately."""
MAX_DELETED = 2_000
_LOST_AFTER = timedelta(minutes=1)
"""Age of an event after which missing content counts as lost. The content of newer events may not be written yet."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event with its inline text, an observation's node type, and whether a node's type has changed."""

    event: Mapping[str, object]
    text: str | None
    node_type: str | None
    retyped: bool


@dataclass(frozen=True, slots=True)
class PassageRow:
    """The index row of a current passage, and the id of its owner."""

    owner: str
    row: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class NameRow:
    """An owner's current name, and the words with which it is looked up."""

    owner: str
    name: str
    words: str


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """A text that waits for a vector, with its head and hash."""

    sha256: str
    head: str
    text: str


BEGIN = query("search/begin", NoRow)
LOCK = query("search/lock", bool)
ADVANCE = query("search/advance", NoRow)
EVENTS = query("search/events", EventRow)
OPEN_PASSAGES = query("search/open_passages", PassageRow)
OBSERVATIONS_OF = query("search/observations_of", str)
OPEN_NAMES = query("search/open_names", NameRow)
CLOSE_PASSAGES = query("search/close_passages", int)
CLOSE_NAMES = query("search/close_names", int)
CREATE_PASSAGES = query("search/create_passages", int)
CREATE_NAMES = query("search/create_names", int)
WAITING = query("search/waiting", WaitingRow)
PUT_VECTORS = query("search/put_vectors", int)
CLAIM_MODEL = query("search/claim_model", str)
EMPTIED = query("search/emptied", NoRow)
RESET = query("search/reset", NoRow)
FAILED = query("search/failed", NoRow)
SKIP = query("search/skip", NoRow)
_log = logging.getLogger(__name__)


async def catch_up(
    core: Core, domain: str, *, within: float = 2.0, vectors: bool = True, handful_within: float = 10.0
) -> Coverage:
    """Index a domain's missing changes for up to `within` seconds, words before vectors. Return the coverage.

    A handful of changes may take `handful_within` seconds, so that a search right after the first writes includes them.
    If `vectors` is False, only words are indexed. Failures are reported in the coverage, not raised. Raises
    ONTOLOGY_NOT_FOUND if the domain does not exist.
    """
    position = await cover.position_of(core, domain)
    if position.seq == position.last and position.has_current_words and not (vectors and position.waits):
        return cover.coverage_at(position, 0)
    until, handful_until = (time.monotonic() + wait for wait in (within, max(within, handful_within)))
    vector_problem = problem = None
    try:
        while await index_page(core, domain) and (
            (now := time.monotonic()) < until or (now < handful_until and await cover.has_small_backlog(core, domain))
        ):
            pass
    except GraphError as error:
        problem = _log_failure(domain, error)
    try:
        vector_problem = await embed_pending(core, domain, until, handful_until) if vectors else None
    except GraphError as error:
        vector_problem = _log_failure(domain, error)
    return await cover.read_coverage(core, domain, vector_problem, problem)


def _log_failure(domain: str, error: GraphError) -> str:
    _log.warning("indexing domain %s failed: %s", domain, error)
    return error.message


async def index_words(core: Core, domain: str, *, until: int = END) -> None:
    """Index the words of a domain's log up to event `until`, by default the whole log."""
    while await index_page(core, domain):
        position = await core.store.first_row(POSITION, domain=domain)
        if position is None or (position.seq or 0) >= until:
            return


async def index_page(core: Core, domain: str) -> bool:
    """Index the next page of a domain's log. Return whether there may be more pages.

    A page that is too large for Neo4j or cannot be indexed is retried with half its events. An event that fails alone
    is skipped, and its number is stored.
    """
    position = await cover.position_of(core, domain)
    if position.state != READY or (position.last == position.seq and position.has_current_words):
        return False
    if position.seq is None:
        await begin_index(core, domain)
        return True
    if position.last < position.seq:
        await schedule_rebuild(core, domain, below=0)
        return True
    if position.is_emptied:
        await _delete_rows(core, domain, position)
        return True
    if position.last == position.seq:
        await retokenize_page(core, domain, position)
        return True
    size = choose_batch_size(position.failures, events=PAGE)
    if size is not None:
        try:
            return await _index_events(core, domain, position, size)
        except GraphError as error:
            if not exceeds_resources(error) and error.code is not Code.INTERNAL:
                raise
            message = "indexing domain %s failed after event %s (%d events, %d rows per transaction): %s"
            _log.warning(message, domain, position.seq, size.events, size.rows, error)
    await _record_failure(core, domain, position)
    return True


async def _index_events(core: Core, domain: str, position: Position, size: BatchSize) -> bool:
    """Index the next events, as many as fit into one transaction but at least one. Return whether there may be more."""
    limits = {"after": position.seq, "limit": size.events, "most": PAGE_TEXT, "open": END}
    rows = _take_contiguous(position, await core.store.read(EVENTS, domain=domain, **limits))
    while versions := await versions_of(core, domain, rows):
        last_seq, subject_versions = versions
        changes = await _compute_changes(core, domain, subject_versions)
        if changes.size <= size.rows or len(rows) == 1:
            await _write_changes(core, domain, position, last_seq, changes, size.rows)
            return True
        rows = rows[: len(rows) // 2]
    return False


async def _record_failure(core: Core, domain: str, position: Position) -> None:
    """Record that indexing a page failed. If it was a single event in the smallest transactions, skip that event."""
    is_last_try = choose_batch_size(position.failures + 1, events=PAGE) is None

    async def attempt(transaction: Transaction) -> None:
        if await _lock_if_unchanged(transaction, domain, position):
            await transaction.run(SKIP if is_last_try else FAILED, domain=domain)

    await core.store.write("index_page", attempt)


async def schedule_rebuild(core: Core, domain: str, *, below: int = END, once: bool = False) -> None:
    """Schedule an index rebuild if it is behind event `below` or ahead of its log. `once` keeps a running rebuild."""

    async def attempt(transaction: Transaction) -> None:
        await transaction.run(RESET, domain=domain, below=below, once=once)

    await core.store.write("reindex", attempt)


async def _delete_rows(core: Core, domain: str, position: Position) -> None:
    async def attempt(transaction: Transaction) -> bool:
        if not await _lock_if_unchanged(transaction, domain, position):
            return False
        for stage in ("passages", "names"):
            if sum(await transaction.run(STAGES[stage], domain=domain, limit=MAX_DELETED)):
                return True
        await transaction.run(EMPTIED, domain=domain)
        return False

    while await core.store.write("empty_index", attempt):
        pass


async def _lock_if_unchanged(transaction: Transaction, domain: str, position: Position) -> bool:
    fields = {"seq": position.seq, "epoch": position.epoch, "is_emptied": position.is_emptied, "part": position.part}
    return await transaction.first_row(LOCK, domain=domain, state=READY, **fields) is True


async def begin_index(core: Core, domain: str, analyser: LiteralString = ENGLISH) -> None:
    """Create a domain's index with this analyser. Does nothing if the domain already has an index."""

    async def attempt(transaction: Transaction) -> None:
        await transaction.run(
            BEGIN, domain=domain, state=READY, analyser=label_of(analyser), word_rules_version=WORD_RULES_VERSION
        )

    await core.store.write("begin_index", attempt)


def _take_contiguous(position: Position, rows: Sequence[EventRow]) -> Sequence[EventRow]:
    """Return the events before the first gap in the sequence numbers. An event in the gap may become visible later."""
    previous_seq = position.seq or 0
    for row_index, row in enumerate(rows):
        seq = int(str(row.event["_seq"]))
        if seq != previous_seq + 1 and previous_seq + 1 > position.compacted_to:
            return rows[:row_index]
        previous_seq = seq
    return rows


async def versions_of(core: Core, domain: str, rows: Sequence[EventRow]) -> tuple[int, list[Version]] | None:
    """Return the last event number and the subjects' versions, or None if no event can be read yet."""
    versions: list[Version] = []
    last_seq = 0
    for row in rows:
        event = Event.from_row(row.event)
        if event.draft.kind in DATA:
            try:
                text = await _read_text(core, domain, event, row.text)
            except GraphError:
                if datetime.now(UTC) - event.at < _LOST_AFTER:
                    break
                text = None
            versions.append(version_of(event, text, row.node_type, has_new_type=row.retyped))
        last_seq = event.seq
    return (last_seq, versions) if last_seq else None


async def _read_text(core: Core, domain: str, event: Event, inline: str | None) -> str | None:
    ref = content_ref(event.draft.state or {})
    if event.draft.op is Op.DELETE or ref is None or not ref.is_text:
        return None
    return (await core.contents.fetch(domain, ref, inline)).text


async def _compute_changes(core: Core, domain: str, versions: Sequence[Version]) -> Changes:
    observations = await _observations_of_retyped(core, domain, versions)
    all_observations = (observation for ids in observations.values() for observation in ids)
    owners = list(dict.fromkeys((*(version.owner for version in versions), *all_observations)))
    passages: dict[str, list[OpenPassage]] = {owner: [] for owner in owners}
    for row in await core.store.read(OPEN_PASSAGES, domain=domain, owners=owners, open=END):
        open_passage = OpenPassage(Passage.from_row(row.row), int(str(row.row["_since"])), int(str(row.row["_at"])))
        passages[row.owner].append(open_passage)
    names_by_owner: dict[str, list[tuple[str, str]]] = {owner: [] for owner in owners}
    for name in await core.store.read(OPEN_NAMES, domain=domain, owners=owners, open=END):
        names_by_owner[name.owner].append((name.name, name.words))
    row_owners = {owner: SubjectRows(domain, passages[owner], names_by_owner[owner]) for owner in owners}

    def compute_changes() -> Changes:
        changes = Changes()
        for version in versions:
            row_owners[version.owner].add_changes(version, changes)
            for observation in observations[version.owner] if version.has_new_type else ():
                row_owners[observation].add_type_change(version, observation, changes)
        for owner in row_owners.values():
            owner.add_current_rows(changes)
        return changes

    try:
        return await to_thread.run_sync(compute_changes)  # eight megabytes of text take seconds
    except Exception as error:  # language libraries fail in many ways; the caller logs the error and tries fewer texts
        raise GraphError(Code.INTERNAL, "A text cannot be split into passages", {"error": repr(error)}) from error


async def _observations_of_retyped(core: Core, domain: str, versions: Sequence[Version]) -> Mapping[str, Sequence[str]]:
    observations: dict[str, list[str]] = {}
    for node in dict.fromkeys(version.owner for version in versions if version.has_new_type):
        stored_ids = await core.store.read(OBSERVATIONS_OF, domain=domain, node=node, open=END)
        new_ids = [version.owner for version in versions if version.kind is Kind.OBSERVATION and version.unit == node]
        observations[node] = list(dict.fromkeys([*stored_ids, *new_ids]))
    return observations


async def _write_changes(core: Core, domain: str, position: Position, seq: int, changes: Changes, limit: int) -> None:
    """Write a page's changes in transactions of at most `limit` rows. Stops if another process has moved the index."""
    *parts, last_part = changes.split(limit)
    for part in parts:
        next_position = replace(position, part=position.part + 1)
        if not await _write_part(core, domain, position, next_position, part):
            return
        position = next_position
    await _write_part(core, domain, position, replace(position, part=0, seq=seq), last_part)


async def _write_part(core: Core, domain: str, position: Position, next_position: Position, part: Changes) -> bool:
    """Write rows and advance the index to the next position. Return False if another process has moved the index."""

    async def attempt(transaction: Transaction) -> bool:
        if not await _lock_if_unchanged(transaction, domain, position):
            return False
        if part.closed:
            arguments = {"open": END, "open_token": until_token(END), "lived": MIN_LIFETIME}
            rows = [{"owner": owner, "ended": ended} for owner, ended in part.closed.items()]
            await transaction.run(CLOSE_PASSAGES, domain=domain, rows=rows, **arguments)
        if part.closed_names:
            await transaction.run(CLOSE_NAMES, domain=domain, rows=part.closed_names, open=END)
        if part.created:
            await transaction.run(CREATE_PASSAGES, domain=domain, rows=part.created)
        if part.created_names:
            await transaction.run(CREATE_NAMES, rows=part.created_names)
        await transaction.run(ADVANCE, domain=domain, seq=next_position.seq, part=next_position.part, added=part.growth)
        return True

    return await core.store.write("index_page", attempt)


async def embed_pending(core: Core, domain: str, until: float, late_until: float = 0.0) -> str | None:
    """Embed pending passages until `until`, or `late_until` if only a handful remain. Both are monotonic times.

    Returns the reason if vectors could not be computed, otherwise None.
    """
    if (embedder := core.embedder) is None:
        return "vectors are off"
    while (now := time.monotonic()) < max(until, late_until):
        at_once = AT_ONCE if until - now > UNHURRIED_SECONDS else FEW_AT_ONCE_WAITING
        is_late = now >= until
        rows = await core.store.read(WAITING, domain=domain, limit=cover.HANDFUL + 1 if is_late else at_once)
        if not rows or (is_late and len(rows) > cover.HANDFUL):
            return None
        try:
            if reason := await _embed_rows(core, domain, embedder, rows[:at_once]):
                return reason
        except EmbeddingUnavailable as error:
            return error.message
    return None


async def _embed_rows(core: Core, domain: str, embedder: Embedder, rows: Sequence[WaitingRow]) -> str | None:
    model, vectors = embedder.model, await embedder.passages([text_to_embed(row.head, row.text) for row in rows])
    vector_rows = [{"sha256": row.sha256, "vector": vector} for row, vector in zip(rows, vectors, strict=True)]

    async def attempt(transaction: Transaction) -> tuple[int, str | None]:
        [index_model] = await transaction.run(CLAIM_MODEL, domain=domain, model=model) or [model]
        if not are_comparable(model, index_model):
            return 0, f"the vectors of the domain are from the model {index_model}, but this process uses {model}"
        rows = {"rows": vector_rows, "model": index_model, "limit": MAX_VECTORS}
        return sum(await transaction.run(PUT_VECTORS, domain=domain, **rows)), None

    count, reason = MAX_VECTORS, None
    while count == MAX_VECTORS:
        count, reason = await core.store.write("put_vectors", attempt)
    return reason
