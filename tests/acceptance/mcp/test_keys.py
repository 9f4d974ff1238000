"""Keys and tokens over HTTP: every operation for every kind of caller, and ways around the place that decides."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import Any
from uuid import uuid4

import anyio
import httpx2
import pytest
from mcp import MCPError

from acceptance.agents import http_server, over_http, run
from graph_memory import Memory
from graph_memory.mcp_server.callers import SESSION
from graph_memory.mcp_server.viewer.statuses import STATUS
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import CALLER, Caller, Grant, Principal, Right, run_as
from graph_memory.operations.operation import AnyOperation
from graph_memory.operations.table import OPERATIONS, TOOLSETS
from graph_memory.storage.store import Store
from issuer import TestIssuer, running_issuer
from tables import for_rows

pytestmark = pytest.mark.anyio

REMOTE = {name: operation for name, operation in OPERATIONS.items() if not operation.local}
VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
REFUSED = str(Code.INSUFFICIENT_RIGHTS)
NAME = "zanzibar"
"""It begins the name of the entity of the team, which calls contain."""
SECRET = "quokka"
"""Only the contents of the team have it, and no call."""
"""A word that only the team's domain has."""


@dataclass
class Team:
    """A domain with data, a domain of others, and the keys of all kinds of callers."""

    url: str
    memory: Memory
    domain: str
    other: str
    node: str
    other_node: str
    interface: str = "mcp"
    """The interface of calls: `mcp` or `api`, both with keys, or `tokens`, which is MCP with tokens of an issuer."""
    keys: dict[str, str] = field(default_factory=dict[str, str])

    async def post(self, http: httpx2.AsyncClient, key: str | None, method: str, /, **params: Any) -> httpx2.Response:
        """Return the response to one request of a client without a session."""
        name = {"Mcp-Name": str(params.get("name", params.get("uri", "")))} if params else {}
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": method,
            **name,
            **({} if key is None else {"Authorization": f"Bearer {key}"}),
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
        return await http.post(self.url, json=body, headers=headers)

    async def call(self, http: httpx2.AsyncClient, caller: str, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the result of a call, which was accepted as a request."""
        if self.interface == "api":
            return await self._call_api(http, caller, tool, arguments)
        response = await self.post(http, self.keys[caller], "tools/call", name=tool, arguments=arguments)
        if self.interface == "tokens" and response.status_code == 403:
            assert 'error="insufficient_scope"' in response.headers["WWW-Authenticate"]
            assert SECRET not in response.text
            return {"isError": True, "structuredContent": {"code": REFUSED}}
        assert response.status_code == 200, response.text
        return response.json()["result"]

    async def _call_api(
        self, http: httpx2.AsyncClient, caller: str, operation: str, arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the result of a call of the API, as MCP would return it."""
        response = await self.post_api(http, self.keys[caller], operation, arguments)
        body = response.json()
        is_error = response.status_code != 200
        assert not is_error or response.status_code == STATUS[body["code"]], response.text
        assert response.status_code != 500, response.text
        return {"isError": is_error, "structuredContent": body}

    async def post_api(
        self, http: httpx2.AsyncClient, key: str | None, operation: str, arguments: Mapping[str, Any]
    ) -> httpx2.Response:
        """Return the response to a request of a program to the API."""
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return await http.post(self.url.replace("/mcp", f"/api/v1/{operation}"), json=arguments, headers=headers)

    async def position(self) -> int:
        """Return the number of changes in the team's log."""
        return (await self.memory.domain_info()).events


@pytest.fixture(scope="module")
def url(environment: dict[str, str]) -> Iterator[str]:
    """A server with keys and all tools, whose default domain is nobody's."""
    with http_server(environment, "--toolsets", "all", "--domain", "house-rules", auth="keys") as url:
        yield url


@pytest.fixture
async def http() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(timeout=60) as client:
        yield client


@pytest.fixture
async def team(url: str, shared_memory: Memory) -> AsyncIterator[Team]:
    mark = uuid4().hex[:12]
    domain, other = f"team-{mark}", f"other-{mark}"
    memory = shared_memory.in_domain(domain)
    node = (await _seed(memory, NAME, SECRET)).node_id
    other_node = (await _seed(shared_memory.in_domain(other), "plain", "plain")).node_id
    team = Team(url, memory, domain, other, node, other_node)
    everywhere_else = [f"{other}=admin", f"new-{mark}*=admin"]
    rights = {
        "read": ([f"{domain}=read", *everywhere_else], None),
        "write": ([f"{domain}=write", *everywhere_else], None),
        "admin": ([f"{domain}=admin", *everywhere_else], None),
        "outsider": (everywhere_else, None),
        "reader": ([domain], None),
        "sessions": ([f"{domain}=admin"], ["sessions"]),
        "graph": ([f"{domain}=admin"], ["graph"]),
        "revoked": ([f"{domain}=admin"], None),
    }
    for name, (domains, toolsets) in rights.items():
        key = await memory.keys.create(f"{name}-{mark}", domains=domains, toolsets=toolsets)
        team.keys[name] = key.key
    await memory.keys.revoke(f"revoked-{mark}")
    yield team
    for key in (await memory.keys.list()).keys:
        if key.name.endswith(mark):
            await memory.keys.revoke(key.prefix)


@pytest.fixture(scope="module")
def token_server(environment: dict[str, str]) -> Iterator[tuple[str, TestIssuer]]:
    """A server with all tools that accepts the tokens of an issuer."""
    with running_issuer() as issuer:
        variables = {**environment, "GRAPH_MEMORY_OIDC_ISSUER": issuer.url, "GRAPH_MEMORY_OIDC_AUDIENCE": "memory"}
        with http_server(variables, "--toolsets", "all", "--domain", "house-rules", auth="oidc") as url:
            yield url, issuer


@pytest.fixture(params=["mcp", "api", pytest.param("tokens", marks=pytest.mark.long)])
def remote(request: pytest.FixtureRequest, team: Team) -> Mapping[str, AnyOperation]:
    """The operations of one of the interfaces, which the team then calls."""
    team.interface = request.param
    if request.param == "tokens":
        team.url, issuer = request.getfixturevalue("token_server")
        team.keys |= _tokens(issuer, team)
    return {name: operation for name, operation in REMOTE.items() if request.param != "api" or not operation.in_session}


def _tokens(issuer: TestIssuer, team: Team) -> dict[str, str]:
    """Return tokens for the callers of the matrix. A token cannot be revoked, so that one is for another service."""
    elsewhere = f"memory:{team.other}:admin memory:new-{team.domain[5:]}*:admin"
    tokens = {
        name: issuer.token("memory", f"memory:{team.domain}:{name} {elsewhere}") for name in ("read", "write", "admin")
    }
    scope = f"memory:{team.domain}:admin"
    return {
        **tokens,
        "outsider": issuer.token("memory", elsewhere),
        "expired": issuer.token("memory", scope, exp=int(time.time()) - 120),
        "revoked": issuer.token("other", scope),
    }


async def _seed(memory: Memory, name: str, word: str) -> Any:
    """Store an entity with an observation that is a word, and a node of this word."""
    await memory.entities.create_entities([{"name": f"{name} plan", "entityType": "plan", "observations": [word]}])
    return await memory.create_node("plan", f"# {word}")


def example(schema: Mapping[str, Any], name: str, team: Team) -> Any:
    """Return a valid value for an argument."""
    if name in KNOWN:
        return KNOWN[name](team)
    if "anyOf" in schema:
        return example(schema["anyOf"][0], name, team)
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "array":
            return [example(schema.get("items", {"type": "string"}), f"{name}[]", team)]
        case "object":
            parts = schema.get("properties", {})
            return {part: example(parts[part], part, team) for part in schema.get("required", [])}
        case "integer":
            return schema.get("minimum", 1)
        case "number":
            return schema.get("minimum", 0)
        case "boolean":
            return True
        case _:
            return "x"


OTHER_DOMAINS = {"get_capabilities", "get_user_profile", "record_capability", "update_user_profile"}
"""Operations on the domains of users and of the agent, whatever domain the call names."""
KNOWN: Mapping[str, Any] = {
    **dict.fromkeys(("node_id", "from_node_id", "source_node_id", "id", "subject", "node"), lambda team: team.node),
    "to_node_id": lambda team: team.node,
    **dict.fromkeys(("domain", "source_domain", "from"), lambda team: team.domain),
    "target_domain": lambda team: team.other,
    "target_node_id": lambda team: team.other_node,
    "name": lambda team: f"{NAME} plan",
    "at": lambda _: 1,
    "before": lambda _: 1,
    "tool": lambda _: "read_graph",
    "starts[]": lambda team: team.node,
    "event_ids[]": lambda _: 1,
    "statement": lambda _: "MATCH (n) RETURN n",
}
OF_DOMAINS = ("create_domain", "get_domain", "update_domain", "select_domain", "delete_domain")
SPECIAL: Mapping[str, Any] = {
    **{name: lambda team: {"name": team.domain} for name in OF_DOMAINS},
    "delete_domain": lambda team: {"name": team.domain, "confirm": team.domain},
    "memory_branch": lambda team: {"name": f"new-{team.domain[5:]}", "domain": team.domain},
    "memory_revert": lambda team: {"event_ids": [1], "domain": team.domain},
    "memory_merge": lambda team: {"from": team.domain, "into": team.other},
    "execute_batch": lambda team: {
        "operations": [{"op": "delete_node", "node_id": team.node}],
        "domain": team.domain,
    },
    "update_node": lambda team: {"node_id": team.node, "title": "t", "domain": team.domain},
    "update_connection": lambda team: {"connection_id": "conn_x", "strength": 0.5, "domain": team.domain},
    "decide": lambda team: {"new": "obs_x", "known": "obs_y", "decision": "keep", "domain": team.domain},
    "set_validity": lambda team: {"id": team.node, "valid_to": "now", "domain": team.domain},
    "memory_revert_session": lambda team: {"session_id": "x", "domain": team.domain},
    "memory_erase": lambda team: {"subject": team.node, "dry_run": True, "domain": team.domain},
    "memory_compact": lambda team: {"before": 1, "dry_run": True, "domain": team.domain},
    "remember": lambda team: {"text": "Ann sings.", "name": "Ann", "domain": team.domain},
    "update_entity": lambda team: {"name": f"{NAME} plan", "type": "idea", "domain": team.domain},
    "create_cross_domain_link": lambda team: {
        "source_node_id": team.node,
        "target_domain": team.other,
        "target_node_id": team.other_node,
        "source_domain": team.domain,
    },
    "add_connection_type": lambda team: {
        "type_name": "Uses",
        "from_types": ["plan"],
        "to_types": ["plan"],
        "domain": team.domain,
    },
    "view_file": lambda team: {"path": "/memories", "domain": team.domain},
    "create_file": lambda team: {"path": "/memories/a.md", "file_text": "a", "domain": team.domain},
    "insert_into_file": lambda team: {
        "path": "/memories/a.md",
        "insert_line": 0,
        "insert_text": "b",
        "domain": team.domain,
    },
    "str_replace_in_file": lambda team: {
        "path": "/memories/a.md",
        "old_str": "a",
        "new_str": "b",
        "domain": team.domain,
    },
    "rename_file": lambda team: {"old_path": "/memories/a.md", "new_path": "/memories/b.md", "domain": team.domain},
    "delete_file": lambda team: {"path": "/memories/a.md", "domain": team.domain},
    "protect": lambda team: {"domain": team.domain},
    "unprotect": lambda team: {"domain": team.domain},
}


def arguments_of(operation: AnyOperation, team: Team) -> dict[str, Any]:
    """Return valid arguments that lead an operation to the team's domain."""
    if operation.name in SPECIAL:
        return SPECIAL[operation.name](team)
    schema: Any = operation.input_schema
    domain = {} if "domain" not in schema["properties"] and operation.name in NO_DOMAIN else {"domain": team.domain}
    required = {name: example(schema["properties"][name], name, team) for name in schema.get("required", [])}
    return {**required, **domain}


ERRORS_OF_READS = {
    "create_ontology": "ONTOLOGY_ALREADY_EXISTS",
    "merge_entities": "NODE_NOT_FOUND",
    "update_observation": "INVALID_ARGUMENT",
}
"""Errors of operations that read before they write, to a caller that may read."""
NO_DOMAIN = ("list_domains", "query_cypher")


def code_of(result: Mapping[str, Any]) -> str | None:
    """Return the code of a result that is an error, or the whole text of an error without a code."""
    if not result.get("isError"):
        return None
    structured = result.get("structuredContent")
    return structured["code"] if structured else REFUSED if "has no right to" in json.dumps(result) else "OTHER"


async def _expired_key(team: Team) -> str:
    """Return a key that was valid for half a second."""
    expires = datetime.now(UTC) + timedelta(seconds=0.5)
    key = await team.memory.keys.create(f"expired-{uuid4().hex}", domains=[f"{team.domain}=admin"], expires=expires)
    await anyio.sleep(0.5)
    return key.key


async def test_no_operation_without_a_valid_key(
    team: Team, remote: Mapping[str, AnyOperation], http: httpx2.AsyncClient
):
    before = await team.position()
    expired = team.keys.get("expired") or await _expired_key(team)
    invalid = cycle([expired, team.keys["revoked"], "gm_" + "x" * 43, "x", team.keys["admin"][:-1]])
    for name, operation in remote.items():
        for key in (None, next(invalid)):
            arguments = arguments_of(operation, team)
            if team.interface == "api":
                response = await team.post_api(http, key, name, arguments)
            else:
                response = await team.post(http, key, "tools/call", name=name, arguments=arguments)
            assert (response.status_code, SECRET in response.text) == (401, False), (name, key)
            assert response.headers["www-authenticate"].startswith("Bearer ")
    for method in ("initialize", "tools/list", "resources/list", "prompts/list", "subscriptions/listen", "ping"):
        assert (await team.post(http, None, method)).status_code == 401, method
    assert await team.position() == before


async def test_a_key_for_other_domains_gets_nothing_of_this_one(
    team: Team, remote: Mapping[str, AnyOperation], http: httpx2.AsyncClient
):
    before, codes = await team.position(), dict[str, str | None]()
    for name, operation in remote.items():
        result = await team.call(http, "outsider", name, **arguments_of(operation, team))
        codes[name] = code_of(result)
        assert SECRET not in json.dumps(result), name
        assert team.domain not in json.dumps(result), (name, result)
    assert {name: code for name, code in codes.items() if code != REFUSED} == {"list_domains": None}
    assert await team.position() == before


async def test_a_key_with_the_right_to_read_changes_nothing(
    team: Team, remote: Mapping[str, AnyOperation], http: httpx2.AsyncClient
):
    before, codes = await team.position(), dict[str, str | None]()
    for name, operation in remote.items():
        codes[name] = code_of(await team.call(http, "read", name, **arguments_of(operation, team)))
    reads = {name for name, operation in remote.items() if operation.right is Right.READ}
    assert {name for name in reads if codes[name] == REFUSED} == reads & OTHER_DOMAINS
    assert {name: code for name, code in codes.items() if name not in reads and code != REFUSED} == ERRORS_OF_READS
    assert await team.position() == before


async def test_a_key_with_the_right_to_write_does_not_administer(
    team: Team, remote: Mapping[str, AnyOperation], http: httpx2.AsyncClient
):
    admin = {name for name, operation in remote.items() if operation.right is Right.ADMIN}
    assert admin == {"delete_domain", "memory_erase", "memory_compact", "protect", "query_cypher"}
    for name in admin:
        arguments = {**arguments_of(OPERATIONS[name], team), **({"confirm": True} if "memory" in name else {})}
        assert code_of(await team.call(http, "write", name, **arguments)) == REFUSED, name
    for wanted in ({"names": [f"{NAME} plan"]}, {"phrase": SECRET}, {"ids": [team.node]}):
        forget = {**wanted, "erase": True, "dry_run": True, "domain": team.domain}
        assert code_of(await team.call(http, "write", "forget", **forget)) == REFUSED, wanted
        assert code_of(await team.call(http, "admin", "forget", **forget)) != REFUSED, wanted
    for name, operation in remote.items():
        if operation.right is Right.WRITE:
            code = code_of(await team.call(http, "write", name, **arguments_of(operation, team)))
            assert code != REFUSED or name in OTHER_DOMAINS, name
    assert code_of(await team.call(http, "admin", "memory_erase", subject=team.node, domain=team.domain)) != REFUSED
    arguments = SPECIAL["delete_domain"](team)
    assert code_of(await team.call(http, "admin", "delete_domain", **arguments)) != REFUSED


async def test_a_key_with_the_right_to_administer_may_call_everything_in_its_domain(
    team: Team, remote: Mapping[str, AnyOperation], http: httpx2.AsyncClient
):
    last = {"delete_domain": remote["delete_domain"]}
    codes = {
        name: code_of(await team.call(http, "admin", name, **arguments_of(operation, team)))
        for name, operation in {**{key: part for key, part in remote.items() if key not in last}, **last}.items()
    }
    refused = {name for name, code in codes.items() if code == REFUSED}
    assert refused - OTHER_DOMAINS == {"query_cypher"}
    assert all(codes[name] for name in OTHER_DOMAINS & remote.keys())
    assert codes["delete_domain"] == "DOMAIN_HAS_BRANCHES"  # which memory_branch has made


@pytest.mark.parametrize("remote", ["mcp", "api"], indirect=True)
async def test_a_key_calls_only_tools_of_its_toolsets(
    team: Team, remote: Mapping[str, AnyOperation], http: httpx2.AsyncClient
):
    for name, operation in remote.items():
        caller = "graph" if operation in TOOLSETS["sessions"] else "sessions"
        assert code_of(await team.call(http, caller, name, **arguments_of(operation, team))) == REFUSED, name
    reads = {name for name, operation in remote.items() if operation.right is Right.READ}
    assert await served_operations(team, http, "sessions") == {tool.name for tool in TOOLSETS["sessions"]}
    assert await served_operations(team, http, "reader") == reads


async def served_operations(team: Team, http: httpx2.AsyncClient, caller: str) -> set[str]:
    """Return the names of the operations that the interface offers a caller."""
    if team.interface == "mcp":
        listed = (await team.post(http, team.keys[caller], "tools/list")).json()["result"]["tools"]
        return {tool["name"] for tool in listed}
    headers = {"Authorization": f"Bearer {team.keys[caller]}"}
    session = (await http.get(team.url.replace("/mcp", "/api/v1/session"), headers=headers)).json()
    return {*session["operations"]}


async def test_reads_of_several_domains_leave_out_and_count_what_the_key_may_not_read(
    team: Team, http: httpx2.AsyncClient
):
    named = {"domains": [team.domain, team.other]}
    content = (await team.call(http, "read", "search_memories", query="plan", **named))["structuredContent"]
    assert {hit["domain"] for hit in content["hits"]} == {team.domain, team.other}
    assert "unreadable_domains" not in content
    content = (await team.call(http, "reader", "search_memories", query="plan", **named))["structuredContent"]
    assert {hit["domain"] for hit in content["hits"]} == {team.domain}
    assert content["unreadable_domains"] == 1
    missing = await team.call(http, "reader", "search_memories", query="plan", domains=[team.other])
    assert code_of(missing) == REFUSED
    page = (await team.call(http, "reader", "list_domains"))["structuredContent"]
    assert [domain["name"] for domain in page["domains"]] == [team.domain]
    assert page["unreadable_domains"] > 0


async def test_a_domain_that_the_key_may_not_read_answers_as_one_that_does_not_exist(
    team: Team, http: httpx2.AsyncClient
):
    for tool, more in (("read_graph", {}), ("recall", {"query": "plan"}), ("memory_log", {}), ("get_ontology", {})):
        hidden, absent = [
            await team.call(http, "reader", tool, domain=name, **more) for name in (team.other, f"{team.other}-none")
        ]
        assert hidden == absent
        assert code_of(hidden) == REFUSED
        default = await team.call(http, "reader", tool, **more)
        assert "house-rules" not in json.dumps(default)


async def test_a_refused_call_runs_no_statement_and_so_takes_as_long_for_any_domain(
    team: Team, monkeypatch: pytest.MonkeyPatch
):
    def count(method: str) -> None:
        run_statement = getattr(Store, method)

        async def run_and_count(self: Store, *arguments: Any, **options: Any) -> Any:
            if CALLER.get() is not None:  # not background work of the memory
                statements.append(method)
            return await run_statement(self, *arguments, **options)

        monkeypatch.setattr(Store, method, run_and_count)

    statements: list[str] = []
    for method in ("read_within", "read_in_session", "write", "write_at_once", "begin_transaction"):
        count(method)
    principal = Principal("outsider", (Grant(team.other, Right.ADMIN),))
    refused = [
        operation
        for name, operation in REMOTE.items()
        if operation.takes("domain") and not operation.in_session and name not in OTHER_DOMAINS
    ]
    for operation in refused:
        call = operation.bind(arguments_of(operation, team))
        with run_as(Caller(principal, operation.right)), pytest.raises(GraphError) as refusal:
            await call(team.memory)
        assert (refusal.value.code, statements) == (Code.INSUFFICIENT_RIGHTS, []), operation.name
    assert len(refused) > 50
    with run_as(Caller(Principal("reader", (Grant(team.domain, Right.READ),)))):
        await team.memory.entities.read_graph()
    assert statements


async def test_links_and_relatives_do_not_tell_of_other_domains(team: Team, http: httpx2.AsyncClient):
    target = {"target_domain": team.other, "target_node_id": team.other_node}
    await team.memory.links.create_cross_domain_link(team.node, **target)
    await team.memory.create_domain(f"new-{team.domain[5:]}-child", parent=team.domain)
    for tool, more in (
        ("list_cross_domain_links", {}),
        ("get_domain", {"name": team.domain}),
        ("traverse_memories", {"start": [team.node], "cross_domains": True}),
        ("recall", {"query": f"{NAME} plan"}),
    ):
        where = {} if "name" in more else {"domain": team.domain}
        for caller, is_told in (("read", tool != "recall"), ("reader", False)):
            text = json.dumps(await team.call(http, caller, tool, **more, **where))
            assert any(name in text for name in (team.other, f"new-{team.domain[5:]}")) == is_told, (tool, text)
    arguments = {"query": "plan", "domain": team.domain, "include_children": True}
    content = (await team.call(http, "reader", "search_memories", **arguments))["structuredContent"]
    assert content["unreadable_domains"] == 1


async def test_the_log_names_the_key_and_protection_asks_for_it(team: Team, http: httpx2.AsyncClient):
    writer = f"write-{team.domain.removeprefix('team-')}"
    await team.memory.protect(node_id=team.node, can_be_unprotected_by=[writer])
    edit = {"node_id": team.node, "title": "new", "domain": team.domain}
    assert code_of(await team.call(http, "admin", "update_node", **edit)) == str(Code.PROTECTED)
    assert code_of(await team.call(http, "write", "update_node", **edit)) is None
    [change] = (await team.memory.history.log(limit=1)).entries
    assert change.actor == writer


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_sessions_resources_and_selections_belong_to_one_key(team: Team, mode: str):
    def headers(caller: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {team.keys[caller]}", SESSION: "shared"}

    async with (
        over_http(team.url, None, mode, headers("read")) as reading,
        over_http(team.url, None, mode, headers("outsider")) as other,
    ):
        await reading.call("select_domain", name=team.domain)
        graph = await reading.client.read_resource("memory://knowledge-graph")
        assert SECRET in graph.model_dump_json()
        with pytest.raises(Exception, match=REFUSED):
            await other.client.read_resource("memory://knowledge-graph")
        assert (await other.error_of("get_ontology")).code is Code.INSUFFICIENT_RIGHTS


async def test_a_stored_session_has_the_name_that_the_client_gave_it(team: Team):
    headers = {"Authorization": f"Bearer {team.keys['write']}", SESSION: "shared"}
    async with over_http(team.url, None, "auto", headers) as client:
        event = await client.call("record_event", event_type="note", content="tea", domain=team.domain)
        assert event["session"] == "shared"
        answer = await client.call("get_events", session="shared", domain=team.domain)
    assert [entry["id"] for entry in answer["events"]] == [event["event_id"]]


async def test_a_session_of_the_protocol_cannot_be_used_with_another_key(team: Team, http: httpx2.AsyncClient):
    info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
    accept = {"Accept": "application/json, text/event-stream"}
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info}
    mine = {**accept, "Authorization": f"Bearer {team.keys['read']}"}
    session = (await http.post(team.url, json=begin, headers=mine)).headers["mcp-session-id"]
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
    theirs = {**accept, "Authorization": f"Bearer {team.keys['admin']}", "Mcp-Session-Id": session}
    assert (await http.post(team.url, json=listing, headers=theirs)).status_code == 404
    assert (await http.post(team.url, json=listing, headers={**mine, "Mcp-Session-Id": session})).status_code == 200


async def test_a_revoked_key_is_rejected_within_five_seconds_and_a_replaced_one_after_its_grace(
    team: Team, http: httpx2.AsyncClient, environment: dict[str, str]
):
    name = f"laptop-{team.domain[5:]}"
    made = run(environment, "key", "create", name, "--domain", team.domain, "--right", "read", "--expires", "90d")
    assert made.returncode == 0, made.stderr
    key = made.stdout.strip()
    assert (await team.post(http, key, "tools/list")).status_code == 200
    listed = json.loads(run(environment, "key", "list", "--json").stdout)["keys"]
    [info] = [entry for entry in listed if entry["name"] == name]
    assert (info["prefix"], info["rights"]) == (key[:11], {team.domain: "read"})
    assert {"created", "expires", "last_used"} <= info.keys()
    assert key not in json.dumps(listed)
    second = run(environment, "key", "rotate", name, "--grace", "1h").stdout.strip()
    for secret in (key, second):
        assert (await team.post(http, secret, "tools/list")).status_code == 200
    assert run(environment, "key", "revoke", key[:11]).returncode == 0
    began = time.monotonic()
    while (await team.post(http, key, "tools/list")).status_code == 200:
        assert time.monotonic() - began < 5
        await anyio.sleep(0.2)
    assert (await team.post(http, second, "tools/list")).status_code == 200
    assert run(environment, "key", "revoke", name).returncode == 0
    assert run(environment, "key", "revoke", name).returncode != 0
    assert "No key and no profile" in run(environment, "key", "revoke", name, "--with-profile").stderr


@for_rows(
    ("header", "message"),
    [
        ("Bearer {revoked}", "not valid .*unknown, expired or revoked"),
        ("{admin}", "has no access key .*header"),
        ("Basic abc", "has no access key .*header"),
        (None, "has no access key .*header"),
    ],
)
async def test_a_client_without_a_valid_key_is_told_why(team: Team, header: str | None, message: str):
    headers = {} if header is None else {"Authorization": header.format_map(team.keys)}
    refused = pytest.RaisesExc(MCPError, match=message)
    for mode in ("auto", "legacy"):
        with pytest.RaisesGroup(refused, flatten_subgroups=True, allow_unwrapped=True):
            async with over_http(team.url, None, mode, headers) as client:
                await client.call("get_ontology")


async def test_a_server_with_keys_answers_under_any_name(team: Team, http: httpx2.AsyncClient):
    for host in ("192.0.2.10:8848", "memory.example.org"):
        http.headers["Host"] = host
        answer = await team.post(http, team.keys["read"], "tools/list")
        assert answer.status_code == 200, answer.text


async def test_foreign_pages_and_forged_proxies_gain_nothing(team: Team, http: httpx2.AsyncClient):
    forged = {"X-Forwarded-For": "127.0.0.1", "Forwarded": "for=127.0.0.1;host=localhost", "X-Real-IP": "127.0.0.1"}
    begin = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
    assert (await http.post(team.url, json=begin, headers=forged)).status_code == 401
    key = {"Authorization": f"Bearer {team.keys['admin']}"}
    assert (await http.post(team.url, json=begin, headers={**key, "Origin": "http://evil.example"})).status_code == 403
    health = await http.get(team.url.replace("/mcp", "/health"))
    assert (health.status_code, health.json()) == (200, {"status": "ok"})
