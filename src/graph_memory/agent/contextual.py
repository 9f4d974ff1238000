"""`Contextual`: texts from other sources, and search over all memory types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from graph_memory.agent.limits.usage import Usage
from graph_memory.agent.records.roles import Roles, add_types, roles_of
from graph_memory.agent.records.writing import Operation, new_node, title_from_text, write
from graph_memory.agent.results import DurabilityResult, IndexResult
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.search.results import SearchResult
from graph_memory.model.events import new_id
from graph_memory.model.results import NodeDeletionResult
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.properties import check_properties

_TITLE_CHARACTERS = 1_000


class Contextual:
    """Stores texts from other sources, and searches all memory types. Access it as `memory.agent.contextual`.

    Events, entities and all other nodes are indexed when they are stored. `index` adds texts from other sources.
    """

    def __init__(self, memory: Memory, usage: Usage) -> None:
        self._memory = memory
        self._usage = usage

    async def index(
        self,
        text: str,
        source: str,
        *,
        title: str | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> IndexResult:
        """Store a text from another source, such as a web page, as a node of type `Document`. See `index_batch`."""
        return await self.index_batch([{"text": text, "source": source, "title": title, "metadata": metadata}])

    async def index_batch(self, documents: Sequence[Mapping[str, object]]) -> IndexResult:
        """Store texts from other sources as nodes of type `Document`, in one transaction, and return their ids.

        Each document has `text` and `source`, such as a URL or a path, and optionally `title` and `metadata`, whose
        entries become properties. Search finds a document by its passages. Raises INVALID_ARGUMENT if a document lacks
        a text or source, INVALID_PROPERTY for invalid metadata, CONTENT_TOO_LARGE for a text that is too long, and
        MEMORY_LIMIT_REACHED if the domain has as many documents as its limits allow.
        """
        fields = [_parse_document(document) for document in documents]
        node_ids = [new_id("mem") for _ in documents]

        def changes(roles: Roles) -> list[Operation]:
            return [
                new_node(roles["Document"], node_id, title, text, properties)
                for node_id, (title, text, properties) in zip(node_ids, fields, strict=True)
            ]

        if not node_ids:
            return IndexResult(ids=())
        roles = await add_types(self._memory, changes)
        async with self._usage.count_added("documents", roles["Document"], len(node_ids)) as warning:
            await write(self._memory, changes(roles))
        return IndexResult(ids=tuple(node_ids), warnings=(warning,) if warning else None)

    async def search(self, query: str, k: int = 10) -> SearchResult:
        """Return the `k` passages nearest in meaning to the query. See `memory.recall.search_semantic`."""
        return await self._memory.recall.search_semantic(query, limit=k)

    async def search_by_vector(self, embedding: Sequence[float], k: int = 10) -> SearchResult:
        """Return the `k` passages nearest to the embedding, a vector from the domain's model."""
        return await self._memory.recall.search_by_vector(embedding, limit=k)

    async def hybrid_search(self, query: str, filters: Mapping[str, object] | None = None, k: int = 10) -> SearchResult:
        """Return the `k` passages that match best by words and meaning. See `memory.recall.hybrid_search`."""
        return await self._memory.recall.hybrid_search(query, filters=filters, max_results=k)

    async def delete(self, document_id: str) -> NodeDeletionResult:
        """Delete a document.

        Raises NODE_NOT_FOUND for an unknown id, and INVALID_ARGUMENT if the node is not a document.
        """
        roles, node = await roles_of(self._memory), await self._memory.get_node(document_id)
        if roles is None or node.type != roles["Document"]:
            message = f"{quote(document_id)} is a node of type {node.type}, not a document"
            raise invalid_argument("document_id", message, "Pass an id that `index` or `index_batch` returned.")
        return await self._memory.delete_node(document_id)

    async def persist(self) -> DurabilityResult:
        """Report that all changes are stored, because each call stores its changes before it returns."""
        return DurabilityResult()

    async def restore(self) -> DurabilityResult:
        """Report that there is nothing to restore, because each call reads the stored data."""
        return DurabilityResult()


def _parse_document(document: Mapping[str, object]) -> tuple[str, str, Mapping[str, object]]:
    """Return the title, text and properties of the document's node.

    Raises INVALID_ARGUMENT if the text or source is missing, or the metadata is not an object.
    """
    match document:
        case {"text": str(text), "source": str(source)} if text.strip() and source.strip():
            lines = [title_from_text(line) for line in text[:_TITLE_CHARACTERS].splitlines()]
            title = document.get("title") or next(filter(None, lines), source)
        case _:
            raise invalid_argument(
                "documents", "A document needs a text and a source", 'Pass {"text": …, "source": …}.'
            )
    metadata: object = document.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise invalid_argument(
            "metadata",
            f"metadata is {quote(str(metadata))}, not an object",
            'Pass an object, such as {"language": "en"}.',
        )
    return str(title).lstrip("# "), text, {**check_properties(cast("Mapping[str, object]", metadata)), "source": source}
