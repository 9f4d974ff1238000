"""The composition root: from settings to an open memory."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio.to_thread

from graph_memory import local
from graph_memory.chat import chat_model
from graph_memory.embedding import Embedder, NoVectors, embedder, embedder_of, fetch_model
from graph_memory.memory.access_counter import MOST, AccessTally
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.contents import Contents
from graph_memory.memory.core import Core
from graph_memory.memory.domains.listing import ahead
from graph_memory.memory.search import access_store
from graph_memory.model.errors import Code, GraphError, Hint, unusable_place
from graph_memory.model.events import Origin
from graph_memory.model.results import rfc3339
from graph_memory.model.text.wording import shown
from graph_memory.model.values.arguments import fault
from graph_memory.progress import Progress, silent
from graph_memory.project import domain_for
from graph_memory.settings import Settings
from graph_memory.storage.blobs.blobs import Blobs, blobs_at
from graph_memory.storage.blobs.cache import ContentCache
from graph_memory.storage.connecting import Address
from graph_memory.storage.foreign import is_server
from graph_memory.storage.log.writing import Log
from graph_memory.storage.schema import VECTORS_SINCE, migrate, pending_steps, server_at, steps, store_id
from graph_memory.storage.schema_check import listed_faults, schema_faults
from graph_memory.storage.store import Limits, Store, open_store

if TYPE_CHECKING:
    from graph_memory.memory.search.index.backlog import Backlog
    from graph_memory.memory.transfer.formats.source import GivenSource

OLDEST_NEO4J = (2025, 8)
"""The oldest server that runs every statement; see docs/decisions."""


@asynccontextmanager
async def open_memory(
    settings: Settings | None = None,
    *,
    progress: Progress = silent,
    origin: Origin | None = None,
    follows: bool = False,
) -> AsyncGenerator[Memory]:
    """Give an open memory: on the server that NEO4J_URI names, else on a local Neo4j that is started when needed.

    The local Neo4j keeps running afterwards, shared with every other process of the same home. `origin` is who
    the log names for changes; without it the settings say. A process that stays `follows` the logs of the domains that
    it works in, so that what is new is indexed before somebody searches. Raises STORE_UNAVAILABLE and
    STORE_INCOMPATIBLE.
    """
    settings = settings or Settings()
    limits = Limits(read=settings.read_timeout, write=settings.write_timeout, retry=settings.retry_time)
    async with open_store(partial(_find, settings, progress), limits) as store:
        version = await store.server_version()
        check_version(version)
        await migrate(store, progress=progress)
        by_settings = Origin(session=settings.session, actor=settings.actor)
        core = _core(settings, store, await store_id(store), origin or by_settings, _embedder(settings, version))
        others: dict[str, Embedder | None] = {}
        if not isinstance(core.embedder, NoVectors):
            core = replace(core, embedder_of=partial(_other, settings, others))
        if follows and settings.background_index:
            from graph_memory.memory.search.index.following import follow_logs

            core.background.start("following the logs", follow_logs(core), is_endless=True)
        if core.accesses.is_on:
            core.background.start("counting what is used", access_store.count_accesses(core), is_endless=True)
        try:
            yield Memory(core, default_domain=domain_for(settings.domain))
        finally:
            await core.background.close()
            await access_store.close(core)
            for each in filter(None, (core.embedder, *others.values(), core.chat)):
                await each.aclose()


async def check_connection(settings: Settings) -> str:
    """Return a description of the server that the settings lead to. Raises STORE_UNAVAILABLE, STORE_INCOMPATIBLE."""
    async with open_store(partial(_find, settings, silent)) as store:
        version = await store.server_version()
        check_version(version)
        await pending_steps(store)
        return f"Neo4j {version}"


async def check_schema(settings: Settings) -> str:
    """Return how many indexes and constraints there are. Raises STORE_INCOMPATIBLE, naming those that are missing."""
    async with open_store(partial(_find, settings, silent)) as store:
        if await pending_steps(store):
            return "created when the memory is next opened"
        faults = await schema_faults(store)
    if not faults:
        return "every index and constraint exists"
    raise GraphError(
        Code.STORE_INCOMPATIBLE, listed_faults(faults), {"hint": Hint("Create them with {graph-memory rebuild}.")}
    )


async def clocks_ahead(settings: Settings) -> str | None:
    """Return which domains have a last change that is stamped far ahead of this machine's clock, None for none."""
    async with open_store(partial(_find, settings, silent)) as store:
        rows = await ahead(store)
    return ", ".join(f"domain {row.name} is at {rfc3339(row.modified)}" for row in rows) or None


async def check_index(settings: Settings) -> list[Backlog]:
    """Return what the indexes of search lack, by domain."""
    from graph_memory.memory.search.index.backlog import backlog

    async with open_store(partial(_find, settings, silent)) as store:
        return [] if await pending_steps(store) else await backlog(store)


async def check_blobs(settings: Settings) -> str:
    """Return where blobs are kept, once that was looked into. Raises CONTENT_READ_FAILED."""
    place = blobs(settings)
    count = len(await place.domains())
    return f"{place.location}, used by {count} domain{'' if count == 1 else 's'}"


async def check_embeddings(settings: Settings) -> str | None:
    """Return which model makes vectors, once it has made one; None when that is off. Raises EmbeddingUnavailable."""
    if (found := embedder(settings)) is None:
        return None
    try:
        await anyio.to_thread.run_sync(fetch_model, settings)
        await found.query("graph-memory")
    finally:
        await found.aclose()
    return f"{found.model}, {found.dimensions} dimensions"


async def check_model(settings: Settings) -> str | None:
    """Return which language model answers, once it has; None when none is set. Raises ModelUnavailable."""
    if (found := chat_model(settings)) is None:
        return None
    try:
        await found.reply("Answer with one word.", "Are you there?")
    finally:
        await found.aclose()
    return found.name


def schema_version() -> int:
    """Return the schema version that a database has once it was opened."""
    return len(steps())


def check_version(version: str) -> None:
    """Raise STORE_INCOMPATIBLE for a server that is too old."""
    if server_at(version) < OLDEST_NEO4J:
        oldest = _shown(OLDEST_NEO4J)
        hint = f"Upgrade the server to {oldest} or newer, or unset NEO4J_URI to use a local Neo4j."
        raise GraphError(Code.STORE_INCOMPATIBLE, f"Neo4j {version} is older than {oldest}", {"hint": hint})


def _shown(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]:02}"


def source_at(settings: Settings, given: str, database: str | None) -> GivenSource:
    """Return a source that was named; a server with its login.

    The memory's own server is reached as the memory reaches it: its password goes nowhere else, however the server was
    named. The login for sources is for others. Raises INVALID_ARGUMENT for a database without a server.
    """
    if not is_server(given):
        if database is not None:
            raise fault("database", f"{shown(given)} is no Neo4j server", "Give an address, such as bolt://host:7687.")
        return given
    from graph_memory.memory.transfer.formats.neo4j_reading import Neo4jSource

    own = settings.neo4j_uri or local.status(settings).uri
    if own is None or not _is_same_server(own, given):
        return Neo4jSource(given, settings.source_username, settings.source_password.get_secret_value(), database)
    if settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value()
        return Neo4jSource(own, settings.neo4j_username, password, database or settings.neo4j_database)
    server = local.ensure_running(settings)
    return Neo4jSource(server.uri, server.username, server.password, database, guard=server)


def _is_same_server(one: str, other: str) -> bool:
    """Say whether two addresses lead to one server, and both over TLS or both without."""
    try:
        return _server_at(one) == _server_at(other)
    except ValueError:  # a port that is none
        return False


def _server_at(uri: str) -> tuple[str | None, ...]:
    place = urlsplit(uri)
    host = "localhost" if place.hostname in _LOOPBACK else place.hostname
    login = place.username  # which no address may have: it is refused where it is used
    return host, str(place.port or _BOLT_PORT), place.scheme.partition("+")[2], login


_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_BOLT_PORT = 7687


async def _find(settings: Settings, progress: Progress) -> Address:
    if settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value()
        return Address(settings.neo4j_uri, settings.neo4j_username, password, settings.neo4j_database)
    try:
        server = await anyio.to_thread.run_sync(local.ensure_running, settings, progress, abandon_on_cancel=True)
    except OSError as error:
        raise unusable_place(error) from error
    return Address(server.uri, server.username, server.password, guard=server)


def _embedder(settings: Settings, version: str) -> Embedder | None:
    """Return what makes vectors, None when that is off; on a server that cannot search them, one that says so."""
    found = embedder(settings)
    if found is None or server_at(version) >= VECTORS_SINCE:
        return found
    oldest = _shown(VECTORS_SINCE)
    hint = f"Upgrade the server to {oldest} or newer, or unset NEO4J_URI to use a local Neo4j."
    return NoVectors(f"Neo4j {version} is older than {oldest}, the first whose vector index filters", hint)


def _other(settings: Settings, opened: dict[str, Embedder | None], model: str) -> Embedder | None:
    """Return what makes vectors by another model, opened once."""
    if model not in opened:
        opened[model] = embedder_of(settings, model)
    return opened[model]


def _core(settings: Settings, store: Store, own_id: str, origin: Origin, vectors: Embedder | None) -> Core:
    contents = Contents(
        blobs(settings),
        ContentCache(settings.content_cache_bytes),
        store=own_id,
        inline_limit=settings.inline_content_bytes,
        text_limit=settings.text_content_bytes,
    )
    return Core(
        store=store,
        log=Log(store, inline_limit=settings.inline_content_bytes, text_limit=settings.text_content_bytes),
        contents=contents,
        origin=origin,
        open_type_limit=settings.open_type_limit,
        agent_limits={str(name): limit for name, limit in settings.agent_limits.items()},
        prunes=settings.agent_prune == "at_limit",
        search_words=settings.search_nodes == "words",
        read_graph_tokens=settings.read_graph_tokens,
        archetype=settings.archetype,
        archives=settings.home / "archives",
        embedder=vectors,
        chat=chat_model(settings),
        advice_time=settings.remember_model_time,
        accesses=AccessTally(MOST if settings.use_counts else 0),
        together=AccessTally(MOST if settings.use_counts else 0),
        users_domain=settings.users_domain,
        agent_domain=settings.agent_domain,
        corrections=_corrections,
    )


async def _corrections(core: Core, query: str | None) -> Sequence[str]:
    """Return the corrections by users with which a recall begins."""
    from graph_memory.agent.user import CorrectionCache  # a command that recalls nothing does not need it

    users = Memory(core, default_domain=core.users_domain)
    return await CorrectionCache(core.layer_cache, core.users_domain).fitting_lines(users, query)


def blobs(settings: Settings) -> Blobs:
    """Return the place where the settings keep blobs."""
    return blobs_at(settings.blob_url or settings.home / "blobs")
