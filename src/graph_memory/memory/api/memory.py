"""`Memory`: everything that you can do with a memory, in one place. The work is done in the modules beside it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

from graph_memory.memory.api.declares import Declares
from graph_memory.memory.api.history import History
from graph_memory.memory.api.transfer import Transfer
from graph_memory.memory.api.upkeep import Upkeep
from graph_memory.memory.batch import run as batch
from graph_memory.memory.batch.parsing import options_from
from graph_memory.memory.batch.results import BatchResult
from graph_memory.memory.core import Core, within
from graph_memory.memory.domains import deletion
from graph_memory.memory.graph import connections, node_deletion, nodes, protection, validity
from graph_memory.memory.meaning import inference
from graph_memory.memory.meaning.results import Inferred
from graph_memory.model import results
from graph_memory.model.arguments import check_domain
from graph_memory.model.content import Encoding
from graph_memory.model.fields import fields_from
from graph_memory.storage.log.transaction import LogWithin


class Memory(Declares):
    """A memory of typed nodes and connections. Open one with `graph_memory.open_memory`.

    Every method takes an optional `domain`, the namespace to work in; without it, it uses the default domain.
    `create_ontology` creates a domain. Until then, the two queries and `search_content` find nothing, and every other
    method raises ONTOLOGY_NOT_FOUND. All failures are `GraphError`; any method can raise STORE_UNAVAILABLE, TIMEOUT
    and INVALID_ARGUMENT, and any write DOMAIN_BUSY and PROTECTED.

    Property values are strings, finite numbers (integers within 64 bits) and booleans. A version is the number of a
    change in the domain's log. Pass the version that you read as `expected_version`: if there was a change since, the
    write raises VERSION_CONFLICT.
    """

    def in_domain(self, domain: str) -> Memory:
        """Return the same memory with another default domain. Raises INVALID_ARGUMENT."""
        return Memory(self._core, default_domain=domain)

    def acting_as(self, actor: str | None, session: str | None = None) -> Memory:
        """Return the same memory for someone else: the log names them, and their session, for changes.

        An actor or session in the settings takes precedence.
        """
        return Memory(self._core.acting_as(actor, session), default_domain=self._default_domain)

    @property
    def history(self) -> History:
        """What was changed, when and by whom."""
        return History(self._core, self._domain)

    @property
    def transfer(self) -> Transfer:
        """Export and import of domains."""
        return Transfer(self._core, self._domain)

    @property
    def upkeep(self) -> Upkeep:
        """Keeping the graph, the log and the blobs in agreement."""
        return Upkeep(self._core, self._domain)

    async def create_node(
        self,
        type: str,  # noqa: A002 - the names of the tool specification
        content: str | bytes | Path,
        *,
        encoding: Encoding = "utf-8",
        format: str = "markdown",  # noqa: A002
        properties: Mapping[str, object] | None = None,
        tags: Sequence[str] | None = None,
        path: str | None = None,
        namespace: str | None = None,
        title: str | None = None,
        content_summary: str | None = None,
        metadata: Mapping[str, object] | None = None,
        id: str | None = None,  # noqa: A002
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
        return await nodes.create_node(
            self._core,
            self._domain(domain),
            type,
            content,
            encoding=encoding,
            content_format=format,
            properties=properties,
            tags=tags,
            fields=fields_from(
                path=path, namespace=namespace, title=title, content_summary=content_summary, metadata=metadata
            ),
            given_id=id,
        )

    async def update_node(
        self,
        node_id: str,
        *,
        properties: Mapping[str, object] | None = None,
        content: str | bytes | Path | None = None,
        encoding: Encoding | None = None,
        format: str | None = None,  # noqa: A002
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

        New content needs its `encoding`. An empty text, or an empty object as `metadata`, sets a field back to its
        default. An update that changes nothing is not recorded. Raises NODE_NOT_FOUND,
        VERSION_CONFLICT, INVALID_ENCODING, INVALID_PROPERTY, REQUIRED_PROPERTY_MISSING, UNIQUE_PROPERTY_TAKEN and
        FILE_CREATION_FAILED.
        """
        edit = await nodes.edit_of(
            properties=properties,
            content=content,
            encoding=encoding,
            content_format=format,
            tags=tags,
            fields=fields_from(
                path=path, namespace=namespace, title=title, content_summary=content_summary, metadata=metadata
            ),
            expected_version=expected_version,
        )
        return await nodes.update_node(self._core, self._domain(domain), node_id, edit)

    async def set_node_content(
        self,
        id: str,  # noqa: A002 - the name of the specification
        content: str | bytes,
        format: str | None = None,  # noqa: A002
        *,
        domain: str | None = None,
    ) -> results.Changed:
        """Replace a node's content: by text, or by bytes as binary content. Raises what `update_node` does."""
        encoding = "utf-8" if isinstance(content, str) else "base64"
        return await self.update_node(id, content=content, encoding=encoding, format=format, domain=domain)

    async def delete_node(
        self, node_id: str, *, expected_version: int | None = None, domain: str | None = None
    ) -> results.NodeDeleted:
        """Delete a node and all its connections; the nodes at their other ends stay.

        More than 5,000 connections are deleted in pages, the node last, and logged as one batch. Others can read
        meanwhile, and writers get DOMAIN_BUSY. The same call resumes a deletion that was interrupted.
        Raises NODE_NOT_FOUND and VERSION_CONFLICT.
        """
        return await node_deletion.delete_node(self._core, self._domain(domain), node_id, expected_version)

    async def create_connection(
        self,
        type: str,  # noqa: A002
        from_node_id: str,
        to_node_id: str,
        *,
        properties: Mapping[str, object] | None = None,
        content: str | None = None,
        strength: Mapping[str, float] | float | None = None,
        id: str | None = None,  # noqa: A002
        domain: str | None = None,
    ) -> results.ConnectionCreated:
        """Connect two nodes. The ontology says which types can join them; `content` is a note on the connection.

        `strength` has `semantic`, `structural`, `temporal` and `confidence`, each from 0 to 1; one number sets the
        first two to it, `temporal` to 1.0 and `confidence` to 0.9. Raises INVALID_CONNECTION_TYPE, NODE_NOT_FOUND,
        INVALID_TOPOLOGY, REQUIRED_PROPERTY_MISSING, INVALID_PROPERTY, UNIQUE_PROPERTY_TAKEN, CONNECTION_ALREADY_EXISTS,
        FILE_CREATION_FAILED and TYPE_LIMIT_REACHED.
        """
        return await connections.create_connection(
            self._core,
            self._domain(domain),
            type,
            from_node_id,
            to_node_id,
            properties=properties,
            content=content,
            strength=strength,
            given_id=id,
        )

    async def update_connection(
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
        edit = connections.edit_of(
            properties=properties, content=content, strength=strength, expected_version=expected_version
        )
        return await connections.update_connection(self._core, self._domain(domain), connection_id, edit)

    async def set_relation_importance(
        self,
        connection_id: str,
        importance: float,
        *,
        expected_version: int | None = None,
        domain: str | None = None,
    ) -> results.Changed:
        """Set how important a connection is, 0 to 1: half of its weight then. Raises what `update_connection` does."""
        edit = connections.importance_edit(importance, expected_version)
        return await connections.update_connection(self._core, self._domain(domain), connection_id, edit)

    async def delete_connection(
        self, connection_id: str, *, expected_version: int | None = None, domain: str | None = None
    ) -> results.Changed:
        """Delete a connection; its nodes stay. Raises CONNECTION_NOT_FOUND and VERSION_CONFLICT."""
        return await connections.delete_connection(self._core, self._domain(domain), connection_id, expected_version)

    async def set_validity(
        self,
        id: str,  # noqa: A002
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
        edit = validity.edit_of(valid_from=valid_from, valid_to=valid_to, expected_version=expected_version)
        return await validity.set_validity(self._core, self._domain(domain), id, edit)

    async def invalidate(
        self,
        id: str,  # noqa: A002
        *,
        at: datetime | str = "now",
        expected_version: int | None = None,
        domain: str | None = None,
    ) -> results.Changed:
        """Set when a node or connection stops holding; it is kept. Raises NODE_NOT_FOUND and VERSION_CONFLICT."""
        return await self.set_validity(id, valid_to=at, expected_version=expected_version, domain=domain)

    async def protect(
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
        target = protection.target_of(node_id, connection_id, domain)
        now = self._core.log.clock()
        terms = protection.terms_of(reason, expires_at, can_be_unprotected_by, now) if is_read_only else None
        return await protection.protect(self._core, self._domain(domain), target, terms)

    async def unprotect(
        self, *, node_id: str | None = None, connection_id: str | None = None, domain: str | None = None
    ) -> results.ProtectionChanged:
        """Lift the protection of a node, a connection or, when only `domain` is given, that domain.

        What is not protected stays as it is. Raises NODE_NOT_FOUND, CONNECTION_NOT_FOUND and PROTECTED.
        """
        return await self.protect(node_id=node_id, connection_id=connection_id, is_read_only=False, domain=domain)

    async def execute_batch(
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
        `"$task"` as the id of what has that `ref`. The rules of the ontology are asked of the graph that all of them
        come to.

        `options`: `atomic` (default true; false leaves out what is at fault and makes the rest), `rollback_on_error`
        (true means atomic), `validate_before_commit` (default true: all faults are found, not only the first) and
        `dry_run`. A call with the same `idempotency_key` and operations returns the first one's changes. Raises
        BATCH_REFUSED, with index, code, message and hint of each fault in `details["faults"]`, and
        IDEMPOTENCY_CONFLICT.
        """
        return await batch.execute_batch(
            self._core, self._domain(domain), operations, options_from(options), idempotency_key
        )

    async def infer_connections(
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
        return await inference.infer_connections(
            self._core,
            self._domain(domain),
            connection_type=connection_type,
            max_depth=max_depth,
            limit=limit,
            dry_run=dry_run,
        )

    @asynccontextmanager
    async def transaction(self, *, domain: str | None = None) -> AsyncGenerator[Transaction]:
        """Give a memory whose changes are made together when the block ends, or not at all.

        Use it in a `with` block, which is an `async with` block of an async memory. What it gives has every method that
        changes nodes and connections, and its reads see what it changed. An exception undoes everything, and so does
        its `rollback()`. The log has the changes as one batch, of at most 10,000. Others can read meanwhile; a write to
        the domain waits, or gets DOMAIN_BUSY, and that includes this memory itself. So keep it short: after
        GRAPH_MEMORY_WRITE_TIMEOUT (60 seconds) it is undone with TIMEOUT. Add connection types before it. Raises
        TRANSACTION_LOST when the connection was lost and nothing was changed, and STORE_UNAVAILABLE when it cannot be
        told whether anything was.
        """
        name = self._domain(domain)
        async with within(self._core, name) as (core, log):
            yield Transaction(core, log, default_domain=name)

    async def delete_domain(self, name: str) -> results.DomainDeleted:
        """Delete a domain with its ontology, nodes, connections, contents and whole log. It cannot be undone.

        The same call resumes a deletion that was interrupted. A branch that was never completed is deleted like any
        other domain. Raises ONTOLOGY_NOT_FOUND, DOMAIN_HAS_BRANCHES and
        FILE_CREATION_FAILED.
        """
        return await deletion.delete_domain(self._core, check_domain(name))


class Transaction(Memory):
    """A memory whose changes are made together or not at all. `Memory.transaction` gives one.

    What needs transactions of its own, such as `create_ontology`, `revert` or deleting a node with more than 5,000
    connections, raises INVALID_ARGUMENT.
    """

    def __init__(self, core: Core, log: LogWithin, *, default_domain: str) -> None:
        super().__init__(core, default_domain=default_domain)
        self._log = log

    def rollback(self) -> None:
        """Undo all changes. The block can go on, but not change or read anything more through this."""
        self._log.rollback()
