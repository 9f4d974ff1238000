"""The page of differences is complete: each row has a test, and what it says is missing is missing."""

from __future__ import annotations

import re

from graph_memory.mcp_server.server import NAME
from graph_memory.operations.table import TOOLSETS
from pages import ROOT

PAGE = (ROOT / "docs/reference/differences.md").read_text(encoding="utf-8")
NAMED = """
create_node get_node get_node_content update_node delete_node create_connection get_connection update_connection
delete_connection query_nodes query_connections get_connected_nodes search_content validate_connection
create_ontology add_node_type add_connection_type get_ontology
recall search_semantic memory_context memory_query memory_synthesize traverse_memories remember
create_entities create_relations add_observations delete_entities delete_relations delete_observations
read_graph search_nodes open_nodes
memory_log memory_revert memory_revert_session memory_branch memory_merge
create_domain list_domains get_domain update_domain delete_domain select_domain
create_cross_domain_link list_cross_domain_links delete_cross_domain_link
"""
"""The tools that the specifications name."""


def test_every_difference_names_a_test():
    rows = [
        line
        for line in PAGE.splitlines()
        if line.startswith("| ") and not line.startswith(("| the specifications", "| the original |"))
    ]
    assert len(rows) > 25
    assert [row for row in rows if not re.search(r"`test_\w+` \|$", row)] == []


def test_the_tools_of_the_specifications_are_there_or_said_to_be_missing():
    listed = re.findall(r"`(\w+)`", PAGE.split("\n## Not there yet\n")[1])
    tool_names = {tool.name for tools in TOOLSETS.values() for tool in tools}
    assert {name for name in listed if not name.startswith("test_")} == {*NAMED.split()} - tool_names


def test_the_name_of_the_server_is_the_one_on_the_page():
    assert f"`{NAME}`" in PAGE
