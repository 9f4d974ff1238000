"""Damaged files of each format: each is read or refused within seconds, and never ends in an error of Python's."""

from __future__ import annotations

import gzip
import json
import random
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from graph_memory import GraphError, infer_ontology
from graph_memory.memory.transfer.formats.memories.recognise import is_memory, rows_of
from graph_memory.memory.transfer.load.merged_records import MergedRecords
from graph_memory.memory.transfer.results import MemoryFormat
from unit.memory.transfer.test_memories import EVENTS, ITEMS, MEM0, NOTE, OFFICIAL, write_store

DAMAGED = 60
CSV = """\
personId:ID(P),name,age:int,:LABEL,born:date,x:IGNORE,_tags:string[],_content
1,"Ann ""A"",
B",3,Person;Author,1980-01-01,q,a;b,text
"""
JSON_LINES = """\
{"node": {"id": "1", "type": "A", "properties": {"x": [1, "a"]}, "metadata": {"a": 1}, "valid_from": "2020-01-01"}}
{"connection": {"type": "KNOWS", "from": "1", "to": "1", "strength": {"semantic": 0.5}, "importance": 1}}
{"id": "5", "type": "relationship", "label": "R", "start": {"id": "1"}, "end": {"id": "1"}}
"""
GRAPHML = """\
<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="age" attr.type="int"><default>1</default></key><graph edgedefault="directed">
<node id="a" labels=":X:Y"><data key="d0"> 3 </data><data key="_metadata">{"a":1}</data></node>
<edge id="e" source="a" target="a"><data key="label">R</data><data key="_importance">0.5</data></edge></graph></graphml>
"""
GRAPH = {"results": MEM0, "relations": [{"source": "ada", "relationship": "likes", "destination": "tea"}]}
FILES: list[tuple[str, MemoryFormat | None, str]] = [
    ("x.csv", None, CSV),
    ("x.jsonl", None, JSON_LINES),
    ("x.graphml", None, GRAPHML),
    ("official.jsonl", "official", OFFICIAL),
    ("official.json", "official", json.dumps(ITEMS, indent=1)),
    ("mem0.json", "mem0", json.dumps(GRAPH)),
    ("events.jsonl", "mnemograph", "\n".join(map(json.dumps, EVENTS))),
    ("note.md", "markdown", NOTE),
]
PARTS = [
    *(b"", b"\0", b"\xff", b"\xed\xa0\x80", b"\n", b"\r", b"\t", b'"', b"'", b"{", b"}", b"[", b"]", b"[[", b"(", b"|"),
    *(
        b"<",
        b">",
        b"&x;",
        b"&#0;",
        b"]]>",
        b"<!--",
        b"-->",
        b"<data key='d0'>",
        b"---\n",
        b"%%",
        b"```\n",
        b"$$",
        b":ID",
    ),
    *(
        b"null",
        b"NaN",
        b"1e999",
        b"true",
        b"9" * 20,
        b"1" * 5_000,
        b"\\ud800",
        b"\\u0000",
        b"\xef\xbb\xbf",
        b"\x85",
        b":",
    ),
    *(b"x" * 5_000, b"[" * 3_000, b"<a>" * 3_000, b"{}", b"!!x ", b"&a ", b"*a ", b"  - [x] ", b"- <!--", b",", b";"),
]
PYTHON_ERROR_FRAGMENTS = (
    "Expecting",
    "codec",
    "Errno",
    "Error -",
    "NoneType",
    "object has no",
    "invalid literal",
    "should be",
    "sys.",
)


def damage(data: bytes, chance: random.Random) -> bytes:
    """Return data with one to three damages: a part put in, cut off, doubled or moved."""
    for _ in range(chance.randint(1, 3)):
        at, length = chance.randrange(len(data) + 1), chance.choice([0, 0, 1, 8, 40])
        other = chance.randrange(len(data) + 1)
        put = chance.choice([chance.choice(PARTS), chance.choice(PARTS), data[at : at + length] * 3, data[other:][:60]])
        data = data[:at] if chance.random() < 0.1 else data[:at] + put + data[at + length :]
    return data


def faults(path: Path, form: MemoryFormat | None) -> list[str]:
    """Read a file and return its error messages."""
    gathered = MergedRecords()
    try:
        if form is None:
            infer_ontology(path)
        else:
            is_memory(str(path))
            list(gathered.merge_in_steps(rows_of(path, form)))
    except GraphError as error:
        return [error.message]
    return [refused.message for refused in gathered.findings.invalid_records]


@pytest.mark.parametrize("is_compressed", [False, True])
@pytest.mark.parametrize(("name", "form", "text"), FILES, ids=[name for name, *_ in FILES])
def test_a_damaged_file_is_read_or_refused_quickly_in_words_of_our_own(
    name: str, form: MemoryFormat | None, text: str, is_compressed: bool, tmp_path: Path
):
    chance, began = random.Random(name), time.monotonic()
    path = tmp_path / (f"{name}.gz" if is_compressed and form != "markdown" else name)
    for _ in range(DAMAGED):
        path.write_bytes(damage(gzip.compress(text.encode(), mtime=0) if is_compressed else text.encode(), chance))
        assert [fault for fault in faults(path, form) if any(word in fault for word in PYTHON_ERROR_FRAGMENTS)] == []
    assert time.monotonic() - began < 30


def test_damaged_database_never_leaks_python_error_messages(tmp_path: Path):
    path, chance = write_store(tmp_path / "store", EVENTS) / "mnemograph.db", random.Random(1)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = path.read_bytes()
    for number in range(DAMAGED):
        (copy := tmp_path / f"{number}.db").write_bytes(damage(data, chance))
        assert [
            fault for fault in faults(copy, "mnemograph") if any(word in fault for word in PYTHON_ERROR_FRAGMENTS)
        ] == []
