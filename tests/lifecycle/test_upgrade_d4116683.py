"""A home that graph-memory wrote at commit d4116683 opens, verifies and answers, and takes new facts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import anyio
import pytest
from neo4j import GraphDatabase

from container.images import address_of
from graph_memory import Code, GraphError, Memory, Settings, open_memory
from lifecycle.test_upgrade import DATA, restore

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The home that `tests/data/home_d4116683/write.py` wrote."""
    with restore(DATA / "home_d4116683", tmp_path_factory.mktemp("d4116683") / "home", "shop") as settings:
        yield settings


@pytest.fixture
async def shop(home: Settings) -> AsyncIterator[Memory]:
    """The memory of the shop, opened by the present code."""
    async with open_memory(home) as memory:
        yield memory


async def test_every_domain_verifies(shop: Memory):
    for domain in ("shop", "shop/trial", "gtd"):
        assert (await shop.upkeep.verify(domain=domain)).differences == ()


async def test_its_connection_types_have_no_constraints_any_more(shop: Memory, home: Settings):
    address = address_of(home)
    with GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver:
        rows = driver.execute_query("SHOW CONSTRAINTS YIELD name, entityType WHERE entityType = 'RELATIONSHIP'").records
    assert rows == []


async def test_it_answers(shop: Memory):
    ada = (await shop.entities.open_nodes(["Ada"])).entities[0]
    assert set(ada.observations) == {"Ada lives in Malmö."}
    result = await shop.recall.recall("Where does Ada live?")
    assert "Malmö" in str(result.content)
    assert (await shop.in_domain("shop/trial").recall.search_memories("oil paint")).hits[0].title == "Ada"
    assert (await shop.in_domain("gtd").query_nodes(type="Action")).node_ids == ("tiles",)
    assert [link.title for link in (await shop.in_domain("gtd").links.list_cross_domain_links()).links] == ["Kitchen"]


async def test_facts_that_the_old_rule_of_names_may_have_misplaced_are_listed(shop: Memory):
    health = await shop.entities.graph_health()
    results = {finding.about for finding in health.findings if finding.kind == "misplaced_fact"}
    assert results == {("C", "C++"), ("C", "C#")}
    result = await shop.entities.remember(name="C++", observations=["C++ has a standard library."], dry_run=True)
    assert result.created is True


async def test_words_of_every_script_are_found_once_the_index_was_read_again(shop: Memory):
    with anyio.fail_after(60):
        while not (await shop.recall.search_memories("हिंदी", search_mode="lexical")).hits:  # noqa: ASYNC110 - no event tells
            await anyio.sleep(0.5)
    assert [node.name for node in (await shop.entities.search_nodes("Café Zoë")).entities] != []


async def test_what_was_protected_is_protected(shop: Memory):
    with pytest.raises(GraphError) as caught:
        await shop.in_domain("gtd").acting_as("ben").update_node("nora", properties={"phone": "1"})
    assert caught.value.code is Code.PROTECTED


async def test_a_session_of_that_time_can_be_read_and_the_next_one_written(shop: Memory):
    assert "Moved Ada to Malmö." in (await shop.entities.session_start()).text
    result = await shop.entities.remember(name="Ada", observations=["Ada teaches painting."])
    assert result.created is False
    await shop.history.revert(since=(await shop.history.log(limit=1)).entries[0].seq)
    assert (await shop.upkeep.verify()).differences == ()
