"""Sources that are broken or hostile: each fault is told with its line and column, and nothing crashes."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph_memory import Code, GraphError, infer_ontology
from graph_memory.memory.transfer.formats import files
from graph_memory.memory.transfer.formats.records import InvalidRecord, SourceOptions
from graph_memory.memory.transfer.formats.source import items_of, sources_of
from graph_memory.memory.transfer.load.staging import Staging
from tables import for_rows

HEAD = b":ID,age:int,ok:boolean,:LABEL\n"
XML = b'<graphml><key id="k" for="node" attr.name="x" attr.type="int"/><graph>\n'


def refusals(source: Path, **reading: str) -> list[InvalidRecord]:
    return [
        item for item in items_of(sources_of([source]), SourceOptions(**reading)) if isinstance(item, InvalidRecord)
    ]


def refusal_of(name: str, data: bytes, folder: Path) -> tuple[str, str, bool]:
    """Return the place, the message, and whether it ended the file, of the only fault in a file."""
    (folder / name).write_bytes(data)
    (only,) = refusals(folder / name)
    assert only.code in (Code.INVALID_SOURCE, Code.INVALID_PROPERTY)
    return str(only.place), only.message, only.ends


CSV = [
    (b"", "x.csv:1", "not a header", True),
    (b"name,age\nAnn,3\n", "x.csv:1", "not a header of neo4j-admin", True),
    (b":ID,age:number,:LABEL\n", "x.csv:1, column age:number", "unknown type", True),
    (b":ID,a,a,:LABEL\n", "x.csv:1, column a", "names a twice", True),
    (b":ID,_secret,:LABEL\n", "x.csv:1, column _secret", "reserved for the service", True),
    (b":ID,,:LABEL\n", "x.csv:1", "Column 2 of the header has no name", True),
    (b":ID,:START_ID,:END_ID,:TYPE\n", "x.csv:1", "either :ID, or", True),
    (b":START_ID,:TYPE\n", "x.csv:1", "either :ID, or", True),
    (b":ID,name\n", "x.csv:1", "no :LABEL", True),
    (b":START_ID,:END_ID\n", "x.csv:1", "no :TYPE", True),
    (HEAD + b"1,old,true,P\n", "x.csv:2, column age", '"old" is not a 64-bit integer', False),
    (HEAD + b"1,9223372036854775808,true,P\n", "x.csv:2, column age", "64-bit integer", False),
    (HEAD + b"1,2,yes,P\n", "x.csv:2, column ok", "neither true nor false", False),
    (HEAD + b",2,true,P\n", "x.csv:2, column :ID", "no value for :ID", False),
    (HEAD + b"1,2,true,\n", "x.csv:2, column :LABEL", "no label", False),
    (HEAD + b"1,2,true\n", "x.csv:2", "The row has 3 cells, and the header 4", False),
    (HEAD + b'1,2,"true"x,P\n', "x.csv:2", "text after its closing quote", False),
    (HEAD + b'1,2,"true,P\n3,4,true,P\n', "x.csv:2", "never closed", True),
    (HEAD + b"1,2,true,P\n\n\xff,2,true,P\n", "x.csv:4", "Byte 1 of the line is not UTF-8", False),
    (HEAD.decode().encode("utf-16"), "x.csv:1", "UTF-16", True),
    (b":ID,x:string[],:LABEL\n1,a;b,P\n", "x.csv:2, column x", 'The value of "x" is a list', False),
    (b":ID,x:double,:LABEL\n1,NaN,P\n", "x.csv:2, column x", "not a finite number", False),
    (b":ID,x:double,:LABEL\n1,1e999,P\n", "x.csv:2, column x", "not a finite number", False),
]
JSON_LINES = [
    (b"{", "x.jsonl:1, column 2", "not valid JSON: a name in double quotes is missing", False),
    (b"[]", "x.jsonl:1", "not an object", False),
    (b'{"x": 1}', "x.jsonl:1", "neither a node nor a connection", False),
    (b'{"node": {"id": "1"}}', "x.jsonl:1, column type", "no type", False),
    (b'{"node": {"id": 1, "type": "A"}}', "x.jsonl:1, column node", '1 in the field "id", which must be text', False),
    (
        b'{"node": {"id": "1", "type": "A", "x": 1}}',
        "x.jsonl:1, column node",
        'unexpected field "x"',
        False,
    ),
    (b'{"node": {"id": "1", "type": "A", "properties": {"x": NaN}}}', "x.jsonl:1", "NaN", False),
    (
        b'{"node": {"id": "1", "type": "A", "properties": {"x": "\\ud800"}}}',
        "x.jsonl:1",
        "half of a UTF-16 surrogate pair",
        False,
    ),
    (b'{"node": {"id": "1", "type": "A", "properties": {"x": {}}}}', "x.jsonl:1, column x", "x is an object", False),
    (b'{"node": {"id": "1", "id": "2", "type": "A"}}', "x.jsonl:1", "appears twice", False),
    (b'{"node": {"id": "\xff"}}', "x.jsonl:1", "byte 18 is not UTF-8", False),
    (b'{"connection": {"type": "A", "from": "1"}}', "x.jsonl:1, column connection", 'lacks the field "to"', False),
    (b'{"format": "graph-memory log", "version": 1}', "x.jsonl:1", "export of a domain with its log", True),
    (b"[" * 100_000, "x.jsonl:1", "nested too deeply", False),
]
GRAPHML = [
    (b"<html/>", "x.graphml:1, column 1", "not GraphML", True),
    (b"<graphml><graph>", "x.graphml:1, column 17", "not valid XML", True),
    (b'<!DOCTYPE x [<!ENTITY a "b">]><graphml/>', "x.graphml:1, column 13", "DOCTYPE", True),
    (XML + b'<node id="1"><data key="k">x</data></node>', "x.graphml:2, column x", "not a 64-bit integer", False),
    (XML + b'<node id="1"><data key="q">x</data></node>', "x.graphml:2, column q", "not declared", False),
    (XML + b'<node id="1"/>', "x.graphml:2, column 1", "no label", False),
    (XML + b'<node labels="A"/>', "x.graphml:2, column id", "no id", False),
    (XML + b'<edge source="1" label="R"/>', "x.graphml:2, column target", "no target", False),
    (XML + b'<node id="1"><graph><node id="2"/></graph></node>', "x.graphml:2, column 21", "within nodes", True),
    (XML + b"<hyperedge/>", "x.graphml:2, column 1", "Hyperedges", True),
    (b'<graphml><key id="k" attr.type="blob"/>', "x.graphml:1, column 40", '"blob", which is unknown', True),
]


@for_rows(("data", "place", "part", "ends"), [*CSV, *JSON_LINES, *GRAPHML])
def test_a_fault_is_told_with_line_and_column(data: bytes, place: str, part: str, ends: bool, tmp_path: Path) -> None:
    name = place.partition(":")[0]
    rest = b"" if ends or name != "x.graphml" else b"</graph></graphml>"
    results = refusal_of(name, data + rest, tmp_path)
    assert (results[0], results[2]) == (place, ends)
    assert part in results[1]


@pytest.mark.parametrize("name", ["x.csv.gz", "x.jsonl.gz", "x.graphml.gz"])
def test_a_truncated_gzip_ends_with_the_line_before(name: str, tmp_path: Path) -> None:
    start = {"csv": HEAD, "jsonl": b"", "graphml": XML}[name.split(".")[1]]
    row = {
        "csv": b"%d,2,true,P\n",
        "jsonl": b'{"node":{"id":"%d","type":"A"}}\n',
        "graphml": b'<node id="%d" labels="A"/>\n',
    }
    data = start + b"".join(row[name.split(".")[1]] % number for number in range(10_000))
    whole = gzip.compress(data)
    for damaged in (whole[:-10], whole[: len(whole) // 2], whole[:100] + b"\0" * 50 + whole[150:]):
        place, message, ends = refusal_of(name, damaged, tmp_path)
        assert place.startswith(name)
        assert message == "The compressed file is damaged or cut short after this line"
        assert ends


@pytest.mark.parametrize(
    ("name", "start", "end"),
    [
        ("x.csv", b":ID,:LABEL\n1,", b"\n"),
        ("x.csv", b':ID,:LABEL\n1,"', b'"\n'),
        ("x.csv", b":ID,", b"\n"),
        ("x.jsonl", b'{"node":{"id":"', b'"}}'),
        ("x.graphml", XML + b'<node id="1"><data key="k">', b"</data></node></graph></graphml>"),
        ("x.graphml", XML + b'<node id="', b'"/></graph></graphml>'),
    ],
)
def test_a_cell_of_100_mb_is_refused_without_being_kept(
    name: str, start: bytes, end: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("files", "csv_reading", "graphml_reading"):
        monkeypatch.setattr(f"graph_memory.memory.transfer.formats.{module}.MAX_BYTES", 1_000_000)
    place, message, ends = refusal_of(name, start + b"x" * 3_000_000 + end, tmp_path)
    assert place.startswith(f"{name}:")
    assert f"longer than {files.MAX_BYTES:,} bytes" in message
    assert ends


def test_a_quoted_cell_over_many_lines_is_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph_memory.memory.transfer.formats.csv_reading.MAX_BYTES", 1_000_000)
    place, message, _ = refusal_of("x.csv", b':ID,:LABEL\n1,"' + b"xxx\n" * 500_000 + b'"\n', tmp_path)
    assert place.startswith("x.csv:")
    assert "longer than" in message


@for_rows(
    "encoding",
    ["iso-8859-1", "latin1", "windows-1252", "utf-8", "UTF8", "utf_8", "U8", "cp65001", "utf-8-sig", "UTF-8-SIG"],
)
def test_graphml_is_read_in_the_encoding_that_it_declares(encoding: str, tmp_path: Path) -> None:
    node = '<node id="1" labels="Größe"/></graph></graphml>'
    xml = f'<?xml version="1.0" encoding="{encoding}"?><graphml><graph>{node}'
    (tmp_path / "x.graphml").write_bytes(xml.encode(encoding))
    (item,) = items_of(sources_of([tmp_path]), SourceOptions())
    assert getattr(item, "labels", None) == ("Größe",)


@for_rows(
    "encoding",
    [
        *("shift_jis", "utf-16-le", "utf-32-be", "utf-7", "klingon", "rot13", "idna", "hex"),
        *("unicode_escape", "unicode-escape", "raw_unicode_escape", "punycode", "charmap", "undefined"),
    ],
)
def test_graphml_in_an_encoding_that_cannot_be_read_is_refused_by_its_name(encoding: str, tmp_path: Path) -> None:
    xml = f'<?xml version="1.0" encoding="{encoding}"?><graphml/>'
    place, message, ends = refusal_of("x.graphml", xml.encode(), tmp_path)
    assert (place, ends) == ("x.graphml:1", True)
    assert message == f'The file says that its encoding is "{encoding}", which cannot be read'


@for_rows("encoding", ["utf-32", "utf-32-le", "utf-32-be"])
@for_rows("start", ["\ufeff", ""])
@for_rows("name", ["x.graphml", "x.csv", "x.jsonl"])
def test_a_file_in_utf_32_is_told_as_such(name: str, start: str, encoding: str, tmp_path: Path) -> None:
    data = f'{start}<?xml version="1.0" encoding="UTF-32"?><graphml/>'.encode(encoding)
    place, message, ends = refusal_of(name, data, tmp_path)
    assert (place, message, ends) == (f"{name}:1", "The file is UTF-32, not UTF-8", True)


@pytest.mark.parametrize("size", [24_000_000, pytest.param(70_000_000, marks=pytest.mark.long)])
def test_a_long_attribute_is_read_or_refused_in_time_that_grows_with_its_length(size: int, tmp_path: Path) -> None:
    began = time.monotonic()
    (tmp_path / "x.graphml").write_bytes(b'<graphml><graph><node labels="' + b"x" * size + b'"/></graph></graphml>')
    assert ["longer than" in refusal.message for refusal in refusals(tmp_path)] == [size > files.MAX_BYTES]
    assert time.monotonic() - began < (10 if size < files.MAX_BYTES else 30)


@pytest.mark.parametrize("line", [b"\n", b" \r\n"])
@pytest.mark.parametrize(
    ("name", "start"), [("x.jsonl.gz", b""), ("x.csv.gz", b":ID,:LABEL\n"), ("x.csv.gz", b':ID,:LABEL\n1,"')]
)
def test_a_file_of_empty_lines_is_refused_after_so_many(
    name: str, start: bytes, line: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_EMPTY_LINES", 1_000)
    place, message, ends = refusal_of(name, gzip.compress(start + line * 100_000, 1), tmp_path)
    assert message == "There are more than 1,000 consecutive empty lines"
    assert place.startswith(f"{name}:100")
    assert ends


def test_rows_after_a_fault_are_read(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(HEAD + b"1,x,true,P\n2,3,true,P\n3,x,true,P\n")
    assert [str(refusal.place) for refusal in refusals(tmp_path)] == ["x.csv:2, column age", "x.csv:4, column age"]
    assert len(list(items_of(sources_of([tmp_path]), SourceOptions()))) == 3


def test_lists_are_joined_where_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b":ID,x:string[],:LABEL\n1,a;b,P\n")
    (tmp_path / "x.jsonl").write_bytes(b'{"node": {"id": "1", "type": "A", "properties": {"x": ["a", 2, true]}}}')
    items = list(items_of(sources_of([tmp_path]), SourceOptions(join_arrays=", ")))
    assert [getattr(item, "properties", None) for item in items] == [{"x": "a, b"}, {"x": "a, 2, true"}]


@pytest.mark.parametrize("name", ["x.txt", "missing.csv", "empty"])
def test_what_is_no_source_is_an_argument_at_fault(name: str, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("hello")
    (tmp_path / "empty").mkdir()
    with pytest.raises(GraphError) as error:
        list(items_of(sources_of([tmp_path / name]), SourceOptions()))
    assert error.value.code is Code.INVALID_ARGUMENT


@pytest.fixture
def staging() -> Iterator[Staging]:
    staged = Staging(SourceOptions())
    yield staged
    staged.close()


def test_a_node_that_is_there_twice_is_refused_and_names_the_first(tmp_path: Path, staging: Staging) -> None:
    (tmp_path / "a.csv").write_bytes(HEAD + b"1,2,true,P\n")
    (tmp_path / "b.csv").write_bytes(HEAD + b"2,2,true,P\n1,2,true,P\n")
    list(staging.stage_in_steps(items_of(sources_of([tmp_path]), SourceOptions())))
    (only,) = staging.findings.invalid_records
    assert (str(only.place), only.code) == ("b.csv:3", Code.NODE_ALREADY_EXISTS)
    assert "a.csv:2" in only.message


def test_what_joins_a_node_that_is_there_twice_is_left_out_with_it(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(HEAD + b"1,2,true,P\n2,2,true,P\n1,2,true,Q\n3,2,true,P\n")
    (tmp_path / "b.csv").write_bytes(b":START_ID,:END_ID,:TYPE\n2,1,Knows\n2,3,Knows\n1,3,Knows\n2,4,Knows\n")
    with pytest.raises(GraphError) as refusals:
        infer_ontology(tmp_path)
    message = refusals.value.message
    assert "The source has 4 errors" in message
    assert 'b.csv:2: A connection of type Knows refers to node "1", but several nodes have this id' in message
    assert 'b.csv:4: A connection of type Knows refers to node "1", but several' in message
    assert 'b.csv:5: A connection of type Knows refers to node "4", which does not exist' in message
    (known,) = infer_ontology(tmp_path, skip_invalid=True).connection_types
    assert (known.from_types, known.to_types) == (("P",), ("P",))
