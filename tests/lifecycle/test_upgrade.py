"""A database that an earlier graph-memory wrote opens, is migrated, and is whole; earlier code then refuses it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from graph_memory import Code, GraphError, Memory, Settings, local, open_memory
from graph_memory.local.home.config import admin_command, admin_environment
from graph_memory.local.home.home import HomeFolder
from graph_memory.local.process.java import find_java
from graph_memory.storage.schema import migrate, steps

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]

DATA = Path(__file__).parents[1] / "data"


@contextmanager
def restore(dump: Path, home: Path, domain: str) -> Iterator[Settings]:
    """Give a home with the data of a dump, as `neo4j-admin database load` restores it, and its blobs."""
    settings = Settings(home=home, domain=domain)
    local.ensure_running(settings)
    local.stop(settings)
    place = HomeFolder.of(settings)
    load = ("database", "load", "neo4j", f"--from-path={dump}", "--overwrite-destination")
    command = admin_command(place, find_java(settings).command, *load)
    subprocess.run(command, env={**os.environ, **admin_environment(place)}, check=True, capture_output=True)
    if (dump / "blobs").exists():
        shutil.copytree(dump / "blobs", settings.home / "blobs")
    try:
        yield settings
    finally:
        local.stop(settings)


@pytest.fixture(scope="module")
def upgraded_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A home with the data of schema step 1."""
    with restore(DATA / "schema_1", tmp_path_factory.mktemp("old") / "home", "kitchen") as settings:
        yield settings


@pytest.fixture
async def old(upgraded_home: Settings) -> AsyncIterator[Memory]:
    async with open_memory(upgraded_home) as memory:
        yield memory


async def test_everything_is_there_and_is_found(old: Memory) -> None:
    verification = await old.upkeep.verify()
    assert (verification.events, verification.differences) == (21, ())
    assert (await old.get_node_content("kitchen")).content == "# Kitchen Renovation\n\nNow with a needle."
    assert (await old.get_node_content("binary")).content == "aGVsbG8="
    assert (await old.get_node("kitchen")).properties == {"status": "waiting", "code": 7}
    assert (await old.search_content("NEEDLE")).node_ids == ("kitchen", "long")
    assert (await old.query_nodes(type="Project", properties={"status": "waiting"})).node_ids == ("kitchen",)
    assert (await old.get_connected_nodes("kitchen", direction="out")).node_ids == ("call",)
    assert (await old.get_connection("next1", include_content=True)).content == "first things first"
    assert (await old.get_ontology()).find_node_type("Person") is not None


async def test_it_goes_on_as_if_nothing_had_been(old: Memory) -> None:
    with pytest.raises(GraphError) as caught:
        await old.create_node("Project", "another", properties={"code": 7})
    assert caught.value.code is Code.UNIQUE_PROPERTY_TAKEN
    await old.update_node("long", content="short, with a needle", encoding="utf-8")
    await old.delete_node("call")
    assert (await old.search_content("needle")).node_ids == ("kitchen", "long")
    assert (await old.search_content("long words")).node_ids == ()
    assert (await old.upkeep.verify()).differences == ()


async def test_nodes_from_before_there_were_fields_have_the_defaults_and_take_new_ones(old: Memory) -> None:
    kitchen = await old.get_node("kitchen")
    assert (kitchen.path, kitchen.namespace, kitchen.metadata) == ("home/kitchen", None, None)
    everything = (await old.query_nodes()).node_ids
    assert (await old.query_nodes(path_prefix="home/")).node_ids == ("kitchen",)
    assert (await old.query_nodes(namespace="default", created_after="2000-01-01")).node_ids == everything
    assert set((await old.query_nodes(path_prefix="/")).node_ids) == {*everything} - {"kitchen"}
    before = (await old.history.log(limit=1)).entries[0].seq
    fields = {"path": "/home", "namespace": "n", "title": "Mine", "content_summary": "s", "metadata": {"a": 1}}
    await old.update_node("kitchen", **fields)
    assert fields.items() <= (await old.get_node("kitchen")).to_dict().items()
    assert (await old.query_nodes(namespace="n", path_prefix="/home")).node_ids == ("kitchen",)
    assert (await (await old.history.as_of(before)).query_nodes(path_prefix="home/")).node_ids == ("kitchen",)
    await old.history.revert(since=before + 1)
    assert (await old.get_node("kitchen")).model_copy(update={"version": 0, "modified": kitchen.modified}) == (
        kitchen.model_copy(update={"version": 0})
    )
    assert (await old.upkeep.verify()).differences == ()


async def test_earlier_code_refuses_it_and_says_what_to_do(old: Memory) -> None:
    with pytest.raises(GraphError) as caught:
        await migrate(old._core.store, steps()[:1])
    assert caught.value.code is Code.STORE_INCOMPATIBLE
    assert "this graph-memory supports up to 1" in caught.value.message
    assert "Update graph-memory" in str(caught.value.hint)
