"""Memories of other programs, read: what each reader gives of small memories, whole, damaged and hostile."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from graph_memory.memory.entities.importing import import_once
from graph_memory.memory.transfer.formats.memories.recognise import recognise_format, rows_of
from graph_memory.memory.transfer.formats.memories.rows import EntityRow, ObservationRow, RelationRow
from graph_memory.memory.transfer.formats.records import InvalidRecord, Note
from graph_memory.memory.transfer.results import MemoryFormat
from graph_memory.model.errors import Code, GraphError
from graph_memory.progress import log_progress
from tables import for_rows

OFFICIAL = """\
{"type":"entity","name":"Ada Lovelace","entityType":"person","observations":["likes tea","writes code"]}
{"type":"entity","name":"","entityType":"","observations":[]}

{"type":"relation","from":"Ada Lovelace","to":"nobody","relationType":"looks for"}
"""
AT = "2026-11-25T02:36:24.242314Z"


class Read:
    """The records that a reader returned of a memory, by kind."""

    def __init__(self, path: Path, form: MemoryFormat | None = None) -> None:
        self.form = form or recognise_format(path)
        rows = list(rows_of(path, self.form))
        self.entities = [row for row in rows if isinstance(row, EntityRow)]
        self.observations = [row for row in rows if isinstance(row, ObservationRow)]
        self.relations = [row.key for row in rows if isinstance(row, RelationRow)]
        self.refused = [f"{row.place}: {row.message}" for row in rows if isinstance(row, InvalidRecord)]
        self.notes = [row.text for row in rows if isinstance(row, Note)]

    @property
    def types(self) -> dict[str, str | None]:
        return {entity.name: entity.type for entity in self.entities}

    @property
    def texts(self) -> list[tuple[str, str]]:
        return [(row.entity, row.text) for row in self.observations]


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize("name", ["memory.jsonl", "memory.json", "memory.jsonl.gz"])
def test_a_file_of_the_official_server_is_read_under_any_name_that_it_had(tmp_path: Path, name: str) -> None:
    data = OFFICIAL.encode()
    read = Read(write(tmp_path, name, gzip.compress(data) if name.endswith(".gz") else data))
    assert read.form == "official"
    assert read.types == {"Ada Lovelace": "person", "": ""}
    assert read.texts == [("Ada Lovelace", "likes tea"), ("Ada Lovelace", "writes code")]
    assert read.relations == [("Ada Lovelace", "nobody", "looks for")]
    assert not read.refused
    assert not read.notes


def test_every_damaged_line_is_refused_with_its_number_and_the_rest_is_read(tmp_path: Path) -> None:
    lines = [
        b'{"type":"entity","name":"a","entityType":"t","observations":["x"]}',
        b'{"type":"entity","name":"b","entityType":"t","observations":["x"',
        b'{"type":"entity","name":"c","entityType":"t"}',
        b'{"type":"entity","name":"d","entityType":"t","observations":["x", 5]}',
        b'{"type":"entity","name":7,"entityType":"t","observations":[]}',
        b'{"type":"relation","from":"a","relationType":"t"}',
        b'{"type":"entity","name":"\xff","entityType":"t","observations":[]}',
        b'{"type":"entity","name":"\\ud800","entityType":"t","observations":[]}',
        b"[" * 100_000,
        b'{"type":"entity","type":"relation","from":"a","to":"a","relationType":"t"}',
        b'{"type":"note","text":"left out"}',
        b'{"type":"relation","from":"a","to":"a","relationType":"t","since":1}',
    ]
    read = Read(write(tmp_path, "m.jsonl", b"\n".join(lines)))
    assert [text.split(": ")[0] for text in read.refused] == [
        "m.jsonl:2",
        "m.jsonl:4, column observations[1]",
        "m.jsonl:5, column name",
        "m.jsonl:6, column to",
        "m.jsonl:7",
        "m.jsonl:8",
        "m.jsonl:9",
        "m.jsonl:10",
    ]
    assert list(read.types) == ["a", "c"]
    assert read.relations == [("a", "a", "t")]
    assert len(read.notes) == 2
    assert "since" in read.notes[1]


def test_an_answer_of_read_graph_is_read_of_either_server(tmp_path: Path) -> None:
    official = {"entities": [{"name": "a", "entityType": "t", "observations": ["x"]}], "relations": []}
    other = {
        "entities": [{"name": "a", "type": "t", "observations": ["x"]}],
        "relations": [{"source": "a", "target": "a", "relationType": "IS"}],
    }
    result = Read(write(tmp_path, "one.json", json.dumps(official)))
    two = Read(write(tmp_path, "two.json", json.dumps(other, indent=1)))
    assert (result.form, two.form) == ("official", "mcp-neo4j-memory")
    assert result.types == two.types == {"a": "t"}
    assert two.relations == [("a", "a", "IS")]


ITEMS = [
    {"type": "entity", "name": "a", "entityType": "t", "observations": ["x"]},
    {"type": "entity", "name": "b", "entityType": None, "observations": None},
    {"type": "entity", "name": "c"},
    {"type": "relation", "from": "a", "to": "b", "relationType": "is"},
]


@for_rows("name", ["m.json", "m.jsonl", "memory"])
@for_rows("indent", [None, 2])
@for_rows("kind", ["items", "graph"])
def test_json_of_the_official_server_is_read_whole_whatever_its_name_and_without_fields_it_can_do_without(
    tmp_path: Path, name: str, indent: int | None, kind: str
) -> None:
    entities = [{key: value for key, value in item.items() if key != "type"} for item in ITEMS[:3]]
    data = ITEMS if kind == "items" else {"entities": entities, "relations": ITEMS[3:]}
    read = Read(write(tmp_path, name, json.dumps(data, indent=indent)))
    assert read.form == "official"
    assert read.types == {"a": "t", "b": None, "c": None}
    assert (read.texts, read.relations, read.refused) == ([("a", "x")], [("a", "b", "is")], [])
    assert set(read.notes) == {"entities without a type get the type entity"}


@for_rows("name", ["m.json", "m.jsonl", "m.jsonl.gz"])
@for_rows(
    "data",
    [
        b"",
        b"\n \n",
        b"\xef\xbb\xbf",
        b"{}",
        b"[]",
        b"null",
        b"\xef\xbb\xbfnull\n",
        b"{\n}\n",
        b"[\n]",
        b'{"entities": []}',
    ],
)
def test_a_file_of_the_official_server_without_data_is_an_empty_memory(tmp_path: Path, name: str, data: bytes) -> None:
    read = Read(write(tmp_path, name, gzip.compress(data) if name.endswith(".gz") else data), "official")
    assert (read.entities, read.relations, read.refused) == ([], [], [])


@pytest.mark.parametrize("name", ["", "gone.jsonl", "pipe"])
def test_nothing_is_imported_from_a_path_of_the_environment_that_is_no_file(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    core: Any = object()  # nothing of it is needed
    assert asyncio.run(import_once(core, "default", tmp_path / name, log_progress)) is None


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("[1]", "m.json, property items: Entry 1 of items is a number; it must be an object"),
        ('[{"type": "entity", "name": 1}]', "m.json, items 1, property name: name is a number; it must be text"),
        ('{"entities": {}}', "m.json, property entities: entities is an object; it must be a list"),
        ('{"x": []}', "m.json: The file has no entities"),
        ('[{"type":\n}]', "m.json: The file is not valid JSON: a value is missing at line 2, column 1"),
        ("hello", "m.json: The file is not valid JSON: a value is missing at column 1"),
    ],
)
def test_a_file_that_is_no_memory_of_the_official_server_says_why(tmp_path: Path, data: str, text: str) -> None:
    (only,) = Read(write(tmp_path, "m.json", data), "official").refused
    assert only.replace("column items", "property items").replace("column entities", "property entities") == text


def event(op: str, data: object, session: str = "s1", at: str = AT) -> dict[str, object]:
    return {"id": f"{op}-{at}", "ts": at, "op": op, "session_id": session, "source": "cc", "data": data}


def observation(id_: str, text: str, session: str = "s1") -> dict[str, str]:
    return {"id": id_, "text": text, "ts": AT, "source": session}


EVENTS = [
    event("create_entity", {"id": "1", "name": "Old", "type": "entity", "observations": [observation("o", "gone")]}),
    event("clear_graph", {}),
    event(
        "create_entity",
        {"id": "A", "name": "Ada", "type": "entity", "created_at": AT, "created_by": "s1"}
        | {"observations": [observation("o1", "likes tea"), observation("o2", "writes code")]},
    ),
    event("create_entity", {"id": "E", "name": "Engine", "type": "concept", "observations": []}),
    event("create_entity", {"id": "X", "name": "Left", "type": "concept", "observations": []}),
    event("create_relation", {"id": "r1", "from_entity": "A", "to_entity": "E", "type": "designs"}, "s2"),
    event("create_relation", {"id": "r2", "from_entity": "A", "to_entity": "X", "type": "knows"}, "s2"),
    event("add_observation", {"entity_id": "A", "observation": observation("o3", "moved", "s2")}, "s2"),
    event("delete_observation", {"entity_id": "A", "observation_id": "o1"}),
    event("delete_entity", {"id": "X"}),
    event("update_entity", {"id": "E", "updates": {"name": "The Engine", "type": "project"}}),
    event("update_weight", {"relation_id": "r1", "weight_type": "explicit", "new_value": 0.9}),
]


def write_store(folder: Path, events: list[dict[str, object]]) -> Path:
    """Return a store as mnemograph 0.5 keeps it, with the last event still in its write-ahead log."""
    folder.mkdir()
    db = sqlite3.connect(folder / "mnemograph.db", isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE events (id TEXT, ts TEXT, op TEXT, session_id TEXT, source TEXT, data TEXT)")
    for event in events:
        db.execute(
            "INSERT INTO events VALUES (:id, :ts, :op, :session_id, :source, :data)",
            event | {"data": event["data"] if isinstance(event["data"], str) else json.dumps(event["data"])},
        )
    open_stores.append(db)  # closing it would empty the write-ahead log
    return folder


open_stores: list[sqlite3.Connection] = []


@pytest.mark.parametrize("kind", ["folder", "database", "events"])
def test_a_store_of_mnemograph_is_what_lives_at_its_end_with_times_and_sessions(tmp_path: Path, kind: str) -> None:
    if kind == "events":
        path = write(tmp_path, "events.jsonl", "\n".join(map(json.dumps, EVENTS)))
    else:
        folder = write_store(tmp_path / "store", EVENTS)
        path = folder if kind == "folder" else folder / "mnemograph.db"
    read = Read(path)
    assert read.form == "mnemograph"
    assert not read.refused
    assert read.types == {"Ada": "entity", "The Engine": "project"}
    assert [(row.text, row.time, row.source) for row in read.observations] == [
        ("writes code", AT, "s1"),
        ("moved", AT, "s2"),
    ]
    assert read.relations == [("Ada", "The Engine", "designs")]
    assert read.entities[0].properties == {"created_at": AT, "created_by": "s1"}


def test_a_memory_that_mnemograph_set_back_is_read_as_it_was_then(tmp_path: Path) -> None:
    def creation(name: str, at: str) -> dict[str, object]:
        return event("create_entity", {"id": name, "name": name, "type": "entity", "observations": []}, at=at)

    events = [
        creation("kept", "2026-01-01T00:00:00+00:00"),
        creation("undone", "2026-01-03T00:00:00+00:00"),
        event("restore_to", {"timestamp": "2026-01-02T00:00:00+00:00"}, at="2026-01-04T00:00:00+00:00"),
        creation("later", "2026-01-05T00:00:00+00:00"),
    ]
    assert list(Read(write_store(tmp_path / "store", events)).types) == ["kept", "later"]


def test_a_damaged_store_of_mnemograph_is_refused_with_the_event(tmp_path: Path) -> None:
    torn = event("create_entity", "")
    bad = [EVENTS[3], torn | {"data": '{"id": '}, event("create_entity", {"id": "n"}), event("explode", {})]
    read = Read(write_store(tmp_path / "store", bad))
    assert [text.split(":")[0] for text in read.refused] == [
        "mnemograph.db, event 2",
        "mnemograph.db, event 3, property name",
        "mnemograph.db, event 4, property op",
    ]
    (tmp_path / "no.db").write_bytes(b"SQLite format 3\x00" + b"\x07" * 5_000)
    assert "cannot be read" in Read(tmp_path / "no.db").refused[0]


MEM0 = [
    {"id": "m1", "memory": "Likes tea", "user_id": "ada", "created_at": AT, "hash": "x", "metadata": {"a": 1}},
    {"id": "m2", "memory": "Runs nightly", "agent_id": "ci", "run_id": "7", "created_at": AT, "updated_at": None},
]


@pytest.mark.parametrize("wrap", ["list", "results", "lines"])
def test_memories_of_mem0_are_observations_of_whom_they_are_about(tmp_path: Path, wrap: str) -> None:
    relations = [{"source": "ada", "relationship": "likes", "destination": "tea"}]
    whole = MEM0 if wrap == "list" else {"results": MEM0, "relations": relations}
    lines = "\n".join(map(json.dumps, MEM0))
    name = "m.jsonl" if wrap == "lines" else "m.json"
    read = Read(write(tmp_path, name, lines if wrap == "lines" else json.dumps(whole)))
    assert read.form == "mem0"
    assert not read.refused
    assert read.texts == [("ada", "Likes tea"), ("ci", "Runs nightly")]
    assert read.entities[0].type == "user"
    assert read.entities[1].type == "agent"
    assert [row.source for row in read.observations] == ["mem0, id m1", "mem0, id m2, run_id 7"]
    assert [row.time for row in read.observations] == [AT, AT]
    assert read.relations == ([("ada", "tea", "likes")] if wrap == "results" else [])


def test_a_memory_of_mem0_without_text_is_refused_with_its_number(tmp_path: Path) -> None:
    read = Read(write(tmp_path, "m.json", json.dumps([*MEM0, {"id": "m3"}, {"memory": None}])))
    assert [text.split(":")[0] for text in read.refused] == [
        "m.json, results 3, property memory",
        "m.json, results 4, property memory",
    ]
    assert len(read.texts) == 2


NOTE = """\
---
title: Coffee Brewing
type: guide
permalink: drinks/coffee
tags: [drink, hot]
created: 2026-01-02
rating: 4
author: "[[People/Ada]]"
---
# Coffee

Some prose about [[Tea#History|the other]] and [a page](people/ada.md).

## Observations
- [method] Pour over is best #brewing (with care)
- [ ] buy beans
- [site](https://example.org) is a link
```
- [code] is not one [[Nothing]]
```

## Relations
- pairs_with [[Chocolate]]
- inspired by [[drinks/tea]] (long ago)
- ![[picture.png]]
"""


def test_a_folder_of_notes_is_read_with_front_matter_observations_relations_and_links(tmp_path: Path) -> None:
    write(tmp_path, "drinks/coffee.md", NOTE)
    write(tmp_path, "drinks/tea.md", "Plain text\n")
    write(tmp_path, "People/Ada.md", "---\naliases: [Countess]\nnested: {a: 1}\n---\nSee [[Countess]] and `[[No]]`.\n")
    write(tmp_path, ".obsidian/hidden.md", "[[Secret]]")
    write(tmp_path, "data.txt", "left alone")
    read = Read(tmp_path)
    assert read.form == "markdown"
    assert not read.refused
    assert read.types == {"Coffee Brewing": "guide", "tea": "note", "Ada": "note"}
    assert read.texts == [("Coffee Brewing", "[method] Pour over is best #brewing (with care)")]
    row = read.observations[0]
    assert (row.time, row.source, row.place.line) == ("2026-01-02", "drinks/coffee.md", 15)
    assert read.relations == [
        ("Ada", "Ada", "links_to"),
        ("Coffee Brewing", "Ada", "author"),
        ("Coffee Brewing", "tea", "links_to"),
        ("Coffee Brewing", "Ada", "links_to"),
        ("Coffee Brewing", "Chocolate", "pairs_with"),
        ("Coffee Brewing", "tea", "inspired by"),
    ]
    coffee = next(entity for entity in read.entities if entity.name == "Coffee Brewing")
    assert coffee.properties["tags"] == "drink, hot"
    assert coffee.properties["rating"] == 4
    assert "Some prose" in coffee.description
    assert "- [ ] buy beans" in coffee.description
    assert "Pour over" not in coffee.description
    assert any("nested" in note for note in read.notes)


def test_notes_of_the_same_title_keep_apart_by_their_paths(tmp_path: Path) -> None:
    write(tmp_path, "a/Index.md", "to [[b/Index]]")
    write(tmp_path, "b/Index.md", "to [[Index]]")
    read = Read(tmp_path)
    assert list(read.types) == ["a/Index", "b/Index"]
    assert read.relations == [("a/Index", "b/Index", "links_to"), ("b/Index", "b/Index", "links_to")]


def test_hostile_notes_are_refused_each_with_its_path_and_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("secret")
    vault = tmp_path / "vault"
    write(vault, "good.md", "text")
    write(vault, "bomb.md", "---\na: &a [x]\nb: [*a, *a]\n---\n")
    write(vault, "bytes.md", b"\xff\xfe\x00")
    write(vault, "tag.md", "---\na: !!python/object:os.system ls\n---\n")
    write(vault, "big.md", b"x" * (4 * 1024 * 1024 + 1))
    (vault / "link.md").symlink_to(tmp_path / "outside.md")
    (vault / "loop").symlink_to(vault)
    os.mkfifo(vault / "pipe.md")
    read = Read(vault)
    assert sorted(text.split(":")[0] for text in read.refused) == ["big.md", "bytes.md"]
    assert list(read.types) == ["bomb", "good", "tag"]
    assert read.notes[:2] == ["links in the file system are not followed"] * 2
    assert [("bomb.md" in note, "tag.md" in note) for note in read.notes[2:]] == [(True, False), (False, True)]


def test_what_is_no_memory_is_not_guessed_at(tmp_path: Path) -> None:
    for name, text in (("a.jsonl", '{"node": {}}'), ("b.json", "{}"), ("c.txt", "hello"), ("d.json", "{")):
        with pytest.raises(GraphError) as raised:
            recognise_format(write(tmp_path, name, text))
        assert raised.value.code is Code.INVALID_ARGUMENT
    with pytest.raises(GraphError):
        list(rows_of(tmp_path / "c.txt", "neo4j-agent-memory"))
