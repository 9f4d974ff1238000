"""Graphs written in formats of other programs, and read again."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import networkx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_memory import Code, GraphError
from graph_memory.memory.transfer.formats.csv_reading import cells, header_of
from graph_memory.memory.transfer.formats.csv_writing import write_csv
from graph_memory.memory.transfer.formats.cypher_script import write_cypher
from graph_memory.memory.transfer.formats.graphml_writing import write_graphml
from graph_memory.memory.transfer.formats.jsonl import write_jsonl
from graph_memory.memory.transfer.formats.records import (
    ConnectionRecord,
    Key,
    NodeRecord,
    Note,
    Record,
    SourceOptions,
    SourcePosition,
)
from graph_memory.memory.transfer.formats.source import items_of, sources_of
from graph_memory.model.values.fields import ROOT, STORED
from graph_memory.model.values.strength import MEASURES, PROVENANCE_KEYS
from tables import for_rows

NO_PLACE = SourcePosition("")
FORMATS = ("csv", "jsonl", "graphml")
HOSTILE = ["", " ", '"', "''", "a;b", "=1+1", "`) DETACH DELETE n //", "1", "true", "a\r\nb", "\\u0041", "\ufeff"]
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(
    lambda name: not name.startswith("_")
)
values = st.one_of(
    texts,
    st.sampled_from(
        ["", " ", '"', "''", "a;b", "=1+1", "`) DETACH DELETE n //", "1", "true", "a\r\nb", "\\u0041", "\ufeff"]
    ),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)
moments = st.none() | st.datetimes().map(lambda at: at.isoformat() + "Z")
OWN_KEYS = [
    *(
        ":ID",
        ":LABEL",
        ":TYPE",
        ":START_ID",
        ":END_ID",
        ":IGNORE",
        "x:ID",
        "x:TYPE",
        "x:int",
        "x:int[]",
        "c:string",
        "x{y}",
    ),
    *("label", "labels", "id", "source", "target", "key", "data", "node", "edge", "p0", "p1", "d0", "name", "graph"),
    *("type", "from", "to", "properties", "content", "tags", "format", "encoding", "path", "namespace", "title"),
    *(
        "metadata",
        "strength",
        "importance",
        "created_by",
        "valid_from",
        "row",
        "start",
        "end",
        "connection",
        "seq",
        "op",
    ),
]
"""Names of properties that some format has as keys of its own."""
properties = st.dictionaries(names | st.sampled_from(["a", "b", *OWN_KEYS]), values, max_size=4)
lines = names.filter(lambda name: bool(name.strip()) and name.isprintable())
fields = st.fixed_dictionaries(
    {},
    optional={
        "path": names.filter(lambda path: path != ROOT),
        "namespace": lines,
        "title": lines,
        "content_summary": texts.filter(bool),
        "metadata": st.dictionaries(texts, texts | st.integers(0, 9) | st.lists(texts, max_size=2), min_size=1).map(
            lambda row: json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        ),
    },
).map(lambda row: {name: row[name] for name in STORED if name in row})
fractions = st.floats(0, 1)
strengths = st.fixed_dictionaries({}, optional=dict.fromkeys(MEASURES, fractions)).map(
    lambda scores: {name: scores[name] for name in MEASURES if name in scores} or None
)
labels = texts.filter(bool)
made = st.fixed_dictionaries(
    {},
    optional={"creation_method": st.sampled_from(["automatic", "inferred"]), "created_by": labels, "evidence": labels},
).map(lambda row: {name: row[name] for name in PROVENANCE_KEYS if name in row})


@st.composite
def graphs(draw: st.DrawFn) -> list[Record]:
    """Return nodes of which some share a type, and connections between them."""
    visible = names.filter(str.isprintable)  # other names of types are refused
    types, kinds = draw(st.lists(visible, min_size=1, max_size=2)), draw(st.lists(visible, min_size=1, max_size=2))
    ids = draw(
        st.lists(
            st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,9}", fullmatch=True), min_size=1, max_size=5, unique=True
        )
    )
    body = {"properties": properties, "valid_from": moments, "valid_to": moments, "content": st.none() | texts}
    nodes = [
        draw(
            st.builds(
                NodeRecord,
                place=st.just(NO_PLACE),
                key=st.just(Key(id_)),
                labels=st.sampled_from(types).map(lambda text: (text,)),
                format=st.sampled_from([None, "pdf"]),
                encoding=st.sampled_from([None, "base64"]),
                tags=st.lists(names, max_size=3, unique=True).map(tuple),
                fields=fields,
                **body,
            )
        )
        for id_ in ids
    ]
    ends = st.sampled_from(ids).map(Key)
    connections = [
        draw(
            st.builds(
                ConnectionRecord,
                place=st.just(NO_PLACE),
                id=st.just(f"conn-{number}"),
                type=st.sampled_from(kinds),
                start=ends,
                end=ends,
                strength=strengths,
                importance=st.none() | fractions,
                made=made,
                **body,
            )
        )
        for number in range(draw(st.integers(0, 4)))
    ]
    return [*nodes, *connections]


def write(records: Sequence[Record], form: str, folder: Path) -> Path:
    target = folder / f"graph.{form}"
    if form == "csv":
        target.mkdir()
        write_csv(lambda: records, target)
        return target
    with target.open("wb") as stream:
        match form:
            case "jsonl":
                write_jsonl(records, stream)
            case "graphml":
                write_graphml(lambda: records, stream)
            case _:
                write_cypher(lambda: records, stream)
    return target


def attempt(records: Sequence[Record], form: str, folder: Path) -> Path | GraphError:
    try:
        return write(records, form, folder)
    except GraphError as error:
        return error


def read(source: Path) -> list[object]:
    return [replace(item, place=NO_PLACE) for item in items_of(sources_of([source]), SourceOptions())]


def exactly(records: Sequence[object]) -> list[str]:
    """Return records as text: 1, 1.0 and true are equal to Python. Properties have no order."""
    return sorted(repr(_sort(record)) for record in records)


def _sort(record: object) -> object:
    if isinstance(record, NodeRecord | ConnectionRecord):
        return replace(record, properties=dict(sorted(record.properties.items())))
    return record


@pytest.mark.parametrize("form", FORMATS)
@given(graph=graphs())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_was_written_is_read_again_or_refused_by_name(
    form: str, graph: list[Record], tmp_path_factory: pytest.TempPathFactory
):
    written = attempt(graph, form, tmp_path_factory.mktemp("graph"))
    if isinstance(written, GraphError):
        assert written.code is Code.INVALID_ARGUMENT
        assert "cannot represent Node" in written.message or "cannot represent Connection" in written.message
        assert form != "jsonl"
    else:
        assert exactly(read(written)) == exactly(graph)


@for_rows("name", OWN_KEYS)
@for_rows("form", FORMATS)
def test_a_property_may_be_called_like_a_key_of_the_format(form: str, name: str, tmp_path: Path):
    node = NodeRecord(place=NO_PLACE, key=Key("n"), labels=("A",), properties={name: "x"}, tags=("t",), content="y")
    edge = ConnectionRecord(
        place=NO_PLACE, id="c", type="R", start=Key("n"), end=Key("n"), properties={name: "x", "a": 1}
    )
    folder = tmp_path / f"{OWN_KEYS.index(name)}"
    folder.mkdir(exist_ok=True)
    assert exactly(read(write([node, edge], form, folder))) == exactly([node, edge])


def test_other_programs_see_types_and_properties_of_graphml_apart(tmp_path: Path):
    node = NodeRecord(place=NO_PLACE, key=Key("n"), labels=("A",), properties={"labels": "x", "label": "y"})
    other = NodeRecord(place=NO_PLACE, key=Key("m"), labels=("B",))
    edge = ConnectionRecord(place=NO_PLACE, id="c", type="R", start=Key("n"), end=Key("n"), properties={"labels": "z"})
    graph = networkx.read_graphml(write([node, other, edge], "graphml", tmp_path))
    assert graph.nodes["n"] == {"_labels": ":A", "labels": "x", "label": "y"}
    assert graph.nodes["m"] == {"_labels": ":B"}
    assert graph.edges["n", "n"] == {"label": "R", "labels": "z", "id": "c"}


def test_a_property_whose_values_differ_in_type_keeps_each_type_in_csv(tmp_path: Path):
    kinds = [1, 1.0, True, "1", "", -0.0, 2**63 - 1]
    nodes = [
        NodeRecord(place=NO_PLACE, key=Key(str(n)), labels=("A",), properties={"x": kind})
        for n, kind in enumerate(kinds)
    ]
    folder = write(nodes, "csv", tmp_path)
    assert exactly(read(folder)) == exactly(nodes)
    headers = {path.read_text().splitlines()[0] for path in folder.iterdir()}
    assert headers == {f':ID,:LABEL,"x:{kind}"' for kind in ("long", "double", "boolean", "string")}


def test_types_that_differ_in_case_or_have_slashes_get_sources_of_their_own(tmp_path: Path):
    nodes = [
        NodeRecord(place=NO_PLACE, key=Key(str(n)), labels=(text,)) for n, text in enumerate(["A", "a", "../x", "con"])
    ]
    folder = write(nodes, "csv", tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == [
        "nodes...%2Fx.csv",
        "nodes.A.csv",
        "nodes.a.2.csv",
        "nodes.con.csv",
    ]


@pytest.mark.parametrize(
    ("form", "node"),
    [
        ("csv", NodeRecord(place=NO_PLACE, key=Key("n1"), labels=("A",), tags=("a;b",))),
        ("csv", NodeRecord(place=NO_PLACE, key=Key("n1"), labels=("A;B",))),
        ("csv", NodeRecord(place=NO_PLACE, key=Key("n1"), labels=("A",), content="\n \r" * 1_000_001)),
        ("graphml", NodeRecord(place=NO_PLACE, key=Key("n1"), labels=("A",), properties={"x": "\0"})),
        ("graphml", NodeRecord(place=NO_PLACE, key=Key("n1"), labels=("A:B",))),
        ("graphml", NodeRecord(place=NO_PLACE, key=Key("n1"), labels=("A",), tags=("a\nb",))),
        ("cypher", NodeRecord(place=NO_PLACE, key=Key("n1"), labels=("A\\u0060",))),
    ],
)
def test_what_a_format_cannot_carry_is_refused_by_name(form: str, node: NodeRecord, tmp_path: Path):
    with pytest.raises(GraphError, match="cannot represent Node n1") as refused:
        write([node], form, tmp_path)
    assert refused.value.code is Code.INVALID_ARGUMENT
    assert "jsonl" in str(refused.value.hint)


def test_a_script_of_cypher_has_texts_as_literals_only(tmp_path: Path):
    evil = 'x"}) DETACH DELETE n //\n\\" \\u0022 `'
    node = NodeRecord(place=NO_PLACE, key=Key("n1"), labels=("A`B",), properties={"k`": evil}, tags=("t",))
    edge = ConnectionRecord(
        place=NO_PLACE, id="c", type="R", start=Key("n1"), end=Key("n1"), properties={"low": -(2**63)}
    )
    script = write([node, edge], "cypher", tmp_path).read_text()
    assert '{`k```: "x\\"}) DETACH DELETE n //\\n\\\\\\" \\\\" + "u0022 `", `_id`: "n1", `_tags`: ["t"]}' in script
    assert "CREATE (n:_Exported:`A``B`)" in script
    assert "`low`: (-9223372036854775807 - 1)" in script


def test_csv_of_neo4j_admin_is_read_with_spaces_roles_types_and_gzip(tmp_path: Path):
    header, ann, bob = (
        "personId:ID(Person),name,age:int,:LABEL,born:date,x:IGNORE",
        '1,"Ann ""A"",\nB",3,Person;Author,1980-01-01,q',
        "2,,,Person,,",
    )
    (tmp_path / "people.csv").write_text(f"{header}\n{ann}\n\n{bob}")
    rels = "\ufeff:START_ID(Person)\t:END_ID(Person)\t:TYPE\tsince:double\r\n1\t2\tKNOWS\t2.5\r\n"
    (tmp_path / "rels.csv.gz").write_bytes(gzip.compress(rels.encode()))
    rendered = {"personId": "1", "name": 'Ann "A",\nB', "age": 3, "born": "1980-01-01"}
    key, two = Key("1", "Person"), Key("2", "Person")
    expected = [
        Note(NO_PLACE, "born is of type date, and becomes text"),
        NodeRecord(place=NO_PLACE, key=key, labels=("Person", "Author"), properties=rendered),
        NodeRecord(place=NO_PLACE, key=two, labels=("Person",), properties={"personId": "2"}),
        ConnectionRecord(place=NO_PLACE, type="KNOWS", start=key, end=two, properties={"since": 2.5}),
    ]
    assert exactly(read(tmp_path)) == exactly(expected)


def test_lines_as_apoc_writes_them_are_read(tmp_path: Path):
    lines = [
        {"type": "node", "id": "0", "labels": ["A", "B"], "properties": {"x": 1, "none": None}},
        {"id": "5", "type": "relationship", "label": "R", "start": {"id": "0", "labels": ["A"]}, "end": {"id": "0"}},
    ]
    (tmp_path / "x.jsonl").write_text("\n\n".join(map(json.dumps, lines)))
    node = NodeRecord(place=NO_PLACE, key=Key("0"), labels=("A", "B"), properties={"x": 1})
    edge = ConnectionRecord(place=NO_PLACE, type="R", start=Key("0"), end=Key("0"), id="5")
    assert exactly(read(tmp_path)) == exactly([node, edge])


def test_graphml_of_other_programs_is_read_with_types_defaults_and_namespace(tmp_path: Path):
    (tmp_path / "x.graphml").write_text(
        """<?xml version='1.0'?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="age" attr.type="int"/>
<key id="d1" for="all" attr.name="colour" attr.type="string"><default>red</default></key>
<key id="labels" for="node" attr.name="labels"/><key id="label" for="edge" attr.name="label"/>
<graph edgedefault="directed"><node id="a" labels=":X:Y"><data key="d0"> 3 </data></node>
<node id="b"><data key="labels">:X</data><data key="d1">blue &amp; <![CDATA[<b>]]></data></node>
<edge id="e" source="a" target="b"><data key="label">R</data></edge></graph></graphml>"""
    )
    expected = [
        NodeRecord(place=NO_PLACE, key=Key("a"), labels=("X", "Y"), properties={"colour": "red", "age": 3}),
        NodeRecord(place=NO_PLACE, key=Key("b"), labels=("X",), properties={"colour": "blue & <b>"}),
        ConnectionRecord(place=NO_PLACE, type="R", start=Key("a"), end=Key("b"), id="e", properties={"colour": "red"}),
    ]
    assert exactly(read(tmp_path / "x.graphml")) == exactly(expected)


def test_cells_tell_empty_text_from_no_value():
    assert cells('a,,"","x ""y"" ,z"', ",") == ["a", None, "", 'x "y" ,z']
    assert header_of("a:b:string;:ID;c").delimiter == ";"
    assert [column.name for column in header_of("a:b:string;:ID;c").columns] == ["a:b", "", "c"]
