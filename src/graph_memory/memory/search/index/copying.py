"""What recall does when domains are branched, and when something is taken out of a log."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.search.access_store import take_out_access, take_out_dead
from graph_memory.memory.search.index.coverage import POSITION
from graph_memory.memory.search.index.index import DELETED_AT_ONCE, RESET, index_words
from graph_memory.memory.search.index.index_filters import domain_token, until_token
from graph_memory.model.errors import GraphError
from graph_memory.model.text.analysers import label_of, labelled
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.store import Transaction

PAGE = 500
"""Maximum number of owners whose rows are copied in one transaction."""
COPIED_AT_ONCE = 2_000
"""Maximum number of passages that are copied in one transaction, if several owners have them."""

_log = logging.getLogger(__name__)

RAISE_EPOCH = query("search/raise_epoch", Nothing)
DROP_SUBJECT = query("search/drop_subject", int)
DROP_ENDED = query("search/drop_ended", int)
OWNERS_AT = query("search/owners_at", str)
COPY_PASSAGES = query("search/copy_passages", int)
COPY_NAMES = query("search/copy_names", int)
BEGIN_COPIED = query("search/begin_copied", Nothing)
END_COPIED = query("search/end_copied", Nothing)


async def covers(core: Core, domain: str, at: int) -> bool:
    """Say whether a domain has an index that covers its log up to a number, once it has caught up with it."""
    position = await core.store.one(POSITION, domain=domain)
    if position is None or position.seq is None:
        return False
    try:
        await index_words(core, domain, until=at)
    except GraphError as error:
        _log.warning("indexing domain %s before creating a branch failed: %s", domain, error)
    position = await core.store.one(POSITION, domain=domain)
    return position is not None and (position.seq or 0) >= at


async def owners_at(core: Core, domain: str, at: int, after: str) -> Sequence[str]:
    """Return the next owners of rows that were current after a number of the log."""
    return await core.store.read(OWNERS_AT, domain=domain, at=at, after=after, limit=PAGE, most=COPIED_AT_ONCE)


async def copy_rows(transaction: Transaction, source: str, domain: str, owners: Sequence[str], at: int) -> None:
    """Copy the rows of owners, as they were after a number of the source's log, into a branch."""
    arguments = {"source": source, "domain": domain, "owners": owners, "at": at, "open": END}
    tokens = {
        "source_token": domain_token(source),
        "domain_token": domain_token(domain),
        "open_token": until_token(END),
    }
    position = await transaction.one(POSITION, domain=source)
    analyser = label_of(labelled(position.analyser if position else None))
    await transaction.run(COPY_PASSAGES, **arguments, **tokens, analyser=analyser)
    await transaction.run(COPY_NAMES, **arguments)


async def begin_copied(transaction: Transaction, source: str, domain: str, at: int) -> None:
    """Begin the index of a branch whose rows are copied as they were after a number of the source's log."""
    await transaction.run(BEGIN_COPIED, source=source, domain=domain, at=at)


async def end_copied(transaction: Transaction, source: str, domain: str, seq: int) -> None:
    """Have the index of a branch whose rows were copied cover its log, unless the source's was another meanwhile."""
    await transaction.run(END_COPIED, source=source, domain=domain, seq=seq, open=END)


async def take_out(transaction: Transaction, domain: str, subject: str) -> None:
    """Delete the rows of a subject that is erased, and of what was tied to it; no page read before brings them back."""
    await transaction.run(RAISE_EPOCH, domain=domain)
    await transaction.run(DROP_SUBJECT, domain=domain, subject=subject, open=END)
    await take_out_access(transaction, domain, subject)


async def take_out_ended(transaction: Transaction, domain: str, to: int) -> int:
    """Delete some of the rows that ended before a point to which a log is compacted, and tell how many.

    Then how often nodes were used that are deleted. An index that does not know all that goes is made anew.
    """
    await transaction.run(RAISE_EPOCH, domain=domain)
    await transaction.run(RESET, domain=domain, below=to, once=False)
    [deleted] = await transaction.run(DROP_ENDED, domain=domain, to=to, limit=DELETED_AT_ONCE)
    return deleted or await take_out_dead(transaction, domain, DELETED_AT_ONCE)
