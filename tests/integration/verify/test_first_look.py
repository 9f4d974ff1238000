"""The comparison inside Neo4j misses nothing: `verify` returns the same as an examination of every subject."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress

import anyio
import pytest
from neo4j import Driver
from neo4j.exceptions import ConstraintError

from graph_memory import Memory, ontology_from
from graph_memory.memory.verify import logged_contents, quick_compare
from graph_memory.memory.verify.compare import Subject
from graph_memory.memory.verify.logged_contents import find_unreadable
from graph_memory.memory.verify.quick_compare import QuickComparison
from graph_memory.memory.verify.verify import examine_subjects
from support import index, observe

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": [
            {"name": "Project", "properties": {"status": {"indexed": True}, "size": {"indexed": True}}},
            "Action",
        ],
        "connection_types": [
            {"name": "Link", "from_types": ["*"], "to_types": ["*"], "properties": {"code": {"indexed": True}}},
            {"name": "About", "from_types": ["*"], "to_types": ["*"]},
        ],
    }
)
VALUES = (
    *("1", "1.0", "0", "0.0", "-0.0", "true", "'true'", "'1'", "''", "'active'", "9007199254740993", "'\u00e9'"),
    *("['a', 'b']", "['b', 'a']", "['a']", "[1]", "[1.0]", "[0.0]", "[-0.0]", "[true]", "[]", "'e\u0301'"),
    *("date('2026-01-01')", "localdatetime('2026-01-01T10:00')", "datetime('2026-01-01T10:00Z')"),
    *("datetime('2026-01-01T11:00+01:00')", "duration('P1D')", "point({x: 1, y: 2})", "null", "0.0 / 0.0"),
)
"""Values that Cypher may confuse with each other."""
OWN = (
    "_title",
    "_version",
    "_tags",
    "_path",
    "_type",
    "_created",
    "_valid_from",
    "_content_size",
    "_seq",
    "_at",
    "_op",
)
NAMES = ("size", "ratio", "done", "status", "code", "extra", *OWN)
LOGGED_NAMES = ("ratio", "done", "extra", "_title", "_tags", "_path", "_valid_from")
"""Names of which no value makes an event unreadable."""

NODE = "MATCH (x:_Node {_domain: $domain})"
LINK = "MATCH (:_Node)-[x {_domain: $domain}]->()"
OBSERVATION = "MATCH (x:_Observation {_domain: $domain})"
ABROAD = "MATCH (x:_Link {_domain: $domain})"
EVENT = "MATCH (x:_Event {_domain: $domain}) WHERE x._kind IN ['node', 'connection', 'observation', 'link']"
STATE = f"{EVENT} AND x._op <> 'delete'"
KEY = "MATCH (x:_Key {_domain: $domain})"
WINDOW = "MATCH (x:_Window {_domain: $domain})"
CONTENT = "MATCH (x:_Content {_domain: $domain})"
TYPE = "MATCH (x:_NodeType {_domain: $domain})"
SET = "SET x.`NAME` = VALUE"
KEY_OF_IT = "_domain: $domain, _owner: x._id, _kind: 'node', _type: 'Action', _property: 'p', _value: 's:'"
WINDOW_OF_IT = "_domain: $domain, _owner: x._id, _type: 'Action', _place: 70, _text: 'o', _grams: ''"
NODE_OF_IT = "(:_Node:Action {_domain: $domain, _id: x._id + '0', _type: 'Action'})"
DAMAGE: Sequence[tuple[str, str]] = (
    *((text, SET) for text in (NODE, NODE, LINK, LINK, OBSERVATION, ABROAD)),
    *((string, "SET x.`LOGGED` = VALUE") for string in (EVENT, STATE)),
    (f"{STATE} AND x._content_sha256 IS NOT NULL", f"SET x._content_sha256 = '{'f' * 64}'"),
    (f"{STATE} AND x._from IS NOT NULL", "SET x._from = x._to"),
    (EVENT, "MATCH (y:_Event {_domain: $domain, _subject: x._subject}) SET y._type = 'About'"),
    (EVENT, "DELETE x"),
    (NODE, "SET x:Extra"),
    (NODE, "REMOVE x:Project:Action"),
    (NODE, "REMOVE x:_Node"),
    (NODE, "DETACH DELETE x"),
    (NODE, "SET x._content = 'other'"),
    (NODE, "REMOVE x._content"),
    (NODE, "SET x._id = 'by_hand'"),
    (NODE, "CREATE (o:_Observation) SET o = properties(x)"),
    (NODE, f"CREATE (:_Key {{{KEY_OF_IT}}})"),
    (NODE, f"CREATE (:_Window {{{WINDOW_OF_IT}}})"),
    (NODE, f"CREATE {NODE_OF_IT}-[:Link {{_domain: $domain, _id: x._id}}]->(x)"),
    (LINK, "DELETE x"),
    (LINK, "SET x._content = 'other'"),
    (LINK, "SET x._id = x._id + '0'"),
    (
        LINK,
        "WITH x, startNode(x) AS a, endNode(x) AS b, properties(x) AS p DELETE x CREATE (b)-[y:Link]->(a) SET y = p",
    ),
    (LINK, "WITH x, startNode(x) AS a, endNode(x) AS b CREATE (a)-[y:About]->(b) SET y = properties(x)"),
    (LINK, f"CREATE {NODE_OF_IT}"),
    (LINK, f"CREATE (:_Key {{{KEY_OF_IT}}})"),
    (LINK, f"CREATE (:_Window {{{WINDOW_OF_IT}}})"),
    (OBSERVATION, "DETACH DELETE x"),
    (OBSERVATION, "MATCH (x)-[r]->() DELETE r"),
    (OBSERVATION, "MATCH (n:_Node {_domain: $domain}) WITH x, n LIMIT 1 CREATE (x)-[:_OBSERVES]->(n)"),
    (ABROAD, "DETACH DELETE x"),
    (ABROAD, "MATCH (x)-[r]->() DELETE r"),
    (ABROAD, "MATCH (x)<-[r]-() DELETE r"),
    (ABROAD, "MATCH (n:_Node {_domain: $domain}) WITH x, n LIMIT 1 CREATE (x)-[:_LEADS_TO]->(n)"),
    (ABROAD, "MATCH (n:_Node {_domain: $domain}) WITH x, n LIMIT 1 CREATE (n)-[:_LINKS]->(x)"),
    (KEY, "DELETE x"),
    (KEY, "CREATE (y:_Key) SET y = properties(x)"),
    (KEY, "SET x._value = 'n:1'"),
    (KEY, "SET x._owner = 'nobody'"),
    (WINDOW, "DELETE x"),
    (WINDOW, "SET x._text = toUpper(x._text)"),
    (WINDOW, "SET x._grams = 'other' REMOVE x:_NewWindow"),
    (WINDOW, "SET x._place = 100"),
    (WINDOW, "SET x._type = 'Other'"),
    (WINDOW, "SET x._owner = 'zzz'"),
    (CONTENT, "SET x._text = x._text + '.'"),
    (CONTENT, "DELETE x"),
    (TYPE, "SET x._description = 'other'"),
    (TYPE, "DETACH DELETE x"),
    (TYPE, "MERGE (:_NodeType {_domain: $domain, _name: 'Ghost'})"),
)


async def fill(memory: Memory, domain: str) -> None:
    """Write subjects of every kind: living, changed, deleted, erased; contents of each kind, texts of each length."""
    await memory.create_ontology(ONTOLOGY)
    values = {"status": "active", "size": 1, "ratio": 0.5, "done": True}
    project = (await memory.create_node("Project", "# Kitchen", properties=values, tags=["a", "b"])).node_id
    long = (await memory.create_node("Action", "Stra\u00dfe \u0130 " * 400, path="a/b", properties={"size": 1})).node_id
    await memory.create_node("Action", "x" * 20_000)
    await memory.create_node("Action", b"\x00\x01", encoding="base64", format="bin")
    await memory.create_node("Action", b"# Kitchen", encoding="base64", format="bin")
    same = (await memory.create_node("Project", "# Kitchen", properties={"size": 2.0, "ratio": -0.0})).node_id
    await memory.update_node(same, content="", encoding="utf-8", properties={"status": "done"})
    answer = (await memory.create_node("Project", "gone", properties={"status": "x"})).node_id
    link = await memory.create_connection("Link", project, long, content="note", properties={"code": 1})
    await memory.update_connection(link.connection_id, properties={"code": 3})
    await memory.create_connection("About", project, long)
    await memory.create_connection("Link", answer, same, properties={"code": 1})
    erased = await memory.create_connection("Link", long, same, content="secret", properties={"code": 2})
    await observe(memory, domain, project)
    await memory.history.branch(f"{domain}-b")
    await memory.links.create_cross_domain_link(project, f"{domain}-b", long, description="why", metadata={"k": 1})
    await memory.links.create_cross_domain_link(long, f"{domain}-b", answer)
    await index(memory)
    await memory.create_node("Action", "new text")
    await memory.delete_node(answer)
    await memory.history.erase(erased.connection_id)


def hurt(driver: Driver, domain: str, chance: random.Random) -> str:
    """Change one thing in the database, whatever it is, and return how."""
    match, change = chance.choice(DAMAGE)
    for word, choices in (("NAME", NAMES), ("LOGGED", LOGGED_NAMES), ("VALUE", VALUES)):
        change = change.replace(word, chance.choice(choices))
    text = f"{match} WITH x ORDER BY elementId(x) SKIP {chance.randrange(4)} LIMIT 1 {change}"
    with suppress(ConstraintError):
        driver.execute_query(text, domain=domain)  # pyright: ignore[reportArgumentType]
    return text


def every_subject(driver: Driver, domain: str) -> list[Subject]:
    """Everything that the log or the live graph knows, connections once for each type they are found under."""
    logged = driver.execute_query(
        "MATCH (e:_Event {_domain: $domain}) WHERE e._seq > 0 "
        "WITH e._subject AS id, e ORDER BY e._seq "
        "WITH id, collect(e)[0] AS e RETURN id, CASE e._kind WHEN 'connection' THEN e._type END AS type ORDER BY id",
        domain=domain,
    ).records
    live = driver.execute_query(
        "MATCH (x) WHERE x._domain = $domain AND (x:_Node OR x:_Observation OR x:_Key OR x:_Window OR x:_NodeType OR "
        "x:_ConnectionType) WITH CASE WHEN x:_NodeType THEN 'node_type/' + x._name WHEN x:_ConnectionType THEN "
        "'connection_type/' + x._name WHEN x:_Key OR x:_Window THEN x._owner ELSE x._id END AS id "
        "WHERE id IS NOT NULL RETURN DISTINCT id, null AS type ORDER BY id",
        domain=domain,
    ).records
    joined = driver.execute_query(
        "MATCH (n:_Node {_domain: $domain})-[r {_domain: $domain}]->() WHERE r._id IS NOT NULL "
        "RETURN r._id AS id, type(r) AS type, collect(n._id) AS nodes",
        domain=domain,
    ).records
    known = {row["id"] for row in logged}
    subjects = [Subject(row["id"], row["type"], tuple(row["nodes"])) for row in joined]
    rows = [*logged, *(row for row in live if row["id"] not in known)]
    return list(dict.fromkeys([*subjects, *(Subject(row["id"], row["type"]) for row in rows)]))


async def said_one_by_one(memory: Memory, driver: Driver, domain: str) -> tuple[int, list[tuple[object, ...]]]:
    """How many subjects there are, and what an examination of each of them finds, earlier contents included."""
    core = memory._core
    subjects = every_subject(driver, domain)
    known: set[tuple[str, str]] = set()
    findings = await examine_subjects(core, core.store, domain, subjects, known)
    rows = driver.execute_query("MATCH (e:_Event {_domain: $domain}) RETURN e._content_sha256 AS sha256", domain=domain)
    hashes = {row["sha256"] for row in rows.records} - {None}
    earlier = await find_unreadable(core.store, core.contents, domain, known, hashes)
    differences = [difference for finding in findings for difference in finding.differences]
    return len(subjects), sorted(
        (difference.subject, difference.problem, difference.expected, difference.found)
        for difference in (*differences, *earlier)
    )


@pytest.mark.parametrize("seed", [3, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(6) if seed != 3)])
async def test_whatever_is_damaged_is_found_as_if_each_subject_were_examined(
    memory: Memory, domain: str, driver: Driver, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(quick_compare, "PAGE", 4)
    monkeypatch.setattr(quick_compare, "PART_BYTES", 1_000)
    monkeypatch.setattr(logged_contents, "EVENTS", 5)
    await fill(memory, domain)
    assert (await memory.upkeep.verify()).differences == ()
    chance = random.Random(seed)
    done: list[str] = []
    for _ in range(8):
        done += [hurt(driver, domain, chance) for _ in range(chance.randrange(1, 3))]
        subjects, expected = await said_one_by_one(memory, driver, domain)
        verification = await memory.upkeep.verify()
        differences = [difference for difference in verification.differences if difference.kind != "domain"]
        lines = sorted(
            (difference.subject, difference.problem, difference.expected, difference.found)
            for difference in differences
        )
        assert {*lines} ^ {*expected} == set(), done
        assert (verification.subjects, lines) == (subjects, expected), done


async def test_what_only_an_event_has_does_not_stand_for_a_property_that_is_gone(
    memory: Memory, domain: str, driver: Driver
) -> None:
    await memory.create_ontology(ONTOLOGY)
    node = (await memory.create_node("Action", "", properties={"extra": 1})).node_id
    driver.execute_query(
        "MATCH (n:_Node {_domain: $domain, _id: $id}) MATCH (e:_Event {_domain: $domain, _seq: n._version}) "
        "SET e._request = 'same', n._request = 'same' REMOVE n.extra",
        domain=domain,
        id=node,
    )
    differences = (await memory.upkeep.verify()).differences
    assert {difference.problem for difference in differences} == {"property _request differs", "property extra differs"}


async def test_keys_of_many_connections_are_no_suspects_of_their_own(memory: Memory, domain: str) -> None:
    await memory.create_ontology(ONTOLOGY)
    answer = (await memory.create_node("Action", "")).node_id
    made = [await memory.create_connection("Link", answer, answer, properties={"code": code}) for code in range(3)]
    suspected = {subject.id for subject in await QuickComparison(memory._core.store, domain, ONTOLOGY).suspects()}
    assert suspected & {answer, *(connection.connection_id for connection in made)} == set()


async def test_each_id_is_looked_at_once_and_a_domain_of_one_page_with_one_statement(
    memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memory.create_ontology(ONTOLOGY)
    nodes = {(await memory.create_node("Action", "")).node_id for _ in range(3)}
    looked: list[tuple[str, str]] = []
    compare_range = QuickComparison._compare_range

    async def note_range(self: QuickComparison, after: str, last: str, room: anyio.Semaphore) -> None:
        looked.append((after, last))
        await compare_range(self, after, last, room)

    monkeypatch.setattr(QuickComparison, "_compare_range", note_range)
    look = QuickComparison(memory._core.store, domain, ONTOLOGY)
    assert not nodes & {subject.id for subject in await look.suspects()}
    assert looked == [("", quick_compare._END)]
    for size, pages in ((look.subjects, 2), (look.subjects - 1, 2), (look.subjects + 1, 1), (1, look.subjects + 1)):
        looked.clear()
        monkeypatch.setattr(quick_compare, "PAGE", size)
        suspects = await QuickComparison(memory._core.store, domain, ONTOLOGY).suspects()
        assert not nodes & {subject.id for subject in suspects}
        assert len(looked) == pages
        assert [after for after, _ in looked] == ["", *(last for _, last in looked[:-1])]
        assert looked[-1][1] == quick_compare._END
