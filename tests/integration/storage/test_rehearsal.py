"""A process rehearses what earlier processes of its home have run, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any, LiteralString

import anyio
import pytest
from neo4j import Driver
from pydantic import SecretStr

from graph_memory import Settings, local, ontology_from, open_memory
from graph_memory.storage.store import Store

pytestmark = pytest.mark.anyio

COUNT = """
    MATCH (n) WHERE n._domain = $domain
    RETURN count(n) AS nodes, EXISTS { MATCH (m) WHERE m._domain STARTS WITH '_rehearsed' } AS is_left
"""


class Rehearsed:
    """The statements that were rehearsed, and the errors of Neo4j."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts: list[str] = []
        self.errors: list[Exception] = []
        run = Store._run_and_roll_back  # pyright: ignore[reportPrivateUsage]

        async def record(store: Store, text: LiteralString, params: dict[str, Any]) -> None:
            self.texts.append(text)
            try:
                await run(store, text, params)
            except Exception as error:
                self.errors.append(error)
                raise

        monkeypatch.setattr(Store, "_run_and_roll_back", record)

    async def wait_for(self, count: int) -> None:
        with anyio.fail_after(60):
            while len(self.texts) < count:  # noqa: ASYNC110 - the store has no event for it
                await anyio.sleep(0.02)


def settings_of(settings: Settings, home: Path, domain: str) -> Settings:
    """Return settings with another home, and the Neo4j of the run as a remote one."""
    server = local.ensure_running(settings)
    login = {"neo4j_username": server.username, "neo4j_password": SecretStr(server.password)}
    return settings.model_copy(update={"home": home, "domain": domain, "neo4j_uri": server.uri, **login})


@pytest.mark.long  # it changes the schema
async def test_statements_are_rehearsed_by_the_next_process_and_after_a_change_of_the_schema(
    settings: Settings, domain: str, driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_of(settings, tmp_path, domain).model_copy(update={"embeddings": "off"})
    rehearsed = Rehearsed(monkeypatch)
    async with open_memory(settings, follows=True) as memory:
        await memory.create_ontology(ontology_from({"node_types": ["Note"], "open": True}))
        first = await memory.create_node("Note", "a secret")
        second = await memory.create_node("Note", "another")
        await memory.create_connection("RelatesTo", first.node_id, second.node_id)
        await memory.recall.search_memories("secret")
    rehearsed.texts.clear()
    assert "secret" not in (tmp_path / "statements.json").read_text()
    before = [record.data() for record in driver.execute_query(COUNT, domain=domain).records]
    async with open_memory(settings, follows=True) as memory, anyio.create_task_group() as tasks:
        tasks.start_soon(memory._core.store.rehearse)  # as with a local Neo4j
        await rehearsed.wait_for(20)
        assert len(rehearsed.errors) < len(rehearsed.texts) / 4  # of statements that look up what there is not
        assert [record.data() for record in driver.execute_query(COUNT, domain=domain).records] == before
        assert not before[0]["is_left"]
        count = len(rehearsed.texts)
        await memory._core.store.define("CREATE INDEX rehearsed FOR (n:Rehearsed) ON (n.name)")
        await rehearsed.wait_for(2 * count)
        driver.execute_query("DROP INDEX rehearsed")
        tasks.cancel_scope.cancel()


async def test_a_command_neither_rehearses_nor_writes_the_file(settings: Settings, tmp_path: Path, domain: str) -> None:
    async with open_memory(settings_of(settings, tmp_path, domain)) as memory:
        await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    assert not (tmp_path / "statements.json").exists()
