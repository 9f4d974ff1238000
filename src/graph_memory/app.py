"""The composition root: builds a memory and its parts from the settings."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio.to_thread

from graph_memory import local
from graph_memory.audit import AuditLog
from graph_memory.chat import chat_model
from graph_memory.embedding import Embedder, EmbeddingUnavailable, NoVectors, embedder, embedder_of, fetch_model
from graph_memory.memory.access_counter import MAX_NODES, AccessCounter
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.contents import Contents
from graph_memory.memory.core import Core
from graph_memory.memory.domains.listing import domains_with_clock_skew
from graph_memory.memory.search import access_store
from graph_memory.model.databases import HOME, SETTING, DatabaseSetting, Placement, misplaced_error
from graph_memory.model.errors import Code, GraphError, Hint, unusable_path_error
from graph_memory.model.events import Origin
from graph_memory.model.text.wording import quote
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.progress import Progress, log_progress
from graph_memory.project import domain_for
from graph_memory.settings import Settings
from graph_memory.storage.blobs.blobs import Blobs, blobs_at
from graph_memory.storage.blobs.cache import ContentCache
from graph_memory.storage.connecting import Address, Limits
from graph_memory.storage.databases import NAMES
from graph_memory.storage.foreign import is_server
from graph_memory.storage.log.writing import Log
from graph_memory.storage.rehearsal import StatementSamples
from graph_memory.storage.routing import open_routed_store
from graph_memory.storage.schema import VECTORS_SINCE, migrate, parse_version, pending_steps, steps, store_id
from graph_memory.storage.schema_check import describe_schema_problems, find_schema_problems
from graph_memory.storage.statement_rights import Check, check_statement
from graph_memory.storage.store import Store, open_store

if TYPE_CHECKING:
    from graph_memory.memory.search.index.backlog import Backlog
    from graph_memory.memory.transfer.formats.source import GivenSource

OLDEST_NEO4J = (2025, 8)
"""The oldest server version that can run every statement. See docs/decisions."""


@asynccontextmanager
async def open_memory(
    settings: Settings | None = None,
    *,
    progress: Progress = log_progress,
    origin: Origin | None = None,
    follows: bool = False,
) -> AsyncGenerator[Memory]:
    """Yield an open memory on the server at NEO4J_URI. If it is not set, use a local Neo4j, and start it if needed.

    The local Neo4j keeps running afterwards, for all processes with the same home folder. The log records changes with
    `origin` (default: the actor and session in the settings). Long-running processes set `follows`: the memory then
    indexes new texts in the background. Raises STORE_UNAVAILABLE if the server cannot be reached or rejects the
    credentials, and STORE_INCOMPATIBLE if its version or schema is not supported.
    """
    settings = settings or Settings()
    limits = Limits(read=settings.read_timeout, write=settings.write_timeout, retry=settings.retry_time)
    rehearsal = StatementSamples(settings.home / "statements.json" if follows else None)
    rehearsal.load()
    async with _open_databases(settings, limits, rehearsal, progress) as store:
        version = await store.server_version()
        settings_origin = Origin(session=settings.session, actor=settings.actor)
        core = _build_core(
            settings, store, await store_id(store), origin or settings_origin, _choose_embedder(settings, version)
        )
        other_embedders: dict[str, Embedder | None] = {}
        if not isinstance(core.embedder, NoVectors):
            core = replace(core, embedder_of=partial(_other_embedder, settings, other_embedders))
        if follows and settings.background_index:
            from graph_memory.memory.search.index.following import NAME, follow_logs

            core.background.start(NAME, follow_logs(core), is_endless=True)
        if follows and settings.neo4j_uri is None:  # a shared server has planned the statements for other clients
            core.background.start("planning statements", store.rehearse(), is_endless=True)
        if follows:
            core.background.start("loading models", _load_models(settings, core.embedder), is_endless=True)
        if core.accesses.is_on:
            core.background.start(
                "counting accesses", access_store.write_access_counts_periodically(core), is_endless=True
            )
        try:
            yield Memory(core, default_domain=domain_for(settings.domain))
        finally:
            await core.background.close()
            await anyio.to_thread.run_sync(rehearsal.save)
            await access_store.close(core)
            for client in filter(None, (core.embedder, *other_embedders.values(), core.chat)):
                await client.aclose()


def _open_databases(
    settings: Settings, limits: Limits, rehearsal: StatementSamples, progress: Progress
) -> AbstractAsyncContextManager[Store]:
    """Yield the store of the home database or, if the settings list other databases, a store for all of them."""

    @asynccontextmanager
    async def open_database(name: str, check: Check = check_statement) -> AsyncGenerator[Store]:
        find, statements = partial(_find_server, settings, progress, name), rehearsal if name == HOME else None
        async with open_store(find, limits, statements, check) as store:
            _check_version_of(settings, name, await store.server_version())
            await migrate(store, progress=progress)
            yield store

    if not settings.databases:
        return open_database(HOME)
    return open_routed_store([*settings.databases], Placement.of(settings.databases), open_database, limits)


async def _load_models(settings: Settings, embedder: Embedder | None) -> None:
    """Load the tokenizer and the model of a local embedder, so that the first recall does not wait."""
    from graph_memory.memory.search.token_budget import load_counter

    await anyio.to_thread.run_sync(load_counter, abandon_on_cancel=True)
    if embedder is not None and settings.embeddings == "local":
        with suppress(EmbeddingUnavailable):
            await embedder.query("memory")


@asynccontextmanager
async def _open_for_check(settings: Settings, database: str) -> AsyncGenerator[Store]:
    """Yield the store of one database. The hints of errors mention the database's entry in the settings."""
    try:
        async with open_store(partial(_find_server, settings, log_progress, database)) as store:
            yield store
    except GraphError as error:
        if database == HOME or "NEO4J_" not in (error.hint or ""):
            raise
        hint = f"Check the server, and the entry {database} in {SETTING}: uri (+s only for TLS), username and password."
        raise GraphError(error.code, error.message, {**error.details, "hint": hint}, path=error.path) from error


async def check_connection(settings: Settings, database: str = HOME) -> str:
    """Return the version of a database's Neo4j server.

    Raises STORE_UNAVAILABLE if it cannot be reached, and STORE_INCOMPATIBLE if its version or schema is not supported.
    """
    async with _open_for_check(settings, database) as store:
        version = await store.server_version()
        _check_version_of(settings, database, version)
        await pending_steps(store)
        return f"Neo4j {version}"


async def check_schema(settings: Settings, database: str = HOME) -> str:
    """Return a report on indexes and constraints. Raises STORE_INCOMPATIBLE if some are missing."""
    async with _open_for_check(settings, database) as store:
        if await pending_steps(store):
            return "created when the memory is next opened"
        faults = await find_schema_problems(store)
    if not faults:
        return "every index and constraint exists"
    raise GraphError(
        Code.STORE_INCOMPATIBLE,
        describe_schema_problems(faults),
        {"hint": Hint("Create them with {graph-memory rebuild}.")},
    )


async def describe_clock_skew(settings: Settings, database: str = HOME) -> str | None:
    """Return a message about the domains whose last change is far ahead of this machine's clock, or None."""
    async with _open_for_check(settings, database) as store:
        rows = await domains_with_clock_skew(store)
    return ", ".join(f"domain {row.name} is at {rfc3339(row.modified)}" for row in rows) or None


async def check_domains(settings: Settings, database: str) -> str:
    """Return the number of domains in a database. Raises STORE_CONFLICT if a domain belongs in another database."""
    placement = Placement.of(settings.databases)
    async with _open_for_check(settings, database) as store:
        domains = await store.read(NAMES)
    if misplaced := [domain for domain in domains if placement.database_of(domain) != database]:
        raise misplaced_error(misplaced, database, placement)
    return f"{len(domains)} domain{'' if len(domains) == 1 else 's'}"


async def check_index(settings: Settings, database: str = HOME) -> list[Backlog]:
    """Return the backlog of the search index in each domain."""
    from graph_memory.memory.search.index.backlog import read_backlogs

    async with _open_for_check(settings, database) as store:
        return [] if await pending_steps(store) else await read_backlogs(store)


async def check_blobs(settings: Settings) -> str:
    """Read the blob store, and return its location and use. Raises CONTENT_READ_FAILED if it cannot be read."""
    store = blobs(settings)
    count = len(await store.domains())
    return f"{store.location}, used by {count} domain{'' if count == 1 else 's'}"


async def check_embeddings(settings: Settings) -> str | None:
    """Embed a test text, and return the model's name, or None if embeddings are off. Raises EmbeddingUnavailable."""
    if (model := embedder(settings)) is None:
        return None
    try:
        await anyio.to_thread.run_sync(fetch_model, settings)
        await model.query("graph-memory")
    finally:
        await model.aclose()
    return f"{model.model}, {model.dimensions} dimensions"


async def check_model(settings: Settings) -> str | None:
    """Query the language model, and return its name. Returns None if no model is set. Raises ModelUnavailable."""
    if (model := chat_model(settings)) is None:
        return None
    try:
        await model.reply("Answer with one word.", "Are you there?")
    finally:
        await model.aclose()
    return model.name


def schema_version() -> int:
    """Return the schema version that migrated databases have."""
    return len(steps())


def _check_version_of(settings: Settings, database: str, version: str) -> None:
    """Raise STORE_INCOMPATIBLE if a database is too old. Embeddings need vectors in databases other than home."""
    needs_vectors = database != HOME and settings.embeddings != "off"
    check_version(version, VECTORS_SINCE if needs_vectors else OLDEST_NEO4J, database)


def check_version(version: str, oldest_version: tuple[int, int] = OLDEST_NEO4J, database: str = HOME) -> None:
    """Raise STORE_INCOMPATIBLE if the server's version is older than `oldest_version`."""
    if parse_version(version) < oldest_version:
        oldest = _version_text(oldest_version)
        alternative = (
            "unset NEO4J_URI to use a local Neo4j"
            if database == HOME
            else f"set the entry {database} in {SETTING} to another server"
        )
        hint = f"Upgrade the server to {oldest} or newer, or {alternative}."
        raise GraphError(Code.STORE_INCOMPATIBLE, f"Neo4j {version} is older than {oldest}", {"hint": hint})


def _version_text(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]:02}"


def source_at(settings: Settings, name: str, database: str | None) -> GivenSource:
    """Return the source with this name: a path, or the Neo4j server at this address with its login.

    The memory's login is sent only to the memory's own server. Other servers get the login for sources. Raises
    INVALID_ARGUMENT if a database is given and the name is not a server address.
    """
    if not is_server(name):
        if database is not None:
            raise invalid_argument(
                "database",
                f"{quote(name)} is not the address of a Neo4j server",
                "Pass an address, such as bolt://host:7687.",
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
    """Return whether two addresses refer to the same server with the same TLS setting."""
    try:
        return _server_identity(first) == _server_identity(second)
    except ValueError:  # an invalid port
        return False


def _server_identity(uri: str) -> tuple[str | None, ...]:
    parts = urlsplit(uri)
    host = "localhost" if parts.hostname in _LOOPBACK else parts.hostname
    login = parts.username  # addresses with a user name are rejected when the connection is opened
    return host, str(parts.port or _BOLT_PORT), parts.scheme.partition("+")[2], login


_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_BOLT_PORT = 7687


async def _find_server(settings: Settings, progress: Progress, database: str = HOME) -> Address:
    if database != HOME:
        entry = settings.databases[database]
        return Address(entry.uri, entry.username, _read_password(database, entry), entry.database, settings.read_from)
    if settings.neo4j_uri:
        login = settings.neo4j_username, settings.neo4j_password.get_secret_value()
        return Address(settings.neo4j_uri, *login, settings.neo4j_database, settings.read_from)
    try:
        server = await anyio.to_thread.run_sync(local.ensure_running, settings, progress, abandon_on_cancel=True)
    except OSError as error:
        raise unusable_path_error(error) from error
    return Address(server.uri, server.username, server.password, guard=server)


def _read_password(name: str, database: DatabaseSetting) -> str:
    """Return the password of a database. Raises STORE_UNAVAILABLE if its file or its variable cannot be read."""
    hint = f"Correct the entry {name} in {SETTING}."
    if database.password_file is None:
        if password := os.environ.get(database.password_env or ""):
            return password
        message = f"The password of database {name} is not set: {database.password_env} is empty"
        raise GraphError(Code.STORE_UNAVAILABLE, message, {"hint": hint})
    try:
        return database.password_file.expanduser().read_text(encoding="utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError, RuntimeError) as error:
        message = f"The password file of database {name} cannot be read"
        raise GraphError(Code.STORE_UNAVAILABLE, message, {"hint": hint}, path=database.password_file) from error


def _choose_embedder(settings: Settings, version: str) -> Embedder | None:
    """Return the embedder that the settings choose, or None if embeddings are off.

    If this version of Neo4j cannot filter vector searches, return an embedder whose calls raise EmbeddingUnavailable.
    """
    configured_embedder = embedder(settings)
    if configured_embedder is None or parse_version(version) >= VECTORS_SINCE:
        return configured_embedder
    oldest = _version_text(VECTORS_SINCE)
    hint = f"Upgrade the server to {oldest} or newer, or unset NEO4J_URI to use a local Neo4j."
    return NoVectors(f"Neo4j {version} is older than {oldest}, the first whose vector index filters", hint)


def _other_embedder(settings: Settings, open_embedders: dict[str, Embedder | None], model: str) -> Embedder | None:
    """Return the embedder for a model other than the one in the settings, or None. Caches the result."""
    if model not in open_embedders:
        open_embedders[model] = embedder_of(settings, model)
    return open_embedders[model]


def _build_core(settings: Settings, store: Store, database_id: str, origin: Origin, model: Embedder | None) -> Core:
    contents = Contents(
        blobs(settings),
        ContentCache(settings.content_cache_bytes),
        store=database_id,
        inline_limit=settings.inline_content_bytes,
        text_limit=settings.text_content_bytes,
        databases=settings.databases,
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
        embedder=model,
        chat=chat_model(settings),
        advice_time=settings.remember_model_time,
        summary_time=settings.summary_model_time,
        accesses=AccessCounter(MAX_NODES if settings.use_counts else 0),
        co_accesses=AccessCounter(MAX_NODES if settings.use_counts else 0),
        users_domain=settings.users_domain,
        agent_domain=settings.agent_domain,
        corrections=_read_corrections,
    )


async def _read_corrections(core: Core, query: str | None) -> Sequence[str]:
    """Return the users' corrections and preferences that match the query, as lines for a recall result."""
    from graph_memory.agent.user import CorrectionCache  # a command that recalls nothing does not need it

    users = Memory(core, default_domain=core.users_domain)
    try:
        return await CorrectionCache(core.layer_cache, core.users_domain).fitting_lines(users, query)
    except GraphError as error:
        is_unreadable = error.code in (Code.STORE_UNAVAILABLE, Code.TIMEOUT, Code.DIFFERENT_DATABASES)
        if not (is_unreadable or "database" in error.details) or not core.store.other_databases(core.users_domain):
            raise
        return ("The corrections of users are missing, because their database cannot be read here now.",)


def blobs(settings: Settings) -> Blobs:
    """Return the blob store that the settings select."""
    return blobs_at(settings.blob_url or settings.home / "blobs")
