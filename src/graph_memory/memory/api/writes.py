"""`WriteMethods`: changes types, individual nodes and individual connections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from graph_memory.memory.api.reads import ReadMethods
from graph_memory.memory.graph import connections, node_deletion, nodes, protection, validity
from graph_memory.memory.graph import ontology as types
from graph_memory.memory.graph import ontology_migration as growing
from graph_memory.model import results
from graph_memory.model.events import new_id
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology
from graph_memory.model.rights import Right, require
from graph_memory.model.values.arguments import check_new_id
from graph_memory.model.values.content import Encoding
from graph_memory.model.values.fields import fields_from


class WriteMethods(ReadMethods):
    """The methods of `Memory` that declare types, and that change individual nodes and connections."""

    async def create_ontology(self, ontology: Ontology, *, domain: str | None = None) -> results.OntologyChangeResult:
        """Create a domain with an ontology. Raises ONTOLOGY_ALREADY_EXISTS."""
        return await types.create_ontology(self._core, self._domain(domain), ontology)

    async def add_node_type(self, node_type: NodeType, *, domain: str | None = None) -> results.OntologyChangeResult:
        """Add a node type to the ontology. To change a type, use `apply_ontology`. Raises TYPE_ALREADY_EXISTS."""
        return await types.add_node_type(self._core, self._domain(domain), node_type)

    async def add_connection_type(
        self, connection_type: ConnectionType, *, domain: str | None = None
    ) -> results.OntologyChangeResult:
        """Add a connection type to the ontology. Raises TYPE_ALREADY_EXISTS and INVALID_NODE_TYPE."""
        return await types.add_connection_type(self._core, self._domain(domain), connection_type)

    async def apply_ontology(self, ontology: Ontology, *, domain: str | None = None) -> results.OntologyApplyResult:
        """Apply an ontology to a domain: create the domain with its types, or add and change types.

        Other types of the domain are not changed, and the call can be repeated. If it raises an error, nothing is
        changed: TYPE_ALREADY_EXISTS if stored data violates a changed type, with the conflicts and examples in
        `changes`, INVALID_ONTOLOGY if the ontology is open and the domain's ontology is closed, and DOMAIN_BUSY during
        a long operation.
        """
        return await growing.apply_ontology(self._core, self._domain(domain), ontology)

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
    ) -> results.NodeCreationResult:
        """Create a node of a type in the ontology.

        `content` is text, or with encoding `base64`, binary content: base64 text, bytes or the path of a file. `format`
        is a word of your choice, such as `markdown` or `pdf`. `path` is a path of your choice (default `/`), and
        `namespace` the name of a part of the domain (default `default`). By default, `title` is derived from the
        properties or the content. `metadata` is a JSON object of up to 64 kB. `id` is for imports: an id of your choice
        that was never used before. Raises INVALID_NODE_TYPE, REQUIRED_PROPERTY_MISSING, INVALID_PROPERTY,
        UNIQUE_PROPERTY_TAKEN, INVALID_ENCODING, NODE_ALREADY_EXISTS, FILE_CREATION_FAILED and TYPE_LIMIT_REACHED.
        """
        name = self._domain(domain)
        fields = fields_from(
            path=path, namespace=namespace, title=title, content_summary=content_summary, metadata=metadata
        )
        node = await nodes.new_node(
            new_id("mem") if id is None else check_new_id("id", id),
            type,
            content,
            encoding=encoding,
            content_format=format,
            properties=properties,
            tags=tags,
            fields=fields,
        )
        return await nodes.create_node(self._core, name, node, has_requested_id=id is not None)

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
    ) -> results.ChangeResult:
        """Change a node. Properties are merged into the existing properties, and all other fields are replaced.

        The `encoding` of new content is `utf-8` by default. The node keeps its `format`, unless text replaces bytes.
        Pass an empty string, or `{}` as `metadata`, to reset a field to its default. An update without changes is not
        recorded. Raises NODE_NOT_FOUND, VERSION_CONFLICT, INVALID_ENCODING, INVALID_PROPERTY,
        REQUIRED_PROPERTY_MISSING, UNIQUE_PROPERTY_TAKEN and FILE_CREATION_FAILED.
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
    ) -> results.ChangeResult:
        """Replace a node's content with text, or with bytes as binary content. Raises the errors of `update_node`."""
        encoding = "utf-8" if isinstance(content, str) else "base64"
        return await self.update_node(id, content=content, encoding=encoding, format=format, domain=domain)

    async def delete_node(
        self, node_id: str, *, expected_version: int | None = None, domain: str | None = None
    ) -> results.NodeDeletionResult:
        """Delete a node and all its connections. The connected nodes are kept.

        If there are more than 5,000 connections, they are deleted in pages before the node. The log records the
        deletions as one batch. In the meantime, other callers can read, but their writes raise DOMAIN_BUSY. Repeat the
        call to resume an interrupted deletion. Raises NODE_NOT_FOUND and VERSION_CONFLICT.
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
    ) -> results.ConnectionCreationResult:
        """Connect two nodes with a connection of a type that the ontology allows between them. `content` is a note.

        `strength` has the components `semantic`, `structural`, `temporal` and `confidence`, each from 0 to 1. A single
        number applies to `semantic` and `structural`, and sets `temporal` to 1.0 and `confidence` to 0.9. Raises
        INVALID_CONNECTION_TYPE, NODE_NOT_FOUND, INVALID_TOPOLOGY, REQUIRED_PROPERTY_MISSING, INVALID_PROPERTY,
        UNIQUE_PROPERTY_TAKEN, CONNECTION_ALREADY_EXISTS, FILE_CREATION_FAILED and TYPE_LIMIT_REACHED.
        """
        name = self._domain(domain)
        connection = connections.new_connection(
            new_id("conn") if id is None else check_new_id("id", id),
            type,
            from_node_id,
            to_node_id,
            properties=properties,
            content=content,
            strength=strength,
        )
        return await connections.create_connection(self._core, name, connection, has_requested_id=id is not None)

    async def update_connection(
        self,
        connection_id: str,
        *,
        properties: Mapping[str, object] | None = None,
        content: str | None = None,
        strength: Mapping[str, float] | float | None = None,
        expected_version: int | None = None,
        domain: str | None = None,
    ) -> results.ChangeResult:
        """Change a connection. Properties and strength are merged into the existing values, and content is replaced.

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
    ) -> results.ChangeResult:
        """Set the importance of a connection, from 0 to 1. It makes up half of the connection's weight.

        Raises the same errors as `update_connection`.
        """
        edit = connections.importance_edit(importance, expected_version)
        return await connections.update_connection(self._core, self._domain(domain), connection_id, edit)

    async def delete_connection(
        self, connection_id: str, *, expected_version: int | None = None, domain: str | None = None
    ) -> results.ChangeResult:
        """Delete a connection. Its nodes are kept. Raises CONNECTION_NOT_FOUND and VERSION_CONFLICT."""
        return await connections.delete_connection(self._core, self._domain(domain), connection_id, expected_version)

    async def set_validity(
        self,
        id: str,  # noqa: A002
        *,
        valid_from: datetime | str | None = None,
        valid_to: datetime | str | None = None,
        expected_version: int | None = None,
        domain: str | None = None,
    ) -> results.ChangeResult:
        """Set the times at which a node or connection starts and stops being true in the world.

        Times are datetimes, or strings such as `2026-03-01`, `yesterday` or `2 hours ago`, in UTC unless they specify
        another time zone. Omitted times keep their values; `"open"` removes a time. The period includes `valid_from`,
        but not `valid_to`. Raises NODE_NOT_FOUND and VERSION_CONFLICT.
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
    ) -> results.ChangeResult:
        """Set the time at which a node or connection stops being true. It is not deleted.

        Raises NODE_NOT_FOUND and VERSION_CONFLICT.
        """
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
    ) -> results.ProtectionChangeResult:
        """Make a node, a connection, or (if you pass only `domain`) a whole domain read-only.

        A write that would change or delete the subject then raises PROTECTED. It can still be read, and connections to
        a protected node can still be added. The actors in `can_be_unprotected_by` may write to the subject and remove
        the protection; if the list is empty, only `graph-memory unprotect` removes it. The protection ends at
        `expires_at`, if given. Callers choose their actor's name, so protection guards against mistakes, not against
        attackers. `is_read_only=False` has the same effect as `unprotect`. Raises NODE_NOT_FOUND, CONNECTION_NOT_FOUND,
        and PROTECTED if the caller may not change the existing protection.
        """
        target = protection.target_of(node_id, connection_id, domain)
        now = self._core.log.clock()
        terms = protection.terms_of(reason, expires_at, can_be_unprotected_by, now) if is_read_only else None
        domain_name = require(self._domain(domain), Right.WRITE if terms is None else Right.ADMIN)
        return await protection.protect(self._core, domain_name, target, terms)

    async def unprotect(
        self, *, node_id: str | None = None, connection_id: str | None = None, domain: str | None = None
    ) -> results.ProtectionChangeResult:
        """Remove the protection of a node, a connection, or (if you pass only `domain`) a domain.

        If the subject is not protected, nothing changes. Raises NODE_NOT_FOUND, CONNECTION_NOT_FOUND and PROTECTED.
        """
        return await self.protect(node_id=node_id, connection_id=connection_id, is_read_only=False, domain=domain)
