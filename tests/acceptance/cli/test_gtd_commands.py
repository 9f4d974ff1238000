"""`graph-memory gtd …` as a person uses it, on a real memory."""

from __future__ import annotations

import json
from datetime import date

import pytest

from acceptance.agents import environment_of, run
from graph_memory import Memory, Settings, load_ontology
from graph_memory.gtd import Gtd

pytestmark = pytest.mark.anyio


@pytest.fixture
async def desk(memory: Memory) -> Memory:
    await memory.apply_ontology(load_ontology("gtd"))

    async def add(kind: str, title: str, **properties: object) -> str:
        return (await memory.create_node(kind, f"# {title}", properties=properties)).node_id

    kitchen = await add("Project", "Kitchen", status="active", due="2025-12-01")
    await add("Project", "Garden", status="active")
    call = await add("Action", "Call the contractor", status="next", context="phone", time_estimate="30m")
    compare = await add("Action", "Compare quotes", status="next", context="computer")
    anna = await add("Person", "Anna")
    await memory.create_connection("NextAction", kitchen, call)
    await memory.create_connection("NextAction", kitchen, compare)
    await memory.create_connection("DependsOn", compare, call)
    dates = {"since": "2025-10-01", "follow_up_date": "2025-10-15"}
    await memory.create_connection("WaitingFor", kitchen, anna, properties=dates)
    return memory


@pytest.mark.long
async def test_the_lists_name_what_to_do_and_what_stands_in_the_way(
    desk: Memory, settings: Settings, domain: str
) -> None:
    environment = environment_of(settings, GRAPH_MEMORY_DOMAIN=domain)
    lists = {
        ("available", "-c", "phone", "--time", "1h"): ["Call the contractor", "30 min", "Kitchen"],
        ("next",): ["Kitchen, due 2025-12-01", "- Compare quotes (next, computer)", "Garden", "no next action"],
        ("stuck",): ["Garden", "no next action"],
        ("waiting", "--today", "2025-10-18"): ["Kitchen", "Anna", "3 days"],
        ("review", "--today", "2025-11-28"): ["Stuck projects (1)", "Waiting for others (1)", "Due within 7 days (1)"],
    }
    for arguments, words in lists.items():
        done = run(environment, "gtd", *arguments)
        assert done.returncode == 0, done.stderr
        assert [word for word in words if word not in done.stdout] == []
    stderr = run(environment, "gtd", "available", "-c", "home").stderr
    assert stderr.strip() == ("0 actions. Left out: 1 depend on a step that is not completed, 1 need another context.")


@pytest.mark.long
async def test_json_is_what_python_gives(desk: Memory, settings: Settings, domain: str) -> None:
    environment = environment_of(settings)
    done = run(environment, "gtd", "review", "--domain", domain, "--today", "2025-10-18", "--json")
    assert json.loads(done.stdout) == (await Gtd(desk).weekly_review(today=date(2025, 10, 18))).to_dict()


async def test_what_cannot_be_answered_is_told_with_what_to_do(memory: Memory, settings: Settings, domain: str) -> None:
    environment = environment_of(settings, GRAPH_MEMORY_DOMAIN=domain)
    nothing = run(environment, "gtd", "stuck")
    assert (nothing.returncode, "`graph-memory ontology apply FILE --domain " in nothing.stderr) == (66, True)
    time = run(environment, "gtd", "available", "--time", "soon")
    assert (time.returncode, "Pass a number of minutes" in time.stderr) == (2, True)
    day = run(environment, "gtd", "review", "--today", "tomorrow")
    assert (day.returncode, "Traceback" in day.stderr) == (2, False)
