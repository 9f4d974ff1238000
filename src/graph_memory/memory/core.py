"""What every use case works with, and the small decisions that several of them share."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from graph_memory.chat import ChatModel
from graph_memory.embedding import Embedder
from graph_memory.memory.access_counter import AccessTally
from graph_memory.memory.background import Background, Idle
from graph_memory.memory.contents import Contents
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Origin, with_moments
from graph_memory.model.text.wording import shown
from graph_memory.storage.log.ontologies import HALF_SEEN, HEAD, no_ontology
from graph_memory.storage.log.transaction import LogWithin, log_within
from graph_memory.storage.log.writing import Log
from graph_memory.storage.queries import Query, query
from graph_memory.storage.store import Reader, Store


def no_other(_: str) -> Embedder | None:
    """Return nothing: there is no other model to compare with."""
    return None


async def no_corrections(_core: Core, _query: str | None) -> Sequence[str]:
    """Return nothing: no layer keeps corrections."""
    return ()


@dataclass(frozen=True, slots=True)
class Core:
    """The rooms below, opened once by `app`, and who acts through them."""

    store: Store
    log: Log
    contents: Contents
    origin: Origin
    open_type_limit: int = 200
    search_words: bool = True
    """Whether `search_nodes` looks for words where the text that was given is nowhere."""
    read_graph_tokens: int = 25_000
    """Tokens of an answer of `read_graph` over MCP that says no `max_tokens`."""
    archetype: str = ""
    """The archetype of recorded events whose call names none."""
    archives: Path = Path("archives")
    background: Background = field(default_factory=Background)
    embedder: Embedder | None = None
    """None when vectors are off."""
    embedder_of: Callable[[str], Embedder | None] = no_other
    """Gives what makes vectors of a question by another model, by its name, where this process can."""
    chat: ChatModel | None = None
    """None when no language model is set."""
    advice_time: float = 0.0
    """Seconds that the language model has for a call of `remember`."""
    accesses: AccessTally = field(default_factory=AccessTally)
    together: AccessTally = field(default_factory=AccessTally)
    """How often the ends of connections were told of in one reply, by the connections."""
    agent_limits: Mapping[str, int] = field(default_factory=dict[str, int])
    """Limits of the layer `agent` in a domain, by memory type. Absent limits have their defaults."""
    prunes: bool = False
    """Whether a domain that is nearly full is pruned in the background."""
    layer_cache: dict[tuple[str, str], object] = field(default_factory=dict[tuple[str, str], object])
    """Cached data of layers such as `agent`, by domain and type."""
    users_domain: str = "users"
    agent_domain: str = "agent"
    corrections: Callable[[Core, str | None], Awaitable[Sequence[str]]] = no_corrections
    """Returns the corrections by users that fit a query, or without a query the newest, as lines of a reply."""

    def acting_as(self, actor: str | None, session: str | None) -> Core:
        """Return the same for somebody else; an actor and a session that are named already stay."""
        own = self.origin
        return replace(self, origin=replace(own, actor=own.actor or actor, session=own.session or session))

    def in_session(self, session: str) -> Core:
        """Return the same for changes in another session."""
        return replace(self, origin=replace(self.origin, session=session))


@asynccontextmanager
async def within(core: Core, domain: str) -> AsyncGenerator[tuple[Core, LogWithin]]:
    """Give the rooms as an open transaction of a domain sees them, and its log. `Memory.transaction` tells the rest."""
    async with log_within(core.store, core.log, domain) as (store, log):
        yield replace(core, store=store, log=log, background=Idle(), advice_time=0.0), log  # no model under the lock


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """A live subject as its last event has it, and its small text if that is asked for.

    There is no state when the two were read on either side of a change.
    """

    state: dict[str, object] | None
    text: str | None


@dataclass(frozen=True, slots=True)
class LastState:
    """A subject as its last event has it, and its text where that was asked for and Neo4j keeps it."""

    state: Mapping[str, object]
    text: str | None


SEEN = query("core/seen", bool)


async def last_state(
    reader: Reader, get: Query[SubjectRow], domain: str, subject: str, *, with_text: bool = False
) -> LastState | None:
    """Return a live subject as its last event has it, None when there is none; its text only where that is asked for.

    Readers take no lock, so a live node can be seen half changed; its events cannot. Raises ONTOLOGY_NOT_FOUND,
    and STORE_CONFLICT for a subject that the log does not know.
    """
    for _ in range(HALF_SEEN):
        rows = await reader.read(get, domain=domain, id=subject, with_text=with_text)
        if not rows:
            if await reader.one(HEAD, domain=domain) is None:
                raise no_ontology(domain)
            return None
        if (result := rows[0].state) is not None and result.get("_id") == subject:
            return LastState(with_moments(result), rows[0].text)
    hint = Hint("The graph was changed outside graph-memory: run {graph-memory verify}.")
    raise GraphError(Code.STORE_CONFLICT, f"{shown(subject)} is in the graph, but not in the log", {"hint": hint})


async def used_ids(reader: Reader, domain: str, given_id: str | None) -> Collection[str]:
    """Return the id if the log has ever known a subject of it. Ids that we make are new by their making."""
    is_used = given_id is not None and await reader.one(SEEN, domain=domain, subject=given_id)
    return [given_id] if given_id is not None and is_used else ()


def check_version(kind: str, subject: str, present: int, expected: int | None) -> None:
    """Raise VERSION_CONFLICT when the subject is not at the version that the caller has seen."""
    if expected is not None and expected != present:
        raise GraphError(
            Code.VERSION_CONFLICT,
            f"{kind} {subject} is at version {present}, not {expected}",
            {"id": subject, "version": present, "expected_version": expected, "hint": "Read it again, then decide."},
        )


def version_after(drafts_version: int | None, before: int) -> int:
    """Return the version to report: the new one, or the one before when there was nothing to change."""
    return before if drafts_version is None else drafts_version
