"""The past answers what the present does: every method of `Memory` that reads is one of `Past` too."""

from __future__ import annotations

import inspect
from typing import get_args

from graph_memory import Memory
from graph_memory.mcp_server.tools import Effect
from graph_memory.memory.history.past import Past
from graph_memory.operations.toolsets.graph import GRAPH
from graph_memory.operations.toolsets.history import PastTool
from graph_memory.operations.toolsets.inference import MEANING

WRITES = {
    "create_node",
    "update_node",
    "set_node_content",
    "delete_node",
    "create_connection",
    "update_connection",
    "delete_connection",
    "set_relation_importance",
    "set_validity",
    "invalidate",
    "create_ontology",
    "add_node_type",
    "add_connection_type",
    "apply_ontology",
    "create_domain",
    "update_domain",
    "delete_domain",
    "execute_batch",
    "infer_connections",
    "protect",
    "unprotect",
}
DOMAINS = {"domain", "domains", "include_children"}
OF_NO_POINT = {"list_domains", "domain_info", "query_cypher", "graph_schema", "get_most_connected_nodes"}
"""Methods about domains and the database, or that count what Neo4j has now."""


def methods(facade: type) -> dict[str, list[str]]:
    """Return the public methods that work, with the names of their arguments; a `Past` knows its one domain."""
    return {
        name: [parameter for parameter in inspect.signature(method).parameters if parameter not in DOMAINS]
        for name, method in inspect.getmembers(facade, inspect.iscoroutinefunction)
        if not name.startswith("_")
    }


def test_the_past_answers_all_that_the_present_does():
    reads = {name: method for name, method in methods(Memory).items() if name not in WRITES | OF_NO_POINT}
    assert methods(Past) == reads
    assert methods(Memory).keys() >= WRITES | OF_NO_POINT


def test_every_tool_that_reads_can_be_called_on_the_past():
    reads = {tool.name for tool in (*GRAPH, *MEANING) if tool.effect is Effect.READS}
    assert set(get_args(PastTool)) == reads | {"open_nodes", "search_nodes", "read_graph", "get_block"}
