"""Computes embeddings of texts with a model in this process, or on a server with OpenAI's protocol."""

from graph_memory.embedding.choose import embedder, embedder_of, fetch_model
from graph_memory.embedding.embedder import EARLIER, Embedder, EmbeddingUnavailable, NoVectors, are_comparable

__all__ = [
    "EARLIER",
    "Embedder",
    "EmbeddingUnavailable",
    "NoVectors",
    "are_comparable",
    "embedder",
    "embedder_of",
    "fetch_model",
]
