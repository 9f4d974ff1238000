"""A forged or changed export: contents that no log can hold are refused, and nothing is written."""

from __future__ import annotations

import copy
import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.transfer.archive import importing
from graph_memory.memory.transfer.archive.reader import Reader
from integration.branches.test_branch import LARGE
from profiles import profile
from support import observe
from tables import for_rows

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": [
            {
                "name": "Task",
                "properties": {"state": {"enum": ["open", "done"], "required": True}, "code": {"unique": True}},
            },
            "Person",
        ],
        "connection_types": [
            {"name": "DependsOn", "from": ["Task"], "to": ["Task"], "acyclic": True},
            {"name": "Owner", "from": ["Task"], "to": ["Person"], "unique_source": True},
        ],
    }
)
Event = dict[str, Any]
Change = Callable[["Forgery"], None]


class Forgery:
    """The parts of an export, to be changed, and written with all its counts and hashes right again."""

    def __init__(self, path: Path) -> None:
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        self.header: Event = lines[0]
        self.base_event: Event = {}
        """Fields of the first line that do not depend on the other lines."""
        self.lines: list[Event] = lines[1:-1]

    @property
    def events(self) -> list[Event]:
        """The events, in order."""
        return [line["event"] for line in self.lines if "event" in line]

    def event(self, subject: str, op: str = "create") -> Event:
        """Return the last event that did that to a subject."""
        return [event for event in self.events if (event.get("_subject"), event.get("_op")) == (subject, op)][-1]

    def add(self, event: Event, **fields: Any) -> None:
        """Add an event like another at the end, in its right place unless told otherwise."""
        last, new = self.events[-1], copy.deepcopy(event)
        new |= {"_id": f"evt_{len(self.lines)}", "_batch": f"evt_{len(self.lines)}"}
        new |= {"_seq": len(self.events) + 1, "_at": last.get("_at"), "_prev": None}
        new |= {f"_{name}": value for name, value in fields.items()}
        known = [
            place for place, event in enumerate(self.events, start=1) if event.get("_subject") == new.get("_subject")
        ]
        new["_prev"] = new["_prev"] or max(known, default=None)
        self.lines.append({"event": {name: value for name, value in new.items() if value is not None}})

    def renumber(self) -> None:
        """Number the events without a gap, each after the last about the same subject."""
        last: dict[str, int] = {}
        for seq, event in enumerate(self.events, start=1):
            subject = str(event.get("_subject"))
            if "_prev" in event and subject in last:
                event["_prev"] = last[subject]
            event["_seq"] = last[subject] = seq

    def write(self, path: Path) -> Path:
        """Write it as an export that is whole."""
        events = self.events
        contents = sum("text" in line or line.get("part", -1) == line.get("of") for line in self.lines)
        rules = [seq for seq, event in enumerate(events, start=1) if event.get("_kind") in ("ontology", *TYPES)]
        counts = {"events": len(events), "seq": len(events), "ontology_version": max(rules, default=0)}
        lines = (self.header | counts | self.base_event, *self.lines)
        body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        end = {"events": len(events), "contents": contents, "sha256": hashlib.sha256(body).hexdigest()}
        path.write_bytes(body + json.dumps({"end": end}).encode() + b"\n")
        return path


TYPES = ("node_type", "connection_type")


@pytest.fixture(scope="module")
async def whole(shared_memory: Memory, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of a domain that has lived."""
    domain = f"test-{uuid4().hex[:20]}"
    memory = shared_memory.in_domain(domain)
    await memory.create_ontology(ONTOLOGY)
    for name in ("a", "b", "c"):
        await memory.create_node("Task", f"# {name}", properties={"state": "open", "code": name}, id=name, tags=["t"])
    await memory.create_node("Person", b"\x00\xff", encoding="base64", format="png", id="ann")
    await memory.create_node("Task", LARGE, properties={"state": "done"}, id="long")
    await memory.create_connection("DependsOn", "a", "b", id="ab", content="first")
    await memory.create_connection("DependsOn", "b", "c", id="bc")
    await memory.create_connection("Owner", "a", "ann", id="owner")
    await observe(memory, domain, "b")
    await memory.update_node("a", properties={"state": "done"}, path="work/a")
    await memory.set_validity("b", valid_to="2030-01-01")
    await memory.create_node("Task", "gone", properties={"state": "open"}, id="gone")
    await memory.delete_node("gone")
    await memory.create_node("Task", "secret", properties={"state": "open"}, id="secret")
    await memory.create_connection("DependsOn", "secret", "a", id="sa")
    await memory.history.erase("secret")
    path = tmp_path_factory.mktemp("export") / "whole.jsonl"
    await memory.transfer.export_file(path)
    return path


def setting(subject: str, op: str = "create", /, **fields: Any) -> Change:
    """Return a change that sets fields of an event; None takes one away."""

    def change(forgery: Forgery) -> None:
        event = forgery.event(subject, op)
        for name, value in fields.items():
            event[name] = value
            if value is None:
                del event[name]

    return change


def adding(subject: str, op: str = "create", /, **fields: Any) -> Change:
    """Return a change that adds an event like another at the end."""
    return lambda forgery: forgery.add(forgery.event(subject, op), **fields)


def rename(to: Any) -> Change:
    """Return a change that adds a node of that id."""
    return adding("long", subject=to)


def heading(**fields: Any) -> Change:
    """Return a change of the first line."""
    return lambda forgery: forgery.base_event.update(fields)


def piece(forgery: Forgery) -> Event:
    """Return a line of binary content."""
    return next(line for line in forgery.lines if "part" in line)


def leaving_out(forgery: Forgery) -> None:
    """Leave a number out, and say in the first line how far the log goes then."""
    forgery.add(forgery.event("long"), subject="late", seq=len(forgery.events) + 2)
    forgery.base_event["seq"] = len(forgery.events) + 1


def staying(**fields: Any) -> Change:
    """Return a change of what the first line says of the domain."""
    return lambda forgery: forgery.header["state"].update({f"_{name}": value for name, value in fields.items()})


def compaction_with(**fields: Any) -> Change:
    """Return a change that says of the domain that it was compacted, with a session of these fields."""
    times = {"began": "2026-01-01T00:00:00Z", "ended": "2026-01-01T00:00:00Z"}
    session = {"source": "user", "changes": 1, "subjects": 1, "about": [], "first_seq": 1, "last_seq": 1}
    return staying(compacted=json.dumps([session | times | fields]))


MERGE = '{"source_seq":1,"own_seq":1,"event":null}'


def later(forgery: Forgery) -> None:
    """Give a later change the batch of an earlier one, which others came after."""
    forgery.event("a", "update")["_batch"] = forgery.event("a")["_batch"]


FORGED: Mapping[str, tuple[Change, str]] = {
    "an id that leads elsewhere": (rename("../../../escape"), "is not a valid id"),
    "an empty id": (rename(""), "is not a valid id"),
    "the id of the domain": (rename("domain"), "is not a valid id"),
    "the id of a type": (rename("node_type/Task"), "is not a valid id"),
    "an id with a control character": (rename("a\u0000b"), "is not a valid id"),
    "an id with a line break": (rename("a\n"), "is not a valid id"),
    "an id of 100,000 characters": (rename("x" * 100_000), "is not a valid id"),
    "an id that is a number": (rename(7), "_subject"),
    "an id of an end": (setting("ab", _from="../a"), "is not a valid id"),
    "a format with a line break": (setting("a", _content_format="m\nd"), "is empty, longer than 100 characters"),
    "a format that is empty": (setting("a", _content_format=""), "is empty, longer than 100 characters"),
    "an encoding of its own": (setting("a", _content_encoding="rot13"), "rot13"),
    "a size below nothing": (setting("a", _content_size=-1), "_content_size"),
    "a size that is not the real one": (setting("a", _content_size=4), "which differs"),
    "binary content as text": (setting("ann", _content_encoding="utf-8"), "no earlier line contains"),
    "content that is not there": (setting("a", _content_sha256="0" * 64), "no earlier line contains"),
    "binary content of a connection": (setting("ab", _content_encoding="base64"), "_content_encoding"),
    "content by half": (setting("ab", _content_size=None), "only part of"),
    "a key of the service's own": (setting("a", _version=7), 'unexpected field "_version"'),
    "a name for the domain": (setting("a", _domain="other"), 'unexpected field "_domain"'),
    "a text of an observation on a node": (setting("a", _text="x"), 'unexpected field "_text"'),
    "a property of an observation": (setting("obs_b", hello=1), 'unexpected field "hello"'),
    "a property of a deletion": (setting("gone", "delete", hello=1), 'unexpected field "hello"'),
    "a state in a deletion": (setting("gone", "delete", _title="x"), 'unexpected field "_title"'),
    "erased and living": (setting("a", _erased=True), "is not the deletion"),
    "erased by half": (setting("gone", "delete", _erased=True, _type=None), "erased only in part"),
    "a time that is yet to come": (setting("a", "update", _at="9999-01-01T00:00:00Z"), "in the future"),
    "made in a time to come": (setting("a", _created="9999-01-01T00:00:00Z"), "in the future"),
    "changed before there were computers": (
        setting("a", _modified="0007-01-01T00:00:00Z"),
        "a time after 1899",
    ),
    "a time beyond all years": (setting("a", _at="19999-01-01T00:00:00Z"), "must be a time with a zone"),
    "a time before the last": (setting("b", _at="2001-01-01T00:00:00Z"), "before that of the preceding event"),
    "ends before it begins": (setting("b", "update", _valid_from={"time": "2040-01-01T00:00:00Z"}), "not after its"),
    "a bound that is more than a time": (setting("b", "update", _valid_to={"time": "2030-01-01", "x": 1}), "_valid_to"),
    "a property that is required taken away": (setting("a", state=None), "requires properties"),
    "a value outside of the enum": (setting("a", state="never"), "must be one of"),
    "a value that is a list": (setting("a", more=[1]), "is invalid: "),
    "a value that is nothing": (lambda forgery: forgery.event("a").update(more=None), "is invalid: "),
    "a number of 65 bits": (setting("a", more=2**64), "64 bits"),
    "101 tags": (setting("a", _tags=[f"t{n}" for n in range(101)]), "too many"),
    "a tag twice": (setting("a", _tags=["t", "t"]), "without duplicates"),
    "a path that is empty": (setting("a", _path=""), "is not a valid path"),
    "a path that is too long": (setting("a", _path="p" * 1_001), "is not a valid path"),
    "a namespace with a line break": (setting("a", _namespace="a\nb"), "is not a valid namespace"),
    "a title that is not the one that was given": (setting("a", _given_title="x", _derived_title="y"), "its title"),
    "a title that was given, and none besides": (setting("a", _given_title="a", _title="a"), 'lacks "_derived_title"'),
    "a summary of no time": (setting("a", _content_summary="x"), 'only one of "_content_summary"'),
    "a summary of a time to come": (
        setting("a", _content_summary="x", _summary_timestamp={"time": "9999-01-01T00:00:00Z"}),
        "in the future",
    ),
    "metadata that is a list": (setting("a", _metadata="[1]"), "not an object"),
    "metadata that is not as it is stored": (setting("a", _metadata='{"a": 1}'), "not in canonical form"),
    "a title that is a book": (setting("a", _title="x" * 100_000), "_title"),
    "a connection of wrong types": (adding("ab", subject="x", **{"from": "a", "to": "ann"}), "cannot connect"),
    "a connection to nobody": (adding("bc", subject="x", **{"from": "a", "to": "nobody"}), 'node "nobody", which'),
    "an observation of nobody": (adding("obs_b", subject="x", **{"from": "nobody"}), 'node "nobody", which'),
    "a connection to a connection": (adding("bc", subject="x", **{"from": "a", "to": "ab"}), 'node "ab", which'),
    "a connection that closes a cycle": (adding("bc", subject="x", **{"from": "c", "to": "a"}), "in a cycle"),
    "a connection to itself": (adding("bc", subject="x", **{"from": "c", "to": "c"}), "in a cycle"),
    "two owners": (adding("owner", subject="x"), "shares its source with another of connection type"),
    "a unique value twice": (adding("a", subject="x"), 'shares its "code" with another of node type'),
    "an update of nobody": (adding("a", "update", subject="nobody"), 'updates "nobody", which does not exist'),
    "a deletion of nobody": (adding("gone", "delete", subject="nobody"), 'deletes "nobody", which does not exist'),
    "a deletion twice": (adding("gone", "delete"), 'deletes "gone", which does not exist'),
    "a creation of what lives": (adding("b"), 'creates "b", which already exists'),
    "a node deleted that has connections": (adding("gone", "delete", subject="c"), 'attached to node "c", which'),
    "a snapshot in the midst": (adding("long", subject="x", op="snapshot"), "is a snapshot"),
    "a node that becomes a connection": (adding("bc", subject="gone"), "changes the kind, type or ends"),
    "a node of another type than it was": (adding("ann", subject="gone"), "changes the kind, type or ends"),
    "the id of an event twice": (
        lambda forgery: forgery.event("b").update(dict.fromkeys(("_id", "_batch"), forgery.event("a")["_id"])),
        "repeats the event id",
    ),
    "the id of an event that is none": (setting("b", _id="b"), "must be an event id"),
    "an event that follows another's": (setting("a", "update", _prev=3), "names event 3 as the last"),
    "a type used and deleted": (adding("node_type/Person", op="delete", name=None, definition=None), "deletes"),
    "a type declared anew": (setting("node_type/Person", _name="Animal"), "differ from the definition"),
    "a type with other ends": (setting("connection_type/Owner", _to_types=["*"]), "differ from the definition"),
    "an ontology under another id": (setting("ontology", _subject="rules"), 'has the kind "ontology"'),
    "a domain under another id": (setting("domain", _subject="a"), 'has the kind "domain"'),
    "a source that is a god": (setting("a", _source="god"), "god"),
    "a session that is a number": (setting("a", _session=7), "_session"),
    "merges that are none": (setting("domain", _merges="[]"), "the JSON of merges"),
    "merges of elsewhere": (
        setting("domain", _merges='{"../x":{"source_seq":1,"own_seq":1,"event":null}}'),
        "the JSON of merges",
    ),
    "sessions that are none": (setting("domain", _compacted='[{"session":7}]'), "the JSON of sessions"),
    "sessions nested deeply": (setting("domain", _compacted="[" * 100_000), "the JSON of sessions"),
    "a definition nested deeply": (setting("node_type/Task", _definition="[" * 100_000), "not JSON"),
    "a name that leads elsewhere": (heading(domain="../../../escape"), "is not a valid domain name"),
    "a key in the first line": (heading(owner="me"), 'unexpected field "owner"'),
    "a piece before the first": (lambda forgery: piece(forgery).update(part=0, of=0), "part"),
    "a count below nothing": (heading(seq=-1), "seq"),
    "a fork by half": (staying(forked_at=3), "only part of"),
    "a fork from elsewhere": (staying(forked_from="../x", forked_at=1, begins_at=2), "is not a valid domain name"),
    "a compaction beyond the end": (staying(compacted_to=1_000), "does not match the lines"),
    "a number left out": (leaving_out, "has the number"),
    "a domain that is yet to be": (staying(created="9999-12-31T23:59:59Z"), "in the future"),
    "a session that is yet to be": (compaction_with(ended="9999-12-31T23:59:59Z"), "in the future"),
    "a session without a time zone": (compaction_with(began="2026-01-01T00:00:00"), "the JSON of sessions"),
    "a session before all times": (compaction_with(began="0001-01-01T00:00:00+14:00"), "the JSON of sessions"),
    "a batch that no event begins": (setting("b", _batch="evt_none"), "not the batch of the event before it"),
    "a batch that ended before": (later, "not the batch of the event before it"),
    "merges told twice": (setting("domain", _merges=f'{{"other":{MERGE},"other":{MERGE}}}'), "the JSON of merges"),
    "a definition with what is no number": (setting("node_type/Task", _definition='{"name":NaN}'), "not JSON"),
    "a definition with a name twice": (setting("node_type/Task", _definition='{"name":"A","name":"B"}'), "not JSON"),
    "a second content": (lambda forgery: piece(forgery).update(text=""), "unexpected field"),
}


@for_rows("case", FORGED)
async def test_what_no_log_can_hold_is_refused(whole: Path, tmp_path: Path, case: str) -> None:
    change, text = FORGED[case]
    forgery = Forgery(whole)
    change(forgery)
    path = forgery.write(tmp_path / "forged.jsonl")
    with pytest.raises(GraphError, match=text) as refused:
        list(Reader(path).pages(0))
    assert refused.value.code is Code.INVALID_ARCHIVE
    assert refused.value.hint
    assert len(refused.value.message) < 1_000


def told_twice(whole: Path, path: Path) -> Path:
    """Write an export whose creations tell twice, and differently, what they do."""
    lines = whole.read_bytes().splitlines(keepends=True)
    twice = [line.replace(b'"_op":"create"', b'"_op":"delete","_op":"create"') for line in lines[:-1]]
    end = json.loads(lines[-1])
    end["end"]["sha256"] = hashlib.sha256(b"".join(twice)).hexdigest()
    path.write_bytes(b"".join(twice) + json.dumps(end).encode() + b"\n")
    return path


async def test_a_line_that_tells_something_twice_is_refused(whole: Path, tmp_path: Path) -> None:
    path = told_twice(whole, tmp_path / "twice.jsonl")
    with pytest.raises(GraphError, match="is not JSON") as refused:
        list(Reader(path).pages(0))
    assert refused.value.code is Code.INVALID_ARCHIVE


async def test_the_export_that_is_forged_here_is_accepted_as_it_is(whole: Path, tmp_path: Path) -> None:
    forgery = Forgery(whole)
    forgery.renumber()
    for change in (adding("long", subject="more"), adding("bc", subject="ac", **{"from": "a", "to": "c"})):
        change(forgery)
    assert [*Reader(forgery.write(tmp_path / "same.jsonl")).pages(0)]


def files_in(folder: Path) -> list[Path]:
    """Return all files of a folder and of those in it."""
    return [path for path in folder.rglob("*") if path.is_file()]


def count_nodes(driver: Driver, domain: str) -> int:
    """Return the number of nodes of a domain."""
    result = driver.execute_query("MATCH (n) WHERE $d IN [n._domain, n._id] RETURN count(n)", d=domain)
    return result.records[0][0]


async def test_a_forged_id_never_leads_an_export_out_of_its_folder(
    memory: Memory, domain: str, whole: Path, driver: Driver, tmp_path: Path
) -> None:
    forgery = Forgery(whole)
    forgery.add(forgery.event("long"), subject="../../../escape")
    with pytest.raises(GraphError) as refused:
        await memory.transfer.import_file(forgery.write(tmp_path / "forged.jsonl"), name=domain)
    assert refused.value.code is Code.INVALID_ARCHIVE
    assert count_nodes(driver, domain) == 0
    assert not await memory._core.contents.blobs.list_blobs(domain)
    assert (await memory.transfer.import_file(whole, name=domain)).resumed is False


NASTY = (
    "",
    ".",
    "..",
    "/",
    "../../../escape",
    "..\\..\\escape",
    "/escape",
    "a/../../b",
    "a\u0000b",
    "nul",
    "CON",
    "x" * 999,
    "C:\\escape",
    "~",
    "%2e%2e%2f",
    "ä" * 300,
    "a\nb",
    ".hidden",
)


async def test_a_folder_stays_within_itself_whatever_a_hand_made_of_the_graph(
    memory: Memory, domain: str, whole: Path, driver: Driver, tmp_path: Path
) -> None:
    await memory.transfer.import_file(whole, name=domain)
    last = (await memory.history.log(limit=1)).entries[0].seq
    driver.execute_query(
        "MATCH (d:_Domain {_id: $d}) SET d._seq = $last + size($ids) "
        "WITH d UNWIND range(0, size($ids) - 1) AS n "
        "MATCH (e:_Event {_domain: $d, _subject: 'b', _op: 'create'}) "
        "CREATE (f:_Event) "
        "SET f = e {.*, _seq: $last + 1 + n, _id: 'evt_x' + n, _subject: $ids[n], _content_format: $ids[n]}",
        d=domain,
        last=last,
        ids=NASTY,
    )
    beside = tmp_path / "room" / "deep" / "er"
    beside.mkdir(parents=True)
    result = await memory.transfer.export_folder(beside / "out")
    assert result.nodes >= len(NASTY)
    files = files_in(tmp_path)
    assert all(path.is_relative_to(beside / "out") for path in files)
    assert len(files) == result.nodes + 1 + 2  # one connection has content; the registry, and the ontology


async def test_a_file_that_is_changed_while_it_is_imported_leaves_nothing(
    memory: Memory, domain: str, whole: Path, driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(shutil.copy(whole, tmp_path / "a.jsonl"))
    begin = importing.jobs.begin

    async def begin_import(*args: Any, **rest: Any) -> Any:
        forgery = Forgery(path)
        forgery.event("a", "update")["state"] = "open"
        forgery.write(path)
        return await begin(*args, **rest)

    monkeypatch.setattr(importing.jobs, "begin", begin_import)
    with pytest.raises(GraphError, match="changed while") as refused:
        await memory.transfer.import_file(path, name=domain)
    assert refused.value.code is Code.INVALID_ARCHIVE
    monkeypatch.undo()
    assert count_nodes(driver, domain) == 0
    assert not await memory._core.contents.blobs.list_blobs(domain)
    assert (await memory.transfer.import_file(whole, name=domain)).resumed is False


VALUES = st.sampled_from(
    (
        None,
        True,
        0,
        -1,
        1,
        3,
        2**53,
        2**63,
        1.5,
        "",
        "a",
        "b",
        "../x",
        "domain",
        "node_type/Task",
        "x" * 300,
        "\u0000",
        "2001-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "evt_1",
        "update",
        "delete",
        "create",
        "snapshot",
        "connection",
        "node",
        "Task",
        "Person",
        "DependsOn",
        "utf-8",
        "base64",
        "agent",
        [],
        ["t"],
        ["*"],
        {"time": "2020-01-01T00:00:00Z"},
        {},
        "{}",
        "[]",
        "null",
    )
)
KEYS = st.sampled_from(
    (
        "_seq",
        "_id",
        "_op",
        "_kind",
        "_subject",
        "_type",
        "_from",
        "_to",
        "_prev",
        "_at",
        "_batch",
        "_source",
        "_session",
        "_actor",
        "_erased",
        "_was",
        "_request",
        "_refused",
        "_snapshot_of",
        "_created",
        "_modified",
        "_title",
        "_tags",
        "_path",
        "_valid_from",
        "_valid_to",
        "_content_format",
        "_content_encoding",
        "_content_size",
        "_content_sha256",
        "_text",
        "_time",
        "_origin",
        "_confidence",
        "_name",
        "_definition",
        "_description",
        "_required_properties",
        "_from_types",
        "_to_types",
        "_open",
        "_merges",
        "_compacted",
        "_compacted_to",
        "_forked_from",
        "_version",
        "_x",
        "state",
        "code",
    )
)
PLACES = st.integers(0, 60)
STEPS = st.one_of(
    st.tuples(st.just("set"), PLACES, KEYS, VALUES),
    st.tuples(st.just("take"), PLACES, KEYS),
    st.tuples(st.just("copy"), PLACES, PLACES),
    st.tuples(st.just("drop"), PLACES),
    st.tuples(st.just("swap"), PLACES, PLACES),
    st.tuples(st.just("move"), PLACES, PLACES, KEYS),
)


def mutate(forgery: Forgery, step: tuple[Any, ...]) -> None:
    """Change one thing of an export."""
    lines, events = forgery.lines, forgery.events
    event, line = events[step[1] % len(events)], step[1] % len(lines)
    match step[0]:
        case "set":
            event[step[2]] = step[3]
        case "take":
            event.pop(step[2], None)
        case "copy":
            forgery.add(event, subject=f"n{step[2]}", batch="evt_same")
        case "drop":
            del lines[line]
        case "swap":
            other = step[2] % len(lines)
            lines[line], lines[other] = lines[other], lines[line]
        case _:
            other = events[step[2] % len(events)]
            if step[3] in other:
                event[step[3]] = other[step[3]]


def refusal(path: Path) -> Code | None:
    """Read a file to its end, as an import does before it writes anything, and return why it is refused."""
    try:
        list(Reader(path).pages(1_000))
    except GraphError as refused:
        return refused.code
    return None


@pytest.mark.long
@profile(examples=60)
@given(steps=st.lists(STEPS, min_size=1, max_size=3), renumbers=st.booleans())
async def test_whatever_is_changed_it_is_refused_by_its_line_or_can_be_lived_with(
    shared_memory: Memory, whole: Path, tmp_path_factory: pytest.TempPathFactory, steps: Any, renumbers: bool
) -> None:
    forgery, domain = Forgery(whole), f"test-{uuid4().hex[:20]}"
    for step in steps:
        mutate(forgery, step)
    if renumbers:
        forgery.renumber()
    room = tmp_path_factory.mktemp("mutated")
    memory = shared_memory.in_domain(domain)
    path = forgery.write(room / "mutated.jsonl")
    if (refused := refusal(path)) is not None:
        assert refused is Code.INVALID_ARCHIVE
        return
    await memory.transfer.import_file(path, name=domain)
    assert not (await memory.upkeep.verify()).differences
    await memory.transfer.export_file(room / "again.jsonl")
    (room / "deep").mkdir()
    await memory.transfer.export_folder(room / "deep" / "out")
    assert {path.name for path in room.iterdir()} == {"mutated.jsonl", "again.jsonl", "deep"}
    assert [path.name for path in (room / "deep").iterdir()] == ["out"]
    assert [*Reader(room / "again.jsonl").pages(0)]
    await memory.delete_domain(domain)
