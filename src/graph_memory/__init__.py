"""A memory service for AI agents on Neo4j: typed, logged, searchable.

async with open_memory() as memory:
    await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    note = await memory.create_node("Note", "# Hello")
"""

from graph_memory.app import open_memory
from graph_memory.memory.api import Memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology import (
    ConnectionType,
    NodeType,
    Ontology,
    PropertyRule,
    merge,
    ontology_from,
)
from graph_memory.model.ontology_yaml import parse as parse_ontology
from graph_memory.settings import Settings

__all__ = [
    "Code",
    "ConnectionType",
    "GraphError",
    "Memory",
    "NodeType",
    "Ontology",
    "PropertyRule",
    "Settings",
    "merge",
    "ontology_from",
    "open_memory",
    "parse_ontology",
]
