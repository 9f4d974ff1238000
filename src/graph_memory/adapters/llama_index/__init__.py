"""Adapters for LlamaIndex: `GraphMemoryBlock`, a memory block, and `GraphPropertyStore`, a property graph store."""

from graph_memory.adapters.llama_index.block import GraphMemoryBlock
from graph_memory.adapters.llama_index.store import GraphPropertyStore

__all__ = ["GraphMemoryBlock", "GraphPropertyStore"]
