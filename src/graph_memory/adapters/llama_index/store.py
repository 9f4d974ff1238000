"""LlamaIndex's property graph in the graph: `GraphPropertyStore`, a `PropertyGraphStore`.

with open_memory_sync() as memory:
    index = PropertyGraphIndex.from_documents(documents, property_graph_store=GraphPropertyStore(memory, domain="docs"))

The label of a node or relation is its type in the ontology. So a closed ontology rejects unknown labels and properties.
For the stored nodes, see `graph_memory.adapters.llama_index.calls`. Embeddings are not stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.graph_stores.types import LabelledNode, PropertyGraphStore, Relation, Triplet
from llama_index.core.vector_stores.types import VectorStoreQuery
from typing_extensions import override

from graph_memory.adapters.llama_index import calls
from graph_memory.adapters.llama_index.block import ACTOR
from graph_memory.adapters.running import Runner
from graph_memory.memory.api.memory import Memory
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.sync import SyncMemory


class GraphPropertyStore(PropertyGraphStore):
    """A property graph store on a domain of a memory that was opened with `open_memory_sync` or `open_memory`.

    If the memory is async, create the store within its event loop. If `allow_cypher` is set, `structured_query` runs
    read-only Cypher statements. They can read all domains, so do not run statements from a model that serves several
    users.
    """

    supports_vector_queries = False

    def __init__(
        self,
        memory: Memory | SyncMemory,
        *,
        domain: str | None = None,
        actor: str = ACTOR,
        session: str | None = None,
        allow_cypher: bool = False,
    ) -> None:
        self._runner = Runner(memory, domain, actor, session)
        self.supports_structured_queries = allow_cypher

    @property
    @override
    def client(self) -> None:
        return None

    @override
    def get(self, properties: dict[str, Any] | None = None, ids: list[str] | None = None) -> list[LabelledNode]:
        """Return the nodes with one of the ids and at least one of the property values.

        An omitted argument is not a condition.
        """
        return self._runner.run(lambda memory: calls.get(memory, properties, ids))

    @override
    async def aget(self, properties: dict[str, Any] | None = None, ids: list[str] | None = None) -> list[LabelledNode]:
        return await self._runner.arun(lambda memory: calls.get(memory, properties, ids))

    @override
    def get_triplets(
        self,
        entity_names: list[str] | None = None,
        relation_names: list[str] | None = None,
        properties: dict[str, Any] | None = None,
        ids: list[str] | None = None,
    ) -> list[Triplet]:
        """Return the triplets that meet all given conditions. If no condition is given, return an empty list."""
        conditions = calls.TripletFilter(entity_names, relation_names, properties, ids)
        return self._runner.run(lambda memory: calls.get_triplets(memory, conditions))

    @override
    async def aget_triplets(
        self,
        entity_names: list[str] | None = None,
        relation_names: list[str] | None = None,
        properties: dict[str, Any] | None = None,
        ids: list[str] | None = None,
    ) -> list[Triplet]:
        conditions = calls.TripletFilter(entity_names, relation_names, properties, ids)
        return await self._runner.arun(lambda memory: calls.get_triplets(memory, conditions))

    @override
    def get_rel_map(
        self, graph_nodes: list[LabelledNode], depth: int = 2, limit: int = 30, ignore_rels: list[str] | None = None
    ) -> list[Triplet]:
        """Return up to `limit` triplets within `depth` steps of the nodes, nearest first.

        Relations whose labels are in `ignore_rels` are omitted.
        """
        ids = [node.id for node in graph_nodes]
        return self._runner.run(lambda memory: calls.get_rel_map(memory, ids, depth, limit, ignore_rels or ()))

    @override
    async def aget_rel_map(
        self, graph_nodes: list[LabelledNode], depth: int = 2, limit: int = 30, ignore_rels: list[str] | None = None
    ) -> list[Triplet]:
        ids = [node.id for node in graph_nodes]
        return await self._runner.arun(lambda memory: calls.get_rel_map(memory, ids, depth, limit, ignore_rels or ()))

    @override
    def upsert_nodes(self, nodes: Sequence[LabelledNode]) -> None:
        """Create or replace nodes, up to 200 per transaction. If a transaction fails, none of its nodes are written.

        An entity that another tool has created is extended, and keeps its content and observations. Raises
        INVALID_NODE_TYPE, INVALID_PROPERTY and the errors of `Memory.transaction`.
        """
        self._runner.run(lambda memory: calls.upsert_nodes(memory, nodes))

    @override
    async def aupsert_nodes(self, nodes: Sequence[LabelledNode]) -> None:
        await self._runner.arun(lambda memory: calls.upsert_nodes(memory, nodes))

    @override
    def upsert_relations(self, relations: list[Relation]) -> None:
        """Create relations, or update the properties of stored relations, up to 200 per transaction.

        Missing start and end nodes are created as entities in the same transaction. Raises INVALID_TOPOLOGY,
        INVALID_PROPERTY and the errors of `Memory.transaction`.
        """
        self._runner.run(lambda memory: calls.upsert_relations(memory, relations))

    @override
    async def aupsert_relations(self, relations: list[Relation]) -> None:
        await self._runner.arun(lambda memory: calls.upsert_relations(memory, relations))

    @override
    def delete(
        self,
        entity_names: list[str] | None = None,
        relation_names: list[str] | None = None,
        properties: dict[str, Any] | None = None,
        ids: list[str] | None = None,
    ) -> None:
        """Delete the nodes with these names, property values or ids, and the relations with these names."""
        conditions = calls.TripletFilter(entity_names, relation_names, properties, ids)
        self._runner.run(lambda memory: calls.delete(memory, conditions))

    @override
    async def adelete(
        self,
        entity_names: list[str] | None = None,
        relation_names: list[str] | None = None,
        properties: dict[str, Any] | None = None,
        ids: list[str] | None = None,
    ) -> None:
        conditions = calls.TripletFilter(entity_names, relation_names, properties, ids)
        await self._runner.arun(lambda memory: calls.delete(memory, conditions))

    @override
    def structured_query(self, query: str, param_map: dict[str, Any] | None = None) -> Any:
        """Return the rows of a read-only Cypher statement. Raises INVALID_ARGUMENT unless `allow_cypher` is set."""
        self._check_cypher()
        return self._runner.run(lambda memory: calls.run_cypher(memory, query, param_map or {}))

    @override
    async def astructured_query(self, query: str, param_map: dict[str, Any] | None = None) -> Any:
        self._check_cypher()
        return await self._runner.arun(lambda memory: calls.run_cypher(memory, query, param_map or {}))

    @override
    def get_schema(self, refresh: bool = False) -> str:
        """Return the labels, relationship types and properties that a Cypher statement can use, as JSON."""
        return self._runner.run(calls.read_schema)

    @override
    async def aget_schema(self, refresh: bool = False) -> str:
        return await self._runner.arun(calls.read_schema)

    @override
    def vector_query(self, query: VectorStoreQuery, **kwargs: Any) -> tuple[list[LabelledNode], list[float]]:
        """Return the nodes that best match `query_str`, with their scores.

        Raises INVALID_ARGUMENT if `query_str` is missing, or if `filters`, `doc_ids` or `node_ids` is set.
        """
        return self._runner.run(lambda memory: calls.search(memory, query))

    @override
    async def avector_query(self, query: VectorStoreQuery, **kwargs: Any) -> tuple[list[LabelledNode], list[float]]:
        return await self._runner.arun(lambda memory: calls.search(memory, query))

    def _check_cypher(self) -> None:
        if not self.supports_structured_queries:
            hint = "Create the store with allow_cypher=True. Statements read all domains of the memory."
            raise invalid_argument("query", "This store does not run Cypher statements", hint)
