"""Loading a graph from a Neo4j server: another, or what is in the memory's own besides the memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from neo4j import Driver
from neo4j.spatial import WGS84Point

from container.images import address_of
from graph_memory import Code, GraphError, Memory, Neo4jSource, Settings, SourceOptions, infer_ontology, ontology_from
from graph_memory.storage.connecting import Address
from graph_memory.storage.foreign import open_graph
from graph_memory.storage.queries import Query

pytestmark = pytest.mark.anyio

HOSTILE = "`) DETACH DELETE n //"
VALUES: dict[str, Any] = {
    "day": date(2020, 1, 2),
    "at": datetime(2020, 1, 2, 3, 4, 5, 600_000, UTC),
    "home": WGS84Point((1.5, 2.5)),
    "lasts": timedelta(days=1, seconds=2),
    "data": b"\x00\xff",
    "words": ["a", "b"],
    "days": [date(2020, 1, 2)],
    "n": 2**63 - 1,
    "x": 1.5,
    "yes": True,
    HOSTILE: "é\u2028",
}


@pytest.fixture
def source(settings: Settings) -> Neo4jSource:
    address = address_of(settings)
    return Neo4jSource(address.uri, address.username, address.password)


@pytest.fixture
def label(driver: Driver) -> Iterator[str]:
    """A label that nobody else's nodes have, which are deleted in the end."""
    name = f"Plain{uuid4().hex[:8]}"
    yield name
    run(driver, f"MATCH (n:{name}) WHERE NOT n:_Node DETACH DELETE n")


def run(driver: Driver, statement: str, **params: Any) -> None:
    driver.execute_query(statement, params)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def people(driver: Driver, label: str) -> str:
    """Three people, one of them an employee, who know each other, and a dog that has no other label."""
    run(
        driver,
        f"CREATE (a:{label}:Person {{name: 'Ann'}}), (b:{label}:Person:Employee), (c:{label}:Person {{name: 'Cem'}}) "
        f"SET b = $values, b.name = 'Bob' CREATE (a)-[:Knows {{since: date('2021-03-04')}}]->(b), (b)-[:Knows]->(c), "
        f"(a)-[:Knows]->(c), (a)-[:Knows]->(c), (a)-[:Owns]->(:{label} {{name: 'Dot'}})",
        values=VALUES,
    )
    return label


def reading(label: str, **more: Any) -> SourceOptions:
    return SourceOptions(only_labels=(label,), labels=("Employee", "Person"), join_arrays="; ", **more)


async def by_name(memory: Memory) -> dict[object, Any]:
    nodes = [await memory.get_node(node) for node in (await memory.query_nodes()).node_ids]
    return {node.properties["name"]: node for node in nodes}


async def test_a_graph_of_another_server_is_loaded_with_notes_on_what_became_text(
    memory: Memory, source: Neo4jSource, people: str, driver: Driver
) -> None:
    done = await memory.transfer.load(source, ontology="infer", options=reading(people))
    assert (done.node_types, done.connection_types) == (
        {"Employee": 1, "Person": 2, people: 1},
        {"Knows": 4, "Owns": 1},
    )
    results = await by_name(memory)
    bob = results["Bob"]
    assert (bob.type, set(bob.tags)) == ("Employee", {"Person", people})
    assert bob.properties == {
        "name": "Bob",
        "day": "2020-01-02",
        "at": "2020-01-02T03:04:05.6+00:00",
        "home": "point({srid: 4326, x: 1.5, y: 2.5})",
        "lasts": "P1DT2S",
        "data": "AP8=",
        "words": "a; b",
        "days": "2020-01-02",
        "n": 2**63 - 1,
        "x": 1.5,
        "yes": True,
        HOSTILE: "é\u2028",
    }
    rendered = {note.column: note.text for note in done.notes if note.column}
    assert rendered.keys() == {"day", "at", "home", "lasts", "data", "days", "since"}
    assert rendered["home"] == "home is of type point, and becomes text"
    ids = f"MATCH (n:{people} {{name: 'Bob'}}) RETURN elementId(n) AS id"
    assert bob.id == driver.execute_query(ids).records[0]["id"]  # pyright: ignore[reportArgumentType]
    [known] = (await memory.query_connections(from_node_id=results["Ann"].id, to_node_id=bob.id)).connection_ids
    assert (await memory.get_connection(known)).properties == {"since": "2021-03-04"}
    assert not (await memory.upkeep.verify()).differences
    again = await memory.transfer.load(source, ontology="infer", options=reading(people))
    assert (again.nodes.loaded_before, again.connections.loaded_before, again.from_seq) == (4, 5, None)


async def test_what_the_memory_keeps_in_the_same_database_is_left_out_and_told(
    memory: Memory, source: Neo4jSource, people: str, domain: str
) -> None:
    other = memory.in_domain(f"{domain}-own")
    await other.create_ontology(ontology_from({"node_types": [people]}))
    own = await other.create_node(people, "# Mine")
    done = await memory.transfer.load(source, ontology="infer", options=reading(people))
    assert own.node_id not in (await memory.query_nodes()).node_ids
    assert done.nodes.created == 4
    assert any("with a label that begins with _ are left out" in note.text for note in done.notes)


async def test_only_the_labels_and_types_that_are_named_are_read(
    memory: Memory, source: Neo4jSource, people: str, driver: Driver
) -> None:
    run(driver, f"MATCH (n:{people} {{name: 'Cem'}}) SET n:`{people}{HOSTILE.replace('`', '``')}`")
    options = SourceOptions(only_labels=(f"{people}{HOSTILE}",))
    done = await memory.transfer.load(source, ontology="infer", options=options)
    assert (done.node_types, done.connection_types) == ({f"{people}{HOSTILE}": 1}, {})
    done = await memory.transfer.load(
        source, ontology="infer", options=reading(people, only_types=("Owns",)), on_conflict="skip", dry_run=True
    )
    assert done.connection_types == {"Owns": 1}


async def test_nodes_are_called_by_a_property_and_those_without_keep_their_element_id_in_it(
    memory: Memory, source: Neo4jSource, people: str, driver: Driver
) -> None:
    run(driver, f"MATCH (n:{people}) WHERE n.name <> 'Dot' SET n.number = size(n.name) + CASE n.name {ORDER} END")
    await memory.transfer.load(source, ontology="infer", options=reading(people, id_property="number"))
    results = await by_name(memory)
    assert (results["Ann"].id, results["Cem"].id) == ("4", "6")
    assert results["Ann"].properties["number"] == 4
    assert results["Dot"].properties["number"] == results["Dot"].id
    assert len((await memory.query_connections(from_node_id="4", to_node_id="6")).connection_ids) == 2


ORDER = "WHEN 'Ann' THEN 1 WHEN 'Bob' THEN 2 ELSE 3"
FAULTS = {
    "a list": (
        "SET n.words = ['a', 'b']",
        "node ",
        'property words: The value of "words" is a list',
        Code.INVALID_SOURCE,
    ),
    "a number that is none": ("SET n.x = 0.0 / 0", "node ", "property x", Code.INVALID_PROPERTY),
    "no end": (
        "CREATE (n)-[:Knows {x: [1]}]->(n)",
        "relationship ",
        'property x: The value of "x" is a list',
        Code.INVALID_SOURCE,
    ),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_is_told_with_its_element_and_property(
    memory: Memory, source: Neo4jSource, label: str, driver: Driver, name: str
) -> None:
    change, element, text, code = FAULTS[name]
    run(driver, f"CREATE (:{label}), (n:{label}) {change}")
    options = SourceOptions(only_labels=(label,))
    with pytest.raises(GraphError) as refused:
        await memory.transfer.load(source, ontology="infer", options=options)
    [only] = refused.value.details["report"]["first"]  # pyright: ignore[reportIndexIssue]
    assert (only["file"], only["code"]) == (source.uri, code)
    assert only["element"].startswith(element)
    assert f"\n  {source.uri}, {only['element']}, {text}" in refused.value.message
    done = await memory.transfer.load(source, ontology="infer", options=options, skip_invalid=True)
    assert (done.refused.count, done.refused.first[0].element) == (1, only["element"])
    assert not (await memory.upkeep.verify()).differences


async def test_names_that_are_reserved_and_labels_that_are_missing_are_told(
    memory: Memory, source: Neo4jSource, label: str, driver: Driver
) -> None:
    run(driver, f"CREATE (:{label} {{_secret: 1, _content: 'Long.', _id: 'n1'}}), (:_{label} {{name: 'bare'}})")
    hidden = SourceOptions(only_labels=(label, f"_{label}"))
    with pytest.raises(GraphError, match="The node has no label"):
        await memory.transfer.load(source, ontology="infer", options=hidden)
    options = SourceOptions(only_labels=(label, f"_{label}"), node_type=label)
    done = await memory.transfer.load(source, ontology="infer", options=options)
    assert done.node_types == {label: 2}
    assert "_secret is left out: names that begin with _ are reserved" in [note.text for note in done.notes]
    assert (await memory.get_node_content("n1")).content == "Long."
    run(driver, f"MATCH (n:_{label}) DELETE n")


# Values under names of ours, by what the message about them begins with.
ODD = {
    "_tags": ("5", "'abc'", "[date('2020-01-02')]", "[1, 2]"),
    "_content": ("5", "date('2020-01-02')"),
    "_path": ("['a']",),
    "_format": ("true",),
    "_encoding": ("1.5",),
    "_valid_from": ("2020", "time('10:00')"),
    "valid_from": ("'soon'", "datetime('2020-01-02T03:04:05.123456789Z')"),
    "_id": ("['n1']", "[1]"),
}


async def test_what_cannot_stand_under_a_name_of_ours_is_refused_by_that_name(
    memory: Memory, source: Neo4jSource, label: str, driver: Driver
) -> None:
    nodes = [f"(:{label} {{_{name.lstrip('_')}: {value}}})" for name, values in ODD.items() for value in values]
    ends = f"(a:{label} {{name: 'Ann'}}), (a)-[:Knows {{_id: ['c1']}}]->(a), (a)-[:Knows {{_content: 5}}]->(a)"
    run(driver, f"CREATE {', '.join(nodes)}, {ends}")
    options = SourceOptions(only_labels=(label,))
    done = await memory.transfer.load(source, ontology="infer", options=options, skip_invalid=True)
    assert (done.node_types, done.connection_types) == ({label: 1}, {})
    counter = Counter(refusal.message.partition(" ")[0] for refusal in done.refused.first)
    assert counter == Counter({name: len(values) for name, values in ODD.items()}) + Counter(["_id", "_content"])
    assert "_tags is a number; it must be a list of text" in [refusal.message for refusal in done.refused.first]
    assert "_content is of type date; it must be text" in [refusal.message for refusal in done.refused.first]


async def test_ids_and_times_under_names_of_ours_need_not_be_text(
    memory: Memory, source: Neo4jSource, label: str, driver: Driver
) -> None:
    times = "_valid_from: datetime('2020-01-02T03:04:05.6+01:00'), _valid_to: date('2021-01-01')"
    run(driver, f"CREATE (a:{label} {{_id: 5, number: 7, _tags: [], {times}}})-[:Knows {{_id: 6, {times}}}]->(a)")
    options = SourceOptions(only_labels=(label,))
    await memory.transfer.load(source, ontology="infer", options=options)
    for node in (await memory.get_node("5"), await memory.get_connection("6")):
        assert node.valid_from == datetime(2020, 1, 2, 2, 4, 5, 600_000, UTC)
        assert node.valid_to == datetime(2021, 1, 1, tzinfo=UTC)
    options = SourceOptions(only_labels=(label,), id_property="number")
    done = await memory.transfer.load(source, options=options, dry_run=True)
    assert "_id is left out: --id-property says that number is the id" in [note.text for note in done.notes]


async def test_relationships_of_a_node_that_is_left_out_do_not_go_to_another_of_its_name(
    memory: Memory, source: Neo4jSource, people: str, driver: Driver
) -> None:
    run(driver, f"MATCH (n:{people}) SET n.number = n.name")
    for change in ("n.number = 'Ann'", "n._tags = 5"):
        run(driver, f"MATCH (n:{people} {{name: 'Cem'}}) SET {change}")
        options = reading(people, id_property="number")
        arguments = {"ontology": "infer", "options": options, "skip_invalid": True, "on_conflict": "skip"}
        done = await memory.transfer.load(source, **arguments)
        assert done.refused.codes == {
            "INVALID_SOURCE" if "_tags" in change else "NODE_ALREADY_EXISTS": 1,
            "DANGLING_REFERENCE": 5,
        }
        assert 'A connection of type Knows refers to node "Ann", but several nodes have this id' in [
            r.message for r in done.refused.first
        ]
        assert done.connection_types == {}


async def test_a_load_goes_on_with_skip_where_the_server_has_changed_meanwhile(
    memory: Memory, source: Neo4jSource, people: str, driver: Driver
) -> None:
    await memory.transfer.load(source, ontology="infer", options=reading(people, only_types=("Owns",)))
    run(driver, f"MATCH (c:{people} {{name: 'Cem'}}) CREATE (c)-[:Owns]->(:{people} {{name: 'Eve'}})")
    with pytest.raises(GraphError, match="already") as refused:
        await memory.transfer.load(source, ontology="infer", options=reading(people))
    assert "--on-conflict skip" in str(refused.value.hint)
    done = await memory.transfer.load(source, ontology="infer", options=reading(people), on_conflict="skip")
    assert (done.nodes.skipped, done.nodes.created) == (4, 1)
    assert (done.connections.skipped, done.connections.created) == (1, 5)


def test_an_ontology_is_inferred_from_a_server(source: Neo4jSource, people: str) -> None:
    ontology = infer_ontology(source, reading(people))
    assert [kind.name for kind in ontology.node_types] == ["Employee", "Person", people]
    assert set(ontology.connection_type("Knows").to_types) == {"Employee", "Person"}


async def test_a_server_that_cannot_be_read_is_told_with_what_to_do(source: Neo4jSource, memory: Memory) -> None:
    cases = {
        ("bolt://127.0.0.1:1", "", None): ("cannot be reached", "Check the address"),
        (source.uri, "wrong", None): ("rejected the user name or password", "GRAPH_MEMORY_SOURCE_PASSWORD"),
        (source.uri, source.password, "nowhere"): ("no such database", "--database"),
        ("bolt://ann:secret@host", "", None): ("contains a user name or password", "GRAPH_MEMORY_SOURCE_PASSWORD"),
        ("bolt://host:port", "", None): ("cannot be used", "bolt://HOST:PORT"),
    }
    for (uri, password, database), (message, hint) in cases.items():
        with pytest.raises(GraphError) as refused:
            await memory.transfer.load(Neo4jSource(uri, password=password, database=database), ontology="infer")
        assert message in refused.value.message, uri
        assert hint in str(refused.value.hint), uri
        assert "secret" not in f"{refused.value.message} {refused.value.hint}"


class ProcessEnd:
    """Stands for a process that has ended."""

    def is_alive(self) -> bool:
        return False

    def listens(self) -> bool:
        return False


def test_a_login_is_not_sent_to_whoever_is_in_the_place_of_a_known_process(source: Neo4jSource) -> None:
    with pytest.raises(GraphError) as refused:
        infer_ontology(replace(source, guard=ProcessEnd()))
    assert (refused.value.code, "cannot be reached" in refused.value.message) == (Code.STORE_UNAVAILABLE, True)


def test_a_source_is_only_read(source: Neo4jSource, label: str) -> None:
    address = Address(source.uri, source.username, source.password)
    write: Query[int] = Query("x", f"CREATE (:{label})", "read", frozenset(), ("x",), int)  # pyright: ignore[reportArgumentType]
    with open_graph(address) as graph, pytest.raises(GraphError):
        list(graph.rows(write))
