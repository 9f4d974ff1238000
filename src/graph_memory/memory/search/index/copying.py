"""Copies index rows to a new branch, and deletes rows of data that was removed from a log."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.search.access_store import delete_access, delete_dead_accesses
from graph_memory.memory.search.index.coverage import POSITION
from graph_memory.memory.search.index.index import MAX_DELETED, RESET, index_words
from graph_memory.memory.search.index.index_filters import domain_token, until_token
from graph_memory.model.errors import GraphError
from graph_memory.model.text.analysers import analyser_of, label_of
from graph_memory.storage.queries import NoRow, query
from graph_memory.storage.store import Transaction

PAGE = 500
"""Maximum number of owners whose rows are copied in one transaction."""
MAX_COPIED = 2_000
"""Maximum number of passages copied in one transaction. A single owner may have more."""

_log = logging.getLogger(__name__)

RAISE_EPOCH = query("search/raise_epoch", NoRow)
DROP_SUBJECT = query("search/drop_subject", int)
DROP_ENDED = query("search/drop_ended", int)
OWNERS_AT = query("search/owners_at", str)
COPY_PASSAGES = query("search/copy_passages", int)
COPY_NAMES = query("search/copy_names", int)
BEGIN_COPIED = query("search/begin_copied", NoRow)
END_COPIED = query("search/end_copied", NoRow)


async def ensure_covers(core: Core, domain: str, at: int) -> bool:
    """Index a domain's log up to event `at`. Return whether the index now covers this event."""
    position = await core.store.first_row(POSITION, domain=domain)
    if position is None or position.seq is None:
        return False
    try:
        await index_words(core, domain, until=at)
    except GraphError as error:
        _log.warning("indexing domain %s before creating a branch failed: %s", domain, error)
    position = await core.store.first_row(POSITION, domain=domain)
    return position is not None and (position.seq or 0) >= at


async def owners_at(core: Core, domain: str, at: int, after: str) -> Sequence[str]:
    """Return the next page of owners with rows that were current as of event `at`, starting after the owner `after`."""
    return await core.store.read(OWNERS_AT, domain=domain, at=at, after=after, limit=PAGE, most=MAX_COPIED)


async def copy_rows(transaction: Transaction, source: str, domain: str, owners: Sequence[str], at: int) -> None:
    """Copy the owners' index rows, as of event `at`, from the source domain to a branch."""
    arguments = {"source": source, "domain": domain, "owners": owners, "at": at, "open": END}
    tokens = {
        "source_token": domain_token(source),
        "domain_token": domain_token(domain),
        "open_token": until_token(END),
    }
    position = await transaction.first_row(POSITION, domain=source)
    analyser = label_of(analyser_of(position.analyser if position else None))
    await transaction.run(COPY_PASSAGES, **arguments, **tokens, analyser=analyser)
    await transaction.run(COPY_NAMES, **arguments)


async def begin_copied_index(transaction: Transaction, source: str, domain: str, at: int) -> None:
    """Create a branch's index, to which the source's rows are then copied as of event `at`."""
    await transaction.run(BEGIN_COPIED, source=source, domain=domain, at=at)


async def finish_copied_index(transaction: Transaction, source: str, domain: str, seq: int) -> None:
    """Mark a branch's index as covering its log, unless the source's index was changed during the copy."""
    await transaction.run(END_COPIED, source=source, domain=domain, seq=seq, open=END)


async def delete_rows_of(transaction: Transaction, domain: str, subject: str) -> None:
    """Delete the index rows of an erased subject and its attached subjects.

    Also increases the index's epoch, so that pages of the log that were read earlier cannot restore the rows.
    """
    await transaction.run(RAISE_EPOCH, domain=domain)
    await transaction.run(DROP_SUBJECT, domain=domain, subject=subject, open=END)
    await delete_access(transaction, domain, subject)


async def delete_ended_rows(transaction: Transaction, domain: str, to: int) -> int:
    """Delete a page of rows that ended before event `to`, where the compacted log begins. Return the number of rows.

    If no such rows remain, delete access counts of deleted nodes instead. An index that does not yet cover event `to`
    is rebuilt.
    """
    await transaction.run(RAISE_EPOCH, domain=domain)
    await transaction.run(RESET, domain=domain, below=to, once=False)
    [deleted] = await transaction.run(DROP_ENDED, domain=domain, to=to, limit=MAX_DELETED)
    return deleted or await delete_dead_accesses(transaction, domain, MAX_DELETED)
