"""The dependencies of all use cases, and helper functions shared by several use cases."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from graph_memory.audit import AuditLog
from graph_memory.chat import ChatModel
from graph_memory.embedding import Embedder
from graph_memory.memory.access_counter import AccessCounter
from graph_memory.memory.background import Background, IdleBackground
from graph_memory.memory.contents import Contents
from graph_memory.memory.servers import Servers
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Origin, with_parsed_times
from graph_memory.model.text.wording import printable
from graph_memory.storage.log.ontologies import HEAD, MAX_READS, no_ontology_error
from graph_memory.storage.log.transaction import TransactionLog, open_log_transaction
from graph_memory.storage.log.writing import Log
from graph_memory.storage.queries import Query, query
from graph_memory.storage.store import Reader, Store


def no_embedder(_: str) -> Embedder | None:
    """Return None, because only the configured embedding model is available. Default of `Core.embedder_of`."""
    return None


async def no_corrections(_core: Core, _query: str | None) -> Sequence[str]:
    """Return no corrections. Default of `Core.corrections`."""
    return ()


@dataclass(frozen=True, slots=True)
class Core:
    """The storage, models and settings of the memory, opened once by `app`, and the origin of changes."""

    store: Store
    log: Log
    contents: Contents
    origin: Origin
    open_type_limit: int = 200
    search_words: bool = True
    """Whether `search_nodes` searches for words if the text as a whole occurs nowhere."""
    read_graph_tokens: int = 25_000
    """Default token limit of `read_graph` over MCP."""
    archetype: str = ""
    """The default archetype of recorded events."""
    archives: Path = Path("archives")
    audit: AuditLog = field(default_factory=AuditLog)
    background: Background = field(default_factory=Background)
    embedder: Embedder | None = None
    """The embedding model, or None if vectors are off."""
    embedder_of: Callable[[str], Embedder | None] = no_embedder
    """Returns the embedder of the model with this name, or None."""
    chat: ChatModel | None = None
    """The language model, or None if none is set."""
    advice_time: float = 0.0
    """Maximum time in seconds for the language model in a call of `remember`."""
    summary_time: float = 0.0
    """Maximum time in seconds for the language model to summarise a captured session."""
    accesses: AccessCounter = field(default_factory=AccessCounter)
    co_accesses: AccessCounter = field(default_factory=AccessCounter)
    """For each connection, the number of replies that contained both its endpoints."""
    agent_limits: Mapping[str, int] = field(default_factory=dict[str, int])
    """The maximum number of records in a domain, by memory type of the layer `agent`. Other types have the default
    limit."""
    prunes: bool = False
    """Whether a domain is pruned in the background when its records nearly reach `agent_limits`."""
    layer_cache: dict[tuple[str, str], object] = field(default_factory=dict[tuple[str, str], object])
    """Cached data of layers such as `agent`, by domain and type."""
    servers: Servers = field(default_factory=Servers)
    users_domain: str = "users"
    agent_domain: str = "agent"
    corrections: Callable[[Core, str | None], Awaitable[Sequence[str]]] = no_corrections
    """Returns users' corrections as lines of a reply: corrections that match a query or, if there is no query,
    the newest."""

    def acting_as(
        self, actor: str | None, session: str | None, *, is_proven: bool = False, source: str | None = None
    ) -> Core:
        """Return a copy of the core for another actor and session.

        An existing actor or session is kept, unless the new actor is proven (authenticated). If `source` is given, it
        replaces the source.
        """
        origin = self.origin
        actor = actor if is_proven else origin.actor or actor
        source = source or origin.source
        return replace(self, origin=replace(origin, actor=actor, session=origin.session or session, source=source))

    def in_session(self, session: str) -> Core:
        """Return a copy of the core whose changes belong to another session."""
        return replace(self, origin=replace(self.origin, session=session))


@asynccontextmanager
async def within(core: Core, domain: str) -> AsyncGenerator[tuple[Core, TransactionLog]]:
    """Open a transaction on a domain. Yields a copy of the core that uses it, and the log. See `Memory.transaction`."""
    async with open_log_transaction(core.store, core.log, domain) as (store, log):
        # A call of a model would hold the lock for too long, so there is no time for advice.
        yield replace(core, store=store, log=log, background=IdleBackground(), advice_time=0.0), log


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """A live subject's state after its last event, and its inline text if requested.

    The state is None if the subject changed between the reads of its node and its event.
    """

    state: dict[str, object] | None
    text: str | None


@dataclass(frozen=True, slots=True)
class LastState:
    """A subject's last state, and its inline text if requested."""

    state: Mapping[str, object]
    text: str | None


SEEN = query("core/seen", bool)


async def last_state(
    reader: Reader, statement: Query[SubjectRow], domain: str, subject: str, *, with_text: bool = False
) -> LastState | None:
    """Return a live subject's last state, or None.

    Readers take no lock, so they may see a live node that is only partly changed. The state is therefore read from the
    last event, which never changes. Raises ONTOLOGY_NOT_FOUND if the domain does not exist, and STORE_CONFLICT if the
    subject is not in the log.
    """
    for _ in range(MAX_READS):
        rows = await reader.read(statement, domain=domain, id=subject, with_text=with_text)
        if not rows:
            if await reader.first_row(HEAD, domain=domain) is None:
                raise no_ontology_error(domain)
            return None
        if (result := rows[0].state) is not None and result.get("_id") == subject:
            return LastState(with_parsed_times(result), rows[0].text)
    hint = Hint("The graph was changed outside graph-memory: run {graph-memory verify}.")
    raise GraphError(Code.STORE_CONFLICT, f"{printable(subject)} is in the graph, but not in the log", {"hint": hint})


async def used_ids(reader: Reader, domain: str, requested_id: str | None) -> Collection[str]:
    """Return the requested id in a list if the log contains it. Otherwise, return an empty collection."""
    is_used = requested_id is not None and await reader.first_row(SEEN, domain=domain, subject=requested_id)
    return [requested_id] if requested_id is not None and is_used else ()


def check_version(kind: str, subject: str, current: int, expected: int | None) -> None:
    """Raise VERSION_CONFLICT if the subject does not have the version that the caller expects."""
    if expected is not None and expected != current:
        raise GraphError(
            Code.VERSION_CONFLICT,
            f"{kind} {subject} is at version {current}, not {expected}",
            {
                "id": subject,
                "version": current,
                "expected_version": expected,
                "hint": "Read it again, and repeat the change with its current version.",
            },
        )


def version_after(new_version: int | None, version_before: int) -> int:
    """Return the subject's version after a write. If the write changed nothing (None), this is `version_before`."""
    return version_before if new_version is None else new_version
