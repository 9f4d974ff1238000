"""`Writes`: the changes of types, and of single nodes and connections. The work is done in the modules beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from graph_memory.memory.api.reads import Reads
from graph_memory.memory.graph import connections, node_deletion, nodes, protection, validity
from graph_memory.memory.graph import ontology as types
from graph_memory.memory.graph import ontology_migration as growing
from graph_memory.model import results
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology
from graph_memory.model.values.content import Encoding
from graph_memory.model.values.fields import fields_from


class Writes(Reads):
    """The methods of `Memory` that declare types, and that change nodes and connections one by one."""

    async def create_ontology(self, ontology: Ontology, *, domain: str | None = None) -> results.OntologyChanged:
        """Create a domain with an ontology. Raises ONTOLOGY_ALREADY_EXISTS."""
        return await types.create_ontology(self._core, self._domain(domain), ontology)

    async def add_node_type(self, node_type: NodeType, *, domain: str | None = None) -> results.OntologyChanged:
        """Add a node type to the ontology; `apply_ontology` changes one. Raises TYPE_ALREADY_EXISTS."""
        return await types.add_node_type(self._core, self._domain(domain), node_type)

    async def add_connection_type(
        self, connection_type: ConnectionType, *, domain: str | None = None
    ) -> results.OntologyChanged:
        """Add a connection type to the ontology. Raises TYPE_ALREADY_EXISTS and INVALID_NODE_TYPE."""
        return await types.add_connection_type(self._core, self._domain(domain), connection_type)

    async def apply_ontology(self, ontology: Ontology, *, domain: str | None = None) -> results.OntologyApplied:
        """Apply an ontology to a domain: create the domain with its types, or add and change types.

        Types that it does not name are not changed. It can be repeated. Raises TYPE_ALREADY_EXISTS if stored data does
        not fit a changed type, with the demands and the first examples in `changes`, INVALID_ONTOLOGY for an open
        ontology if the domain's is closed, and DOMAIN_BUSY. Nothing is changed then.
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
            requested_id=id,
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

        The `encoding` of new content is `utf-8` by default. Its `format` stays, unless text replaces bytes. An empty
        text, or an empty object as `metadata`, sets a field back to its default. An update that changes nothing is not
        recorded. Raises NODE_NOT_FOUND,
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
            requested_id=id,
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
