"""Cypher statements of callers read the graph, and can do nothing else."""

from __future__ import annotations

import pytest
from neo4j import AsyncTransaction, Driver
from neo4j.exceptions import ServiceUnavailable

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.model.rights import Caller, Grant, Principal, Right, run_as
from tables import for_rows

pytestmark = pytest.mark.anyio
FORBIDDEN = (
    "CREATE (n:Planted) RETURN n",
    "CYPHER 25 CREATE (n:Planted)",
    "CYPHER runtime=slotted CREATE (n:Planted)",
    "EXPLAIN CREATE (n:Planted)",
    "PROFILE CREATE (n:Planted)",
    "// read\nMERGE (n:Planted)",
    "/* MATCH */ MATCH (n) DETACH DELETE n",
    "MATCH (n) SET n.planted = 1",
    "MATCH (n) REMOVE n._id",
    "MATCH (n) FOREACH (i IN [1] | CREATE (:Planted))",
    "MATCH (n) CALL (n) { CREATE (:Planted) } RETURN 1",
    "CALL () { CREATE (:Planted) } IN TRANSACTIONS",
    "UNWIND [1] AS i CALL (i) { RETURN i AS j } IN TRANSACTIONS RETURN j",
    "RETURN 1 AS a UNION CREATE (n:Planted) RETURN 1 AS a",
    "MATCH (n) RETURN n; CREATE (m:Planted)",
    "RETURN 1 } CREATE (n:Planted) //",
    "CREATE INDEX planted FOR (n:Planted) ON (n.x)",
    "DROP CONSTRAINT node_id",
    "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "LOAD CSV FROM 'http://127.0.0.1:1/' AS line RETURN line",
    "LOAD CSV WITH HEADERS FROM $address AS line RETURN line",
    "CALL db.labels()",
    "CALL `db`.`labels`() YIELD label RETURN label",
    "CALL dbms.listConfig() YIELD name, value RETURN name, value",
    "CALL dbms.setConfigValue('db.transaction.timeout', '0')",
    "SHOW SETTINGS",
    "SHOW USERS",
    "SHOW TRANSACTIONS",
    "TERMINATE TRANSACTION 'neo4j-transaction-1'",
    "CREATE USER planted SET PASSWORD 'planted-planted'",
    "STOP DATABASE neo4j",
    "RETURN reduce(s = 0, x IN [1] | s + x)",
    "RETURN size([x IN range(1, 60000000) | toString(x)])",
    "RETURN `range` (1, 60000000)",
    "USE system MATCH (n) RETURN n",
    "USE`system` RETURN 1",
    "USE (neo4j) MATCH (n) RETURN n",
    "USE(neo4j) MATCH (n) RETURN n",
    "/**/USE/**/neo4j/**/RETURN 1",
    "RETURN apoc.load.json('http://127.0.0.1:1/')",
    "RETURN `apoc` . /* */ `load`.json ('x')",
    "RETURN genai.vector.encode('a', 'OpenAI', {token: 'x'})",
    r"\u0043REATE (n:Planted)",
    r"RETURN apoc\u002eload.json('x')",
    "CREATE (n:Plan\\U00000074ed)",
    "MATCH (n) RETURN",
    "",
    "RETURN 1 " + "/**/" * 5_000,
)


@pytest.fixture
async def kitchen(memory: Memory) -> Memory:
    await memory.entities.create_entities([{"name": "Oven", "entityType": "device", "observations": ["It is hot."]}])
    return memory


def counts(driver: Driver) -> tuple[int, int]:
    """Return the number of planted nodes, and of things in the schema with their name."""
    [[nodes]] = driver.execute_query("MATCH (n:Planted) RETURN count(n)").records
    [[indexes]] = driver.execute_query("SHOW INDEXES YIELD name WHERE name = 'planted' RETURN count(*)").records
    return nodes, indexes


async def test_a_statement_that_reads_returns_rows(kitchen: Memory, domain: str) -> None:
    result = await kitchen.query_cypher(
        "MATCH (o:_Observation)-[r:_OBSERVES]->(n:_Node {_domain: $domain}) "
        "RETURN n, r, o._text AS text, n._created AS at, 1.5 AS share, [1, 2] AS pair, null AS nothing",
        {"domain": domain},
    )
    assert result.columns == ("n", "r", "text", "at", "share", "pair", "nothing")
    [[node, relationship, text, at, *others]] = result.to_dict()["rows"]
    assert node["labels"] == ["_Node", "device"]
    assert node["properties"]["_title"] == "Oven"
    assert relationship["type"] == "_OBSERVES"
    assert relationship["to"] == node["properties"]["_id"]
    assert (text, str(at)[:2], others) == ("It is hot.", "20", [1.5, [1, 2], None])
    [path] = (
        await kitchen.query_cypher("MATCH p = shortestPath((a:_Node)-[*..3]-(b:_Observation)) RETURN p LIMIT 1")
    ).rows
    assert set(path[0]) == {"nodes", "relationships"}


@for_rows("statement", FORBIDDEN)
async def test_a_statement_that_does_more_is_rejected_and_changes_nothing(
    kitchen: Memory, driver: Driver, statement: str
) -> None:
    with pytest.raises(GraphError) as caught:
        await kitchen.query_cypher(statement, {"address": "file:///etc/passwd"})
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert caught.value.details["argument"] == "statement"
    assert "root:" not in str(caught.value)
    assert counts(driver) == (0, 0)


async def test_rows_tokens_and_texts_are_limited(kitchen: Memory) -> None:
    result = await kitchen.query_cypher("UNWIND range(1, 300) AS i RETURN i", limit=50)
    assert len(result.rows) == 50
    assert "more rows" in str(result.warnings)
    result = await kitchen.query_cypher("UNWIND range(1, 300) AS i RETURN i, $text", {"text": "word " * 50}, limit=300)
    assert 10 < len(result.rows) < 100
    assert "max_tokens" in str(result.warnings)
    [[text, numbers]] = (await kitchen.query_cypher("RETURN $text, $n", {"text": "x" * 9_000, "n": [*range(400)]})).rows
    assert (len(str(text)), numbers) == (2_000, "[400 numbers]")
    for wrong in ({"limit": 0}, {"limit": 1_001}, {"max_tokens": 1}):
        with pytest.raises(GraphError) as caught:
            await kitchen.query_cypher("RETURN 1", **wrong)
        assert caught.value.code is Code.INVALID_ARGUMENT


async def test_a_statement_that_loses_neo4j_is_not_repeated(kitchen: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []

    async def lose(*arguments: object, **_: object) -> None:
        calls.append(arguments)
        raise ServiceUnavailable("gone")

    monkeypatch.setattr(AsyncTransaction, "run", lose)
    with pytest.raises(GraphError) as caught:
        await kitchen.query_cypher("RETURN 1")
    assert (caught.value.code, len(calls)) == (Code.STORE_UNAVAILABLE, 1)


async def test_an_alias_may_be_called_use(kitchen: Memory) -> None:
    assert (await kitchen.query_cypher("UNWIND range(1, 2) AS use RETURN use")).rows == ((1,), (2,))


async def test_a_large_result_is_not_fetched(kitchen: Memory) -> None:
    result = await kitchen.query_cypher("UNWIND range(1, 5000000) AS i RETURN i", limit=10)
    assert [row[0] for row in result.rows] == [*range(1, 11)]


@for_rows("value", [2**63, -(2**63) - 1, float("nan"), "\ud800", {1}, {"a": [{"b": 2**70}]}, {7: 1}])
async def test_a_parameter_that_json_cannot_represent_is_rejected(kitchen: Memory, value: object) -> None:
    with pytest.raises(GraphError) as caught:
        await kitchen.query_cypher("RETURN $value", {"value": value})
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert caught.value.details["argument"] == "parameters"


async def test_a_mistake_is_answered_with_the_message_of_neo4j(kitchen: Memory) -> None:
    for statement, message in (
        ("MATCH (n RETURN n", "Invalid input"),
        ("RETURN $b", "parameter"),
        ("RETURN 1/0", "zero"),
    ):
        with pytest.raises(GraphError) as caught:
            await kitchen.query_cypher(statement)
        assert message in caught.value.message


async def test_only_an_administrator_of_all_domains_may_run_statements(kitchen: Memory, domain: str) -> None:
    for grant, is_allowed in (
        (Grant("*", Right.ADMIN), True),
        (Grant("*", Right.WRITE), False),
        (Grant(domain, Right.ADMIN), False),
        (Grant("test-*", Right.ADMIN), False),
    ):
        with run_as(Caller(Principal("ann", (grant,)))):
            if is_allowed:
                assert (await kitchen.query_cypher("RETURN 1")).rows == ((1,),)
                continue
            with pytest.raises(GraphError) as caught:
                await kitchen.query_cypher("RETURN 1")
            assert caught.value.code is Code.INSUFFICIENT_RIGHTS


async def test_the_schema_names_labels_relationships_and_properties(memory: Memory) -> None:
    await memory.create_ontology(
        ontology_from(
            {
                "node_types": [{"name": "Note", "properties": [{"name": "room", "type": "string"}]}],
                "connection_types": [{"name": "About", "from_types": ["Note"], "to_types": ["*"]}],
            }
        )
    )
    schema = (await memory.graph_schema()).to_dict()
    assert schema["labels"] == [{"label": "Note", "properties": {"room": "string"}}]
    assert schema["relationships"] == [{"type": "About", "start": ["Note"], "end": ["*"], "properties": {}}]
    [domain_first, *_] = schema["conventions"]
    assert memory._default_domain in str(domain_first)
