"""`Memory`: everything that can be asked of a memory, in one place. The work is done in the modules beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from graph_memory.memory.api.history import History
from graph_memory.memory.api.reads import Reads
from graph_memory.memory.api.transfer import Transfer
from graph_memory.memory.api.upkeep import Upkeep
from graph_memory.memory.domains import deletion, listing
from graph_memory.memory.graph import connections, node_deletion, nodes, validity
from graph_memory.memory.graph import ontology as types
from graph_memory.model import results
from graph_memory.model.arguments import check_domain
from graph_memory.model.content import Encoding
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology


class Memory(Reads):
    """A memory of typed nodes and connections. Open one with `graph_memory.open_memory`.

    Every method takes an optional `domain`, the namespace to work in; without it the default domain is meant.
    A domain comes into being with `create_ontology`; until then every other method but the two queries and
    `search_content` (which find nothing) raises ONTOLOGY_NOT_FOUND. All failures are `GraphError`; any method may
    raise STORE_UNAVAILABLE, TIMEOUT and INVALID_ARGUMENT, and any write DOMAIN_BUSY.

    Property values are strings, finite numbers (integers within 64 bits) and booleans. Versions count the changes
    of the domain: give the one you saw as `expected_version`, and a change made since raises VERSION_CONFLICT.
    """

    def in_domain(self, domain: str) -> Memory:
        """Return the same memory with another default domain. Raises INVALID_ARGUMENT."""
        return Memory(self._core, default_domain=domain)

    def acting_as(self, actor: str | None, session: str | None = None) -> Memory:
        """Return the same memory for somebody whom the log names for changes, and in a session of theirs.

        Where the settings name an actor or a session, those are named.
        """
        return Memory(self._core.acting_as(actor, session), default_domain=self._default_domain)

    @property
    def history(self) -> History:
        """What was changed, when and by whom."""
        return History(self._core, self._domain)

    @property
    def transfer(self) -> Transfer:
        """Taking a domain from one place to another."""
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
        id: str | None = None,  # noqa: A002
        domain: str | None = None,
    ) -> results.NodeCreated:
        """Create a node of a type that the ontology has.

        `content` is text, or with encoding `base64` binary content as base64 text, as bytes, or as the path of a
        file. `format` is a word of your own, such as `markdown` or `pdf`. `id` is for imports: one of your own
        choice, never used before. Raises INVALID_NODE_TYPE, REQUIRED_PROPERTY_MISSING, INVALID_PROPERTY,
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
            path=path,
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
        expected_version: int | None = None,
        domain: str | None = None,
    ) -> results.Changed:
        """Change a node: properties are merged into those it has, everything else given replaces what was.

        New content needs its `encoding`. An update that changes nothing is not recorded. Raises NODE_NOT_FOUND,
        VERSION_CONFLICT, INVALID_ENCODING, INVALID_PROPERTY, REQUIRED_PROPERTY_MISSING, UNIQUE_PROPERTY_TAKEN and
        FILE_CREATION_FAILED.
        """
        edit = await nodes.edit_of(
            properties=properties,
            content=content,
            encoding=encoding,
            content_format=format,
            tags=tags,
            path=path,
            expected_version=expected_version,
        )
        return await nodes.update_node(self._core, self._domain(domain), node_id, edit)

    async def delete_node(
        self, node_id: str, *, expected_version: int | None = None, domain: str | None = None
    ) -> results.NodeDeleted:
        """Delete a node and all its connections; the nodes at their other ends stay.

        More than 5,000 connections go in pages, the node last; the log has all of it as one change. Others can read
        meanwhile, and those who write are told DOMAIN_BUSY. One that was cut off goes on when it is asked for again.
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
        id: str | None = None,  # noqa: A002
        domain: str | None = None,
    ) -> results.ConnectionCreated:
        """Connect two nodes with a type that the ontology has and that may join them; `content` is a note on it.

        Raises INVALID_CONNECTION_TYPE, NODE_NOT_FOUND, INVALID_TOPOLOGY, REQUIRED_PROPERTY_MISSING,
        INVALID_PROPERTY, UNIQUE_PROPERTY_TAKEN, CONNECTION_ALREADY_EXISTS, FILE_CREATION_FAILED and
        TYPE_LIMIT_REACHED.
        """
        return await connections.create_connection(
            self._core,
            self._domain(domain),
            type,
            from_node_id,
            to_node_id,
            properties=properties,
            content=content,
            given_id=id,
        )

    async def update_connection(
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
        edit = connections.edit_of(properties=properties, content=content, expected_version=expected_version)
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
        """Say from when and until when a node or connection holds in the world, whenever that became known.

        Times are datetimes, or texts such as `2026-03-01`, `yesterday` or `2 hours ago`, in UTC unless they say
        otherwise; what is left out stays, `open` takes a bound away. At `valid_to` it holds no longer.
        Raises NODE_NOT_FOUND and VERSION_CONFLICT.
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
        """End a node or connection at a time; it is kept. Raises NODE_NOT_FOUND and VERSION_CONFLICT."""
        return await self.set_validity(id, valid_to=at, expected_version=expected_version, domain=domain)

    async def create_ontology(self, ontology: Ontology, *, domain: str | None = None) -> results.OntologyChanged:
        """Begin a domain with an ontology. Raises ONTOLOGY_ALREADY_EXISTS."""
        return await types.create_ontology(self._core, self._domain(domain), ontology)

    async def add_node_type(self, node_type: NodeType, *, domain: str | None = None) -> results.OntologyChanged:
        """Add a node type to the ontology; types are never changed. Raises TYPE_ALREADY_EXISTS."""
        return await types.add_node_type(self._core, self._domain(domain), node_type)

    async def add_connection_type(
        self, connection_type: ConnectionType, *, domain: str | None = None
    ) -> results.OntologyChanged:
        """Add a connection type to the ontology. Raises TYPE_ALREADY_EXISTS and INVALID_NODE_TYPE."""
        return await types.add_connection_type(self._core, self._domain(domain), connection_type)

    async def apply_ontology(self, ontology: Ontology, *, domain: str | None = None) -> results.OntologyApplied:
        """Give a domain all types of an ontology, in one write: begin it with them, or add those that it lacks.

        It can be repeated. Raises TYPE_ALREADY_EXISTS, naming every type that the domain defines differently, and
        INVALID_ONTOLOGY for an open ontology where the domain's is not; nothing is changed then.
        """
        return await types.apply_ontology(self._core, self._domain(domain), ontology)

    async def list_domains(self) -> results.Domains:
        """Return all domains with what their logs and ontologies tell, in the order of their names."""
        return await listing.list_domains(self._core)

    async def domain_info(self, *, domain: str | None = None) -> results.DomainInfo:
        """Return a domain with its nodes and connections counted. Raises ONTOLOGY_NOT_FOUND."""
        return await listing.domain_info(self._core, self._domain(domain))

    async def delete_domain(self, name: str) -> results.DomainDeleted:
        """Delete a domain with its ontology, nodes, connections, contents and its whole log: it cannot be undone.

        The name is always given. A deletion that was cut off goes on when the same is asked for again, and a branch
        that was never finished is deleted like any other domain. Raises ONTOLOGY_NOT_FOUND, DOMAIN_HAS_BRANCHES and
        FILE_CREATION_FAILED.
        """
        return await deletion.delete_domain(self._core, check_domain(name))
