"""Whatever a client sends: an answer to act on, nothing of what lies below, and no change but a complete one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import quote
from uuid import uuid4

import httpx2
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import given
from hypothesis import strategies as st
from mcp import types
from neo4j import Driver
from starlette.applications import Starlette

from acceptance.agents import COMMAND
from acceptance.mcp.fuzzing import LEAKS, LONGEST, ODD_NAMES, Arguments, check_answer, fitting, spoilt, whole
from graph_memory import GraphError, Memory, NodeType, Settings, ontology_from, open_memory
from graph_memory.file_memory.layer import FileMemory
from graph_memory.mcp_server.presets import Auth
from graph_memory.mcp_server.running import CallRunner
from graph_memory.mcp_server.server import ToolHandlers
from graph_memory.mcp_server.table import tools_of
from graph_memory.mcp_server.transport.http_app import Bodies
from graph_memory.mcp_server.viewer.gate import ViewerGate
from graph_memory.mcp_server.viewer.http_api import HttpApi
from graph_memory.mcp_server.viewer.logins import COOKIE, Logins
from graph_memory.mcp_server.viewer.statuses import STATUS
from graph_memory.memory.batch.parsing import VERBS
from graph_memory.model.errors import Code
from graph_memory.model.events import Origin
from graph_memory.model.values.arguments import check_domain
from graph_memory.operations.official import OfficialOperation
from graph_memory.operations.operation import AnyOperation, Effect
from graph_memory.operations.table import TOOLSETS
from profiles import EXAMPLES, profile
from support import exists

pytestmark = pytest.mark.long

ALL = [tool for tools in TOOLSETS.values() for tool in tools]
TOOLS = {tool.name: tool for tool in ALL}
DECLARED: Arguments = {
    "node_types": [
        "Note",
        {
            "name": "Task",
            "properties": [{"name": "due", "type": "date", "required": True}, {"name": "n", "indexed": True}],
        },
        {"name": "Person", "properties": [{"name": "email", "type": "string", "unique": True}]},
    ],
    "connection_types": [
        {"name": "RelatesTo", "from_types": ["*"], "to_types": ["*"]},
        {"name": "DependsOn", "from_types": ["Note"], "to_types": ["Note"], "acyclic": True, "unique_source": True},
    ],
}
NEW = "a domain of its own"
NODES = [f"n{number}" for number in range(5)]
CONNECTIONS = [f"c{number}" for number in range(4)]
FILES = ["/memories", "/memories/a", "/memories/a/b.md", "/memories/../b"]
SIDES = [["*"], ["Note"], ["Note", "Person"], ["Person"], ["Task"], [], ["Nobody"], ["*", "Note"]]
KNOWN: dict[str, list[Any]] = {
    **{key: [*NODES, "c0", "mem_unknown"] for key in ("node_id", "from_node_id", "to_node_id", "from_id", "to_id")},
    **{key: [*NODES[:3], "mem_unknown"] for key in ("source_node_id", "target_node_id")},
    "connection_id": [*CONNECTIONS, "n0", "conn_unknown"],
    **dict.fromkeys(("from_types", "to_types"), SIDES),
    **{key: ["Note", "Task", "Person", "Nobody"] for key in ("from_node_type", "to_node_type", "node_type")},
    **{key: ["RelatesTo", "Note", *ODD_NAMES] for key in ("type_name", "name")},
    "connection_type": ["RelatesTo", "DependsOn", "Nothing"],
    "content": ["hello", "aGVsbG8=", "", "漢字 🧠\u202e", "x" * 20_000],
    "format": ["markdown", "json"],
    "cursor": ["after:", "after:n1", "after:`", "after:\0", "after:漢"],
    "query": ["hello", "e", "ell`", '" OR *:*', "\\u0060", "\0", "漢字", "x" * 400],
    "required_properties": [[], ["due"], ["a", "`"], ["", "a"], ["a", "a"]],
    "properties": [{}, {"a": 1}, {"due": "2025-10-31"}, {"email": "\u202e"}],
    **{key: [1, 5, 18, "3", "evt_unknown", "an hour ago", "2025-10-31", "now", "漢`"] for key in ("since", "until")},
    "at": [1, 5, 18, "now", "evt_unknown", "an hour ago", "`"],
    "id": [*NODES, *CONNECTIONS, "mem_unknown"],
    **{key: ["2026-01-01", "now", "open", "an hour ago", "漢`", "9999-12-31"] for key in ("valid_from", "valid_to")},
    "before": [5, 18, "now", "evt_unknown", "`"],
    "confirm": [True],
    "resolutions": [[], [{"subject": "n1", "take": "ours"}], [{"subject": "n1", "property": "`", "value": 1}]],
    "valid_at": ["2026-01-01", "now", "open", "0001-01-01T00:00:00+14:00", "`"],
    "arguments": [
        {},
        {"node_id": "n1"},
        {"connection_id": "c1"},
        {"query": "e"},
        {"node_id": "n1", "direction": "out"},
    ],
    "event_ids": [[], ["evt_unknown"], ODD_NAMES],
    **dict.fromkeys(("path", "old_path", "new_path"), FILES),
    "options": [{}, {"atomic": False}, {"dry_run": True}, {"validate_before_commit": False}],
    "session": ["current", "current", "nobody", "`"],
    "subject": [*NODES, *CONNECTIONS, "ontology", "node_type/Note", "`"],
    "strength": [0.5, {"semantic": 0.5}, {"confidence": 1, "temporal": 0}, {"weight": 0.5}, {"semantic": 2}],
    "expected_version": [1, 2, 18, 2**53 - 1],
    "node_types": [["Note", "Person"], ["Note", "Note"], ["*"], [{"name": "Note", "required_properties": ["a"]}]],
    "connection_types": [[], [{"name": "RelatesTo", "from_types": ["*"], "to_types": ["*"]}], []],
    "relations": [
        [],
        [{"type": "RelatesTo", "to": "Ann"}],
        [{"relationType": "RelatesTo", "from": "`"}],
        [{"to": "Ann"}],
    ],
    "aliases": [[], ["Annie", "`"], [""], ODD_NAMES],
    "tags": [[], ["home", "home"], ODD_NAMES, [""], ["x" * 1_001]],
}
EVERYTHING = """
    CALL () {
      MATCH (n:_Domain) WHERE n._id IN $domains RETURN n
      UNION ALL MATCH (n:_Node) WHERE n._domain IN $domains RETURN n
      UNION ALL MATCH (n:_Ontology) WHERE n._domain IN $domains RETURN n
      UNION ALL MATCH (n:_NodeType) WHERE n._domain IN $domains RETURN n
      UNION ALL MATCH (n:_ConnectionType) WHERE n._domain IN $domains RETURN n
      UNION ALL MATCH (n:_Link) WHERE n._domain IN $domains RETURN n
      UNION ALL MATCH (n:_Event) WHERE n._domain IN $domains RETURN n
      UNION ALL MATCH (n:_Content) WHERE n._domain IN $domains RETURN n
      UNION ALL MATCH (n:_Window) WHERE n._domain IN $domains RETURN n
    }
    RETURN labels(n) AS labels,
           n {.*, _writer: null, _created: toString(n._created), _modified: toString(n._modified),
              _at: toString(n._at), _last_at: toString(n._last_at)} AS properties,
           [(n)-[r]->(m) | [type(r), properties(r), elementId(m)]] AS leaving
"""
TYPES = {"create_node": ["Note", "Task", "Person", "Nobody"], "query_nodes": ["Note", "Person", "Nobody"]}
IN_WORDS = Code.NODE_NOT_FOUND
"""The code that stands here for errors without a code, which the tools of the official server return."""
NAMING = {
    "memory_branch": ("domain", "name"),
    "delete_domain": ("name",),
    "create_cross_domain_link": ("source_domain", "target_domain"),
    "memory_merge": ("domain", "from", "into"),
}
"""The arguments that are names of domains, where it is not `domain` alone."""


@dataclass
class World:
    """A closed domain and an open one with a few things in each, and a server's way of making calls there."""

    portal: BlockingPortal
    memory: Memory
    driver: Driver
    calls: ToolHandlers
    domains: list[str]
    codes: Counter[str] = field(default_factory=Counter)
    known: set[str] | None = None

    def call(self, tool: str, arguments: Arguments) -> Code | None:
        """Make a call and check the rules that hold for every call."""
        confined = self.confine(tool, whole(arguments))
        before = self.known or self.facts()
        context = cast(
            "Any",
            SimpleNamespace(
                lifespan_context=SimpleNamespace(memory=self.open),
                session=SimpleNamespace(client_params=None),
                request=None,
                request_id=1,
            ),
        )
        params = types.CallToolRequestParams.model_construct(name=tool, arguments=confined)
        result = self.portal.call(partial(self.calls.call_tool, context, params))
        result.model_dump_json(by_alias=True)
        content = result.content[0]
        assert isinstance(content, types.TextContent)
        is_file_list = tool == "get_environment" and not result.is_error  # it names the files of this checkout
        code = None if is_file_list else check_answer(result.structured_content or {}, content.text, tool)
        if isinstance(TOOLS[tool], OfficialOperation) and result.is_error:
            code = Code.INVALID_ARGUMENT if content.text.startswith("MCP error -32602: ") else IN_WORDS
        assert bool(code) is bool(result.is_error)
        self.known = self.facts() if code or TOOLS[tool].effect is Effect.READS else None
        assert self.known is None or self.known ^ before == set(), (tool, code)
        self.codes[code or "OK"] += 1
        return code

    async def open(self, _tell: object) -> Memory:
        return self.memory

    def confine(self, tool: str, arguments: Arguments) -> Arguments:
        """Return the arguments without domains of other tests, and without deletion of a domain that others need."""
        is_confirmed = tool == "delete_domain" and arguments.get("confirm") == arguments.get("name")
        if tool == "delete_domain" and arguments.get("name") in self.domains[:2]:
            arguments = {**arguments, "name": self._new()}
            self.portal.call(partial(_fill, self.memory, arguments["name"], is_open=False))
        if tool == "memory_merge" and arguments.get("from") == NEW:
            arguments = {**arguments, "from": self._new()}
            arguments.pop("into", None)
            branch = partial(self.memory.history.branch, arguments["from"], domain=self.domains[0])
            self.portal.call(branch)
        places = NAMING.get(tool, ("domain",))
        for place in places:
            name = arguments.get(place)
            if name == NEW or not (name in self.domains or not _is_domain(name)):
                arguments = {**arguments, place: self._new()}
        return {**arguments, "confirm": arguments["name"]} if is_confirmed and "name" in arguments else arguments

    def _new(self) -> str:
        self.domains.append(f"{self.domains[0]}-{len(self.domains)}")
        self.known = None
        return self.domains[-1]

    def facts(self) -> set[str]:
        """Return all that the database holds of the domains, but for who took a write lock last."""
        rows = self.driver.execute_query(EVERYTHING, domains=self.domains).records
        return {repr(row.values()) for row in rows}


def _is_domain(name: object) -> bool:
    try:
        return isinstance(name, str) and bool(check_domain(name))
    except GraphError:
        return False


@pytest.fixture(scope="module")
def talk(settings: Settings) -> Iterator[tuple[BlockingPortal, Memory]]:
    """One open memory on an event loop of its own, for callers that are not asynchronous."""
    settings = settings.model_copy(update={"users_domain": "fuzz-users", "agent_domain": "fuzz-agent"})
    with (
        start_blocking_portal("asyncio") as portal,
        portal.wrap_async_context_manager(open_memory(settings, origin=Origin(session="fuzz"))) as memory,
    ):
        yield portal, memory


@pytest.fixture(scope="module")
def world(
    talk: tuple[BlockingPortal, Memory],
    driver: Driver,
    settings: Settings,
    tool: AnyOperation,
    request: pytest.FixtureRequest,
) -> Iterator[World]:
    """A world for the tests of a tool. Tools that only read share one."""
    if tool.effect is Effect.READS:
        yield replace(request.getfixturevalue("reading_world"), codes=Counter(), known=None)
    else:
        with filled_world(talk, driver, settings) as world:
            yield world


@pytest.fixture(scope="module")
def reading_world(talk: tuple[BlockingPortal, Memory], driver: Driver, settings: Settings) -> Iterator[World]:
    """The world of the tools that only read."""
    with filled_world(talk, driver, settings) as world:
        yield world


@contextmanager
def filled_world(talk: tuple[BlockingPortal, Memory], driver: Driver, settings: Settings) -> Iterator[World]:
    """Give a new world, whose graph and log must agree when all is over."""
    portal, memory = talk
    first = f"fuzz-{uuid4().hex[:20]}"
    world = World(
        portal,
        memory.in_domain(first),
        driver,
        ToolHandlers(CallRunner(tools_of(["all"]), settings), settings),
        [first, f"{first}-open"],
    )
    for domain in world.domains:
        portal.call(partial(_fill, world.memory, domain, is_open=domain != first))
    yield world
    for domain in portal.call(partial(_existing_domains, world)):
        assert portal.call(partial(world.memory.upkeep.verify, domain=domain)).differences == ()


async def _fill(memory: Memory, domain: str, *, is_open: bool) -> None:
    await memory.create_ontology(ontology_from({**DECLARED, "open": is_open}), domain=domain)
    for node in NODES:
        await memory.create_node("Note", f"hello {node}", properties={"a": node}, id=node, domain=domain)
    for number, connection in enumerate(CONNECTIONS):
        ends = NODES[number], NODES[number + 1]
        await memory.create_connection("RelatesTo", *ends, properties={"a": 1}, id=connection, domain=domain)


async def _existing_domains(world: World) -> list[str]:
    return [domain for domain in world.domains if await exists(world.memory, domain)]


def arguments_of(tool: AnyOperation, domains: list[str]) -> st.SearchStrategy[Arguments]:
    """Return arguments that the schema of a tool allows, in domains that a test may change."""
    known = {**KNOWN, "type": TYPES.get(tool.name, KNOWN["connection_type"])}
    if tool.effect is Effect.DECLARES:
        known["properties"] = [[], [{"name": "a", "type": "date"}], [{"name": "`", "enum": ["`", 1, True]}]]
    known["domain"] = [NEW, NEW, NEW, *domains] if tool.name == "create_ontology" else [NEW, *domains]
    for name in NAMING.get(tool.name, ()):
        known[name] = [NEW, *domains]
    arguments = fitting(tool.input_schema, known)
    if tool.name == "execute_batch":
        return st.tuples(arguments, operations_of(domains)).map(lambda both: {**both[0], "operations": both[1]})
    if tool.name == "delete_domain":
        return arguments | arguments.map(lambda deletion: {**deletion, "confirm": deletion.get("name")})
    return arguments


def operations_of(domains: list[str]) -> st.SearchStrategy[list[Arguments]]:
    """Return operations of a batch, each of what the schema of its tool allows."""
    names = st.sampled_from([name for name in VERBS if name in TOOLS])
    operation = names.flatmap(lambda name: arguments_of(TOOLS[name], domains).map(partial(_operation, name)))
    sound = st.sampled_from(NODES).map(lambda node: _operation("update_node", {"node_id": node, "tags": ["home"]}))
    return st.lists(operation | sound, max_size=3)


def _operation(name: str, arguments: Arguments) -> Arguments:
    return {"op": name, **{key: value for key, value in arguments.items() if key != "domain"}}


def add_observations(world: World) -> tuple[str, str]:
    """Return the ids of two observations of an entity."""
    remembered = world.portal.call(
        partial(world.memory.entities.remember, name="Ann", type="Note", observations=["a", "b"])
    )
    world.known = None
    first, second = [fact.id for fact in remembered.facts]
    assert first
    assert second
    return first, second


def add_twin(world: World) -> str:
    """Return the name of an entity, beside which there is Ann."""
    add_observations(world)
    world.portal.call(partial(world.memory.entities.remember, "Ann knits.", name="Anne", type="Note"))
    return "Anne"


def add_link(world: World) -> Arguments:
    """Return the id of a link from one domain to the other."""
    make = world.memory.links.create_cross_domain_link
    options = {"link_type": "version", "source_domain": world.domains[0]}
    link = world.portal.call(partial(make, NODES[2], world.domains[1], NODES[2], **options))
    world.known = None
    return {"link_id": link.link_id}


def update_node(world: World) -> str:
    """Return the id of the event of an update that can be reverted."""
    world.portal.call(partial(world.memory.update_node, NODES[4], properties={"a": 2}))
    world.known = None
    return world.portal.call(partial(world.memory.history.log, limit=1)).entries[0].id


def add_goal(world: World) -> str:
    """Return the id of a goal."""
    goal = world.portal.call(partial(world.memory.agent.prospective.create, "Sing."))
    world.known = None
    return goal.goal.id


def add_pattern(world: World) -> str:
    """Return the id of a pattern."""
    when = [{"type": "keyword", "value": "song"}]
    pattern = world.portal.call(partial(world.memory.agent.procedural.record, "Sing", conditions=when))
    world.known = None
    return pattern.id


def add_file(world: World) -> str:
    """Return the path of a new file."""
    path = f"/memories/{uuid4().hex}.md"
    world.portal.call(partial(FileMemory(world.memory).create, path, "hello"))
    world.known = None
    return path


def with_note_types(world: World, arguments: Arguments) -> Arguments:
    """Return the arguments, after types for blocks and summaries were added to the domain."""
    for name in ("MemoryBlock", "SessionSummary"):
        world.portal.call(partial(world.memory.add_node_type, NodeType(name), domain=world.domains[0]))
    world.known = None
    return arguments


SOUND: dict[str, Callable[[World], Arguments]] = {
    "add_connection_type": lambda _: {"type_name": "Hums", "from_types": ["*"], "to_types": ["*"]},
    "add_node_type": lambda _: {"type_name": "Song"},
    "traverse_memories": lambda _: {"start": NODES[:1]},
    "find_path": lambda _: {"from_id": NODES[0], "to_id": NODES[1]},
    "remember": lambda world: {
        "name": add_twin(world),
        "text": "Ann sings.",
        "aliases": ["the singer"],
        "relations": [{"type": "RelatesTo", "to": "Ann"}, {"relationType": "RelatesTo", "from": "Ann"}],
    },
    "decide": lambda world: dict(zip(("known", "new"), add_observations(world), strict=True), decision="close"),
    "forget": lambda world: {"ids": [*add_observations(world)[:1]]},
    "update_entity": lambda world: {"name": "Ann", "aliases": [add_observations(world)[0]]},
    "update_observation": lambda world: {
        "entityName": "Ann",
        "observation": add_observations(world)[0],
        "confidence": 0.5,
    },
    "find_similar": lambda world: {"name": add_twin(world)},
    "merge_entities": lambda world: {"names": [add_twin(world)], "into": "Ann"},
    "edit_block": lambda world: with_note_types(world, {"label": "human", "text": "Ann"}),
    "session_end": lambda world: with_note_types(world, {"summary": "Ann sang."}),
    "get_block": lambda _: {"label": "human"},
    "create_cross_domain_link": lambda world: {
        "source_node_id": NODES[0],
        "target_domain": world.domains[1],
        "target_node_id": NODES[1],
        "source_domain": world.domains[0],
    },
    "delete_cross_domain_link": add_link,
    "update_goal": lambda world: {"goal_id": add_goal(world), "status": "active"},
    "apply_pattern_result": lambda world: {"pattern_id": add_pattern(world), "success": True},
    "create_ontology": lambda _: {"node_types": ["Note"], "connection_types": [], "domain": NEW},
    "memory_as_of": lambda _: {"at": "now", "tool": "get_node", "arguments": {"node_id": NODES[0]}},
    "memory_diff": lambda _: {"since": 1},
    "set_validity": lambda _: {"id": NODES[1], "valid_from": "2026-01-01"},
    "memory_revert": lambda world: {"event_ids": [update_node(world)]},
    "memory_revert_session": lambda world: {"session": "current", "on_conflict": "skip"} if update_node(world) else {},
    "memory_erase": lambda _: {"subject": NODES[3], "confirm": True},
    "memory_compact": lambda _: {"before": "now", "dry_run": True},
    "update_domain": lambda world: {"name": world.domains[0], "description": "Notes."},
    "protect": lambda _: {"node_id": NODES[2]},
    "unprotect": lambda _: {"node_id": NODES[2]},
    "get_by_type": lambda _: {"type": "Note"},
    "query_cypher": lambda _: {"statement": "RETURN 1 AS one"},
    "view_file": lambda world: {"path": add_file(world), "view_range": [1, -1]},
    "create_file": lambda world: {"path": f"{add_file(world)}.txt", "file_text": "hello"},
    "str_replace_in_file": lambda world: {"path": add_file(world), "old_str": "hello", "new_str": "hi"},
    "insert_into_file": lambda world: {"path": add_file(world), "insert_line": 0, "insert_text": "# Hello"},
    "delete_file": lambda world: {"path": add_file(world)},
    "rename_file": lambda world: {"old_path": add_file(world), "new_path": f"/memories/{uuid4().hex}/hello.md"},
    "select_domain": lambda world: {"name": world.domains[0]},
}
"""Arguments with which a call succeeds."""


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name, scope="module")
@pytest.mark.timeout(600)
def test_what_a_schema_allows_is_answered_with_a_result_or_a_code(world: World, tool: AnyOperation) -> None:
    def check(examples: int) -> int:
        """Make calls, and return the number of those with a result."""

        @profile(examples=examples)
        @given(arguments_of(tool, world.domains[:2]))
        def property_holds(arguments: Arguments) -> None:
            world.call(tool.name, arguments)

        property_holds()
        return world.codes["NO_MODEL" if tool.name == "memory_synthesize" else "OK"]

    answered = check(10)
    if tool.name in SOUND:  # with so many arguments, all may be refused by chance
        where = {"domain": world.domains[0]} if "domain" in tool.input_schema["properties"] else {}
        answered = world.call(tool.name, {**where, **SOUND[tool.name](world)}) is None
    assert answered or EXAMPLES == "few" or check(120), world.codes  # by chance, five may all be refused


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name, scope="module")
@pytest.mark.timeout(600)
def test_what_no_schema_allows_is_refused_with_a_code(world: World, tool: AnyOperation) -> None:
    @profile(examples=10)
    @given(spoilt(arguments_of(tool, world.domains[:2])))
    def property_holds(arguments: Arguments) -> None:
        world.call(tool.name, arguments)

    property_holds()
    drops_more = isinstance(tool, OfficialOperation) and not tool.input_schema["properties"]
    assert world.codes[Code.INVALID_ARGUMENT] or EXAMPLES == "few" or drops_more, world.codes


@pytest.mark.parametrize("tool", ALL[:1], ids=lambda tool: tool.name, scope="module")
@pytest.mark.timeout(600)
def test_every_request_to_the_api_is_answered_with_a_status(world: World, tool: AnyOperation) -> None:
    browser = ApiBrowser(world)
    sound = st.sampled_from(ALL).flatmap(
        lambda operation: st.tuples(
            st.just(operation.name), arguments_of(operation, world.domains[:2]).flatmap(lambda fit: _perhaps(fit))
        )
    )
    raw = st.tuples(st.sampled_from([*TOOLS, *ODD_NAMES]), st.binary(max_size=40) | st.sampled_from(_BODIES))

    @profile(examples=600)
    @given(sound | raw)
    def property_holds(request: tuple[str, Arguments | bytes]) -> None:
        browser.post(*request)

    property_holds()
    assert {200, 400, 404} <= browser.statuses.keys(), browser.statuses
    assert browser.statuses.keys() <= {200, 400, 404, 409, 413, 503}, browser.statuses


def _perhaps(arguments: Arguments) -> st.SearchStrategy[Arguments]:
    """Return the arguments, or the same with faults."""
    return st.just(arguments) | spoilt(st.just(arguments))


@contextmanager
def _digits_of_any_number() -> Iterator[None]:
    """Let Python write a number of any length, as other clients do."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)


class ApiBrowser:
    """A browser that is logged in to the API of a world, and counts the statuses of its answers."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.statuses: Counter[int] = Counter()
        logins = Logins(Auth.NONE)
        api = HttpApi(Settings(), logins, None)
        api.attach(cast("Any", SimpleNamespace(memory=world.open, present_memory=lambda: world.memory)))
        bodies = Bodies(Starlette(routes=api.routes()), 8 << 20, 30)
        self._app = ViewerGate(bodies, bodies, logins, None)
        self._headers = {"X-Graph-Memory": "viewer", "Content-Type": "application/json"}
        self._headers["Cookie"] = f"{COOKIE}_8848={logins.begin(None)}"

    def post(self, operation: str, arguments: Arguments | bytes) -> None:
        """Make a request, and check the rules that hold for every answer."""
        if isinstance(arguments, bytes):
            body = arguments
        else:
            with _digits_of_any_number():
                body = json.dumps(self._world.confine(operation, whole(arguments))).encode()
        response = self._world.portal.call(self._send, f"/api/v1/{quote(operation, safe='')}", body)
        self.statuses[response.status_code] += 1
        answer = json.loads(response.content.decode())
        code = check_answer(answer, "", operation)
        assert response.status_code == (200 if code is None else STATUS[code] if operation in TOOLS else 404) or (
            operation in NOT_SERVED and response.status_code == 404
        ), (operation, response.status_code, answer)
        self._world.known = None

    async def _send(self, path: str, body: bytes) -> httpx2.Response:
        transport = httpx2.ASGITransport(self._app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8848") as http:
            return await http.post(path, content=body, headers=self._headers)


NOT_SERVED = {tool.name for tool in ALL if tool.local or tool.in_session}
_BODIES = [
    *(b"", b"null", b"[]", b"{", b"[" * 5_000, b'{"a":' * 5_000, b"1" * 5_000),
    *(b'{"domain":"\\ud800"}', b'{"a":NaN}'),
]


STRAIGHT = {
    "a number of 5,000 digits": "9" * 5_000,
    "lists 1,000 deep": "[" * 1_000 + "]" * 1_000,
    "objects 1,000 deep": '{"k":' * 1_000 + "1" + "}" * 1_000,
    "lists 150 deep": "[" * 150 + "]" * 150,
    "no number": "NaN",
    "no end": "-Infinity",
    "beyond 64 bits": "9223372036854775808",
    "half a pair": '"\\ud800"',
    "a null byte": '"\\u0000"',
    "a control character": '"\x01"',
    "text over 1 MiB": '"' + "x" * 1_100_000 + '"',
    "a key of 100,000 characters": '{"' + "k" * 100_000 + '": 1}',
    "text that never ends": '"',
    "nothing": "",
}
"""JSON, or nearly, that no client of the SDK would write."""


@pytest.mark.parametrize("tool", ALL[:1], ids=lambda tool: tool.name, scope="module")
def test_every_line_to_a_server_is_answered(world: World, environment: dict[str, str]) -> None:
    before = world.facts()
    request = '{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":{"name":"%s","arguments":{"domain":"%s",%s}}}'
    lines = {
        f"{tool}: {kind}": request % (f"{tool}: {kind}", tool, world.domains[0], f'"{argument}":{value}')
        for tool, argument in (("query_nodes", "properties"), ("get_node", "node_id"), ("create_ontology", "open"))
        for kind, value in STRAIGHT.items()
    }
    for request, answer in _answers(environment, lines):
        text = json.dumps(answer)
        assert ("result" in answer) != ("error" in answer), (request, text)
        assert answer.get("error", {}).get("code", types.PARSE_ERROR) == types.PARSE_ERROR, (request, text)
        assert not LEAKS.search(text), (request, text)
        assert len(text) < LONGEST, (request, text[:2_000])
        assert Code.INTERNAL not in text, (request, text)
    assert world.facts() == before


def _answers(environment: dict[str, str], lines: dict[str, str]) -> Iterator[tuple[str, Arguments]]:
    """Yield the answer of a server process to each line, one after the other."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}}
    begin = {"jsonrpc": "2.0", "id": "begin", "method": "initialize", "params": hello}
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [COMMAND, "mcp"], env={**os.environ, **environment}, stdin=pipe, stdout=pipe, text=True, encoding="utf-8"
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        for request, line in {"begin": json.dumps(begin), **lines}.items():
            process.stdin.write(line + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert answer["id"] == request
            yield request, answer
        process.stdin.close()
        assert process.wait(20) == 0
