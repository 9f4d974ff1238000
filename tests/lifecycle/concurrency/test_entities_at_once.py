"""Two servers of entities on one Neo4j, four callers each: what was acknowledged is there, and nothing is there twice.

`ENTITY_CALLS=10000 pytest -s` on this file is the long run; it prints what became of it, and of the npm server as well.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from acceptance.agents import COMMAND, environment_of, verify
from benchmarks.entities.at_once import rows, run_callers
from benchmarks.entities.servers import OURS, Start, official
from graph_memory import Settings

CALLS = int(os.environ.get("ENTITY_CALLS") or 0)
SEED = int(os.environ.get("SEED") or 1)

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(600 + CALLS)]


@pytest.fixture(scope="session")
def environment(settings: Settings) -> Mapping[str, str]:
    return environment_of(settings)


async def test_two_servers_of_four_callers_lose_no_entity_and_double_none(
    environment: dict[str, str], domain: str, tmp_path: Path
):
    ours = Start(OURS, (str(COMMAND), "mcp", "--toolsets", "entities", "--domain", domain), environment)
    outcome = await run_callers(ours, CALLS or 400, SEED)
    if CALLS:
        print("\n" + rows([(OURS, outcome), ("official", await run_callers(official(tmp_path), CALLS, SEED))]))  # noqa: T201
    assert outcome.faults == {}, outcome
    assert outcome.names > outcome.calls / 4
    verify(environment, domain)
