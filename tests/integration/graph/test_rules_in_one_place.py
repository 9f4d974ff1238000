"""A rule that is added in one place, `model/rules.py`, holds for every way of writing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, Ontology, ontology_from
from graph_memory.model import rules
from graph_memory.model.events import Draft
from graph_memory.model.ontology.types import AnyType
from profiles import some
from support import last

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {"node_types": ["Task"], "connection_types": [{"name": "Next", "from": ["Task"], "to": ["Task"]}], "open": True}
)
BAD, GOOD = {"mood": "bad"}, {"mood": "good"}
MESSAGE = "Nobody may be in a bad mood"


def no_bad_mood(draft: Draft, _: AnyType | None) -> None:
    """The rule that is added."""
    if (draft.state or {}).get("mood") == "bad":
        raise GraphError(Code.INVALID_PROPERTY, MESSAGE, {"hint": "Cheer up."})


class House:
    """A domain with two nodes and a connection that keep to the rule, and a hand that may break it."""

    def __init__(self, memory: Memory, driver: Driver, domain: str, folder: Path) -> None:
        self.memory, self.driver, self.domain, self.folder = memory, driver, domain, folder

    async def fill(self, ontology: Ontology = ONTOLOGY) -> House:
        await self.memory.create_ontology(ontology)
        self.first, self.second = [
            (await self.memory.create_node("Task", name, properties=GOOD)).node_id for name in ("one", "other")
        ]
        joined = await self.memory.create_connection("Next", self.first, self.second, properties=GOOD)
        self.joined = joined.connection_id
        return self

    def hand(self, cypher: str) -> None:
        arguments = {"domain": self.domain, "one": self.first, "other": self.second, "joined": self.joined}
        self.driver.execute_query(cypher, arguments)  # pyright: ignore[reportArgumentType]

    async def seq(self) -> int:
        return await last(self.memory)

    async def refuses(self, attempt: Attempt, code: Code) -> GraphError:
        """Return the error with which an attempt is refused; it wrote nothing."""
        before = await self.seq()
        with pytest.raises(GraphError) as refused:
            await attempt()
        assert refused.value.code is code
        assert await self.seq() == before
        return refused.value

    async def adopt(self) -> None:
        """Adopt all; the refusal of one is told beside it, and is raised here to be compared."""
        [change] = (await self.memory.upkeep.reconcile(adopt="all")).changes
        assert (change.settled, change.adoptable) == ("refused", False)
        raise GraphError(Code.INVALID_PROPERTY, change.reason or "")


Attempt = Callable[[], Awaitable[Any]]
Way = Callable[[House], Awaitable[Attempt]]


async def node_is_created(house: House) -> Attempt:
    return lambda: house.memory.create_node("Task", "new", properties=BAD)


async def large_node_is_created(house: House) -> Attempt:
    return lambda: house.memory.create_node("Task", "long " * 20_000, properties=BAD)


async def node_of_a_new_type_is_created(house: House) -> Attempt:
    return lambda: house.memory.create_node("Met", "new", properties=BAD)


async def node_is_updated(house: House) -> Attempt:
    return lambda: house.memory.update_node(house.first, properties=BAD)


async def connection_is_created(house: House) -> Attempt:
    return lambda: house.memory.create_connection("Next", house.first, house.first, properties=BAD)


async def connection_of_a_new_type_is_created(house: House) -> Attempt:
    return lambda: house.memory.create_connection("Met", house.first, house.first, properties=BAD)


async def connection_is_updated(house: House) -> Attempt:
    return lambda: house.memory.update_connection(house.joined, properties=BAD)


async def node_gets_bounds(house: House) -> Attempt:
    await house.memory.update_node(house.first, properties=BAD)
    return lambda: house.memory.set_validity(house.first, valid_to="2027-01-01")


async def node_is_written_in_a_batch(house: House) -> Attempt:
    operation = {"op": "update_node", "node_id": house.first, "properties": BAD}
    return lambda: house.memory.execute_batch([operation])


async def connection_is_written_in_a_batch(house: House) -> Attempt:
    ends = {"from_node_id": house.first, "to_node_id": house.first}
    return lambda: house.memory.execute_batch([{"op": "create_connection", "type": "Met", **ends, "properties": BAD}])


async def node_is_set_back(house: House) -> Attempt:
    await house.memory.update_node(house.first, properties=BAD)
    seq = await house.seq()
    await house.memory.update_node(house.first, properties=GOOD)
    return lambda: house.memory.history.revert(since=seq + 1)


async def connection_comes_back(house: House) -> Attempt:
    await house.memory.update_connection(house.joined, properties=BAD)
    seq = await house.seq()
    await house.memory.delete_connection(house.joined)
    return lambda: house.memory.history.revert(since=seq + 1)


async def node_is_merged(house: House) -> Attempt:
    branch = f"{house.domain}-b"
    await house.memory.history.branch(branch)
    await house.memory.in_domain(branch).update_node(house.first, properties=BAD)
    return lambda: house.memory.history.merge(branch)


async def connection_is_merged(house: House) -> Attempt:
    branch = f"{house.domain}-b"
    await house.memory.history.branch(branch)
    await house.memory.in_domain(branch).create_connection("Next", house.second, house.first, properties=BAD)
    return lambda: house.memory.history.merge(branch)


async def changed_node_is_adopted(house: House) -> Attempt:
    house.hand("MATCH (n:_Node {_domain: $domain, _id: $one}) SET n.mood = 'bad'")
    return house.adopt


async def changed_connection_is_adopted(house: House) -> Attempt:
    house.hand("MATCH ()-[r:Next {_domain: $domain, _id: $joined}]->() SET r.mood = 'bad'")
    return house.adopt


async def node_made_by_hand_is_adopted(house: House) -> Attempt:
    house.hand("CREATE (:_Node:Task {_domain: $domain, _id: 'beside', mood: 'bad'})")
    return house.adopt


async def connection_made_by_hand_is_adopted(house: House) -> Attempt:
    house.hand(
        "MATCH (a:_Node {_domain: $domain, _id: $other}), (b:_Node {_domain: $domain, _id: $one}) "
        "CREATE (a)-[:Next {mood: 'bad'}]->(b)"
    )
    return house.adopt


async def node_is_imported(house: House) -> Attempt:
    await house.memory.update_node(house.first, properties=BAD)
    await house.memory.transfer.export_file(house.folder / "log.jsonl")
    return lambda: house.memory.transfer.import_file(house.folder / "log.jsonl", name=f"{house.domain}-i")


async def connection_is_imported(house: House) -> Attempt:
    await house.memory.update_connection(house.joined, properties=BAD)
    await house.memory.transfer.export_file(house.folder / "log.jsonl")
    return lambda: house.memory.transfer.import_file(house.folder / "log.jsonl", name=f"{house.domain}-i")


async def folder_is_imported(house: House) -> Attempt:
    await house.memory.update_node(house.first, properties=BAD)
    await house.memory.transfer.export_folder(house.folder / "folder")
    return lambda: house.memory.transfer.import_folder(house.folder / "folder", name=f"{house.domain}-i")


WAYS: list[tuple[Way, Code]] = [
    (node_is_created, Code.INVALID_PROPERTY),
    (large_node_is_created, Code.INVALID_PROPERTY),
    (node_of_a_new_type_is_created, Code.INVALID_PROPERTY),
    (node_is_updated, Code.INVALID_PROPERTY),
    (node_gets_bounds, Code.INVALID_PROPERTY),
    (connection_is_created, Code.INVALID_PROPERTY),
    (connection_of_a_new_type_is_created, Code.INVALID_PROPERTY),
    (connection_is_updated, Code.INVALID_PROPERTY),
    (node_is_written_in_a_batch, Code.BATCH_REFUSED),
    (connection_is_written_in_a_batch, Code.BATCH_REFUSED),
    (node_is_set_back, Code.REVERT_CONFLICT),
    (connection_comes_back, Code.REVERT_CONFLICT),
    (node_is_merged, Code.MERGE_CONFLICT),
    (connection_is_merged, Code.MERGE_CONFLICT),
    (changed_node_is_adopted, Code.INVALID_PROPERTY),
    (changed_connection_is_adopted, Code.INVALID_PROPERTY),
    (node_made_by_hand_is_adopted, Code.INVALID_PROPERTY),
    (connection_made_by_hand_is_adopted, Code.INVALID_PROPERTY),
    (node_is_imported, Code.INVALID_ARCHIVE),
    (connection_is_imported, Code.INVALID_ARCHIVE),
    (folder_is_imported, Code.INVALID_ARCHIVE),
]


@pytest.mark.parametrize(("way", "code"), some(WAYS))
async def test_a_rule_that_is_added_in_one_place_holds_on_every_way_of_writing(
    memory: Memory,
    driver: Driver,
    domain: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: Way,
    code: Code,
) -> None:
    house = await House(memory, driver, domain, tmp_path).fill()
    attempt = await way(house)
    monkeypatch.setattr(rules, "RULES", (*rules.RULES, no_bad_mood))
    assert MESSAGE in (await house.refuses(attempt, code)).message


PAIRS = ontology_from(
    {
        "node_types": ["Task"],
        "connection_types": [{"name": "Next", "from": ["Task"], "to": ["Task"], "unique_pair": True}],
    }
)
LOOSE = ontology_from(
    {"node_types": ["Task"], "connection_types": [{"name": "Next", "from": ["Task"], "to": ["Task"]}]}
)


async def second_is_created(house: House) -> Attempt:
    await house.memory.set_validity(house.joined, valid_to="2020-01-01")
    return lambda: house.memory.create_connection("Next", house.first, house.second)


async def second_comes_back(house: House) -> Attempt:
    await house.memory.delete_connection(house.joined)
    seq = await house.seq()
    await house.memory.create_connection("Next", house.first, house.second)
    return lambda: house.memory.history.revert(since=seq, until=seq)


async def second_is_merged(house: House) -> Attempt:
    branch = f"{house.domain}-b"
    await house.memory.history.branch(branch)
    memory = house.memory.in_domain(branch)
    await memory.delete_connection(house.joined)
    await memory.create_connection("Next", house.first, house.second)
    await house.memory.update_connection(house.joined, properties={"mood": "fine"})
    return lambda: house.memory.history.merge(branch, resolutions=[{"subject": house.joined, "take": "ours"}])


async def second_is_adopted(house: House) -> Attempt:
    house.hand(
        "MATCH (a:_Node {_domain: $domain, _id: $one}), (b:_Node {_domain: $domain, _id: $other}) "
        "CREATE (a)-[:Next]->(b)"
    )
    return house.adopt


async def second_is_imported(house: House) -> Attempt:
    path = house.folder / "log.jsonl"
    memory = house.memory
    loose = memory.in_domain(f"{house.domain}-l")
    await loose.create_ontology(LOOSE)
    text, second = [(await loose.create_node("Task", name)).node_id for name in ("one", "other")]
    for _ in range(2):
        await loose.create_connection("Next", text, second)
    await loose.transfer.export_file(path)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    forged = [
        line.replace('\\"to_types\\":[\\"Task\\"]', '\\"to_types\\":[\\"Task\\"],\\"unique_pair\\":true')
        for line in lines
    ]
    assert forged != lines
    end = json.loads(forged[-1])
    end["sha256"] = hashlib.sha256("".join(forged[:-1]).encode()).hexdigest()
    path.write_text("".join(forged[:-1]) + json.dumps(end) + "\n", encoding="utf-8")
    return lambda: memory.transfer.import_file(path, name=f"{house.domain}-i")


SECOND: list[tuple[Way, Code]] = [
    (second_is_created, Code.CONNECTION_ALREADY_EXISTS),
    (second_comes_back, Code.REVERT_CONFLICT),
    (second_is_merged, Code.MERGE_CONFLICT),
    (second_is_adopted, Code.INVALID_PROPERTY),
    (second_is_imported, Code.INVALID_ARCHIVE),
]


@pytest.mark.parametrize(("way", "code"), some(SECOND))
async def test_a_second_connection_between_the_same_two_is_refused_on_every_way_of_writing(
    memory: Memory, driver: Driver, domain: str, tmp_path: Path, way: Way, code: Code
) -> None:
    house = await House(memory, driver, domain, tmp_path).fill(PAIRS)
    attempt = await way(house)
    error = await house.refuses(attempt, code)
    if way is second_is_created:
        assert error.details["connection_id"] == house.joined
    back = await house.memory.create_connection("Next", house.second, house.first)
    assert (await house.memory.get_connection(back.connection_id)).to_node_id == house.first
