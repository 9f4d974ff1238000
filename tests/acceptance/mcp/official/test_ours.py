"""Ours answers as the npm server does, to the byte, but for the differences that are named in `original.py`."""

from __future__ import annotations

import pytest

from acceptance.agents import COMMAND, verify
from acceptance.mcp.official import recording
from acceptance.mcp.official.comparing import SCRIPTS, deviates, deviation
from acceptance.mcp.official.original import DIFFERENCES
from acceptance.mcp.official.talking import talking

pytestmark = pytest.mark.anyio

ALL = tuple(DIFFERENCES)
WHOLE = {"GRAPH_MEMORY_READ_GRAPH_TOKENS": "1000000"}
"""The original answers a graph of any size at once."""


def ours(domain: str) -> list[str]:
    return [str(COMMAND), "mcp", "--toolsets", "entities", "--domain", domain]


async def test_ours_offers_and_answers_what_the_npm_server_was_recorded_to(environment: dict[str, str], domain: str):
    async with talking(ours(domain), {**environment, **WHOLE}) as talk:
        offered = await recording.lists(talk)
        answers = [await talk.answer(step) for step in recording.recorded_steps()]
    result = deviation(recording.recorded_steps(), answers, ALL)
    assert result is None, str(result)
    recorded, _ = recording.read()
    assert offered["resources"] == recorded["resources"]
    assert offered["capabilities"]["resources"]["subscribe"] is True
    assert [_contract_of(tool) for tool in offered["tools"]] == [_contract_of(tool) for tool in recorded["tools"]]


def _contract_of(tool: dict[str, object]) -> object:
    """Return the parts of a tool that a client may rely on. The words are ours."""
    return {key: _bare(tool[key]) for key in ("name", "title", "annotations", "inputSchema", "outputSchema")}


def _bare(value: object) -> object:
    """Return a schema without its descriptions."""
    if isinstance(value, dict):
        return {key: _bare(part) for key, part in value.items() if key not in ("description", "$schema")}
    return [_bare(part) for part in value] if isinstance(value, list) else value


@pytest.mark.long
@pytest.mark.parametrize("name", SCRIPTS)
async def test_ours_answers_as_the_npm_server_but_for_what_is_named(
    environment: dict[str, str], domain: str, name: str
):
    result = await deviates(ours(domain), {**environment, **WHOLE}, SCRIPTS[name], ALL)
    assert result is None, str(result)
    verify(environment, domain)
