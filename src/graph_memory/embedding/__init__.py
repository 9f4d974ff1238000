"""Text embeddings, from an in-process model or an OpenAI-compatible server."""

from graph_memory.embedding.choose import embedder, embedder_of
from graph_memory.embedding.embedder import Embedder, EmbeddingUnavailable, NoVectors

__all__ = ["Embedder", "EmbeddingUnavailable", "NoVectors", "embedder", "embedder_of"]
