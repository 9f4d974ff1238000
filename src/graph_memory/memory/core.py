"""The dependencies of all use cases, and helpers that several of them share."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from graph_memory.audit import AuditLog
from graph_memory.chat import ChatModel
from graph_memory.embedding import Embedder
from graph_memory.memory.access_counter import AccessTally
from graph_memory.memory.background import Background, Idle
from graph_memory.memory.contents import Contents
from graph_memory.memory.servers import Servers
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Origin, with_moments
from graph_memory.model.text.wording import printable
from graph_memory.storage.log.ontologies import HEAD, MAX_READS, no_ontology
from graph_memory.storage.log.transaction import LogWithin, log_within
from graph_memory.storage.log.writing import Log
from graph_memory.storage.queries import Query, query
from graph_memory.storage.store import Reader, Store


def no_other(_: str) -> Embedder | None:
    """Return None: no other model is available."""
    return None


async def no_corrections(_core: Core, _query: str | None) -> Sequence[str]:
    """Return no corrections: no layer has any."""
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
    """Whether `search_nodes` searches for words if the given text occurs nowhere."""
    read_graph_tokens: int = 25_000
    """Default maximum number of tokens of `read_graph` over MCP."""
    archetype: str = ""
    """The default archetype of recorded events."""
    archives: Path = Path("archives")
    audit: AuditLog = field(default_factory=AuditLog)
    background: Background = field(default_factory=Background)
    embedder: Embedder | None = None
    """None when vectors are off."""
    embedder_of: Callable[[str], Embedder | None] = no_other
    """Returns the embedder of another model, by name, or None."""
    chat: ChatModel | None = None
    """None when no language model is set."""
    advice_time: float = 0.0
    """Maximum time in seconds for the language model in a call of `remember`."""
    summary_time: float = 0.0
    """Maximum time in seconds for the language model to summarise a captured session."""
    accesses: AccessTally = field(default_factory=AccessTally)
    together: AccessTally = field(default_factory=AccessTally)
    """The number of replies that contained both ends of a connection, by connection."""
    agent_limits: Mapping[str, int] = field(default_factory=dict[str, int])
    """Limits of the layer `agent` in a domain, by memory type. Missing limits have their defaults."""
    prunes: bool = False
    """Whether a domain that is nearly full is pruned in the background."""
    layer_cache: dict[tuple[str, str], object] = field(default_factory=dict[tuple[str, str], object])
    """Cached data of layers such as `agent`, by domain and type."""
    servers: Servers = field(default_factory=Servers)
    users_domain: str = "users"
    agent_domain: str = "agent"
    corrections: Callable[[Core, str | None], Awaitable[Sequence[str]]] = no_corrections
    """Returns the corrections by users that fit a query, or without a query the newest, as lines of a reply."""

    def acting_as(self, actor: str | None, session: str | None, *, is_proven: bool = False) -> Core:
        """Return a copy for another actor and session. Values that are set already are kept, unless it `is_proven`."""
        origin = self.origin
        actor = actor if is_proven else origin.actor or actor
        return replace(self, origin=replace(origin, actor=actor, session=origin.session or session))

    def in_session(self, session: str) -> Core:
        """Return a copy for changes in another session."""
        return replace(self, origin=replace(self.origin, session=session))


@asynccontextmanager
async def within(core: Core, domain: str) -> AsyncGenerator[tuple[Core, LogWithin]]:
    """Yield a copy within an open transaction of a domain, and its log. See `Memory.transaction`."""
    async with log_within(core.store, core.log, domain) as (store, log):
        yield replace(core, store=store, log=log, background=Idle(), advice_time=0.0), log  # no model under the lock


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """The last event of a live subject, and optionally its inline text.

    The state is missing if the subject changed between the reads of its node and of its event.
    """

    state: dict[str, object] | None
    text: str | None


@dataclass(frozen=True, slots=True)
class LastState:
    """The last state of a subject, and optionally its inline text."""

    state: Mapping[str, object]
    text: str | None


SEEN = query("core/seen", bool)


async def last_state(
    reader: Reader, statement: Query[SubjectRow], domain: str, subject: str, *, with_text: bool = False
) -> LastState | None:
    """Return the last state of a live subject, or None.

    Readers take no lock, so they may see a live node that is only partly changed. An event never changes. Raises
    ONTOLOGY_NOT_FOUND, and STORE_CONFLICT for a subject that is not in the log.
    """
    for _ in range(MAX_READS):
        rows = await reader.read(statement, domain=domain, id=subject, with_text=with_text)
        if not rows:
            if await reader.first_row(HEAD, domain=domain) is None:
                raise no_ontology(domain)
            return None
        if (result := rows[0].state) is not None and result.get("_id") == subject:
            return LastState(with_moments(result), rows[0].text)
    hint = Hint("The graph was changed outside graph-memory: run {graph-memory verify}.")
    raise GraphError(Code.STORE_CONFLICT, f"{printable(subject)} is in the graph, but not in the log", {"hint": hint})


async def used_ids(reader: Reader, domain: str, requested_id: str | None) -> Collection[str]:
    """Return the requested id if the log already has events of a subject with that id. Generated ids are always new."""
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


def version_after(drafts_version: int | None, before: int) -> int:
    """Return the version to report: the new one, or the one before if nothing changed."""
    return before if drafts_version is None else drafts_version
