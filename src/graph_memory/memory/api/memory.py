"""`Memory`: the class with all methods of a memory. The classes of its properties are imported on first use."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from graph_memory.memory.api.writes import WriteMethods
from graph_memory.memory.core import Core, within
from graph_memory.memory.domains import tree
from graph_memory.model.domain_results import DomainChangeResult, DomainDeletionResult
from graph_memory.model.events import Origin
from graph_memory.model.rights import Right, require, require_for_operation
from graph_memory.model.values.arguments import check_domain
from graph_memory.storage.log.transaction import TransactionLog

if TYPE_CHECKING:
    from graph_memory.agent.layer import Agent
    from graph_memory.memory.api.entities import Entities
    from graph_memory.memory.api.history import History
    from graph_memory.memory.api.keys import Keys
    from graph_memory.memory.api.links import CrossDomainLinks
    from graph_memory.memory.api.recall import Recall
    from graph_memory.memory.api.transfer import Transfer
    from graph_memory.memory.api.upkeep import Upkeep
    from graph_memory.memory.batch.results import BatchResult
    from graph_memory.memory.cypher.results import CypherRows, CypherSchema
    from graph_memory.memory.inference.results import InferenceResult


class Memory(WriteMethods):
    """A memory of typed nodes and connections. Open one with `graph_memory.open_memory`.

    Most methods take an optional `domain`, the namespace to work in (default: the memory's default domain).
    `create_ontology` creates a domain. Before that, `query_nodes`, `query_connections` and `search_content` return
    nothing, and every other method raises ONTOLOGY_NOT_FOUND. All errors are instances of `GraphError`; any method can
    raise STORE_UNAVAILABLE, TIMEOUT and INVALID_ARGUMENT, and any write DOMAIN_BUSY and PROTECTED.

    Property values are strings, finite numbers (integers within 64 bits) and booleans. The version of a node or
    connection is the log number of its last change. Pass the version that you read as `expected_version`: if the
    subject was changed after that, the write raises VERSION_CONFLICT.
    """

    def in_domain(self, domain: str) -> Memory:
        """Return this memory with another default domain. Raises INVALID_ARGUMENT if the domain name is invalid."""
        return Memory(self._core, default_domain=domain)

    def acting_as(
        self,
        actor: str | None,
        session: str | None = None,
        *,
        is_proven: bool = False,
        source: str | None = None,
    ) -> Memory:
        """Return this memory for another actor. The log records that actor and session with each change.

        A session and an actor in the settings take precedence. However, an actor who `is_proven` by a key replaces the
        actor in the settings. `source` says whether an agent or a person makes the changes (default: unchanged).
        """
        core = self._core.acting_as(actor, session, is_proven=is_proven, source=source)
        return Memory(core, default_domain=self._default_domain)

    def in_session(self, session: str) -> Memory:
        """Return this memory for another session, which the log records instead of the session in the settings."""
        return Memory(self._core.in_session(session), default_domain=self._default_domain)

    def with_origin(self, origin: Origin) -> Memory:
        """Return this memory for another caller, with that caller's session, actor and rights."""
        return Memory(replace(self._core, origin=origin), default_domain=self._default_domain)

    @property
    def history(self) -> History:
        """The log of all changes with their times and actors, and the earlier states of the memory."""
        from graph_memory.memory.api.history import History

        return History(self._core, self._domain)

    @property
    def recall(self) -> Recall:
        """Search by words and meaning, traversal, and recall within a token budget."""
        from graph_memory.memory.api.recall import Recall

        return Recall(self._core, self._domain)

    @property
    def transfer(self) -> Transfer:
        """Export and import of domains, as files, as folders, and in other programs' formats."""
        from graph_memory.memory.api.transfer import Transfer

        return Transfer(self._core, self._domain)

    @property
    def entities(self) -> Entities:
        """Entities, observations and relations, addressed by entity names."""
        from graph_memory.memory.api.entities import Entities

        return Entities(self._core, self._domain)

    @property
    def links(self) -> CrossDomainLinks:
        """Links from nodes of one domain to nodes of another."""
        from graph_memory.memory.api.links import CrossDomainLinks

        return CrossDomainLinks(self._core, self._domain)

    @property
    def agent(self) -> Agent:
        """The memory types of an agent, such as events, patterns, goals and users."""
        from graph_memory.agent.layer import Agent

        core = self._core
        return Agent(
            self,
            core.layer_cache,
            require_for_operation(self._default_domain),
            session=core.origin.session,
            archives=core.archives,
            limits=core.agent_limits,
            background=core.background if core.prunes else None,
            archetype=core.archetype,
            users_domain=core.users_domain,
            agent_domain=core.agent_domain,
        )

    @property
    def upkeep(self) -> Upkeep:
        """Checks and repairs of the graph, the log and the blobs."""
        from graph_memory.memory.api.upkeep import Upkeep

        return Upkeep(self._core, self._domain)

    @property
    def keys(self) -> Keys:
        """Creation, rotation and revocation of the keys of HTTP clients."""
        from graph_memory.memory.api.keys import Keys

        return Keys(self._core)

    async def execute_batch(
        self,
        operations: Sequence[Mapping[str, object]],
        *,
        options: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
        domain: str | None = None,
    ) -> BatchResult:
        """Make up to 10,000 changes in one transaction: all of them, or none. The log records them as one batch.

        An operation specifies a method, such as `{"op": "create_node", "type": "Task", "content": "…", "ref": "task"}`.
        The other form is `{"type": "create", "node_data": {…}, "edges": […]}`, with `create`, `update` or `delete` as
        `type`. Later operations can use `"$task"` as the id of the subject with that `ref`. Entities, observations and
        relations are created and deleted by name, such as `{"op": "add_observations", "observations": [{"entityName":
        "Ann", "contents": ["sings"]}]}`; an entity can have a `ref`, too. The rules of the ontology are checked on the
        graph after all operations.

        `options` are `atomic` (default true; false skips invalid operations and applies the others),
        `rollback_on_error` (true makes the batch atomic), `validate_before_commit` (default true: reports all errors,
        not only the first) and `dry_run`. If you repeat a call with the same `idempotency_key` and operations, it
        returns the first call's changes. Raises BATCH_REFUSED, with the index, code, message and hint of each error in
        `details["faults"]`, and IDEMPOTENCY_CONFLICT if the key was used with other operations.
        """
        from graph_memory.memory.batch.parsing import options_from
        from graph_memory.memory.batch.run import execute_batch

        return await execute_batch(self._core, self._domain(domain), operations, options_from(options), idempotency_key)

    async def infer_connections(
        self,
        *,
        connection_type: str | None = None,
        max_depth: int | None = None,
        limit: int | None = None,
        dry_run: bool = True,
        domain: str | None = None,
    ) -> InferenceResult:
        """Write the missing connections that transitive types imply, as one batch.

        The call covers all transitive types, or only `connection_type`. It follows chains of at most `max_depth`
        connections (default 100), and writes at most `limit` connections (default 1,000, maximum 10,000). Each has
        `inferred` as its `creation_method`, and the connections that imply it as evidence. By default (`dry_run`), the
        call only returns the connections that it would write. It also returns inferred connections whose premises no
        longer hold.
        """
        from graph_memory.memory.inference.inference import infer_connections

        return await infer_connections(
            self._core,
            self._domain(domain),
            connection_type=connection_type,
            max_depth=max_depth,
            limit=limit,
            dry_run=dry_run,
        )

    @asynccontextmanager
    async def transaction(self, *, domain: str | None = None) -> AsyncGenerator[Transaction]:
        """Yield a memory whose changes are committed together when the block ends, or not at all.

        Use it in a `with` block, or in an `async with` block for an async memory. The yielded memory has every method
        that changes nodes and connections, and its reads return its own changes. An exception undoes all changes, as
        does `rollback()`. The log records the changes as one batch of at most 10,000. Other callers can read at the
        same time, but other writes to the domain, including writes by this memory, wait or raise DOMAIN_BUSY. Keep the
        block short: after GRAPH_MEMORY_WRITE_TIMEOUT (default 60 seconds), its changes are undone and it raises
        TIMEOUT. Add connection types before the transaction. Raises TRANSACTION_LOST if the connection to the server
        was lost and nothing was changed, STORE_UNAVAILABLE if it is unknown whether anything was changed, and
        INSUFFICIENT_RIGHTS if the caller may not write to the domain.
        """
        name = require(self._domain(domain), Right.WRITE)
        async with within(self._core, name) as (core, log):
            yield Transaction(core, log, default_domain=name)

    async def query_cypher(
        self,
        statement: str,
        parameters: Mapping[str, object] | None = None,
        *,
        limit: int = 100,
        max_tokens: int = 4_000,
    ) -> CypherRows:
        """Return up to `limit` rows (at most 1,000) of a read-only Cypher statement, within a token budget.

        Values are JSON: nodes have labels and properties, times are strings, and long strings are truncated. The
        statement can read all domains, and times out after 10 seconds. It cannot use procedures, plugins, files or
        other databases. With GRAPH_MEMORY_DATABASES, it reads the database of the default domain, and warns: to read
        another database, call `in_domain` first. Raises INVALID_ARGUMENT with Neo4j's message if the statement is
        invalid, INSUFFICIENT_RIGHTS if the caller does not have all rights, and TIMEOUT if the statement takes too
        long.
        """
        from graph_memory.memory.cypher.query import query_cypher

        return await query_cypher(self._core, self._default_domain, statement, parameters or {}, limit, max_tokens)

    async def graph_schema(self, *, domain: str | None = None) -> CypherSchema:
        """Return the labels, relationship types and properties that a Cypher statement can match in a domain."""
        from graph_memory.memory.cypher.query import graph_schema

        return await graph_schema(self._core, self._domain(domain))

    async def create_domain(
        self,
        name: str,
        *,
        description: str | None = None,
        parent: str | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> DomainChangeResult:
        """Create a domain that has no types of its own. If `parent` is given, it becomes a child of that domain.

        A child domain inherits the types of its parent and of the parent's parents. It can add types, but not redefine
        inherited types. Its log records an inherited type with the first node or connection of that type.
        `create_ontology` can add the domain's own types. `description` is text of up to 10,000 characters, `metadata` a
        JSON object of up to 64 kB. Raises DOMAIN_ALREADY_EXISTS, and ONTOLOGY_NOT_FOUND if the parent does not exist.
        """
        edit = tree.edit_of(description=description, parent=parent, metadata=metadata)
        return await tree.create_domain(self._core, require(check_domain(name, argument="name"), Right.WRITE), edit)

    async def update_domain(
        self,
        name: str,
        *,
        description: str | None = None,
        parent: str | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> DomainChangeResult:
        """Change the description, the metadata or the parent of a domain. An empty value removes the old value.

        Raises INVALID_ARGUMENT if the new parent is a descendant of the domain, ONTOLOGY_NOT_FOUND if the domain or the
        new parent does not exist, and TYPE_ALREADY_EXISTS if the new parent or one of its parents defines a type
        differently.
        """
        edit = tree.edit_of(description=description, parent=parent, metadata=metadata)
        return await tree.update_domain(self._core, require(check_domain(name, argument="name"), Right.WRITE), edit)

    async def delete_domain(self, name: str) -> DomainDeletionResult:
        """Delete a domain with its ontology, nodes, connections, contents and whole log. A deletion cannot be undone.

        Repeat the call to resume an interrupted deletion. An incomplete branch is deleted like any other domain. Raises
        ONTOLOGY_NOT_FOUND, DOMAIN_HAS_BRANCHES, DOMAIN_HAS_CHILDREN and FILE_CREATION_FAILED.
        """
        from graph_memory.memory.domains.deletion import delete_domain

        return await delete_domain(self._core, check_domain(name))


class Transaction(Memory):
    """A memory whose changes are committed together or not at all. `Memory.transaction` yields it.

    Operations that need their own transactions raise INVALID_ARGUMENT, for example `create_ontology`, `revert`, and
    deleting a node with more than 5,000 connections.
    """

    def __init__(self, core: Core, log: TransactionLog, *, default_domain: str) -> None:
        super().__init__(core, default_domain=default_domain)
        self._log = log

    @property
    def range(self) -> tuple[int, int] | tuple[None, None]:
        """The log numbers of the first and the last change so far, or `(None, None)` if there are no changes."""
        last, count = self._log.position.seq, self._log.count
        return (last - count + 1, last) if count else (None, None)

    def rollback(self) -> None:
        """Undo all changes. The block can continue, but this memory can no longer read or write."""
        self._log.rollback()
