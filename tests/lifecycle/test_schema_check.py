"""An index or constraint that is gone: verify and doctor name it, nothing fails without a word, rebuild makes it.

On a Neo4j of its own, because other tests need the schema of theirs.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import anyio.to_thread
import pytest
import typer
from neo4j import Driver, GraphDatabase
from typer.testing import CliRunner

from container.images import address_of
from graph_memory import Code, GraphError, Memory, Settings, local, ontology_from, open_memory
from graph_memory.cli.commands.doctor import doctor
from graph_memory.storage.schema import Step, migrate, steps
from graph_memory.storage.schema_check import statements_of_steps

pytestmark = pytest.mark.anyio

TYPE = "Joins `two`"
ONTOLOGY = ontology_from(
    {"node_types": ["Note"], "connection_types": [{"name": TYPE, "from_types": ["*"], "to_types": ["*"]}]}
)
NAMES = sorted(statements_of_steps())


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings that lead to a Neo4j of this module's own."""
    settings = Settings(home=tmp_path_factory.mktemp("schema") / "home", neo4j_heap="512m")
    local.ensure_running(settings)
    yield settings
    local.stop(settings)


@pytest.fixture(scope="module")
def driver(own: Settings) -> Iterator[Driver]:
    """A raw driver, for damaging the schema."""
    address = address_of(own)
    with GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver:
        yield driver


@pytest.fixture
async def notes(own: Settings, domain: str) -> AsyncIterator[Memory]:
    """A domain of that database with two notes that are joined."""
    async with open_memory(own.model_copy(update={"domain": domain})) as memory:
        await memory.create_ontology(ONTOLOGY)
        result = await memory.create_node("Note", "words of a kitchen")
        two = await memory.create_node("Note", "words of a garden")
        await memory.create_connection(TYPE, result.node_id, two.node_id)
        assert (await memory.upkeep.verify()).differences == ()
        yield memory


def drop(driver: Driver, name: str) -> None:
    kind = driver.execute_query(
        "SHOW INDEXES YIELD name, owningConstraint WHERE name = $name RETURN owningConstraint", name=name
    ).records[0][0]
    driver.execute_query(f"DROP {'CONSTRAINT' if kind else 'INDEX'} {name}")  # pyright: ignore[reportArgumentType]


def indexes_of(driver: Driver) -> list[tuple[str, str]]:
    return [tuple(row) for row in driver.execute_query("SHOW INDEXES YIELD name, state ORDER BY name").records]


async def doctor_results(own: Settings, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the results of the doctor, by the names of its checks."""
    monkeypatch.setenv("GRAPH_MEMORY_HOME", str(own.home))
    app = typer.Typer()
    app.command()(doctor)
    result = await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, ["--json"]))
    return {check["name"]: check for check in json.loads(result.stdout)["checks"]}


async def test_every_index_and_constraint_that_is_gone_is_named_and_made_again(notes: Memory, driver: Driver) -> None:
    before = indexes_of(driver)
    assert set(NAMES) <= {name for name, _ in before}
    for name in NAMES:
        drop(driver, name)
    named = (await notes.upkeep.verify()).differences
    assert sorted(difference.subject for difference in named) == NAMES
    assert {(difference.kind, difference.problem) for difference in named} == {
        ("schema", "the index is missing"),
        ("schema", "the constraint is missing"),
    }
    rebuilt = await notes.upkeep.rebuild()
    assert (set(rebuilt.differences), rebuilt.unmended) == (set(named), ())
    assert indexes_of(driver) == before
    assert (await notes.search_content("a kitchen")).node_ids


async def test_the_index_of_an_analyser_that_a_domain_has_is_made_again_too(notes: Memory, driver: Driver) -> None:
    await notes.upkeep.reindex(analyser="cjk")
    before = indexes_of(driver)
    drop(driver, "_passages_cjk")
    with pytest.raises(GraphError) as caught:
        await notes.recall.search_memories("kitchen")
    assert caught.value.code is Code.STORE_INCOMPATIBLE
    assert [difference.subject for difference in (await notes.upkeep.rebuild()).differences] == ["_passages_cjk"]
    assert indexes_of(driver) == before
    assert (await notes.recall.search_memories("kitchen")).hits


async def test_a_search_without_its_index_says_what_to_do_and_works_once_that_is_done(
    notes: Memory, own: Settings, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await doctor_results(own, monkeypatch))["schema"]["outcome"] == "ok"
    drop(driver, "_window_grams")
    with pytest.raises(GraphError) as caught:
        await notes.search_content("a kitchen")
    assert caught.value.code is Code.STORE_INCOMPATIBLE
    assert "graph-memory rebuild" in str(caught.value.hint)
    schema = (await doctor_results(own, monkeypatch))["schema"]
    assert (schema["outcome"], schema["found"]) == ("failed", "_window_grams: the index is missing")
    assert "graph-memory rebuild" in schema["remedy"]
    await notes.upkeep.rebuild()
    assert (await notes.search_content("a kitchen")).node_ids
    for name in ("_passages_english", "_passage_vectors"):
        drop(driver, name)
        with pytest.raises(GraphError) as caught:
            await notes.recall.search_memories("What is in the kitchen?")
        assert caught.value.code is Code.STORE_INCOMPATIBLE
        await notes.upkeep.rebuild()
        assert (await notes.recall.search_memories("What is in the kitchen?")).hits
    assert (await doctor_results(own, monkeypatch))["schema"]["outcome"] == "ok"


async def test_a_constraint_that_the_data_breaks_is_not_made_and_the_reason_is_told(
    notes: Memory, domain: str, driver: Driver
) -> None:
    node = (await notes.query_nodes()).node_ids[0]
    drop(driver, "_node_id")
    driver.execute_query("CREATE (:_Node {_domain: $domain, _id: $id})", domain=domain, id=node)
    with pytest.raises(GraphError) as caught:
        await notes.upkeep.rebuild()
    assert caught.value.code is Code.STORE_CONFLICT
    assert "_node_id" in caught.value.message
    driver.execute_query("MATCH (n:_Node {_domain: $domain}) WHERE n._type IS NULL DELETE n", domain=domain)
    assert (await notes.upkeep.rebuild()).unmended == ()


async def test_the_doctor_names_a_domain_that_a_wrong_clock_has_stamped(
    notes: Memory, domain: str, own: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await doctor_results(own, monkeypatch))["clock"]["outcome"] == "ok"
    with monkeypatch.context() as patch:
        patch.setattr(notes._core.log, "clock", lambda: datetime.now(UTC) + timedelta(days=3650))
        await notes.create_node("Note", "from the future")
    clock = (await doctor_results(own, monkeypatch))["clock"]
    assert (clock["outcome"], domain in clock["found"]) == ("note", True)
    await notes.create_node("Note", "from the present")
    assert (await doctor_results(own, monkeypatch))["clock"]["outcome"] == "ok"


async def test_two_processes_that_start_together_apply_a_step_once(notes: Memory, driver: Driver) -> None:
    known = steps()
    made_up = Step(len(known) + 1, "made_up", "abc", ("CREATE INDEX made_up IF NOT EXISTS FOR (m:_MadeUp) ON (m._x)",))
    counts: list[int] = []

    async def start() -> None:
        counts.append(await migrate(notes._core.store, (*known, made_up)))

    try:
        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(start)
        assert sorted(counts) == [0, 0, 0, 1]
    finally:
        driver.execute_query("DROP INDEX made_up IF EXISTS")
        driver.execute_query("MATCH (s:_SchemaStep {_name: 'made_up'}) DELETE s")
