"""An agent's capabilities, and the statistics of its tools in the domains of a call."""

from __future__ import annotations

from collections.abc import Awaitable

import pytest

from graph_memory import Code, GraphError, Memory, Settings
from integration.agent.own_domains import memory, own
from support import agrees

__all__ = ["memory", "own"]
pytestmark = pytest.mark.anyio


async def code_of(call: Awaitable[object]) -> Code:
    with pytest.raises(GraphError) as caught:
        await call
    return caught.value.code


async def test_statistics_are_those_of_the_events_of_the_named_domains(memory: Memory, own: Settings, domain: str):
    meta, other = memory.agent.meta, memory.in_domain(f"{domain}-2")
    assert (await meta.get()).tools == ()
    for number, outcome in enumerate(("success", "success", "failure"), 1):
        await memory.agent.episodic.record(
            "tool_call", f"{number} failed", tool="pytest", outcome=outcome, duration_ms=100.0 * number
        )
    await memory.agent.episodic.record("message", tool="pytest")
    await memory.agent.episodic.record("tool_call", "pytest")
    await other.agent.episodic.record("tool_call", tool="ruff", outcome="success")
    capabilities = await meta.get()
    [pytest_] = capabilities.tools
    assert (pytest_.uses, pytest_.successes, pytest_.failures) == (3, 2, 1)
    assert (pytest_.mean_ms, pytest_.p95_ms) == (200, 300)
    assert [(error.error, error.count) for error in pytest_.common_errors or ()] == [("# failed", 1)]
    assert capabilities.warnings == ("1 events of type tool_call have no property tool, so they do not count.",)
    both = await meta.get(domains=[domain, f"{domain}-2"])
    assert [(tool.tool, tool.uses) for tool in both.tools] == [("pytest", 3), ("ruff", 1)]
    result = await meta.get("ruff", domains=[f"{domain}-2"])
    assert ([tool.tool for tool in result.tools], result.warnings) == (["ruff"], None)
    assert (await meta.get("nothing")).warnings == ('No call of "nothing" is recorded.',)
    typo = await meta.get(domains=[f"{domain}-typo", f"{domain}-2"])
    assert ([tool.tool for tool in typo.tools], typo.warnings) == (["ruff"], (f"Domain {domain}-typo does not exist.",))
    with pytest.raises(GraphError):
        await memory.in_domain(own.agent_domain).get_ontology()


async def test_capabilities_and_tools_are_kept_changed_and_removed(memory: Memory, own: Settings):
    meta = memory.agent.meta
    await meta.set_capability("Writes Python tests", "strength")
    await meta.set_capability("Draws logos", "weakness")
    await meta.set_capability("Deploys to production", "should_ask")
    [tool] = (await meta.set_tool("pytest", "Run it with -n 0 for one test")).tools
    assert (tool.tool, tool.uses, tool.usage) == ("pytest", 0, "Run it with -n 0 for one test")
    capabilities = await meta.set_capability("Draws logos", "cannot_do")
    assert (capabilities.strengths, capabilities.weaknesses) == (("Writes Python tests",), None)
    assert (capabilities.cannot_do, capabilities.should_ask) == (("Draws logos",), ("Deploys to production",))
    assert (capabilities.tools, (await meta.get()).cannot_do) == ((), ("Draws logos",))
    await meta.remove("Draws logos")
    assert (await meta.get("ruff")).cannot_do is None
    assert [tool.tool for tool in (await meta.get("pytest")).tools] == ["pytest"]
    await agrees(memory.in_domain(own.agent_domain))


async def test_bad_input_is_refused_and_creates_no_domain(memory: Memory, own: Settings):
    meta, domain = memory.agent.meta, memory.in_domain(own.agent_domain)
    calls: list[tuple[Awaitable[object], Code]] = [
        (meta.set_capability("", "strength"), Code.INVALID_ARGUMENT),
        (meta.set_capability("Sings", "talent"), Code.INVALID_ARGUMENT),  # type: ignore[arg-type]
        (meta.set_capability("x" * 8_000_000, "strength"), Code.CONTENT_TOO_LARGE),
        (meta.set_tool("pytest", ""), Code.INVALID_ARGUMENT),
        (meta.get(""), Code.INVALID_ARGUMENT),
        (meta.get(domains="default"), Code.INVALID_ARGUMENT),
        (meta.get(domains=["a b"]), Code.INVALID_ARGUMENT),
        (meta.remove("Sings"), Code.INVALID_ARGUMENT),
        (memory.agent.episodic.record("tool_call", tool="x", duration_ms=float("nan")), Code.INVALID_PROPERTY),
        (domain.get_ontology(), Code.ONTOLOGY_NOT_FOUND),
    ]
    assert [await code_of(call) for call, _ in calls] == [code for _, code in calls]
    await meta.set_tool("pytest")
    assert await code_of(meta.set_capability("pytest", "strength")) is Code.INVALID_ARGUMENT
