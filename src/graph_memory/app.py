"""The composition root: opens a memory with settings."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio.to_thread

from graph_memory import local
from graph_memory.audit import AuditLog
from graph_memory.chat import chat_model
from graph_memory.embedding import Embedder, EmbeddingUnavailable, NoVectors, embedder, embedder_of, fetch_model
from graph_memory.memory.access_counter import MAX_NODES, AccessTally
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.contents import Contents
from graph_memory.memory.core import Core
from graph_memory.memory.domains.listing import domains_ahead
from graph_memory.memory.search import access_store
from graph_memory.model.errors import Code, GraphError, Hint, unusable_path
from graph_memory.model.events import Origin
from graph_memory.model.text.wording import printable
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.progress import Progress, silent
from graph_memory.project import domain_for
from graph_memory.settings import Settings
from graph_memory.storage.blobs.blobs import Blobs, blobs_at
from graph_memory.storage.blobs.cache import ContentCache
from graph_memory.storage.connecting import Address
from graph_memory.storage.foreign import is_server
from graph_memory.storage.log.writing import Log
from graph_memory.storage.rehearsal import Rehearsal
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
    """Yield an open memory on the server of NEO4J_URI, or else on a local Neo4j, which is started if needed.

    The local Neo4j keeps running afterwards, for all processes with the same home. `origin` is recorded in the log for
    changes (default: the actor and session of the settings). If it `follows`, as a long-running process should, it
    indexes new texts in the background. Raises STORE_UNAVAILABLE and STORE_INCOMPATIBLE.
    """
    settings = settings or Settings()
    limits = Limits(read=settings.read_timeout, write=settings.write_timeout, retry=settings.retry_time)
    rehearsal = Rehearsal(settings.home / "statements.json" if follows else None)
    rehearsal.load()
    async with open_store(partial(_find_server, settings, progress), limits, rehearsal) as store:
        version = await store.server_version()
        check_version(version)
        await migrate(store, progress=progress)
        by_settings = Origin(session=settings.session, actor=settings.actor)
        core = _build_core(settings, store, await store_id(store), origin or by_settings, _embedder(settings, version))
        other_embedders: dict[str, Embedder | None] = {}
        if not isinstance(core.embedder, NoVectors):
            core = replace(core, embedder_of=partial(_other_embedder, settings, other_embedders))
        if follows and settings.background_index:
            from graph_memory.memory.search.index.following import NAME, follow_logs

            core.background.start(NAME, follow_logs(core), is_endless=True)
        if follows and settings.neo4j_uri is None:  # a server of a team has its plans from all its clients
            core.background.start("planning statements", store.rehearse(), is_endless=True)
        if follows:
            core.background.start("loading models", _load_models(settings, core.embedder), is_endless=True)
        if core.accesses.is_on:
            core.background.start("counting what is used", access_store.count_accesses(core), is_endless=True)
        try:
            yield Memory(core, default_domain=domain_for(settings.domain))
        finally:
            await core.background.close()
            await anyio.to_thread.run_sync(rehearsal.save)
            await access_store.close(core)
            for client in filter(None, (core.embedder, *other_embedders.values(), core.chat)):
                await client.aclose()


async def _load_models(settings: Settings, embedder: Embedder | None) -> None:
    """Load the tokenizer and a local embedder's model, so that the first recall need not wait."""
    from graph_memory.memory.search.token_budget import load_counter

    await anyio.to_thread.run_sync(load_counter, abandon_on_cancel=True)
    if embedder is not None and settings.embeddings == "local":
        with suppress(EmbeddingUnavailable):
            await embedder.query("memory")


async def check_connection(settings: Settings) -> str:
    """Return the version of the settings' Neo4j server. Raises STORE_UNAVAILABLE and STORE_INCOMPATIBLE."""
    async with open_store(partial(_find_server, settings, silent)) as store:
        version = await store.server_version()
        check_version(version)
        await pending_steps(store)
        return f"Neo4j {version}"


async def check_schema(settings: Settings) -> str:
    """Return a report on indexes and constraints. Raises STORE_INCOMPATIBLE if some are missing."""
    async with open_store(partial(_find_server, settings, silent)) as store:
        if await pending_steps(store):
            return "created when the memory is next opened"
        faults = await schema_faults(store)
    if not faults:
        return "every index and constraint exists"
    raise GraphError(
        Code.STORE_INCOMPATIBLE, listed_faults(faults), {"hint": Hint("Create them with {graph-memory rebuild}.")}
    )


async def clocks_ahead(settings: Settings) -> str | None:
    """Return the domains whose last change is far ahead of this machine's clock, or None."""
    async with open_store(partial(_find_server, settings, silent)) as store:
        rows = await domains_ahead(store)
    return ", ".join(f"domain {row.name} is at {rfc3339(row.modified)}" for row in rows) or None


async def check_index(settings: Settings) -> list[Backlog]:
    """Return the backlog of the search index, by domain."""
    from graph_memory.memory.search.index.backlog import backlog

    async with open_store(partial(_find_server, settings, silent)) as store:
        return [] if await pending_steps(store) else await backlog(store)


async def check_blobs(settings: Settings) -> str:
    """Read the blob store and return its location. Raises CONTENT_READ_FAILED."""
    store = blobs(settings)
    count = len(await store.domains())
    return f"{store.location}, used by {count} domain{'' if count == 1 else 's'}"


async def check_embeddings(settings: Settings) -> str | None:
    """Embed a text and return the model; None if embeddings are off. Raises EmbeddingUnavailable."""
    if (model := embedder(settings)) is None:
        return None
    try:
        await anyio.to_thread.run_sync(fetch_model, settings)
        await model.query("graph-memory")
    finally:
        await model.aclose()
    return f"{model.model}, {model.dimensions} dimensions"


async def check_model(settings: Settings) -> str | None:
    """Query the language model and return its name; None if none is set. Raises ModelUnavailable."""
    if (model := chat_model(settings)) is None:
        return None
    try:
        await model.reply("Answer with one word.", "Are you there?")
    finally:
        await model.aclose()
    return model.name


def schema_version() -> int:
    """Return the schema version of a migrated database."""
    return len(steps())


def check_version(version: str) -> None:
    """Raise STORE_INCOMPATIBLE for a server that is too old."""
    if server_at(version) < OLDEST_NEO4J:
        oldest = _version_text(OLDEST_NEO4J)
        hint = f"Upgrade the server to {oldest} or newer, or unset NEO4J_URI to use a local Neo4j."
        raise GraphError(Code.STORE_INCOMPATIBLE, f"Neo4j {version} is older than {oldest}", {"hint": hint})


def _version_text(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]:02}"


def source_at(settings: Settings, name: str, database: str | None) -> GivenSource:
    """Return the source with a name: a path, or a Neo4j server with its login.

    The memory's own server gets the memory's login, which is sent to no other server. Other servers get the login for
    sources. Raises INVALID_ARGUMENT for a database without a server.
    """
    if not is_server(name):
        if database is not None:
            raise invalid_argument(
                "database", f"{printable(name)} is not a Neo4j server", "Pass an address, such as bolt://host:7687."
            )
        return name
    from graph_memory.memory.transfer.formats.neo4j_reading import Neo4jSource

    own_uri = settings.neo4j_uri or local.status(settings).uri
    if own_uri is None or not _is_same_server(own_uri, name):
        return Neo4jSource(name, settings.source_username, settings.source_password.get_secret_value(), database)
    if settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value()
        return Neo4jSource(own_uri, settings.neo4j_username, password, database or settings.neo4j_database)
    server = local.ensure_running(settings)
    return Neo4jSource(server.uri, server.username, server.password, database, guard=server)


def _is_same_server(first: str, second: str) -> bool:
    """Return whether two addresses are of the same server. TLS must be the same, too."""
    try:
        return _server_at(first) == _server_at(second)
    except ValueError:  # an invalid port
        return False


def _server_at(uri: str) -> tuple[str | None, ...]:
    parts = urlsplit(uri)
    host = "localhost" if parts.hostname in _LOOPBACK else parts.hostname
    login = parts.username  # addresses with a user name are rejected when the connection is opened
    return host, str(parts.port or _BOLT_PORT), parts.scheme.partition("+")[2], login


_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_BOLT_PORT = 7687


async def _find_server(settings: Settings, progress: Progress) -> Address:
    if settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value()
        return Address(settings.neo4j_uri, settings.neo4j_username, password, settings.neo4j_database)
    try:
        server = await anyio.to_thread.run_sync(local.ensure_running, settings, progress, abandon_on_cancel=True)
    except OSError as error:
        raise unusable_path(error) from error
    return Address(server.uri, server.username, server.password, guard=server)


def _embedder(settings: Settings, version: str) -> Embedder | None:
    """Return the embedder, or None if it is off. If the server has no vector search, calls raise an error."""
    chosen = embedder(settings)
    if chosen is None or server_at(version) >= VECTORS_SINCE:
        return chosen
    oldest = _version_text(VECTORS_SINCE)
    hint = f"Upgrade the server to {oldest} or newer, or unset NEO4J_URI to use a local Neo4j."
    return NoVectors(f"Neo4j {version} is older than {oldest}, the first whose vector index filters", hint)


def _other_embedder(settings: Settings, opened: dict[str, Embedder | None], model: str) -> Embedder | None:
    """Return the embedder of another model. It is opened once."""
    if model not in opened:
        opened[model] = embedder_of(settings, model)
    return opened[model]


def _build_core(settings: Settings, store: Store, own_id: str, origin: Origin, vectors: Embedder | None) -> Core:
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
        audit=AuditLog(settings.audit_log),
        embedder=vectors,
        chat=chat_model(settings),
        advice_time=settings.remember_model_time,
        summary_time=settings.summary_model_time,
        accesses=AccessTally(MAX_NODES if settings.use_counts else 0),
        together=AccessTally(MAX_NODES if settings.use_counts else 0),
        users_domain=settings.users_domain,
        agent_domain=settings.agent_domain,
        corrections=_corrections,
    )


async def _corrections(core: Core, query: str | None) -> Sequence[str]:
    """Return the corrections by users, for the start of a recall."""
    from graph_memory.agent.user import CorrectionCache  # a command that recalls nothing does not need it

    users = Memory(core, default_domain=core.users_domain)
    return await CorrectionCache(core.layer_cache, core.users_domain).fitting_lines(users, query)


def blobs(settings: Settings) -> Blobs:
    """Return the blob store of the settings."""
    return blobs_at(settings.blob_url or settings.home / "blobs")
