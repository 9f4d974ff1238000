"""A server that accepts the tokens of an issuer: what clients are told, and what the scopes of a token allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx2
import pytest
from mcp import MCPError
from mcp.client import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from acceptance.agents import http_server
from graph_memory import Memory
from issuer import TestIssuer, running_issuer

pytestmark = pytest.mark.anyio


@dataclass
class Server:
    """A server with tokens, and its issuer."""

    url: str
    issuer: TestIssuer

    async def call(self, token: str, tool: str, /, **arguments: Any) -> Any:
        """Return the result of a call by the real client."""
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(self.url, http_client=http)) as client,
        ):
            return await client.call_tool(tool, arguments)


@pytest.fixture(scope="module")
def server(environment: dict[str, str]) -> Iterator[Server]:
    with running_issuer() as issuer:
        variables = {**environment, "GRAPH_MEMORY_OIDC_ISSUER": issuer.url, "GRAPH_MEMORY_OIDC_AUDIENCE": "memory"}
        with http_server(variables, "--toolsets", "graph,history", auth="oidc") as url:
            yield Server(url, issuer)


async def test_a_client_without_a_token_is_told_where_to_get_one(server: Server) -> None:
    place = server.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
    forged = {
        "X-Forwarded-Host": "evil.example.org",
        "X-Forwarded-Proto": "https",
        "Forwarded": "host=evil.example.org",
    }
    async with httpx2.AsyncClient(timeout=60) as http:
        for headers in ({}, {"Authorization": "Bearer gm_" + "x" * 43}, forged):
            response = await http.post(server.url, json={}, headers=headers)
            assert response.status_code == 401
            has_token = "Authorization" in headers
            message = "The access token is not valid" if has_token else "The request has no access token"
            assert message in response.json()["error"]["message"]
            challenge = response.headers["WWW-Authenticate"]
            assert challenge == (
                f'Bearer error="invalid_token", error_description="{message}", '
                f'scope="memory:read memory:write", resource_metadata="{place}"'
            )
        for address in (place, place.removesuffix("/mcp")):
            metadata = (await http.get(address)).json()
            assert (metadata["resource"], metadata["authorization_servers"]) == (server.url, [server.issuer.url])
            assert metadata["scopes_supported"] == ["memory:read", "memory:write"]


async def test_a_token_without_a_scope_of_the_memory_is_told_the_scope_it_needs(server: Server) -> None:
    headers = {"Authorization": f"Bearer {server.issuer.token('memory', 'openid profile')}"}
    async with httpx2.AsyncClient(timeout=60) as http:
        response = await http.post(server.url, json={}, headers=headers)
    assert response.status_code == 403
    challenge = response.headers["WWW-Authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="memory:read memory:write"' in challenge


async def test_scopes_are_rights_and_the_subject_is_the_actor(server: Server, shared_memory: Memory) -> None:
    mark = uuid4().hex[:12]
    mine, other = f"team-{mark}", f"other-{mark}"
    for domain in (mine, other):
        await shared_memory.in_domain(domain).entities.create_entities([{"name": "Plan", "entityType": "Note"}])
    token = server.issuer.token("memory", f"memory:{mine}:write", sub="auth0|ann")
    made = await server.call(token, "create_node", type="Note", content="From afar.", domain=mine)
    assert not made.is_error, made
    [entry] = (await shared_memory.in_domain(mine).history.log(limit=1)).entries
    assert entry.actor == "auth0|ann"
    refused = await server.call(token, "query_nodes", domain=other)
    assert refused.structured_content["code"] == "INSUFFICIENT_RIGHTS"
    assert other not in str(refused)
    reader = server.issuer.token("memory", f"memory:{mine}:read", sub="ben")
    no_right = pytest.RaisesExc(MCPError, match='The token "ben" has no right to write to this domain')
    with pytest.RaisesGroup(no_right, flatten_subgroups=True):
        await server.call(reader, "create_node", type="Note", content="No.", domain=mine)
    assert not (await server.call(reader, "query_nodes", domain=mine)).is_error


class SignIn:
    """A client that is registered, and its user, who gives it what it requests. It may have a token already."""

    def __init__(self, server: Server, scope: str | None) -> None:
        self.requested: list[str] = []
        self._issuer = server.issuer
        self._state: str | None = None
        self._tokens = None if scope is None else self._give(scope)
        own = {"redirect_uris": ["http://localhost/"]}
        registered = {**own, "client_id": "test", "issuer": server.issuer.url}
        self._client = OAuthClientInformationFull.model_validate(registered)
        metadata = OAuthClientMetadata.model_validate(own)
        self.provider = OAuthClientProvider(server.url, metadata, self, self._open, self._return)

    def _give(self, scope: str) -> OAuthToken:
        return OAuthToken(access_token=self._issuer.token("memory", scope), scope=scope)

    async def _open(self, url: str) -> None:
        query = parse_qs(urlsplit(url).query)
        self._state = query["state"][0]
        self.requested.append(query["scope"][0])
        self._issuer.bodies["/token"] = self._give(query["scope"][0]).model_dump_json(exclude_none=True).encode()

    async def _return(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code="code", state=self._state)

    async def get_tokens(self) -> OAuthToken | None:
        return self._tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._client = client_info


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_real_client_signs_in_and_requests_the_scopes_that_it_is_told(server: Server, mode: Any) -> None:
    for scope, more in ((None, ""), ("openid", "openid ")):
        sign_in = SignIn(server, scope)
        async with (
            httpx2.AsyncClient(auth=sign_in.provider, timeout=60) as http,
            Client(streamable_http_client(server.url, http_client=http), mode=mode) as client,
        ):
            tools = {tool.name for tool in (await client.list_tools()).tools}
        assert sign_in.requested == [f"{more}memory:read memory:write"]
        assert {"query_nodes", "create_node"} <= tools


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_real_client_requests_the_scope_that_a_call_needs_and_repeats_the_call(
    server: Server, mode: Any, shared_memory: Memory
) -> None:
    domain = f"team-{uuid4().hex[:12]}"
    await shared_memory.in_domain(domain).entities.create_entities([{"name": "Plan", "entityType": "Note"}])
    sign_in = SignIn(server, f"memory:{domain}:read")
    async with (
        httpx2.AsyncClient(auth=sign_in.provider, timeout=60) as http,
        Client(streamable_http_client(server.url, http_client=http), mode=mode) as client,
    ):
        refused = await client.call_tool("query_nodes", {"domain": "another"})
        assert refused.is_error
        assert sign_in.requested == []
        made = await client.call_tool("create_node", {"type": "Note", "content": "Once.", "domain": domain})
        assert not made.is_error, made
        listed = await client.call_tool("query_nodes", {"type": "Note", "domain": domain})
    assert sign_in.requested == [f"memory:{domain}:read memory:write"]
    assert len(listed.structured_content["node_ids"]) == 2


async def test_a_token_for_another_server_is_rejected(server: Server) -> None:
    async with httpx2.AsyncClient(timeout=60) as http:
        headers = {"Authorization": f"Bearer {server.issuer.token('another', 'memory:admin')}"}
        assert (await http.post(server.url, json={}, headers=headers)).status_code == 401
