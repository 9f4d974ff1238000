"""A query for unknown names finds nothing and says why. A query without results does not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from unittest.mock import AsyncMock

import pytest

from graph_memory import Memory, ontology_from
from graph_memory.memory.graph import empty_result_warnings
from graph_memory.memory.history.past import Past
from graph_memory.model.domain_results import Domains
from graph_memory.model.results import PagedResult
from tables import for_rows

pytestmark = pytest.mark.anyio

TYPES = ontology_from(
    {
        "node_types": [
            {
                "name": "Action",
                "properties": [
                    {"name": "status", "enum": ["next", "completed"], "indexed": True},
                    {"name": "year", "type": "integer"},
                ],
            },
            "Project",
        ],
        "connection_types": [{"name": "NextAction", "from_types": ["Project"], "to_types": ["Action"]}],
    }
)
KNOWN = "Known properties: [priority, status, year]."


@pytest.fixture
async def desk(memory: Memory) -> Memory:
    """A project whose action has a property that nobody declared, and so has their connection."""
    await memory.create_ontology(TYPES)
    await memory.create_node("Project", "# Kitchen", id="kitchen", properties={"area": "home"})
    await memory.create_node("Action", "# Call", id="call", properties={"status": "next", "priority": 1})
    await memory.create_connection("NextAction", "kitchen", "call", properties={"since": "May"})
    return memory


UNKNOWN: dict[str, tuple[Callable[[Memory | Past], Awaitable[PagedResult]], str]] = {
    "a node type": (
        lambda m: m.query_nodes(type="Actions"),
        'Node type "Actions" is not in the ontology. Did you mean "Action"?',
    ),
    "a node type like no other": (
        lambda m: m.query_nodes(type="Zebra"),
        'Node type "Zebra" is not in the ontology. Valid types: [Action, Project].',
    ),
    "a node type in a search": (
        lambda m: m.search_content("call", node_type="action"),
        'Node type "action" is not in the ontology. Did you mean "Action"?',
    ),
    "a connection type": (
        lambda m: m.query_connections(type="Next_Action"),
        'Connection type "Next_Action" is not in the ontology. Did you mean "NextAction"?',
    ),
    "a connection type of neighbours": (
        lambda m: m.get_connected_nodes("kitchen", direction="both", connection_type="nextaction"),
        'Connection type "nextaction" is not in the ontology. Did you mean "NextAction"?',
    ),
    "a property like a declared one": (
        lambda m: m.query_nodes(type="Action", properties={"state": "next"}),
        'No Action has a property "state". Did you mean "status"?',
    ),
    "a property like one in use": (
        lambda m: m.query_nodes(type="Action", properties={"Priority": 1}),
        'No Action has a property "Priority". Did you mean "priority"?',
    ),
    "a property of another type": (
        lambda m: m.query_nodes(type="Action", properties={"area": "home"}),
        f'No Action has a property "area". {KNOWN}',
    ),
    "a property like no other": (
        lambda m: m.query_nodes(type="Action", properties={"xyz": 1}),
        f'No Action has a property "xyz". {KNOWN}',
    ),
    "a property of no type": (
        lambda m: m.query_nodes(properties={"prioritty": 1}),
        'No node has a property "prioritty". Did you mean "priority"?',
    ),
    "a property of a connection": (
        lambda m: m.query_connections(type="NextAction", properties={"sinc": "May"}),
        'No NextAction has a property "sinc". Did you mean "since"?',
    ),
    "a value that is not allowed": (
        lambda m: m.query_nodes(type="Action", properties={"status": "complete"}),
        'Property "status" of Action must be one of ["next", "completed"], not "complete". Did you mean "completed"?',
    ),
    "a value of another type": (
        lambda m: m.query_nodes(type="Action", properties={"year": "2017"}),
        'Property "year" of Action must be an integer, not "2017". Pass a whole number, such as 3.',
    ),
}


@for_rows("name", UNKNOWN)
async def test_what_does_not_exist_is_warned_of_with_what_may_be_meant(desk: Memory, name: str) -> None:
    ask, warning = UNKNOWN[name]
    for reader in (desk, await desk.history.as_of("now")):
        hit = await ask(reader)
        assert hit.warnings == (warning,)


async def test_an_unknown_domain_is_warned_of(desk: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    own = desk._domain(None)
    ours = Domains(domains=tuple(domain for domain in (await desk.list_domains()).domains if domain.name == own))
    # the domains of all tests may be too many
    monkeypatch.setattr(empty_result_warnings, "list_domains", AsyncMock(return_value=ours))
    other = desk.in_domain(f"{own}x")
    for page in (await other.query_nodes(), await other.query_connections(), await other.search_content("call")):
        assert page.warnings == (f'Domain {own}x does not exist. Did you mean "{own}"?',)
    nowhere = await desk.in_domain("zzzzzzzzzzzz").query_nodes()
    assert nowhere.warnings == ("Domain zzzzzzzzzzzz does not exist. Create it with create_ontology.",)


async def test_a_log_or_a_diff_of_a_type_that_does_not_exist_says_so(desk: Memory) -> None:
    for ask in (desk.history.log, partial(desk.history.diff, since=1)):
        for name in ("Aktion", "Next Action"):
            assert (await ask(types=[name])).warnings == (
                f'Type "{name}" is not in the ontology. Did you mean "{"NextAction" if " " in name else "Action"}"?',
            )
        assert (await ask(types=["Action", "Aktion"])).warnings is None, "some were found"
        assert (await ask(subject="mem_none", types=["Action"])).warnings is None


QUIET: dict[str, Callable[[Memory], Awaitable[PagedResult]]] = {
    "a type without nodes": lambda m: m.query_nodes(type="Project", properties={"area": "work"}),
    "a declared property that nobody has": lambda m: m.query_nodes(type="Action", properties={"year": 1}),
    "a value that no other has": lambda m: m.query_nodes(type="Action", properties={"priority": 2}),
    "a property in use in another type": lambda m: m.query_nodes(properties={"area": "work"}),
    "a property of connections": lambda m: m.query_connections(properties={"since": "June"}),
    "a word that is nowhere": lambda m: m.search_content("zebra"),
    "a node without such connections": lambda m: m.get_connected_nodes("call", direction="out"),
    "a page after the last": lambda m: m.query_nodes(type="Zebra", cursor="after:zzz"),
}


async def test_a_phrase_that_is_nowhere_is_told_to_be_exact(desk: Memory) -> None:
    past = await desk.history.as_of("now")
    for search in (desk.search_content, past.search_content):
        for of_type, text in ({}, "No text contains"), ({"node_type": "Action"}, "No Action contains"):
            assert (await search("zebra striped", **of_type)).warnings == (
                f"{text} exactly this phrase. Search for one of its words.",
            )


@for_rows("name", QUIET)
async def test_what_exists_and_is_not_found_is_not_warned_of(desk: Memory, name: str) -> None:
    assert (await QUIET[name](desk)).warnings is None


async def test_a_connection_that_is_not_allowed_comes_with_the_reason(desk: Memory) -> None:
    assert (await desk.validate_connection("NextAction", "Project", "Action")).to_dict() == {"valid": True}
    turned = await desk.validate_connection("NextAction", "Action", "Project")
    assert not turned.valid
    assert "Valid sources: [Project]" in (turned.reason or "")
    unknown = await desk.validate_connection("NextActions", "Project", "Action")
    assert 'Did you mean "NextAction"?' in (unknown.reason or "")


async def test_nobody_needs_to_fetch_content_to_know_what_it_is(desk: Memory) -> None:
    photo = (await desk.create_node("Project", b"\xff" * 70, encoding="base64", format="png")).node_id
    node = await desk.get_node(photo)
    assert (node.title, node.content_size, node.content_encoding) == ("Project", 70, "base64")
    past = await desk.history.as_of("now")
    await desk.update_node(photo, properties={"title": "Photo"})
    assert ((await past.get_node(photo)).title, (await desk.get_node(photo)).title) == ("Project", "Photo")
