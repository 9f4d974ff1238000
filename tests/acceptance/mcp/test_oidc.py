"""A server that accepts the tokens of an issuer: what clients are told, and what the scopes of a token allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

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
            challenge = response.headers["WWW-Authenticate"]
            assert f'resource_metadata="{place}"' in challenge
        for address in (place, place.removesuffix("/mcp")):
            metadata = (await http.get(address)).json()
            assert (metadata["resource"], metadata["authorization_servers"]) == (server.url, [server.issuer.url])
            assert "memory:read" in metadata["scopes_supported"]


async def test_a_token_without_a_scope_of_the_memory_is_told_the_scope_it_needs(server: Server) -> None:
    headers = {"Authorization": f"Bearer {server.issuer.token('memory', 'openid profile')}"}
    async with httpx2.AsyncClient(timeout=60) as http:
        response = await http.post(server.url, json={}, headers=headers)
    assert response.status_code == 403
    challenge = response.headers["WWW-Authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="memory:read"' in challenge


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
    refused = await server.call(reader, "create_node", type="Note", content="No.", domain=mine)
    assert refused.structured_content["code"] == "INSUFFICIENT_RIGHTS"
    assert "token" in refused.structured_content["message"]
    assert not (await server.call(reader, "query_nodes", domain=mine)).is_error


async def test_a_token_for_another_server_is_rejected(server: Server) -> None:
    async with httpx2.AsyncClient(timeout=60) as http:
        headers = {"Authorization": f"Bearer {server.issuer.token('another', 'memory:admin')}"}
        assert (await http.post(server.url, json={}, headers=headers)).status_code == 401
