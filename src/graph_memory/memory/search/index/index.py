"""Indexes the log for search, outside the write transactions.

A page of the log is read without a lock. Its rows are written under the lock of the index, if no other process has
indexed it or erased data since. The index advances in the same transaction, so each page is indexed once.
An event with too many rows for one transaction is a page of its own, which is written and counted in parts.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import LiteralString

from anyio import to_thread

from graph_memory.embedding import Embedder, EmbeddingUnavailable, compares
from graph_memory.memory.core import Core
from graph_memory.memory.domains.deletion import STAGES
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.search.index import coverage as cover
from graph_memory.memory.search.index.batch_size import BatchSize, choose_batch_size
from graph_memory.memory.search.index.coverage import POSITION, WORD_RULES_VERSION, Coverage, Position
from graph_memory.memory.search.index.index_filters import until_token
from graph_memory.memory.search.index.retokenization import retokenize_page
from graph_memory.memory.search.index.rows import LIVED, Changes, Open, Owner, Passage, Version, embedded, version_of
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Event, Op
from graph_memory.model.subjects.kinds import DATA, Kind
from graph_memory.model.subjects.subjects import content_ref
from graph_memory.model.text.analysers import ENGLISH, label_of
from graph_memory.storage.driver_errors import is_too_much
from graph_memory.storage.log.jobs import READY
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.store import Transaction

PAGE = 250
"""Maximum number of events that are indexed in one transaction."""
PAGE_TEXT = 1_000_000
"""Maximum number of characters of a page of several events: of texts, properties, names, and of passages that end."""
AT_ONCE, FEW_AT_ONCE = 32, 8
"""Texts that get their vectors at once; few while a search waits, which may take long texts half a second."""
UNHURRIED = 2.0
"""Seconds that are left where nobody waits."""
PUT_AT_ONCE = 1_000
"""Passages that get a vector in one transaction: any number may say the same."""
DELETED_AT_ONCE = 2_000
_SETTLED = timedelta(minutes=1)
"""The age of an event whose content is not there: it is not on its way, but lost."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event, its small text, of an observation the type of its node, and whether a node is of another type."""

    event: Mapping[str, object]
    text: str | None
    node_type: str | None
    retyped: bool


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A current passage of an owner."""

    owner: str
    row: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class NameRow:
    """A current name of an owner."""

    owner: str
    name: str
    words: str


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """A text that waits for its vector."""

    sha256: str
    head: str
    text: str


BEGIN = query("search/begin", Nothing)
LOCK = query("search/lock", bool)
ADVANCE = query("search/advance", Nothing)
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
EMPTIED = query("search/emptied", Nothing)
RESET = query("search/reset", Nothing)
FAILED = query("search/failed", Nothing)
SKIP = query("search/skip", Nothing)
_log = logging.getLogger(__name__)


async def catch_up(
    core: Core, domain: str, *, within: float = 2.0, vectors: bool = True, handful_within: float = 10.0
) -> Coverage:
    """Index what a domain's index lacks, words and then vectors, for so many seconds at most; say what it covers.

    A handful of changes is worth a longer wait, since a search right after the first writes would find nothing. Where
    only words are compared, nobody waits for `vectors`. A failure is part of the answer. Raises ONTOLOGY_NOT_FOUND.
    """
    position = await cover.position_of(core, domain)
    if position.seq == position.last and position.has_current_words and not (vectors and position.waits):
        return cover.covered(position, 0)
    until, patient = (time.monotonic() + wait for wait in (within, max(within, handful_within)))
    reason = problem = None
    try:
        while await index_page(core, domain) and (
            (now := time.monotonic()) < until or (now < patient and await cover.lacks_a_handful(core, domain))
        ):
            pass
    except GraphError as error:
        problem = _noted(domain, error)
    try:
        reason = await embed(core, domain, until, patient) if vectors else None
    except GraphError as error:
        reason = _noted(domain, error)
    return await cover.coverage(core, domain, reason, problem)


def _noted(domain: str, error: GraphError) -> str:
    """Log why a domain could not be indexed, and return it."""
    _log.warning("indexing domain %s failed: %s", domain, error)
    return error.message


async def index_words(core: Core, domain: str, *, until: int = END) -> None:
    """Index the words of a domain's log up to a number of it."""
    while await index_page(core, domain):
        position = await core.store.one(POSITION, domain=domain)
        if position is None or (position.seq or 0) >= until:
            return


async def index_page(core: Core, domain: str) -> bool:
    """Index the next page of a domain's log, and say whether there may be more to do.

    A page that is too much for Neo4j, or that cannot be indexed, is tried again with half its events. An event that
    fails alone is skipped, and its number is kept.
    """
    position = await cover.position_of(core, domain)
    if position.state != READY or (position.last == position.seq and position.has_current_words):
        return False
    if position.seq is None:
        await begin(core, domain)
        return True
    if position.last < position.seq:
        await make_anew(core, domain, below=0)
        return True
    if position.is_emptied:
        await _empty(core, domain, position)
        return True
    if position.last == position.seq:
        await retokenize_page(core, domain, position)
        return True
    size = choose_batch_size(position.failures, events=PAGE)
    if size is not None:
        try:
            return await _index_events(core, domain, position, size)
        except GraphError as error:
            if not is_too_much(error) and error.code is not Code.INTERNAL:
                raise
            message = "indexing domain %s failed after event %s (%d events, %d rows per transaction): %s"
            _log.warning(message, domain, position.seq, size.events, size.rows, error)
    await _record_failure(core, domain, position)
    return True


async def _index_events(core: Core, domain: str, position: Position, size: BatchSize) -> bool:
    """Index as many of the next events as fit into one transaction, at least one. Return whether more may remain."""
    asked = {"after": position.seq, "limit": size.events, "most": PAGE_TEXT, "open": END}
    rows = _settled(position, await core.store.read(EVENTS, domain=domain, **asked))
    while versions := await versions_of(core, domain, rows):
        reached, results = versions
        changes = await _changes(core, domain, results)
        if changes.size <= size.rows or len(rows) == 1:
            return await _written(core, domain, position, reached, changes, size.rows)
        rows = rows[: len(rows) // 2]
    return False


async def _record_failure(core: Core, domain: str, position: Position) -> None:
    """Record that a page failed. If it was one event in the smallest transactions, skip that event."""
    is_last_try = choose_batch_size(position.failures + 1, events=PAGE) is None

    async def attempt(transaction: Transaction) -> None:
        if await _lock_if_unchanged(transaction, domain, position):
            await transaction.run(SKIP if is_last_try else FAILED, domain=domain)

    await core.store.write("index_page", attempt)


async def make_anew(core: Core, domain: str, *, below: int = END, once: bool = False) -> None:
    """Schedule a rebuild of an index that is behind a number or ahead of its log; `once` ignores a running rebuild."""

    async def attempt(transaction: Transaction) -> None:
        await transaction.run(RESET, domain=domain, below=below, once=once)

    await core.store.write("reindex", attempt)


async def _empty(core: Core, domain: str, position: Position) -> None:
    """Delete the rows of an index that is made anew, unless somebody else has done it and gone on."""

    async def attempt(transaction: Transaction) -> bool:
        if not await _lock_if_unchanged(transaction, domain, position):
            return False
        for stage in ("passages", "names"):
            if sum(await transaction.run(STAGES[stage], domain=domain, limit=DELETED_AT_ONCE)):
                return True
        await transaction.run(EMPTIED, domain=domain)
        return False

    while await core.store.write("empty_index", attempt):
        pass


async def _lock_if_unchanged(transaction: Transaction, domain: str, position: Position) -> bool:
    """Lock an index. Return whether it is unchanged since its position was read."""
    read = {"seq": position.seq, "epoch": position.epoch, "is_emptied": position.is_emptied, "part": position.part}
    return await transaction.one(LOCK, domain=domain, state=READY, **read) is True


async def begin(core: Core, domain: str, analyser: LiteralString = ENGLISH) -> None:
    """Begin the index of a domain that has none yet, with the words as an analyser reads them."""

    async def attempt(transaction: Transaction) -> None:
        await transaction.run(
            BEGIN, domain=domain, state=READY, analyser=label_of(analyser), word_rules_version=WORD_RULES_VERSION
        )

    await core.store.write("begin_index", attempt)


def _settled(position: Position, rows: Sequence[EventRow]) -> Sequence[EventRow]:
    """Return the events before the first whose number does not follow: it is on its way, or a commit is half seen."""
    expected = position.seq or 0
    for place, row in enumerate(rows):
        seq = int(str(row.event["_seq"]))
        if seq != expected + 1 and expected + 1 > position.compacted_to:
            return rows[:place]
        expected = seq
    return rows


async def versions_of(core: Core, domain: str, rows: Sequence[EventRow]) -> tuple[int, list[Version]] | None:
    """Return the number of the last event, and what the events left of data; None where nothing can be read yet."""
    versions: list[Version] = []
    reached = 0
    for row in rows:
        event = Event.from_row(row.event)
        if event.draft.kind in DATA:
            try:
                text = await _text(core, domain, event, row.text)
            except GraphError:
                if datetime.now(UTC) - event.at < _SETTLED:
                    break
                text = None
            versions.append(version_of(event, text, row.node_type, retyped=row.retyped))
        reached = event.seq
    return (reached, versions) if reached else None


async def _text(core: Core, domain: str, event: Event, inline: str | None) -> str | None:
    ref = content_ref(event.draft.state or {})
    if event.draft.op is Op.DELETE or ref is None or not ref.is_text:
        return None
    return (await core.contents.fetch(domain, ref, inline)).text


async def _changes(core: Core, domain: str, versions: Sequence[Version]) -> Changes:
    """Return what these versions change in the rows as they are."""
    observed = await _observed(core, domain, versions)
    about = (each for results in observed.values() for each in results)
    owners = list(dict.fromkeys((*(version.owner for version in versions), *about)))
    passages: dict[str, list[Open]] = {owner: [] for owner in owners}
    for row in await core.store.read(OPEN_PASSAGES, domain=domain, owners=owners, open=END):
        present = Open(Passage.from_row(row.row), int(str(row.row["_since"])), int(str(row.row["_at"])))
        passages[row.owner].append(present)
    named: dict[str, list[tuple[str, str]]] = {owner: [] for owner in owners}
    for name in await core.store.read(OPEN_NAMES, domain=domain, owners=owners, open=END):
        named[name.owner].append((name.name, name.words))
    followed = {owner: Owner(domain, passages[owner], named[owner]) for owner in owners}

    def follow() -> Changes:
        changes = Changes()
        for version in versions:
            followed[version.owner].follow(version, changes)
            for observation in observed[version.owner] if version.retyped else ():
                followed[observation].follow_node(version, observation, changes)
        for owner in followed.values():
            owner.end(changes)
        return changes

    try:
        return await to_thread.run_sync(follow)  # eight megabytes of text take seconds
    except Exception as error:  # whatever a splitter raises for one text, its event is skipped and named
        raise GraphError(Code.INTERNAL, "A text cannot be split into passages", {"error": repr(error)}) from error


async def _observed(core: Core, domain: str, versions: Sequence[Version]) -> Mapping[str, Sequence[str]]:
    """Return the observations of each node that is of another type than before: that is also theirs."""
    found: dict[str, list[str]] = {}
    for node in dict.fromkeys(version.owner for version in versions if version.retyped):
        found[node] = await core.store.read(OBSERVATIONS_OF, domain=domain, node=node, open=END)
        found[node] += [
            version.owner for version in versions if version.kind is Kind.OBSERVATION and version.unit == node
        ]
        found[node] = list(dict.fromkeys(found[node]))
    return found


async def _written(core: Core, domain: str, position: Position, reached: int, changes: Changes, most: int) -> bool:
    """Write what a page changes, at most so many rows in a transaction, unless the index is not what it was when read.

    The index advances with the last transaction.
    """
    left = list(changes.parts(most))
    is_written = True
    while left and is_written:
        part = left.pop(0)
        after = replace(position, part=position.part + 1) if left else replace(position, part=0, seq=reached)
        is_written = await _write_part(core, domain, position, after, part)
        position = after
    return True


async def _write_part(core: Core, domain: str, position: Position, after: Position, part: Changes) -> bool:
    """Write rows, and that the index has come from one position to another; say whether it was at the first."""

    async def attempt(transaction: Transaction) -> bool:
        if not await _lock_if_unchanged(transaction, domain, position):
            return False
        if part.closed:
            arguments = {"open": END, "open_token": until_token(END), "lived": LIVED}
            rows = [{"owner": owner, "ended": ended} for owner, ended in part.closed.items()]
            await transaction.run(CLOSE_PASSAGES, domain=domain, rows=rows, **arguments)
        if part.closed_names:
            await transaction.run(CLOSE_NAMES, domain=domain, rows=part.closed_names, open=END)
        if part.created:
            await transaction.run(CREATE_PASSAGES, domain=domain, rows=part.created)
        if part.created_names:
            await transaction.run(CREATE_NAMES, rows=part.created_names)
        await transaction.run(ADVANCE, domain=domain, seq=after.seq, part=after.part, added=part.added)
        return True

    return await core.store.write("index_page", attempt)


async def embed(core: Core, domain: str, until: float, patient: float = 0.0) -> str | None:
    """Embed pending passages until a time, or a later time if few remain. Return why passages are left, if any."""
    embedder = core.embedder
    if embedder is None:
        return "vectors are off"
    while (now := time.monotonic()) < max(until, patient):
        at_once = AT_ONCE if until - now > UNHURRIED else FEW_AT_ONCE
        is_late = now >= until
        rows = await core.store.read(WAITING, domain=domain, limit=cover.HANDFUL + 1 if is_late else at_once)
        if not rows or (is_late and len(rows) > cover.HANDFUL):
            return None
        try:
            if reason := await _embed_some(core, domain, embedder, rows[:at_once]):
                return reason
        except EmbeddingUnavailable as error:
            return error.message
    return None


async def _embed_some(core: Core, domain: str, embedder: Embedder, rows: Sequence[WaitingRow]) -> str | None:
    model, vectors = embedder.model, await embedder.passages([embedded(row.head, row.text) for row in rows])
    values = [{"sha256": row.sha256, "vector": vector} for row, vector in zip(rows, vectors, strict=True)]

    async def attempt(transaction: Transaction) -> tuple[int, str | None]:
        [of_index] = await transaction.run(CLAIM_MODEL, domain=domain, model=model) or [model]
        if not compares(model, of_index):
            return 0, f"the vectors of the domain are of {of_index}, and this process uses {model}"
        rows = {"rows": values, "model": of_index, "limit": PUT_AT_ONCE}
        return sum(await transaction.run(PUT_VECTORS, domain=domain, **rows)), None

    put, reason = PUT_AT_ONCE, None
    while put == PUT_AT_ONCE:
        put, reason = await core.store.write("put_vectors", attempt)
    return reason
