"""A memory service for AI agents on Neo4j: typed, logged, searchable.

    async with open_memory() as memory:
        await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
        note = await memory.create_node("Note", "# Hello")

Names are loaded on first use, so that commands without a database start without its driver.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph_memory.app import open_memory
    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.transfer.formats.neo4j_reading import Neo4jSource
    from graph_memory.memory.transfer.formats.records import SourceOptions
    from graph_memory.memory.transfer.load.sources import infer_ontology
    from graph_memory.model.errors import Code, GraphError
    from graph_memory.model.ontology.ontology import (
        ConnectionType,
        NodeType,
        Ontology,
        PropertyRule,
        merge_ontologies,
        ontology_from,
    )
    from graph_memory.model.ontology.yaml_io import parse as parse_ontology
    from graph_memory.ontologies import load_ontology
    from graph_memory.settings import Settings
    from graph_memory.sync import SyncMemory, open_memory_sync

__all__ = [
    "Code",
    "ConnectionType",
    "GraphError",
    "Memory",
    "Neo4jSource",
    "NodeType",
    "Ontology",
    "PropertyRule",
    "Settings",
    "SourceOptions",
    "SyncMemory",
    "infer_ontology",
    "load_ontology",
    "merge_ontologies",
    "ontology_from",
    "open_memory",
    "open_memory_sync",
    "parse_ontology",
]

_MODULE_BY_NAME = {
    "Code": "model.errors",
    "ConnectionType": "model.ontology.ontology",
    "GraphError": "model.errors",
    "Memory": "memory.api.memory",
    "Neo4jSource": "memory.transfer.formats.neo4j_reading",
    "NodeType": "model.ontology.ontology",
    "Ontology": "model.ontology.ontology",
    "PropertyRule": "model.ontology.ontology",
    "Settings": "settings",
    "SourceOptions": "memory.transfer.formats.records",
    "SyncMemory": "sync",
    "infer_ontology": "memory.transfer.load.sources",
    "load_ontology": "ontologies",
    "merge_ontologies": "model.ontology.ontology",
    "ontology_from": "model.ontology.ontology",
    "open_memory": "app",
    "open_memory_sync": "sync",
    "parse_ontology": "model.ontology.yaml_io:parse",
}


def __getattr__(name: str) -> object:
    if name not in _MODULE_BY_NAME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _MODULE_BY_NAME[name].partition(":")
    return getattr(import_module(f"{__name__}.{module}"), attribute or name)
