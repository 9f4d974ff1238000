"""The memory without async, for scripts and notebooks: every method of `Memory`, waited for.

with open_memory_sync() as memory:
    memory.create_node("Note", "# Hello")

Made from the facades by `make reference`: changes made here are lost.
"""
# ruff: noqa: A002 - the names of the tool specification

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, Generic, Literal, ParamSpec, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from graph_memory.agent.archetypes import Archetype
from graph_memory.agent.contextual import Contextual
from graph_memory.agent.environmental import Environmental
from graph_memory.agent.episodic import Episodic
from graph_memory.agent.kinds import (
    Actor,
    CapabilityKind,
    CommunicationStyle,
    ExpertiseLevel,
    Outcome,
    PatternType,
    Scope,
    Status,
)
from graph_memory.agent.layer import Agent
from graph_memory.agent.meta import MetaMemory
from graph_memory.agent.procedural import Procedural
from graph_memory.agent.prospective import Prospective
from graph_memory.agent.relational import Relational
from graph_memory.agent.results import (
    Capabilities,
    Correction,
    Durable,
    Environment,
    EventRecorded,
    Events,
    Fitting,
    Goal,
    GoalChanged,
    Goals,
    Indexed,
    MemoryResults,
    Pattern,
    PatternMatches,
    Patterns,
    Pruned,
    Restored,
    UserProfile,
    WorkingMemory,
)
from graph_memory.agent.user import UserMemory
from graph_memory.agent.working import Working
from graph_memory.app import open_memory
from graph_memory.memory.api.entities import Entities
from graph_memory.memory.api.history import History
from graph_memory.memory.api.links import CrossDomainLinks
from graph_memory.memory.api.memory import Memory, Transaction
from graph_memory.memory.api.recall import Recall
from graph_memory.memory.api.transfer import Transfer
from graph_memory.memory.api.upkeep import Upkeep
from graph_memory.memory.batch.results import BatchResult
from graph_memory.memory.branches.results import How, Merged
from graph_memory.memory.drift.results import Reconciliation, Which
from graph_memory.memory.entities.alike import SAME
from graph_memory.memory.entities.cleaning.results import (
    AllSettled,
    Duplicates,
    EntitiesMerged,
    EntityList,
    GraphHealth,
    Orphans,
    Settled,
    SimilarFound,
)
from graph_memory.memory.entities.decide import Answer
from graph_memory.memory.entities.past import PastMemory
from graph_memory.memory.entities.remembered import Remembered
from graph_memory.memory.entities.results import (
    Done,
    EntitiesCreated,
    EntityUpdated,
    Forgotten,
    KnowledgeGraph,
    ObservationsAdded,
    ObservationUpdated,
    Profile,
    Profiles,
    Relation,
    RelationsCreated,
)
from graph_memory.memory.entities.sessions import blocks, sessions
from graph_memory.memory.entities.sessions.results import BlockEdited, Blocks, SessionEnded, SessionStarted
from graph_memory.memory.graph import weighing
from graph_memory.memory.history.diff_results import Diff
from graph_memory.memory.history.results import (
    Choice,
    LogEntry,
    LogPage,
    Named,
    Operation,
    Reverted,
    Reviewed,
    Sessions,
    Source,
    Verdict,
)
from graph_memory.memory.links.results import LinkCreated, LinkDeleted, Links
from graph_memory.memory.meaning.results import Contradictions, Inferred
from graph_memory.memory.recall.coverage import Coverage
from graph_memory.memory.recall.results import SearchMode, SearchResult, Style, Syntax, Synthesis
from graph_memory.memory.recall.tiers.results import Depth, Form, QueryResult, RecallResult
from graph_memory.memory.recall.traversal.results import Deduplication, Neighbors, PathMode, Paths, ReturnMode, Walked
from graph_memory.memory.recall.traversal.walk import Expansion, Strategy
from graph_memory.memory.retention.results import Compacted, Erased, Scanned
from graph_memory.memory.transfer.formats.neo4j_reading import Neo4jSource
from graph_memory.memory.transfer.formats.records import SourceOptions
from graph_memory.memory.transfer.results import (
    Exported,
    FolderExported,
    FolderImported,
    GraphExported,
    GraphFormat,
    Imported,
    Loaded,
    MemoryFormat,
    MemoryImported,
    OnConflict,
)
from graph_memory.memory.transfer.sources import Sources
from graph_memory.model import results
from graph_memory.model.content import Encoding
from graph_memory.model.domain_results import DomainChanged, DomainDeleted, DomainInfo, Domains
from graph_memory.model.events import Origin
from graph_memory.model.links import LinkType
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology
from graph_memory.model.results import (
    BlobsCollected,
    Branched,
    ConnectedNodes,
    ConnectionIds,
    ConnectionInfo,
    ConnectionSummary,
    Direction,
    NodeContent,
    NodeDeleted,
    NodeIds,
    NodeInfo,
    NodeSummary,
    Validity,
    Verification,
    WeighedConnections,
)
from graph_memory.progress import Progress, silent
from graph_memory.settings import Settings

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F")


class _Sync(Generic[F]):
    """A facade, and the thread whose event loop does what is waited for."""

    def __init__(self, facade: F, portal: BlockingPortal) -> None:
        self._facade = facade
        self._portal = portal

    def _wait(self, method: Callable[P, Awaitable[R]], *args: P.args, **kwargs: P.kwargs) -> R:
        """Return what an async method gives."""
        future: Future[R] | None = None
        try:
            future = self._portal.start_task_soon(partial(method, *args, **kwargs))
            return future.result()
        except BaseException:  # Ctrl-C while waiting is one
            if future is not None:
                future.cancel()  # whoever waits was interrupted: so is the work
            raise

    def _each(self, every: AsyncGenerator[R]) -> Generator[R]:
        """Give results to a plain loop, which waits for each; `break` ends it."""
        try:
            with suppress(StopAsyncIteration):
                while True:
                    yield self._wait(every.__anext__)
        finally:
            self._wait(every.aclose)


@contextmanager
def open_memory_sync(
    settings: Settings | None = None, *, progress: Progress = silent, origin: Origin | None = None
) -> Generator[SyncMemory]:
    """Give what `open_memory` gives, without async. Raises STORE_UNAVAILABLE and STORE_INCOMPATIBLE."""
    opening = open_memory(settings, progress=progress, origin=origin)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opening) as memory:
        yield SyncMemory(memory, portal)


class SyncMemory(_Sync[Memory]):
    """A memory whose methods wait for their results. Open one with `graph_memory.open_memory_sync`.

    The methods, their arguments, results and errors are those of `Memory`. They may be called from several threads, and
    where an event loop runs already, as in a notebook.
    """

    def run(self, use: Callable[[Memory], Awaitable[R]]) -> R:
        """Return what an async function makes of the memory, such as `lambda memory: Gtd(memory).stuck_projects()`."""
        return self._wait(use, self._facade)

    @contextmanager
    def transaction(self, *, domain: str | None = None) -> Generator[SyncTransaction]:
        """Give a memory whose changes are made together when the block ends, or not at all.

        Use it in a `with` block, which is an `async with` block of an async memory. What it gives has every method that
        changes nodes and connections, and its reads see what it changed. An exception undoes everything, and so does
        its `rollback()`. The log has the changes as one batch, of at most 10,000. Others can read meanwhile; a write to
        the domain waits, or gets DOMAIN_BUSY, and that includes this memory itself. So keep it short: after
        GRAPH_MEMORY_WRITE_TIMEOUT (60 seconds) it is undone with TIMEOUT. Add connection types before it. Raises
        TRANSACTION_LOST when the connection was lost and nothing was changed, and STORE_UNAVAILABLE when it cannot be
        told whether anything was.
        """
        with self._portal.wrap_async_context_manager(self._facade.transaction(domain=domain)) as transaction:
            yield SyncTransaction(transaction, self._portal)

    def in_domain(self, domain: str) -> SyncMemory:
        """Return the same memory with another default domain. Raises INVALID_ARGUMENT."""
        return SyncMemory(self._facade.in_domain(domain), self._portal)

    def acting_as(self, actor: str | None, session: str | None = None) -> SyncMemory:
        """Return the same memory for someone else: the log names them, and their session, for changes.

        An actor or session in the settings takes precedence.
        """
        return SyncMemory(self._facade.acting_as(actor, session), self._portal)

    def in_session(self, session: str) -> SyncMemory:
        """Return the same memory with its changes in this session of the log, whatever the settings name."""
        return SyncMemory(self._facade.in_session(session), self._portal)

    @property
    def history(self) -> SyncHistory:
        """What was changed, when and by whom."""
        return SyncHistory(self._facade.history, self._portal)

    @property
    def recall(self) -> SyncRecall:
        """Finding what the memory knows, by words and by meaning."""
        return SyncRecall(self._facade.recall, self._portal)

    @property
    def transfer(self) -> SyncTransfer:
        """Export and import of domains."""
        return SyncTransfer(self._facade.transfer, self._portal)

    @property
    def entities(self) -> SyncEntities:
        """What is known of things, by their names: entities, observations and relations."""
        return SyncEntities(self._facade.entities, self._portal)

    @property
    def links(self) -> SyncCrossDomainLinks:
        """Links from nodes of one domain to nodes of another."""
        return SyncCrossDomainLinks(self._facade.links, self._portal)

    @property
    def agent(self) -> SyncAgent:
        """The memory types of an agent, such as events, patterns, goals and users."""
        return SyncAgent(self._facade.agent, self._portal)

    @property
    def upkeep(self) -> SyncUpkeep:
        """Keeping the graph, the log and the blobs in agreement."""
        return SyncUpkeep(self._facade.upkeep, self._portal)

    def execute_batch(
        self,
        operations: Sequence[Mapping[str, object]],
        *,
        options: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
        domain: str | None = None,
    ) -> BatchResult:
        """Make up to 10,000 changes in one transaction: all of them, or none. The log has them as one batch.

        An operation names a method, such as `{"op": "create_node", "type": "Task", "content": "…", "ref": "task"}`, or
        is `{"type": "create", "node_data": {…}, "edges": […]}`, `update` or `delete`. Later operations can use
        `"$task"` as the id of what has that `ref`. Entities, observations and relations are created and deleted by
        names, such as `{"op": "add_observations", "observations": [{"entityName": "Ann", "contents": ["sings"]}]}`; an
        entity can have a `ref`. The rules of the ontology are asked of the graph that all of them come to.

        `options`: `atomic` (default true; false leaves out what is at fault and makes the rest), `rollback_on_error`
        (true means atomic), `validate_before_commit` (default true: all faults are found, not only the first) and
        `dry_run`. A call with the same `idempotency_key` and operations returns the first one's changes. Raises
        BATCH_REFUSED, with index, code, message and hint of each fault in `details["faults"]`, and
        IDEMPOTENCY_CONFLICT.
        """
        return self._wait(
            self._facade.execute_batch, operations, options=options, idempotency_key=idempotency_key, domain=domain
        )

    def infer_connections(
        self,
        *,
        connection_type: str | None = None,
        max_depth: int | None = None,
        limit: int | None = None,
        dry_run: bool = True,
        domain: str | None = None,
    ) -> Inferred:
        """Write the connections that follow from those of transitive types and are missing, as one batch.

        Each has `creation_method` `inferred`, and as evidence the connections from which it follows. Of all transitive
        types, or of one; from at most `max_depth` connections in a row (100), at most `limit` of them (1,000, up to
        10,000). By default only says what it would write. Also names inferred connections whose premises are lost.
        """
        return self._wait(
            self._facade.infer_connections,
            connection_type=connection_type,
            max_depth=max_depth,
            limit=limit,
            dry_run=dry_run,
            domain=domain,
        )

    def create_domain(
        self,
        name: str,
        *,
        description: str | None = None,
        parent: str | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> DomainChanged:
        """Create a domain without types of its own, under another if `parent` is given.

        Under another it sees the types of all domains above it, and may add types, but define none otherwise. Its log
        takes an inherited type with the first thing that is of it. `create_ontology` may give it types of its own.
        `description` is text of up to 10,000 characters, `metadata` a JSON object of up to 64 kB. Raises
        DOMAIN_ALREADY_EXISTS, and ONTOLOGY_NOT_FOUND for a parent that does not exist.
        """
        return self._wait(self._facade.create_domain, name, description=description, parent=parent, metadata=metadata)

    def update_domain(
        self,
        name: str,
        *,
        description: str | None = None,
        parent: str | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> DomainChanged:
        """Change the description, the metadata or the parent of a domain; an empty one is removed.

        Raises INVALID_ARGUMENT for a parent that is under the domain, ONTOLOGY_NOT_FOUND, and TYPE_ALREADY_EXISTS where
        a domain above would define a type otherwise.
        """
        return self._wait(self._facade.update_domain, name, description=description, parent=parent, metadata=metadata)

    def delete_domain(self, name: str) -> DomainDeleted:
        """Delete a domain with its ontology, nodes, connections, contents and whole log. It cannot be undone.

        The same call resumes a deletion that was interrupted. A branch that was never completed is deleted like any
        other domain. Raises ONTOLOGY_NOT_FOUND, DOMAIN_HAS_BRANCHES, DOMAIN_HAS_CHILDREN and FILE_CREATION_FAILED.
        """
        return self._wait(self._facade.delete_domain, name)

    def create_node(
        self,
        type: str,
        content: str | bytes | Path,
        *,
        encoding: Encoding = "utf-8",
        format: str = "markdown",
        properties: Mapping[str, object] | None = None,
        tags: Sequence[str] | None = None,
        path: str | None = None,
        namespace: str | None = None,
        title: str | None = None,
        content_summary: str | None = None,
        metadata: Mapping[str, object] | None = None,
        id: str | None = None,
        domain: str | None = None,
    ) -> results.NodeCreated:
        """Create a node of a type in the ontology.

        `content` is text, or with encoding `base64` binary content, as base64 text, bytes or the path of a file.
        `format` is a word of your choice, such as `markdown` or `pdf`. `path` is where it belongs (default `/`) and
        `namespace` a part of the domain (default `default`). Without a `title` it is made of the properties or the
        content. `metadata` is a JSON object of up to 64 kB. `id` is for imports: an id of your choice that was never
        used before. Raises INVALID_NODE_TYPE, REQUIRED_PROPERTY_MISSING, INVALID_PROPERTY,
        UNIQUE_PROPERTY_TAKEN, INVALID_ENCODING, NODE_ALREADY_EXISTS, FILE_CREATION_FAILED and TYPE_LIMIT_REACHED.
        """
        return self._wait(
            self._facade.create_node,
            type,
            content,
            encoding=encoding,
            format=format,
            properties=properties,
            tags=tags,
            path=path,
            namespace=namespace,
            title=title,
            content_summary=content_summary,
            metadata=metadata,
            id=id,
            domain=domain,
        )

    def update_node(
        self,
        node_id: str,
        *,
        properties: Mapping[str, object] | None = None,
        content: str | bytes | Path | None = None,
        encoding: Encoding | None = None,
        format: str | None = None,
        tags: Sequence[str] | None = None,
        path: str | None = None,
        namespace: str | None = None,
        title: str | None = None,
        content_summary: str | None = None,
        metadata: Mapping[str, object] | None = None,
        expected_version: int | None = None,
        domain: str | None = None,
    ) -> results.Changed:
        """Change a node: properties are merged into the existing ones, everything else replaces what was there.

        The `encoding` of new content is `utf-8` by default. Its `format` stays, unless text replaces bytes. An empty
        text, or an empty object as `metadata`, sets a field back to its default. An update that changes nothing is not
        recorded. Raises NODE_NOT_FOUND,
        VERSION_CONFLICT, INVALID_ENCODING, INVALID_PROPERTY, REQUIRED_PROPERTY_MISSING, UNIQUE_PROPERTY_TAKEN and
        FILE_CREATION_FAILED.
        """
        return self._wait(
            self._facade.update_node,
            node_id,
            properties=properties,
            content=content,
            encoding=encoding,
            format=format,
            tags=tags,
            path=path,
            namespace=namespace,
            title=title,
            content_summary=content_summary,
            metadata=metadata,
            expected_version=expected_version,
            domain=domain,
        )

    def set_node_content(
        self, id: str, content: str | bytes, format: str | None = None, *, domain: str | None = None
    ) -> results.Changed:
        """Replace a node's content: by text, or by bytes as binary content. Raises what `update_node` does."""
        return self._wait(self._facade.set_node_content, id, content, format, domain=domain)

    def delete_node(
        self, node_id: str, *, expected_version: int | None = None, domain: str | None = None
    ) -> results.NodeDeleted:
        """Delete a node and all its connections; the nodes at their other ends stay.

        More than 5,000 connections are deleted in pages, the node last, and logged as one batch. Others can read
        meanwhile, and writers get DOMAIN_BUSY. The same call resumes a deletion that was interrupted.
        Raises NODE_NOT_FOUND and VERSION_CONFLICT.
        """
        return self._wait(self._facade.delete_node, node_id, expected_version=expected_version, domain=domain)

    def create_connection(
        self,
        type: str,
        from_node_id: str,
        to_node_id: str,
        *,
        properties: Mapping[str, object] | None = None,
        content: str | None = None,
        strength: Mapping[str, float] | float | None = None,
        id: str | None = None,
        domain: str | None = None,
    ) -> results.ConnectionCreated:
        """Connect two nodes. The ontology says which types can join them; `content` is a note on the connection.

        `strength` has `semantic`, `structural`, `temporal` and `confidence`, each from 0 to 1; one number sets the
        first two to it, `temporal` to 1.0 and `confidence` to 0.9. Raises INVALID_CONNECTION_TYPE, NODE_NOT_FOUND,
        INVALID_TOPOLOGY, REQUIRED_PROPERTY_MISSING, INVALID_PROPERTY, UNIQUE_PROPERTY_TAKEN, CONNECTION_ALREADY_EXISTS,
        FILE_CREATION_FAILED and TYPE_LIMIT_REACHED.
        """
        return self._wait(
            self._facade.create_connection,
            type,
            from_node_id,
            to_node_id,
            properties=properties,
            content=content,
            strength=strength,
            id=id,
            domain=domain,
        )

    def update_connection(
        self,
        connection_id: str,
        *,
        properties: Mapping[str, object] | None = None,
        content: str | None = None,
        strength: Mapping[str, float] | float | None = None,
        expected_version: int | None = None,
        domain: str | None = None,
    ) -> results.Changed:
        """Change a connection: properties and strength are merged into the existing ones, content is replaced.

        Raises CONNECTION_NOT_FOUND, VERSION_CONFLICT, INVALID_PROPERTY, REQUIRED_PROPERTY_MISSING,
        UNIQUE_PROPERTY_TAKEN and FILE_CREATION_FAILED.
        """
        return self._wait(
            self._facade.update_connection,
            connection_id,
            properties=properties,
            content=content,
            strength=strength,
            expected_version=expected_version,
            domain=domain,
        )

    def set_relation_importance(
        self, connection_id: str, importance: float, *, expected_version: int | None = None, domain: str | None = None
    ) -> results.Changed:
        """Set how important a connection is, 0 to 1: half of its weight then. Raises what `update_connection` does."""
        return self._wait(
            self._facade.set_relation_importance,
            connection_id,
            importance,
            expected_version=expected_version,
            domain=domain,
        )

    def delete_connection(
        self, connection_id: str, *, expected_version: int | None = None, domain: str | None = None
    ) -> results.Changed:
        """Delete a connection; its nodes stay. Raises CONNECTION_NOT_FOUND and VERSION_CONFLICT."""
        return self._wait(
            self._facade.delete_connection, connection_id, expected_version=expected_version, domain=domain
        )

    def set_validity(
        self,
        id: str,
        *,
        valid_from: datetime | str | None = None,
        valid_to: datetime | str | None = None,
        expected_version: int | None = None,
        domain: str | None = None,
    ) -> results.Changed:
        """Set from when and until when a node or connection holds in the world, whenever that became known.

        Times are datetimes, or texts such as `2026-03-01`, `yesterday` or `2 hours ago`, in UTC unless they say
        otherwise. What you leave out stays; `open` removes a bound. It holds from `valid_from` on, and no longer at
        `valid_to`. Raises NODE_NOT_FOUND and VERSION_CONFLICT.
        """
        return self._wait(
            self._facade.set_validity,
            id,
            valid_from=valid_from,
            valid_to=valid_to,
            expected_version=expected_version,
            domain=domain,
        )

    def invalidate(
        self, id: str, *, at: datetime | str = "now", expected_version: int | None = None, domain: str | None = None
    ) -> results.Changed:
        """Set when a node or connection stops holding; it is kept. Raises NODE_NOT_FOUND and VERSION_CONFLICT."""
        return self._wait(self._facade.invalidate, id, at=at, expected_version=expected_version, domain=domain)

    def protect(
        self,
        *,
        node_id: str | None = None,
        connection_id: str | None = None,
        is_read_only: bool = True,
        reason: str | None = None,
        expires_at: datetime | str | None = None,
        can_be_unprotected_by: Sequence[str] | None = None,
        domain: str | None = None,
    ) -> results.ProtectionChanged:
        """Make a node, a connection or, when only `domain` is given, that whole domain read-only.

        Any write that would change or delete it raises PROTECTED then; reads go on, and connections to a node may be
        added. The actors in `can_be_unprotected_by` may lift it, and write meanwhile; without any, only
        `graph-memory unprotect` lifts it. It ends by itself at `expires_at`. Names of actors are claims: it guards
        against mistakes, not attackers. With `is_read_only` false it does what `unprotect` does. Raises NODE_NOT_FOUND,
        CONNECTION_NOT_FOUND, and PROTECTED for who may not change the protection that there is.
        """
        return self._wait(
            self._facade.protect,
            node_id=node_id,
            connection_id=connection_id,
            is_read_only=is_read_only,
            reason=reason,
            expires_at=expires_at,
            can_be_unprotected_by=can_be_unprotected_by,
            domain=domain,
        )

    def unprotect(
        self, *, node_id: str | None = None, connection_id: str | None = None, domain: str | None = None
    ) -> results.ProtectionChanged:
        """Lift the protection of a node, a connection or, when only `domain` is given, that domain.

        What is not protected stays as it is. Raises NODE_NOT_FOUND, CONNECTION_NOT_FOUND and PROTECTED.
        """
        return self._wait(self._facade.unprotect, node_id=node_id, connection_id=connection_id, domain=domain)

    def create_ontology(self, ontology: Ontology, *, domain: str | None = None) -> results.OntologyChanged:
        """Create a domain with an ontology. Raises ONTOLOGY_ALREADY_EXISTS."""
        return self._wait(self._facade.create_ontology, ontology, domain=domain)

    def add_node_type(self, node_type: NodeType, *, domain: str | None = None) -> results.OntologyChanged:
        """Add a node type to the ontology; `apply_ontology` changes one. Raises TYPE_ALREADY_EXISTS."""
        return self._wait(self._facade.add_node_type, node_type, domain=domain)

    def add_connection_type(
        self, connection_type: ConnectionType, *, domain: str | None = None
    ) -> results.OntologyChanged:
        """Add a connection type to the ontology. Raises TYPE_ALREADY_EXISTS and INVALID_NODE_TYPE."""
        return self._wait(self._facade.add_connection_type, connection_type, domain=domain)

    def apply_ontology(self, ontology: Ontology, *, domain: str | None = None) -> results.OntologyApplied:
        """Make the types of a domain what an ontology declares: create it with them, or add and change types.

        Types that it does not name stay as they are. It can be repeated. Raises TYPE_ALREADY_EXISTS where something
        stored does not fit what its type would become, with what would have to be true and the first examples in
        `changes`, INVALID_ONTOLOGY for an open ontology where the domain's is not, and DOMAIN_BUSY; nothing is
        changed then.
        """
        return self._wait(self._facade.apply_ontology, ontology, domain=domain)

    def get_node(self, node_id: str, *, domain: str | None = None) -> results.NodeInfo:
        """Return a node without its content. Raises NODE_NOT_FOUND."""
        return self._wait(self._facade.get_node, node_id, domain=domain)

    def get_node_content(self, node_id: str, *, domain: str | None = None) -> results.NodeContent:
        """Return a node's content as it was given. Raises NODE_NOT_FOUND and CONTENT_READ_FAILED."""
        return self._wait(self._facade.get_node_content, node_id, domain=domain)

    def get_connection(
        self, connection_id: str, *, include_content: bool = False, domain: str | None = None
    ) -> results.ConnectionInfo:
        """Return a connection, with its content on request. Raises CONNECTION_NOT_FOUND and CONTENT_READ_FAILED."""
        return self._wait(self._facade.get_connection, connection_id, include_content=include_content, domain=domain)

    def query_nodes(
        self,
        *,
        type: str | None = None,
        properties: Mapping[str, object] | None = None,
        namespace: str | None = None,
        path_prefix: str | None = None,
        created_after: datetime | str | None = None,
        created_before: datetime | str | None = None,
        modified_after: datetime | str | None = None,
        modified_before: datetime | str | None = None,
        valid_at: datetime | str | None = None,
        order_by: str | None = None,
        descending: bool = False,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
        domains: Sequence[str] | None = None,
        include_children: bool = False,
    ) -> results.NodeIds:
        """Return the ids of the nodes of a type, or of all, that have every given property with exactly that value.

        `true` is not `1`, but `1` equals `1.0`. With `valid_at`, only those that hold at that time in the world; with
        `detail`, also the type and title of each. Without `limit` it returns all; with it, `next_cursor` leads to the
        next page. `namespace` and `path_prefix` ask for the fields of a node: `/house` also finds `/household`. The
        times are those of creation and of the last change; `…_after` includes its time. `domains` asks several domains,
        one after the other, `include_children` also all under them; `nodes` says then where each is. `order_by` orders
        by a property, `descending` the last first: `type` needs an index of `properties` and then that one, such as
        `indexes: [[session, timestamp]]`, or it raises INVALID_ARGUMENT. Raises INVALID_PROPERTY.
        """
        return self._wait(
            self._facade.query_nodes,
            type=type,
            properties=properties,
            namespace=namespace,
            path_prefix=path_prefix,
            created_after=created_after,
            created_before=created_before,
            modified_after=modified_after,
            modified_before=modified_before,
            valid_at=valid_at,
            order_by=order_by,
            descending=descending,
            detail=detail,
            limit=limit,
            cursor=cursor,
            domain=domain,
            domains=domains,
            include_children=include_children,
        )

    def query_connections(
        self,
        *,
        from_node_id: str | None = None,
        to_node_id: str | None = None,
        type: str | None = None,
        properties: Mapping[str, object] | None = None,
        valid_at: datetime | str | None = None,
        min_strength: float | None = None,
        order_by: str | None = None,
        descending: bool = False,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> results.ConnectionIds:
        """Return the ids of the connections that match everything given, as `query_nodes` does for nodes.

        With `detail`, also the type of each, and the ids and titles of its ends. With `min_strength`, 0 to 1, only
        those of at least that weight; it does not go with `order_by`.
        """
        return self._wait(
            self._facade.query_connections,
            from_node_id=from_node_id,
            to_node_id=to_node_id,
            type=type,
            properties=properties,
            valid_at=valid_at,
            min_strength=min_strength,
            order_by=order_by,
            descending=descending,
            detail=detail,
            limit=limit,
            cursor=cursor,
            domain=domain,
        )

    def get_connected_nodes(
        self,
        node_id: str,
        *,
        direction: results.Direction,
        connection_type: str | None = None,
        valid_at: datetime | str | None = None,
        min_strength: float | None = None,
        transitive: bool = False,
        max_depth: int | None = None,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> results.ConnectedNodes:
        """Return the nodes at the other ends of a node's connections, each once.

        `out` follows connections that leave the node, `in` those that arrive, `both` all. A node connected to itself is
        its own neighbour. With `valid_at`, only connections that hold at that time in the world count, with
        `min_strength`, 0 to 1, only those of at least that weight; with `detail`, also the type and title of each node,
        and the connections that lead to it. `transitive` follows a transitive type over any number of connections, up
        to `max_depth` (100 at most) and 10,000 nodes, and takes no `min_strength`; the node itself is left out then.
        Raises NODE_NOT_FOUND.
        """
        return self._wait(
            self._facade.get_connected_nodes,
            node_id,
            direction=direction,
            connection_type=connection_type,
            valid_at=valid_at,
            min_strength=min_strength,
            transitive=transitive,
            max_depth=max_depth,
            detail=detail,
            limit=limit,
            cursor=cursor,
            domain=domain,
        )

    def get_strongest_connections(
        self,
        node_id: str,
        *,
        direction: results.Direction = "both",
        connection_type: str | None = None,
        limit: int = 10,
        domain: str | None = None,
    ) -> results.WeighedConnections:
        """Return the connections of a node that weigh most, with their weights, the strongest first.

        The weight, 0 to 1, is made of strength, importance and age by one formula (`model/weight.py`). `limit` is at
        most 1,000. Raises NODE_NOT_FOUND.
        """
        return self._wait(
            self._facade.get_strongest_connections,
            node_id,
            direction=direction,
            connection_type=connection_type,
            limit=limit,
            domain=domain,
        )

    def get_weak_relations(
        self,
        *,
        below: float = weighing.WEAK,
        connection_type: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> results.WeighedConnections:
        """Return connections that weigh less than `below`, with their weights: candidates for review or removal.

        Pages go through the domain in the order of the ids, and each is the weakest first.
        """
        return self._wait(
            self._facade.get_weak_relations,
            below=below,
            connection_type=connection_type,
            limit=limit,
            cursor=cursor,
            domain=domain,
        )

    def find_contradictions(
        self,
        *,
        valid_at: datetime | str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> Contradictions:
        """Return the pairs of nodes that `contradicts` connections join, with titles and ages; those that hold now."""
        return self._wait(
            self._facade.find_contradictions, valid_at=valid_at, limit=limit, cursor=cursor, domain=domain
        )

    def search_content(
        self,
        query: str,
        *,
        node_type: str | None = None,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> results.NodeIds:
        """Return the nodes whose text content holds `query`, compared by Unicode case folding and otherwise exactly.

        `SS` finds `ß`; white space, line ends and composed characters must match. What was just written is found.
        Binary content is not searched. With `detail`, also the type and title of each.
        """
        return self._wait(
            self._facade.search_content,
            query,
            node_type=node_type,
            detail=detail,
            limit=limit,
            cursor=cursor,
            domain=domain,
        )

    def describe_nodes(self, node_ids: Sequence[str], *, domain: str | None = None) -> tuple[results.NodeSummary, ...]:
        """Return type, title and properties of nodes, in the order given; an id without a node is left out."""
        return self._wait(self._facade.describe_nodes, node_ids, domain=domain)

    def describe_connections(
        self, connection_ids: Sequence[str], *, domain: str | None = None
    ) -> tuple[results.ConnectionSummary, ...]:
        """Return type, ends and properties of connections, as `describe_nodes` does for nodes."""
        return self._wait(self._facade.describe_connections, connection_ids, domain=domain)

    def get_neighbours(
        self,
        node_ids: Sequence[str],
        *,
        direction: results.Direction,
        connection_type: str | None = None,
        domain: str | None = None,
    ) -> dict[str, tuple[str, ...]]:
        """Return for each of many nodes what `get_connected_nodes` gives; an id without a node is left out."""
        return self._wait(
            self._facade.get_neighbours, node_ids, direction=direction, connection_type=connection_type, domain=domain
        )

    def validate_connection(
        self, connection_type: str, from_node_type: str, to_node_type: str, *, domain: str | None = None
    ) -> results.Validity:
        """Return whether the ontology allows a connection between nodes of these types; it allows no unknown types."""
        return self._wait(
            self._facade.validate_connection, connection_type, from_node_type, to_node_type, domain=domain
        )

    def get_ontology(self, *, domain: str | None = None) -> Ontology:
        """Return the ontology with everything that is declared, in the order of declaration."""
        return self._wait(self._facade.get_ontology, domain=domain)

    def list_domains(self, *, limit: int | None = None, cursor: str | None = None) -> Domains:
        """Return the domains by name, with the sizes of their logs and ontologies, by default all."""
        return self._wait(self._facade.list_domains, limit=limit, cursor=cursor)

    def domain_info(self, *, domain: str | None = None) -> DomainInfo:
        """Return a domain with its nodes and connections counted. Raises ONTOLOGY_NOT_FOUND."""
        return self._wait(self._facade.domain_info, domain=domain)


class SyncEntities(_Sync[Entities]):
    """Entities without async: the methods of `Entities`. It is `SyncMemory.entities`."""

    def create_entities(
        self, entities: Sequence[Mapping[str, object]], *, domain: str | None = None
    ) -> EntitiesCreated:
        """Create entities, and return those that are new; one whose name exists is left as it is.

        Each has a `name`, an `entityType` or `type` (default `entity`), and `observations`: texts, or objects with
        `text` and optionally `time`, `source`, `confidence` (0 to 1), `valid_from` and `valid_to`. It may have a
        `description` and `properties`. A name that is given twice is created once, with what is given first.
        """
        return self._wait(self._facade.create_entities, entities, domain=domain)

    def create_relations(
        self, relations: Sequence[Mapping[str, object]], *, lenient: bool | None = None, domain: str | None = None
    ) -> RelationsCreated:
        """Create relations, and return those that are new.

        Each has the names `from` and `to`, a `relationType` or `type`, and optionally `properties`. A name of which
        there is no entity raises NODE_NOT_FOUND, with the nearest name. If it is `lenient`, the relation is kept all
        the same, and the name becomes an entity when one is created. By default those with `relationType` are lenient.
        """
        return self._wait(self._facade.create_relations, relations, lenient=lenient, domain=domain)

    def add_observations(
        self, observations: Sequence[Mapping[str, object]], *, domain: str | None = None
    ) -> ObservationsAdded:
        """Add observations to entities, and return those that are new. All of them are added, or none.

        Each has an `entityName`, and `contents` or `observations` as `create_entities` takes them. Raises
        NODE_NOT_FOUND for a name of which there is no entity.
        """
        return self._wait(self._facade.add_observations, observations, domain=domain)

    def update_entity(
        self,
        name: str,
        *,
        new_name: str | None = None,
        type: str | None = None,
        aliases: Sequence[str] | None = None,
        properties: Mapping[str, object] | None = None,
        description: str | None = None,
        domain: str | None = None,
    ) -> EntityUpdated:
        """Change an entity, and return it as it is now. Its id, observations and relations stay.

        `aliases` are all its other names, by which `remember` and recall find it. `properties` are merged with those
        that it has; a description takes the place of the one before. What it has must fit its `type`. Relations that
        lead to a `new_name` of which there is no entity yet are its own then. Raises NODE_NOT_FOUND with the nearest
        name, UNIQUE_PROPERTY_TAKEN for the name of another entity, INVALID_PROPERTY, REQUIRED_PROPERTY_MISSING,
        INVALID_NODE_TYPE for a type that a closed ontology does not have, INVALID_TOPOLOGY for one that a relation of
        it does not allow, what the types of these relations ask beside, TYPE_LIMIT_REACHED, and INVALID_ARGUMENT, also
        where more than 2,500 relations lead to the new name.
        """
        return self._wait(
            self._facade.update_entity,
            name,
            new_name=new_name,
            type=type,
            aliases=aliases,
            properties=properties,
            description=description,
            domain=domain,
        )

    def update_observation(
        self,
        entity_name: str,
        observation: str,
        *,
        text: str | None = None,
        confidence: float | None = None,
        domain: str | None = None,
    ) -> ObservationUpdated:
        """Correct an observation of an entity, given by its id or its text, and return it as it is now.

        Its id, time and source stay. `confidence` is from 0 to 1. Raises NODE_NOT_FOUND with the nearest name, and
        INVALID_ARGUMENT, also for what is no observation of the entity, with the nearest text, and for a text that
        another of its observations has.
        """
        return self._wait(
            self._facade.update_observation, entity_name, observation, text=text, confidence=confidence, domain=domain
        )

    def delete_entities(self, names: Sequence[str], *, domain: str | None = None) -> Done:
        """Delete entities with their observations and relations. A name that does not exist is no fault.

        `deleted` of the answer says how many were there, here and for observations and relations.
        """
        return self._wait(self._facade.delete_entities, names, domain=domain)

    def delete_observations(self, deletions: Sequence[Mapping[str, object]], *, domain: str | None = None) -> Done:
        """Delete observations: each has an `entityName` and the `observations` that go. None there is no fault."""
        return self._wait(self._facade.delete_observations, deletions, domain=domain)

    def delete_relations(self, relations: Sequence[Mapping[str, object]], *, domain: str | None = None) -> Done:
        """Delete relations, given as `create_relations` takes them. None there is no fault."""
        return self._wait(self._facade.delete_relations, relations, domain=domain)

    def read_graph(
        self,
        *,
        max_tokens: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> KnowledgeGraph:
        """Return all entities and relations, in the order in which they were created; or a part of them.

        A part has at most `limit` entities, and as many as fit in `max_tokens` with their relations, at least one.
        Each relation comes once, with the entity that it leads from; `next_cursor` leads to the next part, also after
        writes. Raises INVALID_ARGUMENT.
        """
        return self._wait(self._facade.read_graph, max_tokens=max_tokens, limit=limit, cursor=cursor, domain=domain)

    @property
    def read_graph_tokens(self) -> int:
        """Tokens of an answer of `read_graph` over MCP that says no `max_tokens`."""
        return self._facade.read_graph_tokens

    def search_nodes(self, query: str, *, domain: str | None = None) -> KnowledgeGraph:
        """Return the entities whose name, type or observations contain a text, and the relations of each.

        Capital and small letters are the same. An empty text finds all. Where no entity has a text of several words,
        those are returned that have each word somewhere, best first: words that say nothing are left out, and endings
        do not count. GRAPH_MEMORY_SEARCH_NODES=plain switches that off. Raises INVALID_ARGUMENT.
        """
        return self._wait(self._facade.search_nodes, query, domain=domain)

    def open_nodes(self, names: Sequence[str], *, detail: bool = False, domain: str | None = None) -> KnowledgeGraph:
        """Return the entities of these names, and the relations of each. Names that do not exist are left out.

        With `detail` each has also its id, when and by whom it was created, when it or its observations changed last,
        how often it was found or opened before, as far as that is written (it is every few seconds), its `properties`
        and `aliases`, and of each observation the id, time, source and confidence.
        """
        return self._wait(self._facade.open_nodes, names, detail=detail, domain=domain)

    def upsert(
        self,
        name: str,
        *,
        type: str | None = None,
        description: str | None = None,
        properties: Mapping[str, object] | None = None,
        observations: Sequence[str | Mapping[str, object]] | None = None,
        confidence: float | None = None,
        domain: str | None = None,
    ) -> Profile:
        """Make an entity, or bring the one of this name up to date, and return it.

        Properties that are given replace those of their names, observations that are new are added, and what is not
        given stays. `type` is that of a new entity, `entity` by default: one that is there keeps its own. `confidence`,
        from 0 to 1, is kept as the property of that name. Raises INVALID_ARGUMENT and INVALID_PROPERTY.
        """
        return self._wait(
            self._facade.upsert,
            name,
            type=type,
            description=description,
            properties=properties,
            observations=observations,
            confidence=confidence,
            domain=domain,
        )

    def find_by_name(self, name: str, *, domain: str | None = None) -> Profile | None:
        """Return the entity of a name, None if there is none.

        If no entity has exactly this name, the one is meant that differs in capitals, spaces or punctuation alone.
        Raises INVALID_ARGUMENT where that may be several.
        """
        return self._wait(self._facade.find_by_name, name, domain=domain)

    def get_salient(self, limit: int = 10, *, domain: str | None = None) -> Profiles:
        """Return the entities that matter most, at most `limit`.

        Salience is from 0 to 1: 0.4 for how often an entity is mentioned (half of it at 10 mentions), 0.4 for how
        lately it was seen (half as much after each 30 days), and 0.2 for how much it is used (half at 10 uses, half as
        much after each 30 days without one).
        """
        return self._wait(self._facade.get_salient, limit, domain=domain)

    def remember(
        self,
        text: str | None = None,
        *,
        name: str | None = None,
        type: str | None = None,
        observations: Sequence[str | Mapping[str, object]] | None = None,
        properties: Mapping[str, object] | None = None,
        relations: Sequence[Mapping[str, object]] | None = None,
        aliases: Sequence[str] | None = None,
        replaces: str | Sequence[str] | None = None,
        dry_run: bool = False,
        domain: str | None = None,
    ) -> Remembered:
        """Remember facts about one thing, all of them or none, and return what became of each.

        Give a `text`, a sentence a fact, or `observations`, which are texts or objects as `add_observations` takes
        them; and the `name` of what they are about, else it is the one entity that the text names. A name of which
        there is no entity makes one, of the `type` if there is one; entities with a name that is only alike are
        `candidates`, each a question with the choices `same` and `new`. A fact that changes is best said as one of the
        `properties`: each holds one value, and the log keeps the earlier ones.

        `relations` are objects with a `type`, and the other end as `to` or `from`. A relation to an end of which there
        is no entity is refused, unless the type is given as `relationType`: its receipt says why, and the rest is
        stored. If nothing else is given, it raises NODE_NOT_FOUND. `aliases` are other names, by which it is found.

        `replaces` names known observations, by id or text, that the new one takes the place of, or which are over if
        there is no new one; an object of `observations` may have its own. They end, are kept, and are no longer shown.
        What is known already is not added again. Everything else is added, and at most three known observations that it
        may make out of date are asked about, each with the call of `decide` that ends it. With `dry_run` nothing is
        written. Raises INVALID_ARGUMENT, also where `name` or text may mean several entities, and INVALID_PROPERTY.
        """
        return self._wait(
            self._facade.remember,
            text,
            name=name,
            type=type,
            observations=observations,
            properties=properties,
            relations=relations,
            aliases=aliases,
            replaces=replaces,
            dry_run=dry_run,
            domain=domain,
        )

    def answer(self, question: str | None, decision: Answer, *, domain: str | None = None) -> Settled:
        """Answer a question by its id, with one of its choices. See `decide`."""
        return self._wait(self._facade.answer, question, decision, domain=domain)

    def decide(self, new: str, known: str, decision: Answer, *, domain: str | None = None) -> Settled:
        """Answer a question of `remember`, given the ids of the new observation and of the known one.

        Where a property has changed, the id of the entity is in place of that of a new observation. Of two relations,
        `close` ends the known one, and `same` deletes the new one. Of two entities, `same` merges the new one into the
        known one, and `new` changes nothing.
        `close`: the known one is over from now on, and the new one took its place. `keep`: both hold, and after `close`
        the known one again, without an end. `same`: both say the same, and the new one goes. It can be repeated, but
        for `same`. Raises INVALID_ARGUMENT for what are not two observations of one entity, where the one that would
        stay is over, and where the known one was said again after `close`.
        """
        return self._wait(self._facade.decide, new, known, decision, domain=domain)

    def decide_all(self, decisions: Sequence[Mapping[str, object]], *, domain: str | None = None) -> AllSettled:
        """Answer several questions of `remember` in order, all of them or none.

        Each has the `id` of a question, or `new` and `known`; and `decision`. Raises INVALID_ARGUMENT with its place.
        """
        return self._wait(self._facade.decide_all, decisions, domain=domain)

    def forget(
        self,
        names: Sequence[str] | None = None,
        *,
        ids: Sequence[str] | None = None,
        text: str | Sequence[str] | None = None,
        erase: bool = False,
        dry_run: bool = False,
        domain: str | None = None,
    ) -> Forgotten:
        """End facts, which are shown as past from then on if at all, and return a receipt of each.

        `names` are entities, by name, alias or id, with all that is known of them. `text` is an observation, exactly;
        with `names` only theirs. `ids` are entities, observations or relations. What ended is kept: the past shows it,
        and a revert brings it back. With `erase` it is erased for good, with its whole past, in all branches, one after
        another. With `dry_run` nothing changes. Raises NODE_NOT_FOUND and INVALID_ARGUMENT.
        """
        return self._wait(self._facade.forget, names, ids=ids, text=text, erase=erase, dry_run=dry_run, domain=domain)

    def get_block(self, label: str | None = None, *, domain: str | None = None) -> Blocks:
        """Return the block of a label, or all: short texts that an agent reads at the start of each session.

        `persona`, `human` and `project` are there from the beginning, with empty texts. Raises INVALID_ARGUMENT for a
        label of which there is no block.
        """
        return self._wait(self._facade.get_block, label, domain=domain)

    def edit_block(
        self,
        label: str,
        text: str,
        *,
        mode: blocks.Mode = "append",
        old: str | None = None,
        limit: int | None = None,
        expected_version: int | None = None,
        domain: str | None = None,
    ) -> BlockEdited:
        """Append a text to a block on a line of its own, or replace the block, or only its part `old`, by it.

        A label of your own makes a block. A block has at most `limit` characters, 2,000 unless it is said, and that up
        to 20,000. `expected_version` refuses the edit if the block changed since. The log keeps every version. Raises
        CONTENT_TOO_LARGE over the limit, INVALID_ARGUMENT, VERSION_CONFLICT, and INVALID_NODE_TYPE where the types of
        the domain are closed and lack `MemoryBlock`.
        """
        return self._wait(
            self._facade.edit_block,
            label,
            text,
            mode=mode,
            old=old,
            limit=limit,
            expected_version=expected_version,
            domain=domain,
        )

    def session_start(
        self,
        *,
        session_id: str | None = None,
        project: str | None = None,
        max_tokens: int = sessions.TOKENS,
        domain: str | None = None,
    ) -> SessionStarted:
        """Return what to know at the start of a session, in `max_tokens` at most.

        In this order: corrections by users that fit the project, or without a project the newest; the blocks; the last
        summary, of this session or project if there is one; what is known of the project; how much the memory holds;
        who changed what last; open questions of `remember`; goals; contradictions; facts about what is used most, as
        far as there is room.
        Where nothing is remembered yet, `text` is a guide for the agent; nothing is stored. Raises INVALID_ARGUMENT.
        """
        return self._wait(
            self._facade.session_start, session_id=session_id, project=project, max_tokens=max_tokens, domain=domain
        )

    def session_end(
        self, summary: str, *, session_id: str | None = None, project: str | None = None, domain: str | None = None
    ) -> SessionEnded:
        """Keep a summary of a session, which the next one begins with; one session has one, the last.

        Raises INVALID_ARGUMENT, and INVALID_NODE_TYPE where the types of the domain are closed and lack
        `SessionSummary`.
        """
        return self._wait(self._facade.session_end, summary, session_id=session_id, project=project, domain=domain)

    def find_similar(self, name: str, *, limit: int = 10, domain: str | None = None) -> SimilarFound:
        """Return the entities that are like one: by name, alias, what is observed of both, and meaning with vectors.

        Each has a score, 0 to 1, the reasons, and the call of `merge_entities` if both are the same. Raises
        NODE_NOT_FOUND, with the nearest name.
        """
        return self._wait(self._facade.find_similar, name, limit=limit, domain=domain)

    def find_duplicates(self, *, limit: int = 20, min_score: float = SAME, domain: str | None = None) -> Duplicates:
        """Return the pairs of entities that may be the same, with a score of `min_score` or more, the surest first.

        Names with other numbers in them are never alike. Up to 20,000 entities are compared; `left_out` says how many
        are not. Each pair has the call of `merge_entities` that keeps the one of which more is known.
        """
        return self._wait(self._facade.find_duplicates, limit=limit, min_score=min_score, domain=domain)

    def merge_entities(
        self, names: Sequence[str], into: str, *, dry_run: bool = False, domain: str | None = None
    ) -> EntitiesMerged:
        """Make entities one: what is observed of them, and their relations, move to `into`; their names become aliases.

        What `into` has already is not moved again, and it keeps its own where they differ: `conflicts` says what was
        not taken. It is one write, up to 2,500 observations and relations: `since` and `until` are for `revert`. With
        `dry_run` nothing is written. Raises NODE_NOT_FOUND and INVALID_ARGUMENT.
        """
        return self._wait(self._facade.merge_entities, names, into, dry_run=dry_run, domain=domain)

    def find_orphans(self, *, limit: int = 50, domain: str | None = None) -> Orphans:
        """Return the entities without relations, those of which least is known first, each with what to do."""
        return self._wait(self._facade.find_orphans, limit=limit, domain=domain)

    def graph_health(self, *, limit: int = 5, domain: str | None = None) -> GraphHealth:
        """Return what may be put right, up to `limit` findings of each kind, each with the call that does.

        Kinds are `duplicate`, `orphan`, `stale` (neither changed nor looked at for 180 days), `contradiction`, `hub`
        (100 relations or more), `lost_premise` (inferred from what no longer holds), `unused_type` and `open_question`
        (of `remember`).
        """
        return self._wait(self._facade.graph_health, limit=limit, domain=domain)

    def get_recent(self, *, limit: int = 10, domain: str | None = None) -> EntityList:
        """Return the entities that changed last, also by their observations and relations, and who changed them."""
        return self._wait(self._facade.get_recent, limit=limit, domain=domain)

    def get_hot(self, *, limit: int = 10, domain: str | None = None) -> EntityList:
        """Return the entities that were given to somebody most often. Counts are written every few seconds."""
        return self._wait(self._facade.get_hot, limit=limit, domain=domain)

    def get(self, entity_id: str, *, domain: str | None = None) -> Profile | None:
        """Return the entity of an id, name or alias; None if there is none. Raises INVALID_ARGUMENT."""
        return self._wait(self._facade.get, entity_id, domain=domain)

    def get_by_type(self, type: str, *, limit: int = 50, domain: str | None = None) -> EntityList:
        """Return the entities of a type, as it was written. Raises INVALID_NODE_TYPE, with the nearest types."""
        return self._wait(self._facade.get_by_type, type, limit=limit, domain=domain)


class SyncHistory(_Sync[History]):
    """A memory's past without async: the methods of `History`. It is `SyncMemory.history`."""

    def log(
        self,
        *,
        since: int | str | None = None,
        until: int | str | None = None,
        subject: str | None = None,
        session: str | None = None,
        source: Source | None = None,
        actor: str | None = None,
        operations: Sequence[Operation] | None = None,
        types: Sequence[str] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        full: bool = False,
        domain: str | None = None,
    ) -> LogPage:
        """Return changes, newest first, each in words; with `full` also the states before and after.

        The changes at `since` and `until` are included. `subject` is the id of a node, connection or observation;
        `types` are names of node or connection types; the session `current` is the caller's own. A page has 50 changes
        unless `limit` says otherwise; `next_cursor` leads to older ones.
        """
        return self._wait(
            self._facade.log,
            since=since,
            until=until,
            subject=subject,
            session=session,
            source=source,
            actor=actor,
            operations=operations,
            types=types,
            limit=limit,
            cursor=cursor,
            full=full,
            domain=domain,
        )

    def follow(
        self,
        *,
        since: int | str | None = None,
        subject: str | None = None,
        session: str | None = None,
        source: Source | None = None,
        actor: str | None = None,
        operations: Sequence[Operation] | None = None,
        types: Sequence[str] | None = None,
        full: bool = False,
        every: float = 0.5,
        domain: str | None = None,
    ) -> Generator[LogEntry]:
        """Give each change as it is made, by anyone, once and in the order of the log, until you stop asking.

        It begins with the change at `since`, or without it with the next change. To continue later and miss nothing,
        keep the `seq` of the last change and start at the next number. It reads the log every `every` seconds, which
        costs one small read. The filters are those of `log`. It raises when it is first asked; later it raises
        HISTORY_COMPACTED if changes were compacted before they were given, and STORE_CONFLICT if some have been
        missing from the log for a minute.
        """
        yield from self._each(
            self._facade.follow(
                since=since,
                subject=subject,
                session=session,
                source=source,
                actor=actor,
                operations=operations,
                types=types,
                full=full,
                every=every,
                domain=domain,
            )
        )

    def sessions(
        self,
        *,
        since: int | str | None = None,
        until: int | str | None = None,
        limit: int | None = None,
        domain: str | None = None,
    ) -> Sessions:
        """Return the sessions that changed the domain, latest first: who, when, how much and what; at most 50.

        A session has the summary that `session_end` kept of it.
        """
        return self._wait(self._facade.sessions, since=since, until=until, limit=limit, domain=domain)

    def named(self, text: str, *, domain: str | None = None) -> tuple[Named, ...]:
        """Return the nodes and connections that a person may mean by a text.

        They have it as their id, as the beginning of their id, if it has 6 characters, or as their title. If an id is
        the text itself, it is that one alone. Deleted ones are given only where nothing else is. At most 12.
        """
        return self._wait(self._facade.named, text, domain=domain)

    def reviewed(self, *, domain: str | None = None) -> Reviewed:
        """Return which changes of a domain's own log were reviewed, and what was said of each."""
        return self._wait(self._facade.reviewed, domain=domain)

    def mark_reviewed(self, verdicts: Mapping[int, Verdict], *, domain: str | None = None) -> Reviewed:
        """Remember what a person says of changes, by their numbers in the log. It changes neither graph nor log."""
        return self._wait(self._facade.mark_reviewed, verdicts, domain=domain)

    def diff(
        self,
        *,
        since: int | str | None = None,
        until: int | str | None = None,
        against: str | None = None,
        subject: str | None = None,
        types: Sequence[str] | None = None,
        content: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> Diff:
        """Return what differs between the domain as it was at `since` and as it was at `until`, by default now.

        With `against`, it compares this domain, as it was at `since` (by default now), with another one, such as a
        branch, as that was at `until`; added and removed are seen from this domain. A point means the state after its
        change, so the change at `since` itself is not part of the difference. What was changed and changed back is
        not a difference.

        The counts are complete. The entries show each value, with `content` also text diffs; a page has 50 unless
        `limit` says otherwise, at most 200. Long values and diffs are cut, and say so. `next_cursor` leads to the next
        page between the same two points, whatever is written meanwhile.

        Raises CONTENT_READ_FAILED.
        """
        return self._wait(
            self._facade.diff,
            since=since,
            until=until,
            against=against,
            subject=subject,
            types=types,
            content=content,
            limit=limit,
            cursor=cursor,
            domain=domain,
        )

    def as_of(self, at: int | str, *, domain: str | None = None) -> SyncPastMemory:
        """Return the domain as it was after the last change at or before a point. It can be read; nothing is copied."""
        return SyncPastMemory(self._wait(self._facade.as_of, at, domain=domain), self._portal)

    def branch(self, name: str, *, at: int | str | None = None, domain: str | None = None) -> Branched:
        """Create a branch: a new domain that starts with the state of this one at a point, by default now.

        It has the same ids, contents and types, and shares the past before the fork. Changes to one of the two do not
        affect the other. The same call resumes a branch that was interrupted.

        Raises DOMAIN_ALREADY_EXISTS, CONTENT_READ_FAILED and FILE_CREATION_FAILED.
        """
        return self._wait(self._facade.branch, name, at=at, domain=domain)

    def revert(
        self,
        *,
        event_ids: Sequence[int | str] | None = None,
        since: int | str | None = None,
        until: int | str | None = None,
        on_conflict: Choice = "stop",
        dry_run: bool = False,
        domain: str | None = None,
    ) -> Reverted:
        """Undo changes, given by their ids or numbers in the log or as a range of it, in one batch that is logged too.

        Each subject gets the state that it had before the first of these changes. A deleted node comes back with its
        id, its content, and the connections that were deleted with it, if their other ends exist. If a subject was
        changed since, or another reason prevents it: `stop` changes nothing, `skip` leaves that subject as it is,
        `force` undoes the later changes too. A type is removed if nothing that stays needs it; that cannot be forced.
        Reverting a revert brings the changes back.

        More than 5,000 events are written in pages: others can read meanwhile, and writers get DOMAIN_BUSY. The same
        call resumes a revert that was interrupted. The result lists the first 100 changes.

        Raises EVENT_NOT_FOUND, REVERT_CONFLICT and CONTENT_READ_FAILED.
        """
        return self._wait(
            self._facade.revert,
            event_ids=event_ids,
            since=since,
            until=until,
            on_conflict=on_conflict,
            dry_run=dry_run,
            domain=domain,
        )

    def revert_session(
        self, session: str, *, on_conflict: Choice = "stop", dry_run: bool = False, domain: str | None = None
    ) -> Reverted:
        """Undo everything that one session changed, as `revert` does. Raises INVALID_ARGUMENT if it changed nothing."""
        return self._wait(self._facade.revert_session, session, on_conflict=on_conflict, dry_run=dry_run, domain=domain)

    def merge(
        self,
        source: str,
        *,
        into: str | None = None,
        preview: bool = False,
        strategy: How = "manual",
        resolutions: Sequence[Mapping[str, object]] | None = None,
    ) -> Merged:
        """Merge the changes of `source` since the two had the same state into this domain, or into another.

        What both changed is merged property by property, and text line by line; where that is impossible, there is a
        conflict. A resolution resolves the conflicts of a subject: `{"subject": id, "take": "ours"}` keeps the target's
        side, `"theirs"` takes the source's; with `property` it resolves one value, which can also be given as `value`.
        The strategy resolves the rest; `manual` changes nothing while there are conflicts. A preview only returns what
        would be done. A merge is one write, and merging again changes nothing.

        Raises MERGE_CONFLICT, INVALID_ARGUMENT for an id or a property that does not exist, CONTENT_READ_FAILED,
        CONTENT_TOO_LARGE and FILE_CREATION_FAILED; DOMAIN_BUSY during a long operation in either domain;
        HISTORY_COMPACTED if the state that both come from was compacted, or may have been.
        """
        return self._wait(
            self._facade.merge, source, into=into, preview=preview, strategy=strategy, resolutions=resolutions
        )

    def erase(self, subject: str, *, dry_run: bool = False, domain: str | None = None) -> Erased:
        """Erase a node, connection, observation or link for good, with every past state and content.

        It cannot be undone. A node's connections, observations about it and links from it are erased with it, in the
        domain and in all that share its past: branches, and the domains that they were made from. The events keep their
        numbers, times and authors, but nothing else. The same call resumes an erasure that was interrupted. Texts of
        other nodes that mention it are not searched: `scan` finds them.

        Raises NODE_NOT_FOUND, DOMAIN_BUSY and FILE_CREATION_FAILED.
        """
        return self._wait(self._facade.erase, subject, dry_run=dry_run, domain=domain)

    def compact(
        self, before: int | str, *, archive: Path | None = None, dry_run: bool = False, domain: str | None = None
    ) -> Compacted:
        """Remove the events before a point from the log: each subject keeps one snapshot of its state at that point.

        That state, and all later ones, can be read as before; reading earlier ones raises HISTORY_COMPACTED. The events
        are first written to an archive, by default in the folder `archives` of the home; sessions keep their counts. A
        dry run returns the point from which on questions can be answered, and which nodes lose their first state. No
        batch is divided, so it may end a little earlier. The same call resumes a compaction that was interrupted.

        Raises DOMAIN_BUSY, HISTORY_COMPACTED, FILE_CREATION_FAILED and CONTENT_READ_FAILED.
        """
        return self._wait(self._facade.compact, before, archive=archive, dry_run=dry_run, domain=domain)

    def scan(self, text: str) -> Scanned:
        """Look for a text, such as an id, in every property of the whole database, and in the blobs of all domains.

        Vectors are left out: they are numbers. The text is compared exactly, with the copies that the search keeps in
        their case-folded form. In blobs, its bytes in UTF-8 are compared. Raises CONTENT_READ_FAILED and TIMEOUT.
        """
        return self._wait(self._facade.scan, text)


class SyncPastMemory(_Sync[PastMemory]):
    """A domain as it was, without async: the methods of `PastMemory`."""

    @property
    def read_graph_tokens(self) -> int:
        """Maximum number of tokens of `read_graph` over MCP if the call gives none."""
        return self._facade.read_graph_tokens

    def open_nodes(self, names: Sequence[str], *, detail: bool = False) -> KnowledgeGraph:
        """Return the entities of these names or aliases, and the relations of each.

        Raises INVALID_ARGUMENT, also for `detail`.
        """
        return self._wait(self._facade.open_nodes, names, detail=detail)

    def search_nodes(self, query: str) -> KnowledgeGraph:
        """Return the entities whose name, alias, type or observations contain a text. See `Entities.search_nodes`."""
        return self._wait(self._facade.search_nodes, query)

    def read_graph(
        self, *, max_tokens: int | None = None, limit: int | None = None, cursor: str | None = None
    ) -> KnowledgeGraph:
        """Return all entities and relations, or a part of them. See `Entities.read_graph`."""
        return self._wait(self._facade.read_graph, max_tokens=max_tokens, limit=limit, cursor=cursor)

    def get_block(self, label: str | None = None) -> Blocks:
        """Return the block of a label, or all of them. See `Entities.get_block`."""
        return self._wait(self._facade.get_block, label)

    @property
    def seq(self) -> int:
        """Number of the event after which it is."""
        return self._facade.seq

    def get_node(self, node_id: str) -> NodeInfo:
        """Return a node without its content. Raises NODE_NOT_FOUND and SUBJECT_ERASED, as all that names a subject."""
        return self._wait(self._facade.get_node, node_id)

    def get_node_content(self, node_id: str) -> NodeContent:
        """Return a node's content as it was given. Raises NODE_NOT_FOUND and CONTENT_READ_FAILED."""
        return self._wait(self._facade.get_node_content, node_id)

    def get_connection(self, connection_id: str, *, include_content: bool = False) -> ConnectionInfo:
        """Return a connection, with its content on request. Raises CONNECTION_NOT_FOUND and CONTENT_READ_FAILED."""
        return self._wait(self._facade.get_connection, connection_id, include_content=include_content)

    def query_nodes(
        self,
        *,
        type: str | None = None,
        properties: Mapping[str, object] | None = None,
        namespace: str | None = None,
        path_prefix: str | None = None,
        created_after: datetime | str | None = None,
        created_before: datetime | str | None = None,
        modified_after: datetime | str | None = None,
        modified_before: datetime | str | None = None,
        valid_at: datetime | str | None = None,
        order_by: str | None = None,
        descending: bool = False,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> NodeIds:
        """Return the ids of the nodes that match; an order of the past needs no index, and reads all that match."""
        return self._wait(
            self._facade.query_nodes,
            type=type,
            properties=properties,
            namespace=namespace,
            path_prefix=path_prefix,
            created_after=created_after,
            created_before=created_before,
            modified_after=modified_after,
            modified_before=modified_before,
            valid_at=valid_at,
            order_by=order_by,
            descending=descending,
            detail=detail,
            limit=limit,
            cursor=cursor,
        )

    def query_connections(
        self,
        *,
        from_node_id: str | None = None,
        to_node_id: str | None = None,
        type: str | None = None,
        properties: Mapping[str, object] | None = None,
        valid_at: datetime | str | None = None,
        min_strength: float | None = None,
        order_by: str | None = None,
        descending: bool = False,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ConnectionIds:
        """Return the ids of the connections that match, also in weight as it was then."""
        return self._wait(
            self._facade.query_connections,
            from_node_id=from_node_id,
            to_node_id=to_node_id,
            type=type,
            properties=properties,
            valid_at=valid_at,
            min_strength=min_strength,
            order_by=order_by,
            descending=descending,
            detail=detail,
            limit=limit,
            cursor=cursor,
        )

    def get_connected_nodes(
        self,
        node_id: str,
        *,
        direction: Direction,
        connection_type: str | None = None,
        valid_at: datetime | str | None = None,
        min_strength: float | None = None,
        transitive: bool = False,
        max_depth: int | None = None,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ConnectedNodes:
        """Return the nodes at the other ends of a node's connections, each once. Raises NODE_NOT_FOUND."""
        return self._wait(
            self._facade.get_connected_nodes,
            node_id,
            direction=direction,
            connection_type=connection_type,
            valid_at=valid_at,
            min_strength=min_strength,
            transitive=transitive,
            max_depth=max_depth,
            detail=detail,
            limit=limit,
            cursor=cursor,
        )

    def get_neighbours(
        self, node_ids: Sequence[str], *, direction: Direction, connection_type: str | None = None
    ) -> dict[str, tuple[str, ...]]:
        """Return for each of many nodes what `get_connected_nodes` gives; an id without a node is left out."""
        return self._wait(self._facade.get_neighbours, node_ids, direction=direction, connection_type=connection_type)

    def find_contradictions(
        self, *, valid_at: datetime | str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> Contradictions:
        """Return the pairs of nodes that contradicted each other, as `Memory.find_contradictions` does."""
        return self._wait(self._facade.find_contradictions, valid_at=valid_at, limit=limit, cursor=cursor)

    def search_content(
        self,
        query: str,
        *,
        node_type: str | None = None,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> NodeIds:
        """Return the nodes whose text content held `query`, compared as `Memory.search_content` does."""
        return self._wait(
            self._facade.search_content, query, node_type=node_type, detail=detail, limit=limit, cursor=cursor
        )

    def describe_nodes(self, node_ids: Sequence[str]) -> tuple[NodeSummary, ...]:
        """Return type, title and properties of nodes, in the order given; an id without a node is left out."""
        return self._wait(self._facade.describe_nodes, node_ids)

    def describe_connections(self, connection_ids: Sequence[str]) -> tuple[ConnectionSummary, ...]:
        """Return type, ends and properties of connections, as `describe_nodes` does for nodes."""
        return self._wait(self._facade.describe_connections, connection_ids)

    def get_ontology(self) -> Ontology:
        """Return the ontology with everything that was declared. Raises ONTOLOGY_NOT_FOUND before there was one."""
        return self._wait(self._facade.get_ontology)

    def validate_connection(self, connection_type: str, from_node_type: str, to_node_type: str) -> Validity:
        """Return whether the ontology allowed such a connection, as `Memory.validate_connection` does."""
        return self._wait(self._facade.validate_connection, connection_type, from_node_type, to_node_type)

    def get_strongest_connections(
        self, node_id: str, *, direction: Direction = "both", connection_type: str | None = None, limit: int = 10
    ) -> WeighedConnections:
        """Return the connections of a node that weighed most, as `Memory.get_strongest_connections` does."""
        return self._wait(
            self._facade.get_strongest_connections,
            node_id,
            direction=direction,
            connection_type=connection_type,
            limit=limit,
        )

    def get_weak_relations(
        self,
        *,
        below: float = weighing.WEAK,
        connection_type: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> WeighedConnections:
        """Return connections that weighed less than `below`, as `Memory.get_weak_relations` does."""
        return self._wait(
            self._facade.get_weak_relations, below=below, connection_type=connection_type, limit=limit, cursor=cursor
        )


class SyncRecall(_Sync[Recall]):
    """Search without async: the methods of `Recall`. It is `SyncMemory.recall`."""

    def search_memories(
        self,
        query: str,
        *,
        search_mode: SearchMode = "hybrid",
        weightings: Mapping[str, float] | None = None,
        filters: Mapping[str, object] | None = None,
        traversal_depth: int = 0,
        include_relevance_scores: bool = True,
        include_relevance_explanation: bool = False,
        max_results: int = 10,
        max_tokens: int | None = None,
        cursor: str | None = None,
        as_of: int | str | None = None,
        valid_at: datetime | str | None = None,
        syntax: Syntax = "plain",
        domain: str | None = None,
        domains: Sequence[str] | None = None,
        include_children: bool = False,
    ) -> SearchResult:
        """Return the nodes and connections that answer a question best, each with the passage that fits and why.

        `lexical` compares words, `semantic` meaning, `hybrid` both. A hit also gains where its name stands in the
        question, or in the text of one of the best hits. `weightings` are `title_weight`, `content_weight` and
        `tag_weight`, which multiply what a passage counts, 1 by default, and `edge_weight`, `recency_weight` and
        `use_weight`, 0 by default, for what is much connected, was changed lately, or is used often; also without
        `_weight`. `filters` are `created_after`, `created_before`, `tags` (all of them), `min_edge_count`,
        `node_types`, `path_prefix`, `namespace`, `min_strength` (of its strongest connection) and `properties`.
        `traversal_depth`, up to 3, adds the nodes that hits are connected to.

        `as_of` searches the domain as it was at a point of its log, `valid_at` only what holds at that time in the
        world. `max_results` is at most 100. `max_tokens` shortens passages, then leaves out hits; `next_cursor` leads
        to those. `syntax` `lucene` takes Lucene's query syntax, with the fields `_text` and `_head`. Raises
        EVENT_NOT_FOUND and HISTORY_COMPACTED for `as_of`.
        """
        return self._wait(
            self._facade.search_memories,
            query,
            search_mode=search_mode,
            weightings=weightings,
            filters=filters,
            traversal_depth=traversal_depth,
            include_relevance_scores=include_relevance_scores,
            include_relevance_explanation=include_relevance_explanation,
            max_results=max_results,
            max_tokens=max_tokens,
            cursor=cursor,
            as_of=as_of,
            valid_at=valid_at,
            syntax=syntax,
            domain=domain,
            domains=domains,
            include_children=include_children,
        )

    def search_semantic(
        self,
        query: str,
        *,
        limit: int = 10,
        types: Sequence[str] | None = None,
        type: str | None = None,
        domain: str | None = None,
    ) -> SearchResult:
        """Return what is nearest to a text by meaning, each with `score` and `distance`.

        `types` are node or connection types; `type` is one. Without vectors it searches by words, and says so.
        """
        return self._wait(self._facade.search_semantic, query, limit=limit, types=types, type=type, domain=domain)

    def search_by_vector(
        self, vector: Sequence[float], *, limit: int = 10, types: Sequence[str] | None = None, domain: str | None = None
    ) -> SearchResult:
        """Return what is nearest to a vector that the domain's model made, as `search_semantic` does for a text."""
        return self._wait(self._facade.search_by_vector, vector, limit=limit, types=types, domain=domain)

    def hybrid_search(
        self,
        query: str,
        *,
        weightings: Mapping[str, float] | None = None,
        filters: Mapping[str, object] | None = None,
        traversal_depth: int = 0,
        include_relevance_scores: bool = True,
        include_relevance_explanation: bool = False,
        max_results: int = 10,
        max_tokens: int | None = None,
        cursor: str | None = None,
        as_of: int | str | None = None,
        valid_at: datetime | str | None = None,
        domain: str | None = None,
        domains: Sequence[str] | None = None,
        include_children: bool = False,
    ) -> SearchResult:
        """Return what `search_memories` returns for words and meaning together."""
        return self._wait(
            self._facade.hybrid_search,
            query,
            weightings=weightings,
            filters=filters,
            traversal_depth=traversal_depth,
            include_relevance_scores=include_relevance_scores,
            include_relevance_explanation=include_relevance_explanation,
            max_results=max_results,
            max_tokens=max_tokens,
            cursor=cursor,
            as_of=as_of,
            valid_at=valid_at,
            domain=domain,
            domains=domains,
            include_children=include_children,
        )

    def recall(
        self,
        query: str | None = None,
        *,
        depth: Depth = "medium",
        focus: Sequence[str] | None = None,
        max_tokens: int | None = None,
        as_: Form = "prose",
        as_of: int | str | None = None,
        since: int | str | None = None,
        valid_at: datetime | str | None = None,
        limit: int | None = None,
        context: Mapping[str, object] | None = None,
        domain: str | None = None,
        domains: Sequence[str] | None = None,
        include_children: bool = False,
    ) -> RecallResult:
        """Return what a memory knows, as prose that fits in `max_tokens`, or as an object (`as_` is `structured`).

        `shallow` tells what the memory holds: how much of what, what changed last, what is used most, what is open.
        `medium` tells what a search finds and what that is connected to, `deep` what is best connected to it, up to
        three connections away. `focus` names nodes to begin with, by name, title or id, or connections by id. Without a
        query and without focus, a recall begins with what changed last and what is used most, and `deep` goes on with
        the rest of the memory. `max_tokens`, by default 500, 2,000 and 5,000, is never exceeded. `limit` is the most
        hits of the search, at most 100.

        A time in the query ("last week", "since March", "before the move") narrows it; `period` tells how it was read.
        With `since`, a point of the log such as `"last session"`, a recall tells what changed from then on, in words:
        everything, or what changed about the things that a query or focus finds. "Since last time" in the query means
        the same. `context` has `text`, `types`, `tags`, `path` and `session` of what the caller is about: things like
        it come first. Corrections by users that fit the query come before all else. `as_of` recalls the domain as it
        was at a point of its log, `valid_at` only connections that hold then.
        Where nothing is remembered yet, the content is a short guide for the agent; nothing is stored for it. Raises
        NODE_NOT_FOUND where nothing that `focus` names is there, EVENT_NOT_FOUND and HISTORY_COMPACTED.
        """
        return self._wait(
            self._facade.recall,
            query,
            depth=depth,
            focus=focus,
            max_tokens=max_tokens,
            as_=as_,
            as_of=as_of,
            since=since,
            valid_at=valid_at,
            limit=limit,
            context=context,
            domain=domain,
            domains=domains,
            include_children=include_children,
        )

    def memory_context(
        self,
        depth: Depth,
        *,
        query: str | None = None,
        focus: Sequence[str] | None = None,
        max_tokens: int | None = None,
        as_: Form = "prose",
        as_of: int | str | None = None,
        valid_at: datetime | str | None = None,
        limit: int | None = None,
        context: Mapping[str, object] | None = None,
        domain: str | None = None,
        domains: Sequence[str] | None = None,
        include_children: bool = False,
    ) -> RecallResult:
        """Return what `recall` returns: its name in the specifications, by which the depth comes first."""
        return self._wait(
            self._facade.memory_context,
            depth,
            query=query,
            focus=focus,
            max_tokens=max_tokens,
            as_=as_,
            as_of=as_of,
            valid_at=valid_at,
            limit=limit,
            context=context,
            domain=domain,
            domains=domains,
            include_children=include_children,
        )

    def memory_query(
        self,
        query: str,
        *,
        max_tokens: int | None = None,
        domain: str | None = None,
        domains: Sequence[str] | None = None,
        include_children: bool = False,
    ) -> QueryResult:
        """Return what a memory knows about a question, as deep as the question asks for; `why` says why so."""
        return self._wait(
            self._facade.memory_query,
            query,
            max_tokens=max_tokens,
            domain=domain,
            domains=domains,
            include_children=include_children,
        )

    def memory_synthesize(
        self,
        query: str,
        *,
        subgraph: Sequence[str] | None = None,
        style: Style = "summary",
        max_words: int = 200,
        domain: str | None = None,
    ) -> Synthesis:
        """Return what a language model writes about a question, from what a search finds or from `subgraph`.

        `subgraph` are the ids of up to 100 nodes and connections. `style` is `summary`, `analysis` or
        `recommendations`. The text cites ids in brackets: those that the model was not given are taken out, and
        `warnings` says so. GRAPH_MEMORY_MODEL says which model; stored texts are sent to it. Raises NO_MODEL, with the
        material in `details`, if none is set or it does not answer, and NODE_NOT_FOUND.
        """
        return self._wait(
            self._facade.memory_synthesize, query, subgraph=subgraph, style=style, max_words=max_words, domain=domain
        )

    def traverse_memories(
        self,
        start: Sequence[str] | str,
        *,
        strategy: Strategy = "breadth_first",
        max_depth: int = 2,
        max_nodes: int = 50,
        edge_filter: Mapping[str, object] | None = None,
        node_filter: Mapping[str, object] | None = None,
        weight: str | None = None,
        expansion: Expansion = "all_edges",
        return_mode: ReturnMode = "summarized",
        deduplication: Deduplication = "none",
        include_metrics: bool = False,
        as_of: int | str | None = None,
        valid_at: datetime | str | None = None,
        max_tokens: int | None = None,
        cross_domains: bool = False,
        domain: str | None = None,
    ) -> Walked:
        """Return the nodes that connections lead to from one or several nodes, and the connections between them.

        `weighted` follows the connection that counts most wherever it leaves, `bidirectional` goes from several starts
        towards each other and keeps the ways on which they meet. `max_depth` is at most 10, `max_nodes` at most 500.
        `edge_filter` has `types` (also inverse names), `direction` (`out`, `in`, `both`), `properties` and
        `min_strength`; `node_filter` has `types`, `tags` and `properties`: what does not pass is not walked through.
        `weight` is what counts: a property of connections, or arithmetic over `weight`, `strength`, `importance`,
        `age_days`, `depth` and `properties.NAME`. `expansion` follows all connections of a node, the 5
        `strongest_edges`, or 2 of each type. `cross_domains` also follows links to other domains.
        `return_mode` gives contents whole, in short, or `adaptive`: more of what is near. `deduplication` leaves out
        nodes of the same content, or whose vectors are alike. `left_out` says what limits left out. Raises
        NODE_NOT_FOUND, ONTOLOGY_NOT_FOUND, INVALID_ARGUMENT; for `as_of` EVENT_NOT_FOUND and HISTORY_COMPACTED.
        """
        return self._wait(
            self._facade.traverse_memories,
            start,
            strategy=strategy,
            max_depth=max_depth,
            max_nodes=max_nodes,
            edge_filter=edge_filter,
            node_filter=node_filter,
            weight=weight,
            expansion=expansion,
            return_mode=return_mode,
            deduplication=deduplication,
            include_metrics=include_metrics,
            as_of=as_of,
            valid_at=valid_at,
            max_tokens=max_tokens,
            cross_domains=cross_domains,
            domain=domain,
        )

    def find_path(
        self,
        from_id: str,
        to_id: str,
        *,
        mode: PathMode = "shortest",
        k: int | None = None,
        types: Sequence[str] | None = None,
        direction: Direction = "both",
        max_depth: int = 5,
        as_of: int | str | None = None,
        valid_at: datetime | str | None = None,
        domain: str | None = None,
    ) -> Paths:
        """Return how two nodes are connected: paths, each with its nodes and one connection between each two.

        `shortest` gives one path of the fewest connections, `k_shortest` `k` of them, 3 by default, `weighted` those
        whose weights have the greatest product. No path passes a node twice. Without a path `tried` says what was
        looked at. `max_depth` is at most 10, `k` at most 20. Raises what `traverse_memories` does.
        """
        return self._wait(
            self._facade.find_path,
            from_id,
            to_id,
            mode=mode,
            k=k,
            types=types,
            direction=direction,
            max_depth=max_depth,
            as_of=as_of,
            valid_at=valid_at,
            domain=domain,
        )

    def get_neighbors(
        self,
        node_id: str,
        *,
        types: Sequence[str] | None = None,
        direction: Direction = "both",
        limit: int = 100,
        as_of: int | str | None = None,
        valid_at: datetime | str | None = None,
        domain: str | None = None,
    ) -> Neighbors:
        """Return a node, its connections that count most, outgoing and incoming, and the nodes at their other ends.

        `types` are connection types, also inverse names, under which connections are then seen. `limit` is at most
        1,000 connections. Raises what `traverse_memories` does.
        """
        return self._wait(
            self._facade.get_neighbors,
            node_id,
            types=types,
            direction=direction,
            limit=limit,
            as_of=as_of,
            valid_at=valid_at,
            domain=domain,
        )


class SyncTransfer(_Sync[Transfer]):
    """Exports and imports without async: the methods of `Transfer`. It is `SyncMemory.transfer`."""

    def export_file(
        self, target: Path | str | IO[bytes], *, tell: Progress = silent, domain: str | None = None
    ) -> Exported:
        """Write a domain's whole log and all content to a file, from which `import_file` creates the same domain.

        The file appears under its name when it is complete, and replaces an existing one. It is compressed if its
        name ends in `.gz`. A stream is written to directly. What others change after the export has begun is not in
        it. Raises ONTOLOGY_NOT_FOUND, DOMAIN_BUSY, CONTENT_READ_FAILED and
        FILE_CREATION_FAILED.
        """
        return self._wait(self._facade.export_file, target, tell=tell, domain=domain)

    def import_file(self, source: Path | str, *, name: str | None = None, tell: Progress = silent) -> Imported:
        """Create a domain from a file that `export_file` wrote, with exactly the same log.

        Without `name`, the domain keeps its name. The file is read twice: nothing is written before all of it has
        been checked. The same call resumes an interrupted import; until then the domain is busy and can only be
        deleted. A branch has its past before the fork only if the domain that it was made from exists. Raises
        INVALID_ARCHIVE, CONTENT_TOO_LARGE, DOMAIN_ALREADY_EXISTS, DOMAIN_BUSY and FILE_CREATION_FAILED.
        """
        return self._wait(self._facade.import_file, source, name=name, tell=tell)

    def export_folder(
        self, folder: Path | str, *, at: int | str | None = None, tell: Progress = silent, domain: str | None = None
    ) -> FolderExported:
        """Write what was in a domain at a point, by default now, into a new folder.

        The folder has a registry, the ontology and a file for each content, but no log and no
        earlier states: those are in what `export_file` writes. Raises ONTOLOGY_NOT_FOUND, DOMAIN_BUSY,
        HISTORY_COMPACTED, CONTENT_READ_FAILED, FILE_CREATION_FAILED, and INVALID_ARGUMENT for a folder that is not
        empty.
        """
        return self._wait(self._facade.export_folder, folder, at=at, tell=tell, domain=domain)

    def export_graph(
        self,
        target: Path | str | IO[bytes],
        format: GraphFormat,
        *,
        at: int | str | None = None,
        tell: Progress = silent,
        domain: str | None = None,
    ) -> GraphExported:
        """Write what was in a domain at a point, by default now, in a format of other programs.

        `csv` is a new folder of files for neo4j-admin, `jsonl` a file with a node or connection a line, `graphml` a
        file for NetworkX, Gephi and others, `cypher` a script that makes the graph in a plain Neo4j. `official` is the
        file of the official memory server: it has only entities, as they are now; `import_memory` reads it. A file is
        compressed if its name ends in `.gz`. There is no log in any of them. `load` reads the first three. Raises
        ONTOLOGY_NOT_FOUND, DOMAIN_BUSY, HISTORY_COMPACTED, CONTENT_READ_FAILED, FILE_CREATION_FAILED, and
        INVALID_ARGUMENT, which names the node or connection, for what the format cannot carry.
        """
        return self._wait(self._facade.export_graph, target, format, at=at, tell=tell, domain=domain)

    def import_folder(self, folder: Path | str, *, name: str | None = None, tell: Progress = silent) -> FolderImported:
        """Create a domain from a folder: its types, nodes and connections, under the same ids, with a new log.

        Everything is checked before anything is written. The log begins at the time of the import; the nodes and
        connections keep `created` and `modified` of the registry. Content without an encoding is text if it is
        UTF-8, and otherwise binary. An interrupted import leaves a busy domain, which you should delete.
        Raises INVALID_ARCHIVE, INVALID_ONTOLOGY, INVALID_ENCODING, CONTENT_TOO_LARGE, DOMAIN_ALREADY_EXISTS,
        DOMAIN_BUSY and FILE_CREATION_FAILED.
        """
        return self._wait(self._facade.import_folder, folder, name=name, tell=tell)

    def import_memory(
        self,
        source: Path | str | Neo4jSource,
        *,
        format: MemoryFormat | None = None,
        skip_invalid: bool = False,
        dry_run: bool = False,
        tell: Progress = silent,
        domain: str | None = None,
    ) -> MemoryImported:
        """Import what another program remembers: entities, relations and observations, with their times and sources.

        `source` is a file or folder of the official memory server, mnemograph or mem0, a folder of Markdown notes, or a
        Neo4j server with the graph of mcp-neo4j-memory or neo4j-agent-memory. Without `format`, what is in it tells.
        Everything is read and checked before anything is written; then it is written in pages. One name is one entity.
        What the domain has is left as it is, but for observations, which are added; so the same call goes on where an
        earlier one was interrupted. A domain that does not exist is begun, with an open ontology.

        `skip_invalid` leaves out what cannot be imported, and reports it. With `dry_run` nothing is written, and the
        report has all that was refused. Raises INVALID_SOURCE, with file and line, in `details["report"]`,
        INVALID_ARGUMENT for what is no memory, STORE_UNAVAILABLE, and what `memory.entities` raises.
        """
        return self._wait(
            self._facade.import_memory,
            source,
            format=format,
            skip_invalid=skip_invalid,
            dry_run=dry_run,
            tell=tell,
            domain=domain,
        )

    def import_once(
        self, file: Path | str, *, tell: Progress = silent, domain: str | None = None
    ) -> MemoryImported | None:
        """Import a file of the official memory server once, into an empty domain, and never change the file.

        Continues an import that was interrupted. Returns None if the file does not exist, or if the domain has other
        data. Raises what `import_memory` raises.
        """
        return self._wait(self._facade.import_once, file, tell=tell, domain=domain)

    def load(
        self,
        source: Sources,
        *,
        ontology: Ontology | Literal["infer"] | None = None,
        on_conflict: OnConflict = "fail",
        skip_invalid: bool = False,
        dry_run: bool = False,
        options: SourceOptions | None = None,
        tell: Progress = silent,
        domain: str | None = None,
    ) -> Loaded:
        """Load a graph that exists: from CSV for neo4j-admin, JSON Lines or GraphML, or from a Neo4j server.

        `source` is a file, a folder of files, a `Neo4jSource`, which may be the memory's own server, or a list of
        them. What the memory keeps there is not read. `ontology` is applied before; `infer` is what the data suggests.
        Everything is checked before anything is written, also against the other rows; then it is written in pages, each
        of them a batch of the log. The same call goes on where an earlier one was interrupted; from a server, whose
        graph may come in another order, with `skip`.

        `on_conflict` says what becomes of ids that the domain has: `fail` refuses everything, `skip` leaves them as
        they are, `update` updates them. `skip_invalid` leaves out what cannot be loaded, and reports it. With `dry_run`
        nothing is written, and the report has all that was refused. Raises INVALID_SOURCE, with file, line and column
        or element and property, in `details["report"]`, INVALID_ARGUMENT for what is no source, ONTOLOGY_NOT_FOUND,
        STORE_UNAVAILABLE, and what `apply_ontology` raises.
        """
        return self._wait(
            self._facade.load,
            source,
            ontology=ontology,
            on_conflict=on_conflict,
            skip_invalid=skip_invalid,
            dry_run=dry_run,
            options=options,
            tell=tell,
            domain=domain,
        )


class SyncCrossDomainLinks(_Sync[CrossDomainLinks]):
    """Links without async: the methods of `CrossDomainLinks`. It is `SyncMemory.links`."""

    def create_cross_domain_link(
        self,
        source_node_id: str,
        target_domain: str,
        target_node_id: str | None = None,
        *,
        link_type: LinkType = "reference",
        strength: float = 1.0,
        description: str | None = None,
        bidirectional: bool = False,
        metadata: Mapping[str, object] | None = None,
        source_domain: str | None = None,
    ) -> LinkCreated:
        """Link a node to a node of another domain, and return the link as it is seen from both ends.

        `link_type` is `reference`, `extension`, `version` or `alternative`; `strength` is 0 to 1. A bidirectional link
        is also seen from its target: as `referenced_by`, `extended_by`, `version` or `alternative`. Without
        `target_node_id` the target domain is searched for what the source says, and the link leads to what fits best:
        `candidates` has up to five with their scores. If nothing fits, `success` is false, and nothing is written.
        Raises ONTOLOGY_NOT_FOUND for a domain, NODE_NOT_FOUND for a node, and LINK_ALREADY_EXISTS.
        """
        return self._wait(
            self._facade.create_cross_domain_link,
            source_node_id,
            target_domain,
            target_node_id,
            link_type=link_type,
            strength=strength,
            description=description,
            bidirectional=bidirectional,
            metadata=metadata,
            source_domain=source_domain,
        )

    def list_cross_domain_links(
        self,
        node_id: str | None = None,
        *,
        direction: Direction = "both",
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> Links:
        """Return the links from a domain or one node of it, and the bidirectional ones that lead there.

        `dangling` says of a link why it leads nowhere now, such as that its target was deleted. `direction` is `out`,
        `in` or `both`. Raises ONTOLOGY_NOT_FOUND and NODE_NOT_FOUND.
        """
        return self._wait(
            self._facade.list_cross_domain_links,
            node_id,
            direction=direction,
            limit=limit,
            cursor=cursor,
            domain=domain,
        )

    def delete_cross_domain_link(self, link_id: str, *, domain: str | None = None) -> LinkDeleted:
        """Delete a link; `domain` is that of its source. Raises ONTOLOGY_NOT_FOUND and LINK_NOT_FOUND."""
        return self._wait(self._facade.delete_cross_domain_link, link_id, domain=domain)


class SyncUpkeep(_Sync[Upkeep]):
    """Checks and repairs without async: the methods of `Upkeep`. It is `SyncMemory.upkeep`."""

    def verify(self, *, domain: str | None = None) -> Verification:
        """Replay a domain's log and return every difference between it and the live graph with its derived rows."""
        return self._wait(self._facade.verify, domain=domain)

    def rebuild(self, *, domain: str | None = None) -> Verification:
        """Repair every difference that `verify` finds, and return what was found."""
        return self._wait(self._facade.rebuild, domain=domain)

    def reindex(
        self,
        *,
        anew: bool = True,
        model: bool = False,
        analyser: str | None = None,
        progress: Progress = silent,
        domain: str | None = None,
    ) -> Coverage:
        """Make the index of search anew from the log, with its vectors, and return what it covers.

        Without `anew`, only what it lacks. With `model`, only the vectors, by the model of the settings. With
        `analyser`, the name of one of Neo4j's analysers, only the words, read by that one from now on. A call that was
        cut off goes on where it was. Searches go on meanwhile, with what is there. Raises INVALID_ARGUMENT.
        """
        return self._wait(
            self._facade.reindex, anew=anew, model=model, analyser=analyser, progress=progress, domain=domain
        )

    def index_status(self, *, domain: str | None = None) -> Coverage:
        """Return how far the index of search has come, and what it lacks."""
        return self._wait(self._facade.index_status, domain=domain)

    def reconcile(self, *, adopt: Which = (), restore: Which = (), domain: str | None = None) -> Reconciliation:
        """Return what was changed in the live graph outside graph-memory; adopt it into the log, or restore it.

        Give ids, or `all` for everything that the other argument does not name. If both are `all`, what cannot be
        adopted is restored. Adopting is one write with the usual checks: what they refuse stays as it is, and is
        returned with the reason. A deleted node is adopted with its connections. Raises INVALID_ARGUMENT.
        """
        return self._wait(self._facade.reconcile, adopt=adopt, restore=restore, domain=domain)

    def collect_blobs(self, *, dry_run: bool, grace: float, now: datetime | None = None) -> BlobsCollected:
        """Delete the blobs that no log refers to and that are older than `grace` seconds, or with `dry_run` list them.

        Raises CONTENT_READ_FAILED and FILE_CREATION_FAILED.
        """
        return self._wait(self._facade.collect_blobs, dry_run=dry_run, grace=grace, now=now)


class SyncAgent(_Sync[Agent]):
    """The memory types of an agent without async: those of `Agent`. It is `SyncMemory.agent`."""

    def query_memory(
        self, query: str, *, event_limit: int = 5, vector_limit: int = 10, max_tokens: int = 2000
    ) -> MemoryResults:
        """Return the results of all memory types for a query, such as patterns, goals, events and entities.

        `event_limit` and `vector_limit` are the maximum numbers of events and of other hits (up to 50). `max_tokens`
        (100 to 100,000) is one budget for the whole result. `left_out` counts the results that did not fit. Raises
        INVALID_ARGUMENT.
        """
        return self._wait(
            self._facade.query_memory, query, event_limit=event_limit, vector_limit=vector_limit, max_tokens=max_tokens
        )

    def remember(self, text: str, *, dry_run: bool = False) -> Remembered:
        """Remember a text: preferences of the user, goals and patterns as such, all else as `entities.remember` does.

        Rules for the beginning of an English sentence choose, such as "The user prefers", "Goal:", "Never", "Next time"
        and "This fixed it:". Each receipt says in `rule` and `evidence` what was chosen. In a domain with a closed
        ontology that lacks these types, everything is an observation. Raises the errors of `entities.remember`,
        `user.remember`, `prospective.create` and `procedural.record`; if a part of the text is stored already, a
        refused sentence has a receipt instead.
        """
        return self._wait(self._facade.remember, text, dry_run=dry_run)

    def record_event(self, event: Mapping[str, object], archetype: str | Archetype | None = None) -> EventRecorded:
        """Record an event, given as an object with the arguments of `episodic.record`, and optionally its `id`.

        Raises the errors of `episodic.record`.
        """
        return self._wait(self._facade.record_event, event, archetype)

    def record_events(
        self, events: Sequence[Mapping[str, object]], archetype: str | Archetype | None = None
    ) -> tuple[EventRecorded, ...]:
        """Record up to 1,000 events in one transaction: all of them, or none.

        `caused_by` can have the `id` of an event of the same call. Raises the errors of `episodic.record`.
        """
        return self._wait(self._facade.record_events, events, archetype)

    def prune(
        self, *, dry_run: bool = True, limits: Mapping[str, int] | None = None, archive: Path | str | None = None
    ) -> Pruned:
        """Archive to a file what exceeds the limits of the domain, and delete it in one batch.

        Archived are the events of the oldest sessions that ended 7 days ago or earlier, the least salient entities, the
        relations with the lowest weight, the patterns with a low success rate and at least 5 applications, and the
        oldest documents. Never archived are protected nodes and their neighbours, the sessions of unfinished goals,
        events that something that stays has as evidence or cause, and entities that an event that stays involves.
        `limits` replaces limits by name: `events`, `entities`, `relations`, `patterns` and `documents`. One call
        archives at most 5,000 nodes and connections; `left_out` counts the rest. Without `dry_run=False` nothing
        changes. Raises INVALID_ARGUMENT, ONTOLOGY_NOT_FOUND, FILE_CREATION_FAILED, and PROTECTED if the domain is.
        """
        return self._wait(self._facade.prune, dry_run=dry_run, limits=limits, archive=archive)

    def restore(self, archive: Path | str) -> Restored:
        """Restore what `prune` has archived to a file.

        It reverts the batch of `prune`, so everything is as it was. If the log no longer has that batch, it creates the
        nodes and connections of the file, in one batch for each 5,000 of them. Then entities have new ids, and neither
        aliases nor the validity of their observations. Raises INVALID_ARCHIVE, REVERT_CONFLICT and BATCH_REFUSED.
        """
        return self._wait(self._facade.restore, archive)

    @property
    def working(self) -> SyncWorking:
        """The goal, task, outputs and notes of the caller's session."""
        return SyncWorking(self._facade.working, self._portal)

    @property
    def episodic(self) -> SyncEpisodic:
        """Events, in the order of time."""
        return SyncEpisodic(self._facade.episodic, self._portal)

    @property
    def procedural(self) -> SyncProcedural:
        """Patterns that work in a situation or must be avoided there."""
        return SyncProcedural(self._facade.procedural, self._portal)

    @property
    def prospective(self) -> SyncProspective:
        """Goals, their steps and their blockers."""
        return SyncProspective(self._facade.prospective, self._portal)

    @property
    def semantic(self) -> SyncEntities:
        """Entities: the same as `memory.entities`."""
        return SyncEntities(self._facade.semantic, self._portal)

    @property
    def relational(self) -> SyncRelational:
        """Relations between entities."""
        return SyncRelational(self._facade.relational, self._portal)

    @property
    def contextual(self) -> SyncContextual:
        """Texts of other sources, and the search over everything."""
        return SyncContextual(self._facade.contextual, self._portal)

    @property
    def environmental(self) -> SyncEnvironmental:
        """The project in the current folder."""
        return SyncEnvironmental(self._facade.environmental, self._portal)

    @property
    def user(self) -> SyncUserMemory:
        """Preferences, corrections and feedback of users, in a domain of their own."""
        return SyncUserMemory(self._facade.user, self._portal)

    @property
    def meta(self) -> SyncMetaMemory:
        """Capabilities of the agent and statistics of its tools, in a domain of its own."""
        return SyncMetaMemory(self._facade.meta, self._portal)


class SyncEpisodic(_Sync[Episodic]):
    """What happened, without async: the methods of `Episodic`. It is `SyncAgent.episodic`."""

    def record(
        self,
        event_type: str,
        content: str = "",
        *,
        session: str | None = None,
        actor: Actor = "agent",
        outcome: Outcome | None = None,
        timestamp: datetime | str | None = None,
        duration_ms: float | None = None,
        summary: str | None = None,
        keywords: Sequence[str] | None = None,
        tool: str | None = None,
        caused_by: Sequence[str] = (),
        entities: Sequence[Mapping[str, object]] = (),
        relations: Sequence[Mapping[str, object]] = (),
        archetype: str | Archetype | None = None,
    ) -> EventRecorded:
        """Record an event, its causes, and the entities and relations that it involves, in one transaction.

        `session` defaults to the caller's session, and to `default` if there is none. `timestamp` defaults to now,
        `duration_ms` is in milliseconds, `caused_by` has ids of events. `tool` is the name of the tool of a
        `tool_call`, for the statistics of `memory.agent.meta`. `entities` have the form of `create_entities` (`name`,
        `entityType`, `observations`). Existing entities keep their type and get the new observations. `relations`
        (`from`, `to`, `relationType`) connect entities, with the event as evidence. A relation that exists keeps its
        first evidence.
        `archetype`, the name of a plug-in such as `coding_agent` or a function, extracts more of both from the content
        (default: the setting GRAPH_MEMORY_ARCHETYPE; an empty name: none).
        Raises INVALID_ARGUMENT, INVALID_PROPERTY for an unknown actor or outcome, NODE_NOT_FOUND for an unknown cause,
        CONTENT_TOO_LARGE, and MEMORY_LIMIT_REACHED if the domain has as many events as its limits allow.
        """
        return self._wait(
            self._facade.record,
            event_type,
            content,
            session=session,
            actor=actor,
            outcome=outcome,
            timestamp=timestamp,
            duration_ms=duration_ms,
            summary=summary,
            keywords=keywords,
            tool=tool,
            caused_by=caused_by,
            entities=entities,
            relations=relations,
            archetype=archetype,
        )

    def get_recent(self, session: str | None = None, *, limit: int = 20, cursor: str | None = None) -> Events:
        """Return the events of a session (default: the caller's), newest first. Raises INVALID_ARGUMENT."""
        return self._wait(self._facade.get_recent, session, limit=limit, cursor=cursor)

    def get_by_type(self, event_type: str, *, limit: int = 20, cursor: str | None = None) -> Events:
        """Return the events of a type in all sessions, newest first. Raises INVALID_ARGUMENT."""
        return self._wait(self._facade.get_by_type, event_type, limit=limit, cursor=cursor)

    def get_by_outcome(self, outcome: Outcome, *, limit: int = 20, cursor: str | None = None) -> Events:
        """Return the events with an outcome in all sessions, newest first. Raises INVALID_ARGUMENT."""
        return self._wait(self._facade.get_by_outcome, outcome, limit=limit, cursor=cursor)

    def get_chain(self, event_id: str, *, depth: int = 20, limit: int = 100) -> Events:
        """Return the causes and consequences of an event, each event once even if they form a cycle.

        `depth` is the maximum number of steps in both directions (up to 100), `limit` the maximum number of events (up
        to 1,000). `left_out` is true if the chain goes on. Raises NODE_NOT_FOUND, and INVALID_ARGUMENT if the node is
        not an event.
        """
        return self._wait(self._facade.get_chain, event_id, depth=depth, limit=limit)

    def search(self, query: str, *, limit: int = 10) -> Events:
        """Return the events that match a query by words and meaning, best first. Raises INVALID_ARGUMENT."""
        return self._wait(self._facade.search, query, limit=limit)


class SyncProcedural(_Sync[Procedural]):
    """What works, without async: the methods of `Procedural`. It is `SyncAgent.procedural`."""

    def record(
        self,
        name: str,
        description: str = "",
        *,
        conditions: Sequence[Mapping[str, object]],
        pattern_type: PatternType = "solution",
        confidence: float = 0.5,
        steps: Sequence[str | Mapping[str, object]] = (),
        tools: Sequence[str] = (),
        expected_outcome: str = "",
        scope: Scope = "project",
        learned_from: Sequence[str] = (),
    ) -> Pattern:
        """Record a pattern and return it.

        Conditions have a `type` (`keyword`, `entity_type`, `error_type` or `custom`), a `value` and a `weight` (1).
        Steps are text, or `action` with `tool` and `parameters`. `learned_from` are ids of events. Raises
        INVALID_ARGUMENT for no condition, a weight that is not above 0 or a confidence beyond 0 to 1, NODE_NOT_FOUND
        for an event that does not exist, and MEMORY_LIMIT_REACHED.
        """
        return self._wait(
            self._facade.record,
            name,
            description,
            conditions=conditions,
            pattern_type=pattern_type,
            confidence=confidence,
            steps=steps,
            tools=tools,
            expected_outcome=expected_outcome,
            scope=scope,
            learned_from=learned_from,
        )

    def get(self, pattern_id: str) -> Pattern:
        """Return a pattern. Raises NODE_NOT_FOUND, and INVALID_ARGUMENT if the node is not a pattern."""
        return self._wait(self._facade.get, pattern_id)

    def find(self, name: str, pattern_type: PatternType) -> Pattern | None:
        """Return the pattern of a type with this name, or None."""
        return self._wait(self._facade.find, name, pattern_type)

    def match(
        self, query: str, *, entity_types: Collection[str] = (), error_types: Collection[str] = (), limit: int = 5
    ) -> PatternMatches:
        """Return the patterns that match a situation, best first, with the conditions that hold.

        A keyword holds if the query contains it as a word, also with another English ending. An entity or error type
        holds if it is listed. An anti-pattern has a `warning`. Raises INVALID_ARGUMENT.
        """
        return self._wait(self._facade.match, query, entity_types=entity_types, error_types=error_types, limit=limit)

    def apply_result(self, pattern_id: str, success: bool, *, event: str | None = None) -> Pattern:
        """Count a success or failure of a pattern, and return the pattern. `event` is the event of the application.

        Concurrent calls lose no count. Raises NODE_NOT_FOUND, and INVALID_ARGUMENT if the node is not a pattern.
        """
        return self._wait(self._facade.apply_result, pattern_id, success, event=event)

    def get_best(self, pattern_type: PatternType | None = None, *, limit: int = 10) -> Patterns:
        """Return the patterns with the highest Wilson lower bound of the success rate. Raises INVALID_ARGUMENT."""
        return self._wait(self._facade.get_best, pattern_type, limit=limit)


class SyncProspective(_Sync[Prospective]):
    """What is to be done, without async: the methods of `Prospective`. It is `SyncAgent.prospective`."""

    def create(
        self,
        description: str,
        *,
        priority: float | None = None,
        deadline: str | None = None,
        session: str | None = None,
        steps: Sequence[str] = (),
        parent: str | None = None,
        blocked_by: Sequence[str] = (),
        status: Status = "pending",
    ) -> GoalChanged:
        """Create a goal. It is blocked if one of the goals in `blocked_by` is not completed.

        A goal with a `session` is for that session only. `deadline` is a day or a time of RFC 3339. Raises
        INVALID_ARGUMENT, INVALID_PROPERTY for an unknown status, and NODE_NOT_FOUND for an unknown parent or blocker.
        """
        return self._wait(
            self._facade.create,
            description,
            priority=priority,
            deadline=deadline,
            session=session,
            steps=steps,
            parent=parent,
            blocked_by=blocked_by,
            status=status,
        )

    def get(self, goal_id: str) -> Goal:
        """Return a goal. Raises NODE_NOT_FOUND, and INVALID_ARGUMENT if the node is not a goal."""
        return self._wait(self._facade.get, goal_id)

    def update(
        self,
        goal_id: str,
        *,
        status: Status | None = None,
        description: str | None = None,
        priority: float | None = None,
        deadline: str | None = None,
        steps: Sequence[str] | None = None,
    ) -> GoalChanged:
        """Change a goal. Omitted fields keep their values; new `steps` are all open.

        Status `completed` unblocks the goals that wait only for this one. Status `pending` removes the blockers and the
        reason of the goal. Raises INVALID_ARGUMENT, also if no field is given, INVALID_PROPERTY and NODE_NOT_FOUND.
        """
        return self._wait(
            self._facade.update,
            goal_id,
            status=status,
            description=description,
            priority=priority,
            deadline=deadline,
            steps=steps,
        )

    def complete_step(self, goal_id: str, step: int | None = None) -> GoalChanged:
        """Mark a step as completed: the step with this number (from 1), or the first open one.

        Completing the last open step completes the goal. Raises INVALID_ARGUMENT if the step is completed or does not
        exist, and NODE_NOT_FOUND.
        """
        return self._wait(self._facade.complete_step, goal_id, step)

    def block(self, goal_id: str, *, by: str | None = None, reason: str | None = None) -> GoalChanged:
        """Block a goal by another goal, or for a reason.

        A goal that is blocked for a reason stays blocked until `unblock`, even if its blockers are completed. Raises
        INVALID_ARGUMENT if neither is given or `by` is completed, INVALID_TOPOLOGY for a cycle, and NODE_NOT_FOUND.
        """
        return self._wait(self._facade.block, goal_id, by=by, reason=reason)

    def unblock(self, goal_id: str) -> GoalChanged:
        """Remove the blockers and the reason of a goal, and make it pending. Raises NODE_NOT_FOUND."""
        return self._wait(self._facade.unblock, goal_id)

    def abandon(self, goal_id: str) -> GoalChanged:
        """Abandon a goal. `warnings` names the goals that it still blocks. Raises NODE_NOT_FOUND."""
        return self._wait(self._facade.abandon, goal_id)

    def list(
        self,
        status: Status | None = None,
        *,
        due_before: str | None = None,
        session: str | None = None,
        limit: int = 50,
    ) -> Goals:
        """Return the goals with a status, or all unfinished goals, by priority and then by deadline.

        `due_before` selects goals with an earlier deadline. `session` selects the goals of a session and those without
        a session. Maximum `limit`: 1,000. Raises INVALID_ARGUMENT.
        """
        return self._wait(self._facade.list, status, due_before=due_before, session=session, limit=limit)

    def among(self, node_ids: Iterable[str]) -> tuple[Goal, ...]:
        """Return the unfinished goals among nodes, in the order of the ids."""
        return self._wait(self._facade.among, node_ids)


class SyncRelational(_Sync[Relational]):
    """Relations without async: the methods of `Relational`. It is `SyncAgent.relational`."""

    def add_relation(
        self,
        source: str,
        target: str,
        relation_type: str,
        *,
        weight: float = 1.0,
        confidence: float = 0.5,
        evidence: Sequence[str] = (),
        metadata: Mapping[str, object] | None = None,
    ) -> RelationsCreated:
        """Add a relation between two entities, given their names or ids.

        `weight` and `confidence` are 0 to 1. `evidence` has ids of events. All of these are properties of the relation,
        and so is each entry of `metadata`. Raises NODE_NOT_FOUND for an unknown name, event or id, INVALID_ARGUMENT
        and INVALID_PROPERTY.
        """
        return self._wait(
            self._facade.add_relation,
            source,
            target,
            relation_type,
            weight=weight,
            confidence=confidence,
            evidence=evidence,
            metadata=metadata,
        )

    def get_relations(self, entity: str) -> tuple[Relation, ...]:
        """Return the relations of an entity, given its name or id."""
        return self._wait(self._facade.get_relations, entity)

    def traverse(self, node_id: str, depth: int = 2, *, weight: str | None = None) -> Walked:
        """Return the nodes within a depth of a node. See `memory.recall.traverse_memories`."""
        return self._wait(self._facade.traverse, node_id, depth, weight=weight)

    def find_path(self, source_id: str, target_id: str, *, max_depth: int = 5) -> Paths:
        """Return the shortest path between two nodes. See `memory.recall.find_path`."""
        return self._wait(self._facade.find_path, source_id, target_id, max_depth=max_depth)

    def get_neighbors(
        self, node_id: str, types: Sequence[str] | None = None, *, direction: Direction = "both", limit: int = 100
    ) -> Neighbors:
        """Return the neighbors of a node, also of some relation types only. See `memory.recall.get_neighbors`."""
        return self._wait(self._facade.get_neighbors, node_id, types, direction=direction, limit=limit)


class SyncContextual(_Sync[Contextual]):
    """Documents and search without async: the methods of `Contextual`. It is `SyncAgent.contextual`."""

    def index(
        self, text: str, source: str, *, title: str | None = None, metadata: Mapping[str, object] | None = None
    ) -> Indexed:
        """Store a text of another source, such as a web page, as a node of type `Document`. See `index_batch`."""
        return self._wait(self._facade.index, text, source, title=title, metadata=metadata)

    def index_batch(self, documents: Sequence[Mapping[str, object]]) -> Indexed:
        """Store texts of other sources as nodes of type `Document`, in one transaction, and return their ids.

        Each document has `text` and `source`, such as a URL or a path, and optionally `title` and `metadata`, whose
        entries become properties. Search finds a document by its passages. Raises INVALID_ARGUMENT, INVALID_PROPERTY,
        CONTENT_TOO_LARGE and MEMORY_LIMIT_REACHED.
        """
        return self._wait(self._facade.index_batch, documents)

    def search(self, query: str, k: int = 10) -> SearchResult:
        """Return the `k` nearest passages by meaning. See `memory.recall.search_semantic`."""
        return self._wait(self._facade.search, query, k)

    def search_by_vector(self, embedding: Sequence[float], k: int = 10) -> SearchResult:
        """Return the `k` nearest passages to a vector of the domain's model."""
        return self._wait(self._facade.search_by_vector, embedding, k)

    def hybrid_search(self, query: str, filters: Mapping[str, object] | None = None, k: int = 10) -> SearchResult:
        """Return the `k` best passages by words and meaning. See `memory.recall.hybrid_search` for the filters."""
        return self._wait(self._facade.hybrid_search, query, filters, k)

    def delete(self, document_id: str) -> NodeDeleted:
        """Delete a document. Raises NODE_NOT_FOUND, and INVALID_ARGUMENT if the node is not a document."""
        return self._wait(self._facade.delete, document_id)

    def persist(self) -> Durable:
        """Return that everything is stored: each call stores its changes before it returns."""
        return self._wait(self._facade.persist)

    def restore(self) -> Durable:
        """Return that there is nothing to restore: each call reads what is stored."""
        return self._wait(self._facade.restore)


class SyncWorking(_Sync[Working]):
    """Notes of a session without async: the methods of `Working`. It is `SyncAgent.working`."""

    def set(self, key: str, value: object) -> WorkingMemory:
        """Set a value, and return the working memory with what was dropped for it.

        A value of `recent_outputs` is appended to the list. Raises INVALID_ARGUMENT for a value that is not JSON, and
        CONTENT_TOO_LARGE for a value that does not fit into the window; then nothing changes.
        """
        return self._wait(self._facade.set, key, value)

    def get(self, key: str | None = None) -> WorkingMemory:
        """Return the working memory, or only the value of a key. Raises INVALID_ARGUMENT for an unknown key."""
        return self._wait(self._facade.get, key)

    def clear(self, key: str | None = None) -> WorkingMemory:
        """Remove the value of a key, or everything, and return what remains."""
        return self._wait(self._facade.clear, key)


class SyncEnvironmental(_Sync[Environmental]):
    """The project without async: the methods of `Environmental`. It is `SyncAgent.environmental`."""

    def at(self, root: Path | str) -> SyncEnvironmental:
        """Return the environment of another project."""
        return SyncEnvironmental(self._facade.at(root), self._portal)

    def get(self, *, limit: int = 200) -> Environment:
        """Return the last scan of the project, or a new scan if it is older than 5 minutes.

        `limit` is the maximum number of paths of the file tree (up to 5,000). Raises INVALID_ARGUMENT, also for a root
        that is not a folder.
        """
        return self._wait(self._facade.get, limit=limit)

    def refresh(self, *, limit: int = 200) -> Environment:
        """Scan the project again. Raises INVALID_ARGUMENT."""
        return self._wait(self._facade.refresh, limit=limit)

    def snapshot(self, session: str = "default") -> EventRecorded:
        """Record a new scan as an event of type `environment`. Raises INVALID_ARGUMENT."""
        return self._wait(self._facade.snapshot, session)


class SyncUserMemory(_Sync[UserMemory]):
    """Users, without async: the methods of `UserMemory`. It is `SyncAgent.user`."""

    def get(self, user: str | None = None, *, limit: int = 50) -> UserProfile:
        """Return the profile of a user (default `user`).

        It has at most `limit` corrections, as many preferences and as much feedback. Sessions are counted in the log
        of the project's domain: all of them for the default user, for another those of the actor of this name. Raises
        INVALID_ARGUMENT.
        """
        return self._wait(self._facade.get, user, limit=limit)

    def update(
        self,
        user: str | None = None,
        *,
        communication_style: CommunicationStyle | None = None,
        expertise_level: ExpertiseLevel | None = None,
        preferred_tools: Sequence[str] | None = None,
        custom_instructions: Sequence[str] | None = None,
        correction: Mapping[str, object] | None = None,
        feedback: str | None = None,
        source: str | None = None,
        time: datetime | str | None = None,
    ) -> UserProfile:
        """Change the profile of a user (default `user`) in one write. Omitted fields keep their values.

        `preferred_tools` and `custom_instructions` replace the stored lists. `correction` has `original`, `corrected`
        and optionally `context`. It is added, as `feedback` is, with its `time` (default now) and `source` (default the
        name of the user). Returns the profile without the statistics of sessions. Raises INVALID_ARGUMENT, also if no
        field is given, and CONTENT_TOO_LARGE.
        """
        return self._wait(
            self._facade.update,
            user,
            communication_style=communication_style,
            expertise_level=expertise_level,
            preferred_tools=preferred_tools,
            custom_instructions=custom_instructions,
            correction=correction,
            feedback=feedback,
            source=source,
            time=time,
        )

    def find_corrections(self, query: str, *, limit: int = 10) -> tuple[Correction, ...]:
        """Return the corrections of all users that fit a query by its words, best first. Raises INVALID_ARGUMENT."""
        return self._wait(self._facade.find_corrections, query, limit=limit)

    def find(self, query: str, *, limit: int = 10) -> Fitting:
        """Return the corrections and preferences of all users that fit a query by their words, best first.

        `limit` is the maximum number of each. Raises INVALID_ARGUMENT.
        """
        return self._wait(self._facade.find, query, limit=limit)

    def remember(self, preference: str, *, user: str | None = None, dry_run: bool = False) -> Remembered:
        """Store a sentence as a preference of a user (default `user`), as `entities.remember` stores an observation.

        Raises INVALID_ARGUMENT and CONTENT_TOO_LARGE.
        """
        return self._wait(self._facade.remember, preference, user=user, dry_run=dry_run)


class SyncMetaMemory(_Sync[MetaMemory]):
    """Capabilities, without async: the methods of `MetaMemory`. It is `SyncAgent.meta`."""

    def get(self, tool: str | None = None, *, domains: Sequence[str] | None = None) -> Capabilities:
        """Return the capabilities, and the statistics of all tools or of one.

        `domains` has the domains whose events count (default the current domain), up to 20. Of each domain the newest
        10,000 events of type `tool_call` count. Warns of a domain that does not exist. Raises INVALID_ARGUMENT.
        """
        return self._wait(self._facade.get, tool, domains=domains)

    def set_capability(self, capability: str, kind: CapabilityKind) -> Capabilities:
        """Record a capability: a strength, a weakness, a limit (`cannot_do`) or a reason to ask first (`should_ask`).

        `capability` is one sentence. A known capability changes its kind. Returns all capabilities, without tools.
        Raises INVALID_ARGUMENT and CONTENT_TOO_LARGE.
        """
        return self._wait(self._facade.set_capability, capability, kind)

    def set_tool(self, tool: str, usage: str | None = None) -> Capabilities:
        """Record a tool of the agent, and when and how to use it. Raises INVALID_ARGUMENT and CONTENT_TOO_LARGE."""
        return self._wait(self._facade.set_tool, tool, usage)

    def remove(self, name: str) -> None:
        """Delete a capability or a tool. The log keeps it. Raises INVALID_ARGUMENT for an unknown name."""
        return self._wait(self._facade.remove, name)


class SyncTransaction(SyncMemory):
    """A memory whose changes are made together or not at all, without async: the methods of `Transaction`."""

    def __init__(self, transaction: Transaction, portal: BlockingPortal) -> None:
        super().__init__(transaction, portal)
        self._transaction = transaction

    def rollback(self) -> None:
        """Undo all changes. The block can go on, but not change or read anything more through this."""
        self._transaction.rollback()
