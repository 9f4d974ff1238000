"""Texts to vectors: by a model within the process, or a server that speaks the embeddings protocol of OpenAI."""

from graph_memory.embedding.choose import embedder, embedder_of
from graph_memory.embedding.embedder import Embedder, EmbeddingUnavailable, NoVectors

__all__ = ["Embedder", "EmbeddingUnavailable", "NoVectors", "embedder", "embedder_of"]
