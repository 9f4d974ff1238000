"""Every Cypher file is planned by the real server: it parses, does what its header says, and scans nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from neo4j import Driver

from graph_memory import ConnectionType, Memory, NodeType, Ontology, PropertyRule
from graph_memory.memory.graph import connection_weights, neighbours, queries, substring
from graph_memory.memory.history import past
from graph_memory.memory.traversal import frontier
from graph_memory.model.subjects.kinds import Step
from graph_memory.storage.log.project import write_at_once
from graph_memory.storage.queries import Query, cypher_root
from support import observe
from tables import for_rows

pytestmark = pytest.mark.anyio

FILES = sorted(path for path in cypher_root().rglob("*.cypher") if path.parent.name != "schema")
SCAN_ALL = {
    *("drift/unnamed_nodes", "retention/scan_nodes", "retention/scan_relationships"),
    *("transfer/foreign_nodes", "transfer/foreign_relationships", "transfer/foreign_left_out"),
}
"""Statements that look for nodes without an id, which no index holds, or that read all nodes."""
FIELDS: dict[str, Any] = {
    "path": "p",
    "namespace": "n",
    "title": "t",
    "content_summary": "s",
    "metadata": {"a": 1},
}
SCANS = ("AllNodesScan", "NodeByLabelScan", "AllRelationshipsScan", "RelationshipTypeScan", "UnionNodeByLabelsScan")


@pytest.fixture(scope="module")
async def seeded_names(shared_memory: Memory, driver: Driver) -> None:
    """Create every label, relationship type and property key, so that the planner warns only of real faults."""
    domain = f"seeded-{uuid4().hex}"
    memory = shared_memory.in_domain(domain)
    rules = (PropertyRule("code", unique=True),)
    link = ConnectionType("Link", ("Thing",), ("Thing",), unique_source=True, acyclic=True, properties=rules)
    await memory.create_ontology(Ontology.create([NodeType("Thing", properties=rules)], [link]))
    result = await memory.create_node("Thing", "text", properties={"code": 1}, tags=["t"], **FIELDS)
    other = await memory.create_node("Thing", "text", properties={"code": 2, "status": "open", "state": "open"})
    await memory.create_connection("Link", result.node_id, other.node_id, content="note", properties={"code": 1})
    await memory.update_node(result.node_id, properties={"code": 3})
    await observe(memory, domain, result.node_id)
    await memory.entities.create_entities([{"name": "Ann", "type": "Thing", "observations": ["a", "b"]}])
    await memory.history.branch(f"{domain}-l")
    more: dict[str, Any] = {"bidirectional": True, "description": "d", "metadata": {"k": 1}}
    await memory.links.create_cross_domain_link(result.node_id, f"{domain}-l", other.node_id, **more)
    await memory.set_validity(result.node_id, valid_from="2026-01-01", valid_to="2027-01-01")
    await memory.recall.search_memories("text")
    await memory.keys.create(domain, domains=[domain], toolsets=["graph"], expires="in 2 hours")
    await memory.history.branch(f"{domain}-b")
    for rare in (
        "_compacted_to",
        "_merges",
        "_job",
        "_erased",
        "_was",
        "_compacted",
        "_turns",
        "_reviewed",
        "_declared",
        "_description",
        "_request",
        "_refused",
        "_inverse",
        "_inverse_of",
        *("_mentioned", "_relation", "_asks", "_supersedes", "aliases", "different_from_ids"),
        *("project", "session", "source", "summary", "tool"),
        "_is_emptied",
        "_used",
        "_last",
        *("_next_analyser", "_next_embedding", "_next_model"),
        "_protection",
        "_transitive",
        "_creation_method",
        "_evidence",
        "_importance",
        *("_strength_semantic", "_strength_structural", "_strength_temporal", "_strength_confidence"),
    ):
        driver.execute_query("CALL db.createProperty($name)", name=rare)


def name_of(path: Path) -> str:
    return str(path.relative_to(cypher_root()).with_suffix("").as_posix())


def explain(driver: Driver, path: Path) -> Any:
    return explain_file(driver, path).summary


def explain_file(driver: Driver, path: Path) -> Any:
    text = "\n".join(line for line in path.read_text().splitlines() if not line.startswith("//"))
    return driver.execute_query("EXPLAIN " + text)  # pyright: ignore[reportArgumentType]


def operators(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("children", []):
        yield from operators(child)


def kind(operator: dict[str, Any]) -> str:
    return operator["operatorType"].split("@")[0]


def complains(status: str) -> bool:
    """Return whether a status is more than success, no data, or missing parameters of EXPLAIN."""
    return not status.startswith(("00", "02")) and status != "01N60"


def gives_one_row(plan: dict[str, Any]) -> bool:
    """Return whether a branch gives at most one row: an aggregate, a lookup in a unique index, or constants."""
    if children := plan.get("children"):
        giving = children[:1] if kind(plan) == "SemiApply" else children
        return kind(plan) == "EagerAggregation" or all(gives_one_row(child) for child in giving)
    is_exact = "NodeUniqueIndexSeek" in kind(plan) and "IS NOT NULL" not in plan["args"]["Details"]
    return is_exact or kind(plan) == "Projection"


@pytest.mark.long
@pytest.mark.parametrize("path", FILES, ids=name_of)
@pytest.mark.usefixtures("seeded_names")
def test_a_statement_does_what_its_header_says_and_scans_nothing(driver: Driver, path: Path) -> None:
    answer = explain_file(driver, path)
    returns = next(line.split(":")[1] for line in path.read_text().splitlines() if line.startswith("// returns:"))
    assert answer.keys == [name.strip() for name in returns.split(",") if name.strip() != "-"]
    summary = answer.summary
    mode = next(line.split(":")[1].strip() for line in path.read_text().splitlines() if line.startswith("// mode:"))
    assert ("w" in summary.query_type) == (mode == "write"), summary.query_type
    assert [status.status_description for status in summary.gql_status_objects if complains(status.gql_status)] == []
    for operator in operators(summary.plan):
        assert not kind(operator).endswith(SCANS) or name_of(path) in SCAN_ALL, kind(operator)
        if kind(operator) == "CartesianProduct":
            assert gives_one_row(operator["children"][0]), f"{path.name}: a cartesian product of many rows"


@pytest.mark.parametrize(
    ("name", "seeks"),
    [
        ("graph/connections_from", 1),
        ("graph/connections_to", 1),
        ("graph/connections_between", 2),
        ("graph/connected_nodes", 1),
        ("graph/neighbours", 1),
    ],
)
@pytest.mark.usefixtures("seeded_names")
def test_the_inverse_of_a_type_costs_no_further_look_up(driver: Driver, name: str, seeks: int) -> None:
    """One statement answers for both names: it finds the nodes once, and expands them both ways."""
    plan = explain(driver, cypher_root() / f"{name}.cypher").plan
    assert sum("Index" in kind(operator) for operator in operators(plan)) == seeks


@for_rows(
    ("name", "index"),
    [
        ("graph/nodes_by_key", "k:_Key(_domain, _kind, _type, _property, _value)"),
        ("graph/connections_by_key", "k:_Key(_domain, _kind, _type, _property, _value)"),
        ("graph/in_order", "k:_Key(_domain, _kind, _type, _property, _value)"),
        ("graph/in_reverse_order", "k:_Key(_domain, _kind, _type, _property, _value)"),
        ("graph/nodes_of_type", "n:_Node(_domain, _type, _id)"),
        ("changes/stored_nodes", "n:_Node(_domain, _type, _id)"),
        ("graph/connections_of_type", "a:_Node(_domain, _type, _id)"),
        ("graph/nodes", "n:_Node(_domain, _id)"),
        ("graph/nodes_under_path", "n:_Node(_domain, _path)"),
        ("graph/nodes_in_namespace", "n:_Node(_domain, _namespace, _id)"),
        ("graph/nodes_created", "n:_Node(_domain, _created)"),
        ("graph/node", "n:_Node(_domain, _id)"),
        ("log/last_events", "e:_Event(_domain, _subject, _seq)"),
        ("log/batch", "e:_Event(_domain, _seq)"),
        ("history/differences", "e:_Event(_domain, _seq)"),
        ("verify/last_numbers", "e:_Event(_domain, _subject, _seq)"),
        ("verify/proved", "n:_Node(_domain, _id)"),
        ("verify/proved", "e:_Event(_domain, _seq)"),
        ("verify/keys_between", "k:_Key(_domain, _owner)"),
        ("verify/windows_between", "w:_Window(_domain, _owner)"),
        ("verify/contents_after", "e:_Event(_domain, _seq)"),
        ("entities/opened", "n:_Node(_domain, _entity_name)"),
        ("entities/all", "n:_Node(_domain, _entity_name)"),
        ("entities/matching", "n:_Node(_folded)"),
        ("entities/matching", "o:_Observation(_folded)"),
        ("entities/matching", "n:_Node(_domain, _is_long)"),
        ("entities/matching", "o:_Observation(_domain, _is_long)"),
        ("entities/parts", "n:_Node(_folded)"),
        ("entity_graph/near", "n:_Node(_folded)"),
        ("entities/waiting", "n:_Node(_domain, _is_long)"),
        ("entities/called", "n:_Node(_domain, _called)"),
        ("entities/sharing", "o:_Observation(_folded)"),
        ("entities/of_type", "n:_Node(_domain, _type, _id)"),
        ("changes/owners", "n:_Node(_domain, _entity_name)"),
        ("links/links", "l:_Link(_domain, _id)"),
        ("links/links", "l:_Link(_target_domain, _target)"),
        ("log/put_nodes", "l:_Link(_target_domain, _target)"),
        ("traversal/linked", "n:_Node(_domain, _id)"),
    ],
)
@pytest.mark.usefixtures("seeded_names")
def test_a_statement_is_answered_from_its_index(driver: Driver, name: str, index: str) -> None:
    plan = explain(driver, cypher_root() / f"{name}.cypher").plan
    assert any(index in operator["args"].get("Details", "") for operator in operators(plan))


@pytest.mark.parametrize("name", ["graph/in_order", "graph/in_reverse_order"])
@pytest.mark.usefixtures("seeded_names")
def test_a_page_in_an_order_reads_only_its_own_rows_of_the_index(driver: Driver, name: str) -> None:
    results = [kind(operator) for operator in operators(explain(driver, cypher_root() / f"{name}.cypher").plan)]
    assert results.count("Top") == 1  # of the pages of several types
    assert results[results.index("Limit") + 1] == "NodeIndexSeek"


@pytest.mark.long
@pytest.mark.parametrize(
    "steps",
    [
        (Step.PUT_NODES, Step.PUT_KEYS, Step.PUT_WINDOWS),
        (Step.PUT_CONNECTIONS, Step.PUT_KEYS),
        (Step.DROP_KEYS, Step.DROP_WINDOWS, Step.PUT_NODES, Step.PUT_KEYS, Step.PUT_WINDOWS),
        (Step.DROP_CONNECTIONS, Step.DROP_OBSERVATIONS, Step.DROP_NODES, Step.DROP_KEYS, Step.DROP_WINDOWS),
        tuple(Step),
    ],
    ids=len,
)
@pytest.mark.usefixtures("seeded_names")
def test_a_write_in_one_statement_scans_nothing_either(driver: Driver, steps: tuple[Step, ...]) -> None:
    statement = write_at_once(steps)
    answer = driver.execute_query("EXPLAIN " + statement.text)
    assert tuple(answer.keys) == statement.returns
    assert answer.summary.query_type == "rw"
    for operator in operators(answer.summary.plan):
        assert not kind(operator).endswith(SCANS), kind(operator)


MARKED = [
    *(queries.NODES, queries.NODES_OF_TYPE, queries.NODES_BY_KEY, queries.CONNECTIONS, queries.CONNECTIONS_OF_TYPE),
    *(queries.CONNECTIONS_BY_KEY, queries.CONNECTIONS_FROM, queries.CONNECTIONS_TO, queries.CONNECTIONS_BETWEEN),
    *(neighbours.CONNECTED_NODES, neighbours.NEIGHBOURS, past.NODES, past.CONNECTIONS, past.CONNECTED_NODES),
    *(connection_weights.WEIGHED, neighbours.LINKS, frontier.FRONTIER, substring.BY_GRAMS, substring.BY_SCAN),
]


@for_rows("statement", MARKED)
@pytest.mark.usefixtures("seeded_names")
def test_a_marked_statement_looks_last_where_the_log_stands(driver: Driver, statement: Query[object]) -> None:
    answer = driver.execute_query("EXPLAIN " + statement.text)
    assert tuple(answer.keys) == statement.returns
    assert answer.summary.query_type == "r"
    for operator in operators(answer.summary.plan):
        assert not kind(operator).endswith(SCANS), kind(operator)
    [union] = answer.summary.plan["children"]
    earlier, last = union["children"]
    assert kind(union) == "Union"
    assert "d._seq" in plan_text(last)
    assert "d._seq" not in plan_text(earlier)


def plan_text(plan: dict[str, Any]) -> str:
    return " ".join(str(operator["args"].get("Details", "")) for operator in operators(plan))
