"""Text embeddings, from an in-process model or an OpenAI-compatible server."""

from graph_memory.embedding.choose import embedder, embedder_of, fetch_model
from graph_memory.embedding.embedder import EARLIER, Embedder, EmbeddingUnavailable, NoVectors, compares

__all__ = [
    "EARLIER",
    "Embedder",
    "EmbeddingUnavailable",
    "NoVectors",
    "compares",
    "embedder",
    "embedder_of",
    "fetch_model",
]
