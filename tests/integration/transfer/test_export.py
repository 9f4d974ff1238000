"""Exporting a domain and importing it: the same log to the letter, and the same graph."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, NodeType, Settings, ontology_from, open_memory
from graph_memory.memory.transfer.archive import export, importing
from graph_memory.memory.transfer.archive.format import PIECE
from graph_memory.memory.transfer.archive.reader import Reader
from integration.branches.test_branch import LARGE, contents, fill
from support import exists
from tables import for_rows

pytestmark = pytest.mark.anyio

FIELDS: dict[str, Any] = {
    "namespace": "n",
    "title": "Größe, here",
    "content_summary": "a\nb",
    "metadata": {"b": [None, 1.0, {"ß": False}], "a": "x"},
}


async def live(memory: Memory, domain: str) -> None:
    """Fill a domain with all kinds of subjects, and change, delete and restore some."""
    ids = await fill(memory, domain)
    await memory.update_node(ids[0], content="something else", encoding="utf-8", properties={"rank": 9, "x": 1.0})
    await memory.update_node(
        ids[1], tags=["a", "b"], path="work/kitchen", **FIELDS, properties={"on": True, "ünï": "„x“\u2028"}
    )
    await memory.delete_node(ids[2])
    before = (await memory.history.log(limit=1)).entries[0].seq
    await memory.delete_node(ids[3])
    await memory.history.revert(since=before + 1)
    await memory.create_node("Task", bytes(range(256)) * 9_000, encoding="base64", format="bin", id="huge")
    await memory.create_node("Task", "", id="empty")
    await memory.create_node("Task", b"", encoding="base64", id="nothing")
    await memory.create_node("Task", "word " * 210_000, id="long")
    await memory.create_node("Task", LARGE, id="again")


def events_of(driver: Driver, domain: str) -> list[dict[str, Any]]:
    """Return the events of a domain's log, without its name."""
    result = driver.execute_query(
        "MATCH (e:_Event {_domain: $d}) RETURN e {.*, _domain: null} AS e ORDER BY e._seq", d=domain
    )
    return [record["e"] for record in result.records]


def files_in(folder: Path) -> set[str]:
    """Return the names of the files in a folder."""
    return {path.name for path in folder.iterdir()}


def lines_without_times(path: Path) -> list[bytes]:
    """Return the lines of an export that say nothing of when it was made, or under which name."""
    lines = path.read_bytes().splitlines(keepends=True)
    header = json.loads(lines[0])
    return [json.dumps({**header, "exported": "", "domain": ""}).encode(), *lines[1:-1]]


def rewritten(path: Path, change: Any) -> None:
    """Change the lines of an export, and give it the last line that it should then have."""
    lines = path.read_bytes().splitlines(keepends=True)
    end = json.loads(lines[-1])
    body = change(lines[:-1])
    end["end"]["sha256"] = hashlib.sha256(b"".join(body)).hexdigest()
    path.write_bytes(b"".join([*body, json.dumps(end).encode() + b"\n"]))


@pytest.mark.parametrize("name", ["all.jsonl", pytest.param("all.jsonl.gz", marks=pytest.mark.long)])
async def test_what_is_imported_is_the_same_to_the_letter(
    memory: Memory, domain: str, driver: Driver, tmp_path: Path, name: str
) -> None:
    await live(memory, domain)
    result = await memory.transfer.export_file(tmp_path / name)
    copy = memory.in_domain(f"{domain}-copy")
    made = await copy.transfer.import_file(tmp_path / name, name=f"{domain}-copy")
    assert (made.events, made.seq, made.resumed, made.forked_from) == (result.events, result.seq, False, None)
    assert events_of(driver, f"{domain}-copy") == events_of(driver, domain)
    assert await contents(copy) == await contents(memory)
    verification = await copy.upkeep.verify()
    assert not verification.differences
    assert verification.events == result.events
    again = await copy.transfer.export_file(str(tmp_path / "again.jsonl"))
    first = tmp_path / "first.jsonl"
    first.write_bytes(
        gzip.decompress((tmp_path / name).read_bytes()) if name.endswith("gz") else (tmp_path / name).read_bytes()
    )
    assert lines_without_times(tmp_path / "again.jsonl") == lines_without_times(first)
    assert (again.events, again.contents) == (result.events, result.contents)
    assert files_in(tmp_path) == {name, "again.jsonl", "first.jsonl"}


@pytest.mark.long
async def test_an_imported_domain_can_be_worked_in(memory: Memory, domain: str, tmp_path: Path) -> None:
    ids = await fill(memory, domain)
    await memory.transfer.export_file(tmp_path / "a.jsonl")
    copy = memory.in_domain(f"{domain}-copy")
    await copy.transfer.import_file(tmp_path / "a.jsonl", name=f"{domain}-copy")
    with pytest.raises(GraphError) as taken:
        await copy.create_node("Note", "one more", properties={"code": 3})
    assert taken.value.code is Code.UNIQUE_PROPERTY_TAKEN
    before = (await copy.history.log(limit=1)).entries[0].seq
    await copy.update_node(ids[0], properties={"rank": 40})
    await copy.create_connection("Link", ids[0], ids[1], properties={"key": 100})
    assert (await (await copy.history.as_of(before)).get_node(ids[0])).properties["rank"] == 0
    assert not (await copy.upkeep.verify()).differences
    assert not (await copy.history.revert(since=before + 1)).skipped


async def test_a_name_that_is_taken_is_refused(memory: Memory, domain: str, tmp_path: Path) -> None:
    await fill(memory, domain, 2)
    await memory.transfer.export_file(tmp_path / "a.jsonl")
    with pytest.raises(GraphError) as caught:
        await memory.transfer.import_file(tmp_path / "a.jsonl")
    assert caught.value.code is Code.DOMAIN_ALREADY_EXISTS
    await memory.delete_domain(domain)
    assert (await memory.transfer.import_file(tmp_path / "a.jsonl")).domain == domain
    assert not (await memory.upkeep.verify()).differences


async def test_a_text_that_is_too_large_to_be_searched_is_not_imported(
    memory: Memory, settings: Settings, domain: str, tmp_path: Path
) -> None:
    await fill(memory, domain, 2)
    await memory.create_node("Task", "x" * 1001)
    await memory.transfer.export_file(tmp_path / "a.jsonl")
    async with open_memory(settings.model_copy(update={"text_content_bytes": 1000})) as strict:
        with pytest.raises(GraphError) as caught:
            await strict.transfer.import_file(tmp_path / "a.jsonl", name=f"{domain}-copy")
    assert caught.value.code is Code.CONTENT_TOO_LARGE
    assert not await exists(memory, f"{domain}-copy")


@pytest.mark.long
async def test_a_branch_has_its_past_where_its_source_is(memory: Memory, domain: str, tmp_path: Path) -> None:
    ids = await fill(memory, domain)
    fork = (await memory.history.log(limit=1)).entries[0].seq
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b")).domain)
    await branch.update_node(ids[0], properties={"rank": 6})
    await branch.transfer.export_file(tmp_path / "b.jsonl")
    header = json.loads((tmp_path / "b.jsonl").read_text().splitlines()[0])
    assert (header["state"]["_forked_from"], header["state"]["_forked_at"]) == (domain, fork)

    made = await memory.transfer.import_file(tmp_path / "b.jsonl", name=f"{domain}-c")
    assert made.forked_from == domain
    copy = memory.in_domain(f"{domain}-c")
    assert (await (await copy.history.as_of(fork)).get_node(ids[0])).properties["rank"] == 0
    assert (await copy.history.log(limit=1_000)).entries == (await branch.history.log(limit=1_000)).entries


@pytest.mark.long
async def test_a_branch_whose_source_is_not_there_has_no_past_before_the_fork(
    memory: Memory, domain: str, driver: Driver, tmp_path: Path
) -> None:
    ids = await fill(memory, domain)
    fork = (await memory.history.log(limit=1)).entries[0].seq
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b")).domain)
    changed = await branch.update_node(ids[0], properties={"rank": 6})
    before = await contents(branch)
    events = events_of(driver, f"{domain}-b")
    await branch.transfer.export_file(tmp_path / "b.jsonl")
    await memory.delete_domain(f"{domain}-b")
    await memory.delete_domain(domain)
    await fill(memory, domain)  # one of the same name, which is another

    assert (await memory.transfer.import_file(tmp_path / "b.jsonl")).forked_from is None
    assert events_of(driver, f"{domain}-b") == events
    assert await contents(branch) == before
    assert not (await branch.upkeep.verify()).differences
    assert [entry.seq for entry in (await branch.history.log(limit=1_000)).entries] == [
        changed.version,
        changed.version - 1,
    ]
    with pytest.raises(GraphError, match="was imported without") as before_the_fork:
        await branch.history.as_of(fork - 1)
    assert before_the_fork.value.details["compacted_to"] == fork
    assert (await (await branch.history.as_of(fork)).get_node(ids[0])).properties["rank"] == 0
    await branch.transfer.export_file(tmp_path / "again.jsonl")
    assert lines_without_times(tmp_path / "again.jsonl") == lines_without_times(tmp_path / "b.jsonl")
    await branch.update_node(ids[0], properties={"rank": 60})
    assert not (await branch.upkeep.verify()).differences


class Cut(Exception):  # noqa: N818
    """The error that ends an import in the middle."""


@pytest.mark.long
async def test_an_import_that_was_cut_off_goes_on(
    memory: Memory, domain: str, driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await live(memory, domain)
    await memory.transfer.export_file(tmp_path / "a.jsonl")
    copy = memory.in_domain(f"{domain}-copy")
    monkeypatch.setattr("graph_memory.memory.transfer.archive.reader.PAGE", 7)
    monkeypatch.setattr(importing, "SUBJECTS", 6)
    steps, cuts = 0, 0

    async def cut(*_: object) -> None:
        nonlocal steps
        steps += 1
        if steps == cuts:
            raise Cut

    step = importing.jobs.Job.step

    async def step_or_cut(self: Any, then: Any, *work: Any) -> None:
        await step(self, then, *work)
        await cut()

    monkeypatch.setattr(importing.jobs.Job, "step", step_or_cut)
    resumed = 0
    while True:
        steps, cuts = 0, 3
        try:
            made = await copy.transfer.import_file(tmp_path / "a.jsonl", name=f"{domain}-copy")
        except Cut:
            resumed += 1
            with pytest.raises(GraphError) as busy:
                await copy.create_node("Note", "too early")
            assert (busy.value.code, busy.value.details["state"]) == (Code.DOMAIN_BUSY, "importing")
            continue
        break
    assert resumed > 5
    assert made.resumed
    assert events_of(driver, f"{domain}-copy") == events_of(driver, domain)
    verification = await copy.upkeep.verify()
    assert not verification.differences
    info = await copy.domain_info()
    assert made.subjects == info.nodes + info.connections + 1
    assert await contents(copy) == await contents(memory)


@pytest.mark.long
async def test_an_import_that_was_cut_off_can_be_deleted(
    memory: Memory, domain: str, driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(memory, domain, 3)
    await memory.transfer.export_file(tmp_path / "a.jsonl")
    with monkeypatch.context() as patched:
        patched.setattr(importing, "read_logged_types", None)
        with pytest.raises(TypeError):
            await memory.transfer.import_file(tmp_path / "a.jsonl", name=f"{domain}-copy")
    await memory.transfer.export_file(tmp_path / "other.jsonl")
    with pytest.raises(GraphError) as other:
        await memory.transfer.import_file(tmp_path / "other.jsonl", name=f"{domain}-copy")
    assert other.value.code is Code.DOMAIN_BUSY
    with pytest.raises(GraphError) as early:
        await memory.transfer.export_file(tmp_path / "early.jsonl", domain=f"{domain}-copy")
    assert early.value.code is Code.DOMAIN_BUSY
    await memory.delete_domain(f"{domain}-copy")
    left = driver.execute_query("MATCH (n) WHERE $d IN [n._domain, n._id] RETURN count(n)", d=f"{domain}-copy")
    assert left.records[0][0] == 0
    assert (await memory.transfer.import_file(tmp_path / "a.jsonl", name=f"{domain}-copy")).resumed is False


def without(key: str) -> Any:
    """Return a change that takes a key from the event of the fifth line."""

    def change(lines: list[bytes]) -> list[bytes]:
        event = json.loads(lines[4])
        del event["event"][key]
        return [*lines[:4], json.dumps(event).encode() + b"\n", *lines[5:]]

    return change


def at(line: int, old: bytes, new: bytes) -> Any:
    """Return a change of a line."""

    def change(lines: list[bytes]) -> list[bytes]:
        assert old in lines[line - 1]
        return [*lines[: line - 1], lines[line - 1].replace(old, new), *lines[line:]]

    return change


HARM: Mapping[str, tuple[Any, int | None, str]] = {
    "one of a newer format": (at(1, b'"version":1', b'"version":2'), 1, "has format version 2"),
    "none": (lambda _: [b'{"nodes":[]}\n'], 1, "not an export"),
    "a line lost": (lambda lines: [*lines[:4], *lines[5:]], None, "the event before it has 3"),
    "two lines swapped": (
        lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]],
        3,
        "the event before it has 1",
    ),
    "not JSON": (at(3, b'{"event"', b'{"event'), 3, "not JSON"),
    "half a character pair": (at(4, b"node_type", b"\\ud800"), 4, "not JSON"),
    "a list for a line": (lambda lines: [*lines[:3], b"[]\n", *lines[4:]], 4, "not a JSON object"),
    "an event without its time": (without("_at"), 5, "_at"),
    "an event without its id": (without("_id"), 5, "_id"),
    "a time that is none": (at(3, b'"_at":"20', b'"_at":"X'), 3, "must be a time with a zone"),
    "an unknown operation": (at(3, b'"_op":"create"', b'"_op":"evade"'), 3, "evade"),
    "a type that nobody declared": (at(8, b'"_type":"Note"', b'"_type":"Nota"'), 8, "Nota"),
    "a type of the service": (at(4, b"Note", b"_Event"), 4, "is invalid: "),
    "a property of the service": (at(8, b'"code":0', b'"__":0'), 8, "__"),
    "a property that is a list": (at(8, b'"code":0', b'"code":["x"]'), 8, "is invalid: "),
    "a definition that is no JSON": (at(4, b'"_definition":"{', b'"_definition":"{x'), 4, "not JSON"),
    "a definition that is a list": (
        at(4, b'"_definition":"{', b'"_definition":"[]","_description":"{'),
        4,
        "is invalid: ",
    ),
    "a type that is deleted with a definition": (
        at(4, b'"_op":"create"', b'"_op":"delete"'),
        4,
        "unexpected field",
    ),
    "a time before all times": (
        at(3, b'"_at":"20', b'"_at":"0001-01-01T00:00:00+14:00","_x":"'),
        3,
        "must be a time with a zone",
    ),
    "a fork that is no number": (at(1, b'"state":{', b'"state":{"_forked_at":"x",'), 1, "_forked_at"),
    "a hash that is none": (at(8, b'"_content_sha256":"', b'"_content_sha256":"x'), 8, "must be a SHA-256"),
    "a text of another hash": (at(7, b'"text":"text 0"', b'"text":"text 1"'), 7, "SHA-256"),
    "a second first line": (lambda lines: [*lines[:3], lines[0], *lines[3:]], 4, "not a valid line"),
    "another number of events": (at(1, b'"events":', b'"events":1'), None, "does not match the lines"),
}


@pytest.fixture
async def export_small(memory: Memory, domain: str, tmp_path: Path) -> bytes:
    """Return the bytes of the file of a small domain."""
    await fill(memory, domain, 1)
    await memory.transfer.export_file(tmp_path / "a.jsonl")
    return (tmp_path / "a.jsonl").read_bytes()


@for_rows("harm", HARM)
async def test_a_file_that_was_changed_is_refused_by_its_line_and_nothing_is_written(
    memory: Memory, domain: str, tmp_path: Path, export_small: bytes, harm: str
) -> None:
    change, line, text = HARM[harm]
    path = tmp_path / "harmed.jsonl"
    path.write_bytes(export_small)
    rewritten(path, change)
    await check_refusal(memory, domain, path, line, text)


async def check_refusal(memory: Memory, domain: str, path: Path, line: int | None, text: str) -> None:
    """Import a file that is at fault, which says so and writes nothing."""
    with pytest.raises(GraphError, match=text) as fault:
        await memory.transfer.import_file(path, name=f"{domain}-copy")
    assert fault.value.code is Code.INVALID_ARCHIVE
    assert fault.value.hint
    assert line in (None, fault.value.details["line"])
    assert not await exists(memory, f"{domain}-copy")


async def test_a_file_that_was_cut_or_damaged_is_refused(
    memory: Memory, domain: str, driver: Driver, export_small: bytes, tmp_path: Path
) -> None:
    packed = tmp_path / "a.jsonl.gz"
    await memory.transfer.export_file(packed)
    lines = export_small.splitlines(keepends=True)
    for text, data in (
        ("ends after line", b"".join(lines[:-1])),
        ("ends after line", b"".join(lines)[:-40]),
        ("ends after line", b"".join(lines[:9])),
        ("SHA-256", b"".join(lines).replace(b'"_actor":"', b'"_actor":"x').replace(b"chat", b"chap")),
        ("after the last", b"".join([*lines, lines[-1]])),
        ("not an export", b""),
        ("ends after line", packed.read_bytes()[:-200]),
        ("Line 2|ends after line", packed.read_bytes()[:300] + b"\x00" + packed.read_bytes()[301:]),
    ):
        (tmp_path / "bad").write_bytes(data)
        await check_refusal(memory, domain, tmp_path / "bad", None, text)
    left = driver.execute_query("MATCH (n) WHERE $d IN [n._domain, n._id] RETURN count(n)", d=f"{domain}-copy")
    assert left.records[0][0] == 0


@pytest.mark.long
@pytest.mark.parametrize("is_sealed", [False, True], ids=["as it is", "with a last line that fits"])
async def test_whatever_byte_is_damaged_the_file_is_refused_or_read(
    memory: Memory, tmp_path: Path, is_sealed: bool
) -> None:
    types = {"node_types": ["Note"], "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]}
    await memory.create_ontology(ontology_from(types))
    await memory.create_node("Note", "one", id="a")
    await memory.create_connection("Link", "a", "a", content="note")
    path, rng = tmp_path / "a.jsonl", random.Random(5)
    await memory.transfer.export_file(path)
    whole = path.read_bytes()
    last = whole.rindex(b"\n", 0, -1)
    for place in range(last if is_sealed else len(whole)):
        byte = whole[place] ^ 1 << rng.randrange(8)
        path.write_bytes(whole[:place] + bytes([byte]) + whole[place + 1 :])
        if is_sealed:
            rewritten(path, lambda lines: lines)
        code = refusal(path)
        assert code is Code.INVALID_ARCHIVE or (is_sealed and code is None)


def refusal(path: Path) -> Code | None:
    """Read a file to its end, and return why it is refused."""
    try:
        list(Reader(path).pages(0))
    except GraphError as check_refusal:
        return check_refusal.code
    return None


@pytest.mark.long
async def test_a_log_with_all_that_a_log_may_do_is_imported(memory: Memory, domain: str, tmp_path: Path) -> None:
    ids = await fill(memory, domain, 3)
    added = await memory.add_node_type(NodeType("Late"))
    await memory.create_node("Late", "soon gone", id="late", tags=["t"])
    await memory.history.revert(since=added.version)
    await memory.add_node_type(NodeType("Late", description="another"))
    before = (await memory.create_node("Late", "here to stay")).version
    await memory.delete_node(ids[2])
    await memory.history.revert(since=before + 1)
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b")).domain)
    await branch.update_node(ids[0], tags=[])
    await branch.create_connection("Link", ids[0], ids[1], properties={"key": 99})
    await branch.delete_node(ids[1])
    await memory.history.merge(f"{domain}-b")
    await memory.history.erase(ids[0])
    for domain_memory in (memory, branch):
        await domain_memory.transfer.export_file(tmp_path / "a.jsonl")
        copy = memory.in_domain(
            (await domain_memory.transfer.import_file(tmp_path / "a.jsonl", name=f"{domain}-copy")).domain
        )
        assert await contents(copy) == await contents(domain_memory)
        assert not (await copy.upkeep.verify()).differences
        await memory.delete_domain(f"{domain}-copy")
        seq = (await domain_memory.history.log(limit=1)).entries[0].seq
        await domain_memory.history.compact(seq, archive=tmp_path / f"{(await domain_memory.domain_info()).name}.jsonl")
        await domain_memory.transfer.export_file(tmp_path / "a.jsonl")
        await memory.transfer.import_file(tmp_path / "a.jsonl", name=f"{domain}-copy")
        await memory.delete_domain(f"{domain}-copy")
        await memory.transfer.import_file(
            tmp_path / f"{(await domain_memory.domain_info()).name}.jsonl", name=f"{domain}-copy"
        )
        await memory.delete_domain(f"{domain}-copy")


async def test_nothing_is_left_of_an_export_that_fails(memory: Memory, domain: str, tmp_path: Path) -> None:
    with pytest.raises(GraphError) as missing:
        await memory.transfer.export_file(tmp_path / "a.jsonl")
    assert missing.value.code is Code.ONTOLOGY_NOT_FOUND
    ids = await fill(memory, domain, 1)
    blobs = memory._core.contents.blobs
    for blob in await blobs.list_blobs(domain):
        await blobs.delete(domain, blob.name)
    (tmp_path / "a.jsonl").write_text("an older one")
    with pytest.raises(GraphError) as lost:
        await memory.transfer.export_file(tmp_path / "a.jsonl")
    assert lost.value.code is Code.CONTENT_READ_FAILED
    with pytest.raises(GraphError) as nowhere:
        await memory.transfer.export_file(tmp_path / "no" / "a.jsonl")
    assert nowhere.value.code is Code.FILE_CREATION_FAILED
    assert files_in(tmp_path) == {"a.jsonl"}
    assert (tmp_path / "a.jsonl").read_text() == "an older one"
    assert ids


async def test_an_export_goes_to_a_stream_as_well(memory: Memory, domain: str, tmp_path: Path) -> None:
    await fill(memory, domain, 1)
    pairs: list[tuple[str, float | None]] = []
    stream = io.BytesIO()
    done = await memory.transfer.export_file(stream, progress=lambda stage, fraction: pairs.append((stage, fraction)))
    (tmp_path / "a.jsonl").write_bytes(stream.getvalue())
    body, _, end = stream.getvalue().rstrip(b"\n").rpartition(b"\n")
    assert json.loads(end)["end"]["sha256"] == done.sha256 == hashlib.sha256(body + b"\n").hexdigest()
    assert pairs[-1] == ("Exporting", 1.0)
    await memory.transfer.import_file(
        tmp_path / "a.jsonl", name=f"{domain}-copy", progress=lambda *arguments: pairs.append(arguments)
    )
    assert {stage for stage, _ in pairs} == {"Exporting", "Checking", "Importing the log", "Building the graph"}
    assert pairs[-1][1] == 1.0


@pytest.mark.long
async def test_a_text_that_is_not_remembered_as_written_is_written_again(
    memory: Memory, domain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(memory, domain, 2)
    for place in range(24):
        await memory.create_node("Task", f"text {place * place % 5 % 3}")
    monkeypatch.setattr(export, "REMEMBERED", 1)
    monkeypatch.setattr(export, "PAGE", 5)
    result = await memory.transfer.export_file(tmp_path / "a.jsonl")
    assert result.contents > 5
    copy = memory.in_domain(f"{domain}-copy")
    await copy.transfer.import_file(tmp_path / "a.jsonl", name=f"{domain}-copy")
    assert await contents(copy) == await contents(memory)


async def test_content_of_several_pieces_comes_back_whole(memory: Memory, domain: str, tmp_path: Path) -> None:
    types = {"node_types": ["Note"], "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]}
    await memory.create_ontology(ontology_from(types))
    data = bytes(range(256)) * (PIECE // 256 * 2) + b"!"
    await memory.create_node("Note", data, encoding="base64", id="big")
    await memory.create_node("Note", data[:PIECE], encoding="base64", id="one")
    await memory.transfer.export_file(tmp_path / "a.jsonl")
    parts = [json.loads(line) for line in (tmp_path / "a.jsonl").read_bytes().splitlines() if b'"part"' in line]
    assert [(part["part"], part["of"]) for part in parts] == [(1, 3), (2, 3), (3, 3), (1, 1)]
    copy = memory.in_domain((await memory.transfer.import_file(tmp_path / "a.jsonl", name=f"{domain}-c")).domain)
    for node in ("big", "one"):
        assert await copy.get_node_content(node) == await memory.get_node_content(node)


@pytest.mark.long
async def test_what_was_compacted_and_erased_comes_back_as_it_is(
    memory: Memory, domain: str, driver: Driver, tmp_path: Path
) -> None:
    ids = await fill(memory, domain)
    for number in range(5):
        await memory.update_node(ids[1], properties={"rank": number + 10})
    await memory.delete_node(ids[3])
    at = (await memory.history.log(limit=1)).entries[0].seq
    await memory.update_node(ids[1], properties={"rank": 50})
    await memory.history.erase(ids[0])
    await memory.history.compact(at - 1, archive=tmp_path / "gone.jsonl.gz")
    await memory.update_node(ids[1], properties={"rank": 51})
    await memory.history.erase(ids[4])
    await memory.transfer.export_file(tmp_path / "a.jsonl")
    copy = memory.in_domain((await memory.transfer.import_file(tmp_path / "a.jsonl", name=f"{domain}-copy")).domain)
    assert events_of(driver, f"{domain}-copy") == events_of(driver, domain)
    assert await contents(copy) == await contents(memory)
    assert not (await copy.upkeep.verify()).differences
    with pytest.raises(GraphError) as raised:
        await copy.history.as_of(2)
    assert raised.value.code is Code.HISTORY_COMPACTED


@pytest.mark.long
async def test_a_branch_without_its_source_stays_so_when_something_is_merged_into_it(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    ids = await fill(memory, domain, 3)
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b")).domain)
    await branch.transfer.export_file(tmp_path / "b.jsonl")
    for name in (f"{domain}-b", domain):
        await memory.delete_domain(name)
    await memory.transfer.import_file(tmp_path / "b.jsonl")
    other = memory.in_domain((await branch.history.branch(f"{domain}-c")).domain)
    await other.update_node(ids[0], properties={"rank": 70})
    await branch.history.merge(f"{domain}-c")
    assert (await branch.get_node(ids[0])).properties["rank"] == 70
    assert (await branch.domain_info()).forked_from is None
    assert (await branch.history.log(limit=1_000)).entries
    assert not (await branch.upkeep.verify()).differences
