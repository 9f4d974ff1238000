"""The memory without async, for scripts and notebooks: every method of `Memory`, waited for.

with open_memory_sync() as memory:
    memory.create_node("Note", "# Hello")

Made from the facades by `make reference`: changes made here are lost.
"""
# ruff: noqa: A002 - the names of the tool specification

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, Generic, ParamSpec, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from graph_memory.app import open_memory
from graph_memory.memory.api.history import History
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.api.transfer import Transfer
from graph_memory.memory.api.upkeep import Upkeep
from graph_memory.memory.branches.results import How, Merged
from graph_memory.memory.drift.results import Reconciliation, Which
from graph_memory.memory.history.diff_results import Diff
from graph_memory.memory.history.past import Past
from graph_memory.memory.history.results import Choice, LogEntry, LogPage, Named, Operation, Reverted, Sessions, Source
from graph_memory.memory.retention.results import Compacted, Erased, Scanned
from graph_memory.memory.transfer.results import Exported, FolderExported, FolderImported, Imported
from graph_memory.model import results
from graph_memory.model.content import Encoding
from graph_memory.model.events import Origin
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
    NodeIds,
    NodeInfo,
    NodeSummary,
    Verification,
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

    def in_domain(self, domain: str) -> SyncMemory:
        """Return the same memory with another default domain. Raises INVALID_ARGUMENT."""
        return SyncMemory(self._facade.in_domain(domain), self._portal)

    def acting_as(self, actor: str | None, session: str | None = None) -> SyncMemory:
        """Return the same memory for somebody whom the log names for changes, and in a session of theirs.

        Where the settings name an actor or a session, those are named.
        """
        return SyncMemory(self._facade.acting_as(actor, session), self._portal)

    @property
    def history(self) -> SyncHistory:
        """What was changed, when and by whom."""
        return SyncHistory(self._facade.history, self._portal)

    @property
    def transfer(self) -> SyncTransfer:
        """Taking a domain from one place to another."""
        return SyncTransfer(self._facade.transfer, self._portal)

    @property
    def upkeep(self) -> SyncUpkeep:
        """Keeping the graph, the log and the blobs in agreement."""
        return SyncUpkeep(self._facade.upkeep, self._portal)

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
        id: str | None = None,
        domain: str | None = None,
    ) -> results.NodeCreated:
        """Create a node of a type that the ontology has.

        `content` is text, or with encoding `base64` binary content as base64 text, as bytes, or as the path of a
        file. `format` is a word of your own, such as `markdown` or `pdf`. `id` is for imports: one of your own
        choice, never used before. Raises INVALID_NODE_TYPE, REQUIRED_PROPERTY_MISSING, INVALID_PROPERTY,
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
        expected_version: int | None = None,
        domain: str | None = None,
    ) -> results.Changed:
        """Change a node: properties are merged into those it has, everything else given replaces what was.

        New content needs its `encoding`. An update that changes nothing is not recorded. Raises NODE_NOT_FOUND,
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
            expected_version=expected_version,
            domain=domain,
        )

    def delete_node(
        self, node_id: str, *, expected_version: int | None = None, domain: str | None = None
    ) -> results.NodeDeleted:
        """Delete a node and all its connections; the nodes at their other ends stay.

        More than 5,000 connections go in pages, the node last; the log has all of it as one change. Others can read
        meanwhile, and those who write are told DOMAIN_BUSY. One that was cut off goes on when it is asked for again.
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
        id: str | None = None,
        domain: str | None = None,
    ) -> results.ConnectionCreated:
        """Connect two nodes with a type that the ontology has and that may join them; `content` is a note on it.

        Raises INVALID_CONNECTION_TYPE, NODE_NOT_FOUND, INVALID_TOPOLOGY, REQUIRED_PROPERTY_MISSING,
        INVALID_PROPERTY, UNIQUE_PROPERTY_TAKEN, CONNECTION_ALREADY_EXISTS, FILE_CREATION_FAILED and
        TYPE_LIMIT_REACHED.
        """
        return self._wait(
            self._facade.create_connection,
            type,
            from_node_id,
            to_node_id,
            properties=properties,
            content=content,
            id=id,
            domain=domain,
        )

    def update_connection(
        self,
        connection_id: str,
        *,
        properties: Mapping[str, object] | None = None,
        content: str | None = None,
        expected_version: int | None = None,
        domain: str | None = None,
    ) -> results.Changed:
        """Change a connection: properties are merged into those it has, content replaces what was.

        Raises CONNECTION_NOT_FOUND, VERSION_CONFLICT, INVALID_PROPERTY, REQUIRED_PROPERTY_MISSING,
        UNIQUE_PROPERTY_TAKEN and FILE_CREATION_FAILED.
        """
        return self._wait(
            self._facade.update_connection,
            connection_id,
            properties=properties,
            content=content,
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
        """Say from when and until when a node or connection holds in the world, whenever that became known.

        Times are datetimes, or texts such as `2026-03-01`, `yesterday` or `2 hours ago`, in UTC unless they say
        otherwise; what is left out stays, `open` takes a bound away. At `valid_to` it holds no longer.
        Raises NODE_NOT_FOUND and VERSION_CONFLICT.
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
        """End a node or connection at a time; it is kept. Raises NODE_NOT_FOUND and VERSION_CONFLICT."""
        return self._wait(self._facade.invalidate, id, at=at, expected_version=expected_version, domain=domain)

    def create_ontology(self, ontology: Ontology, *, domain: str | None = None) -> results.OntologyChanged:
        """Begin a domain with an ontology. Raises ONTOLOGY_ALREADY_EXISTS."""
        return self._wait(self._facade.create_ontology, ontology, domain=domain)

    def add_node_type(self, node_type: NodeType, *, domain: str | None = None) -> results.OntologyChanged:
        """Add a node type to the ontology; types are never changed. Raises TYPE_ALREADY_EXISTS."""
        return self._wait(self._facade.add_node_type, node_type, domain=domain)

    def add_connection_type(
        self, connection_type: ConnectionType, *, domain: str | None = None
    ) -> results.OntologyChanged:
        """Add a connection type to the ontology. Raises TYPE_ALREADY_EXISTS and INVALID_NODE_TYPE."""
        return self._wait(self._facade.add_connection_type, connection_type, domain=domain)

    def apply_ontology(self, ontology: Ontology, *, domain: str | None = None) -> results.OntologyApplied:
        """Give a domain all types of an ontology, in one write: begin it with them, or add those that it lacks.

        It can be repeated. Raises TYPE_ALREADY_EXISTS, naming every type that the domain defines differently, and
        INVALID_ONTOLOGY for an open ontology where the domain's is not; nothing is changed then.
        """
        return self._wait(self._facade.apply_ontology, ontology, domain=domain)

    def list_domains(self) -> results.Domains:
        """Return all domains with what their logs and ontologies tell, in the order of their names."""
        return self._wait(self._facade.list_domains)

    def domain_info(self, *, domain: str | None = None) -> results.DomainInfo:
        """Return a domain with its nodes and connections counted. Raises ONTOLOGY_NOT_FOUND."""
        return self._wait(self._facade.domain_info, domain=domain)

    def delete_domain(self, name: str) -> results.DomainDeleted:
        """Delete a domain with its ontology, nodes, connections, contents and its whole log: it cannot be undone.

        The name is always given. A deletion that was cut off goes on when the same is asked for again, and a branch
        that was never finished is deleted like any other domain. Raises ONTOLOGY_NOT_FOUND, DOMAIN_HAS_BRANCHES and
        FILE_CREATION_FAILED.
        """
        return self._wait(self._facade.delete_domain, name)

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
        valid_at: datetime | str | None = None,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> results.NodeIds:
        """Return the ids of the nodes of a type, or of all, that have every given property with exactly that value.

        `true` is not `1`, `1` equals `1.0`. With `valid_at` only those that hold at that time in the world. With
        `detail` also type and title of each. Without `limit` all are returned; with it, `next_cursor` leads on.
        Raises INVALID_PROPERTY.
        """
        return self._wait(
            self._facade.query_nodes,
            type=type,
            properties=properties,
            valid_at=valid_at,
            detail=detail,
            limit=limit,
            cursor=cursor,
            domain=domain,
        )

    def query_connections(
        self,
        *,
        from_node_id: str | None = None,
        to_node_id: str | None = None,
        type: str | None = None,
        properties: Mapping[str, object] | None = None,
        valid_at: datetime | str | None = None,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> results.ConnectionIds:
        """Return the ids of the connections that match everything given, as `query_nodes` does for nodes.

        With `detail` also type of each, and ids and titles of its ends.
        """
        return self._wait(
            self._facade.query_connections,
            from_node_id=from_node_id,
            to_node_id=to_node_id,
            type=type,
            properties=properties,
            valid_at=valid_at,
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
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> results.ConnectedNodes:
        """Return the nodes at the other ends of a node's connections, each once.

        `out` follows connections that leave the node, `in` those that arrive, `both` all. A node connected to
        itself is its own neighbour. With `valid_at` only connections count that hold at that time in the world.
        With `detail` also type and title of each node, and the connections by which it is found. Raises NODE_NOT_FOUND.
        """
        return self._wait(
            self._facade.get_connected_nodes,
            node_id,
            direction=direction,
            connection_type=connection_type,
            valid_at=valid_at,
            detail=detail,
            limit=limit,
            cursor=cursor,
            domain=domain,
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

        `SS` finds `ß`; white space, line ends and composed characters are as they are. What was just written is
        found. Binary content is not searched. With `detail` also type and title of each.
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
        """Return whether the ontology allows a connection between nodes of these types; unknown types: it does not."""
        return self._wait(
            self._facade.validate_connection, connection_type, from_node_type, to_node_type, domain=domain
        )

    def get_ontology(self, *, domain: str | None = None) -> Ontology:
        """Return the ontology with everything that is declared, in the order of declaration."""
        return self._wait(self._facade.get_ontology, domain=domain)


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
        """Return changes, newest first, each with a line of words; with `full` also the states before and after.

        `since` and `until` are within. `subject` is the id of a node, connection or observation; `types` are names
        of node or connection types; the session `current` is that of whoever asks. 50 to a page unless `limit` says
        otherwise; `next_cursor` leads to older ones.
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
        """Give each change as it comes, whoever makes it, once and in the order of the log, until nobody asks any more.

        It begins with the change at `since`, without it with the next one that is made; who kept the `seq` of the
        last change that it was given goes on at the next number and misses nothing. The log is looked at `every` so
        many seconds, which costs one small read. What is asked for is told as in `log`. Raises when it is first asked,
        and later HISTORY_COMPACTED where changes were compacted that were not given yet, and STORE_CONFLICT where
        some have been missing from the log for a minute.
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
        """Return who changed the domain, the last to write first: when, how much, and what about; at most 50."""
        return self._wait(self._facade.sessions, since=since, until=until, limit=limit, domain=domain)

    def named(self, text: str, *, domain: str | None = None) -> tuple[Named, ...]:
        """Return the nodes and connections that a person may mean by a text.

        They have it as their id, as the beginning of their id, if it has 6 characters, or as their title. If an id is
        the text itself, it is that one alone. Deleted ones are given only where nothing else is. At most 12.
        """
        return self._wait(self._facade.named, text, domain=domain)

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

        With `against` it is compared with another domain, such as a branch of it: as this one was at `since`, by
        default now, and the other at `until`. What came or went between is seen from this domain.
        A point stands for the state after its last change: the change at `since` itself counts as made already. The
        counts are of all that differs; the entries, 50 to a page unless `limit` says otherwise, at most 200, tell it
        value by value, with `content` also as text diffs. What was changed and changed back is no difference. Long
        values and diffs are cut, and say so. `next_cursor` leads on between the same two points, whatever was written
        meanwhile.

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

    def as_of(self, at: int | str, *, domain: str | None = None) -> SyncPast:
        """Return the domain as it was after the last change at or before a point, to be read without a copy of it."""
        return SyncPast(self._wait(self._facade.as_of, at, domain=domain), self._portal)

    def branch(self, name: str, *, at: int | str | None = None, domain: str | None = None) -> Branched:
        """Make a branch: a new domain that begins with what this one was at a point, by default now.

        It has the ids, contents and types that were there then; the past before the fork is shared. What is changed in
        one of the two is not changed in the other. One that was cut off goes on when the same is asked for again.

        Raises DOMAIN_ALREADY_EXISTS, CONTENT_READ_FAILED and FILE_CREATION_FAILED.
        """
        return self._wait(self._facade.branch, name, at=at, domain=domain)

    def revert(
        self,
        *,
        event_ids: Sequence[str] | None = None,
        since: int | str | None = None,
        until: int | str | None = None,
        on_conflict: Choice = "stop",
        dry_run: bool = False,
        domain: str | None = None,
    ) -> Reverted:
        """Undo changes, given by the ids of their events or as a stretch of the log, as one batch that is logged too.

        Each subject gets the state that it had before the first of them. A deleted node comes back with its id, its
        content, and the connections that went with it whose other ends live. Where a subject was changed since, or
        something stands against it: `stop` changes nothing, `skip` leaves that subject as it is, `force` undoes the
        later changes too. A type is taken back when nothing that stays needs it; that cannot be forced. Undoing an undo
        brings the changes back.

        More than 5,000 events are written in pages: others can read meanwhile, those who write are told DOMAIN_BUSY,
        and one that was cut off goes on when the same is asked for again. Its answer lists the first 100 changes.

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
        """Undo all that one session changed, as `revert` does. Raises INVALID_ARGUMENT if it changed nothing."""
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
        """Write into this domain, or into another, what was changed in `source` since both were the same.

        What both have changed is merged property by property, text line by line; where that cannot be, there is a
        conflict. A resolution settles those of a subject: `{"subject": id, "take": "ours"}` leaves them as they are in
        the target, `"theirs"` takes them from the source; with `property` it settles one value, which can also be
        given as `value`. The strategy settles the rest; `manual` changes nothing while there are any. A preview only
        says what would be. It is one write, and merging once more changes nothing.

        Raises MERGE_CONFLICT, CONTENT_READ_FAILED, CONTENT_TOO_LARGE and FILE_CREATION_FAILED; DOMAIN_BUSY while
        something long goes on in either; HISTORY_COMPACTED where the state that both come from was compacted, or may
        have been.
        """
        return self._wait(
            self._facade.merge, source, into=into, preview=preview, strategy=strategy, resolutions=resolutions
        )

    def erase(self, subject: str, *, dry_run: bool = False, domain: str | None = None) -> Erased:
        """Erase a node, connection or observation for good, with its whole past: every state and content of it goes.

        A node's connections, and observations about it, go with it. It goes from the domain and from all that share
        its past: the branches, and what they were branched from. Its events stay in their places, with their times and
        who made them, but without content. It cannot be undone. One that was cut off goes on when the same is asked
        for again. Texts of others that mention it are not searched: `scan` finds these.

        Raises NODE_NOT_FOUND, DOMAIN_BUSY and FILE_CREATION_FAILED.
        """
        return self._wait(self._facade.erase, subject, dry_run=dry_run, domain=domain)

    def compact(
        self, before: int | str, *, archive: Path | None = None, dry_run: bool = False, domain: str | None = None
    ) -> Compacted:
        """Free the events before a point: each subject keeps the state that it had then, as one snapshot.

        The state at that point, and all later ones, can be read as before; earlier ones answer HISTORY_COMPACTED. The
        events go into an archive first, by default in the folder `archives` of the home; sessions stay counted. A dry
        run tells from when on questions will be answered, and which nodes lose their first state. No
        batch is cut in two, so it may end a little earlier. One that was cut off goes on when it is asked for again.

        Raises DOMAIN_BUSY, HISTORY_COMPACTED, FILE_CREATION_FAILED and CONTENT_READ_FAILED.
        """
        return self._wait(self._facade.compact, before, archive=archive, dry_run=dry_run, domain=domain)

    def scan(self, text: str) -> Scanned:
        """Look for a text, such as an id, in every property of the whole database, and in the blobs of all domains.

        It is compared exactly; the copies that the search keeps are compared in the form that these have. Of blobs, the
        bytes in UTF-8 are compared. Raises CONTENT_READ_FAILED and TIMEOUT.
        """
        return self._wait(self._facade.scan, text)


class SyncPast(_Sync[Past]):
    """A domain as it was, without async: the methods of `Past`."""

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
        valid_at: datetime | str | None = None,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> NodeIds:
        """Return the ids of the nodes that match."""
        return self._wait(
            self._facade.query_nodes,
            type=type,
            properties=properties,
            valid_at=valid_at,
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
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ConnectionIds:
        """Return the ids of the connections that match."""
        return self._wait(
            self._facade.query_connections,
            from_node_id=from_node_id,
            to_node_id=to_node_id,
            type=type,
            properties=properties,
            valid_at=valid_at,
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
            detail=detail,
            limit=limit,
            cursor=cursor,
        )

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


class SyncTransfer(_Sync[Transfer]):
    """Exports and imports without async: the methods of `Transfer`. It is `SyncMemory.transfer`."""

    def export_file(
        self, target: Path | str | IO[bytes], *, tell: Progress = silent, domain: str | None = None
    ) -> Exported:
        """Write a domain's whole log with all content to a file, from which the same domain can be made elsewhere.

        The file appears under its name when it is complete, and replaces one that was there; a name that ends in
        `.gz` is compressed. A stream is written to as it is. Others may write meanwhile: what they change after the
        export began is not in it. Raises ONTOLOGY_NOT_FOUND, DOMAIN_BUSY, CONTENT_READ_FAILED and
        FILE_CREATION_FAILED.
        """
        return self._wait(self._facade.export_file, target, tell=tell, domain=domain)

    def import_file(self, source: Path | str, *, name: str | None = None, tell: Progress = silent) -> Imported:
        """Make a domain of a file that `export_file` wrote: its log to the letter, and all that follows from it.

        The domain has the name that it had, unless another is given. The file is read twice, and nothing is written
        before all of it was found whole and undamaged. An import that was cut off goes on when the same is asked
        for again; until then its domain is busy, and can only be deleted. A branch has its past before the fork only
        if the domain that it was made from is there. Raises INVALID_ARCHIVE, CONTENT_TOO_LARGE, DOMAIN_ALREADY_EXISTS,
        DOMAIN_BUSY and FILE_CREATION_FAILED.
        """
        return self._wait(self._facade.import_file, source, name=name, tell=tell)

    def export_folder(
        self, folder: Path | str, *, at: int | str | None = None, tell: Progress = silent, domain: str | None = None
    ) -> FolderExported:
        """Write what was in a domain at a point, by default now, into a new folder.

        It gets a registry, the ontology, and a file for each content. There is no log in it, no observation, and
        nothing of what was before; `export_file` keeps all that. Raises ONTOLOGY_NOT_FOUND, DOMAIN_BUSY,
        HISTORY_COMPACTED, CONTENT_READ_FAILED, FILE_CREATION_FAILED, and INVALID_ARGUMENT for a folder that is not
        empty.
        """
        return self._wait(self._facade.export_folder, folder, at=at, tell=tell, domain=domain)

    def import_folder(self, folder: Path | str, *, name: str | None = None, tell: Progress = silent) -> FolderImported:
        """Make a domain of a folder: its types, and each node and connection created anew with the id that it had.

        Everything is checked before anything is written. The log begins with these creations, at the time of the
        import; `created` and `modified` of the registry are the times of the nodes and connections. Content without
        an encoding is text if it is UTF-8, and binary else. Cut off in the middle it leaves a domain that is busy,
        to be deleted. Raises INVALID_ARCHIVE, INVALID_ONTOLOGY, INVALID_ENCODING, CONTENT_TOO_LARGE,
        DOMAIN_ALREADY_EXISTS, DOMAIN_BUSY and FILE_CREATION_FAILED.
        """
        return self._wait(self._facade.import_folder, folder, name=name, tell=tell)


class SyncUpkeep(_Sync[Upkeep]):
    """Checks and repairs without async: the methods of `Upkeep`. It is `SyncMemory.upkeep`."""

    def verify(self, *, domain: str | None = None) -> Verification:
        """Replay a domain's log and name every point at which the live graph or its derived rows differ from it."""
        return self._wait(self._facade.verify, domain=domain)

    def rebuild(self, *, domain: str | None = None) -> Verification:
        """Mend every difference that `verify` finds, and return those that were found."""
        return self._wait(self._facade.rebuild, domain=domain)

    def reconcile(self, *, adopt: Which = (), restore: Which = (), domain: str | None = None) -> Reconciliation:
        """Tell what somebody changed in the live graph by hand; make that changes of the log, or put its state back.

        Give ids, or `all` for all that is not named for the other; twice, what cannot be adopted is restored. Adopting
        is one write with the checks of every other: what they refuse stays as it is, and is told with the reason. A
        node that is gone is adopted with its connections. Raises INVALID_ARGUMENT.
        """
        return self._wait(self._facade.reconcile, adopt=adopt, restore=restore, domain=domain)

    def collect_blobs(self, *, dry_run: bool, grace: float, now: datetime | None = None) -> BlobsCollected:
        """Delete blobs that nothing in any log refers to and that are older than `grace` seconds, or only list them.

        Raises CONTENT_READ_FAILED and FILE_CREATION_FAILED.
        """
        return self._wait(self._facade.collect_blobs, dry_run=dry_run, grace=grace, now=now)
