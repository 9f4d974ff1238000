"""Adapters for LangGraph: `GraphStore` for its long-term memory, and `GraphSaver` for its checkpoints."""

from graph_memory.adapters.langgraph.checkpoints import GraphSaver
from graph_memory.adapters.langgraph.store import GraphStore

__all__ = ["GraphSaver", "GraphStore"]
