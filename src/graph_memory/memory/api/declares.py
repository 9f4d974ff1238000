"""`Declares`: what gives a domain its types. The work is done in the modules beside it."""

from __future__ import annotations

from graph_memory.memory.api.reads import Reads
from graph_memory.memory.graph import ontology as types
from graph_memory.memory.graph import ontology_migration as growing
from graph_memory.model import results
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology


class Declares(Reads):
    """The methods of `Memory` that declare types."""

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
        """Make the types of a domain what an ontology declares: create it with them, or add and change types.

        Types that it does not name stay as they are. It can be repeated. Raises TYPE_ALREADY_EXISTS where something
        stored does not fit what its type would become, with what would have to be true and the first examples in
        `changes`, INVALID_ONTOLOGY for an open ontology where the domain's is not, and DOMAIN_BUSY; nothing is
        changed then.
        """
        return await growing.apply_ontology(self._core, self._domain(domain), ontology)
