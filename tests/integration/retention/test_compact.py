"""Compacting: what can be read from a point on stays as it was, and what was before goes into an archive."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, Settings, open_memory
from graph_memory.memory.retention import archive_file, compaction
from graph_memory.model.events import Origin
from integration.history.test_past import ONTOLOGY, World, everything
from integration.retention.test_erase import CutError, cut_off, is_clean, refusal
from profiles import some
from support import last, observe

pytestmark = pytest.mark.anyio

LARGE = "a longer text that only compaction takes away " * 4_000


@pytest.mark.long
@pytest.mark.parametrize("seed", some(range(2)))
async def test_every_read_from_the_point_on_is_what_it_was(memory: Memory, seed: int, tmp_path: Path) -> None:
    await memory.create_ontology(ONTOLOGY)
    world = World(memory, random.Random(seed), [], [])
    then: dict[int, dict[str, Any]] = {}
    for turn in range(24):
        await world.write()
        if turn % 3 == 0:
            then[await last(memory)] = await everything(memory, list(world.nodes), list(world.links))
    cut = sorted(then)[3]
    end = await last(memory)
    log = (await memory.history.log(since=cut + 1, full=True, limit=1_000)).entries
    diffs = {at: (await memory.history.diff(since=at, until=end, content=True)).to_dict() for at in then if at >= cut}

    done = await memory.history.compact(cut, archive=tmp_path / "a.jsonl.gz")
    assert (done.compacted_to, await last(memory)) == (cut, end + 1)
    assert await is_clean(memory)
    for at, expected in then.items():
        if at < cut:
            assert (await refusal(memory.history.as_of(at))).code is Code.HISTORY_COMPACTED
            continue
        nodes = [name for name in expected if name.startswith("mem_") and " " not in name]
        links = [name for name in expected if name.startswith("conn_")]
        assert await everything(await memory.history.as_of(at), nodes, links) == expected
    for at, diff in diffs.items():
        assert (await memory.history.diff(since=at, until=end, content=True)).to_dict() == diff
    assert (await memory.history.log(since=cut + 1, until=end, full=True, limit=1_000)).entries == log
    assert (await memory.history.log(full=True, limit=1_000)).entries[1:] == log
    branch = memory.in_domain((await memory.history.branch(f"{done.domain}-b", at=cut)).domain)
    assert (await branch.query_nodes()).node_ids == then[cut]["all"]
    for _ in range(6):
        await world.write()
    await memory.history.revert(since=cut + 1, on_conflict="skip")
    again = await memory.history.compact(await last(memory), archive=tmp_path / "b.jsonl.gz")
    assert again.events > 0
    assert await is_clean(memory, branch)


async def fill(memory: Memory) -> tuple[str, str, int]:
    """Return a changed node, a deleted node, and the number of the event before the last change."""
    await memory.create_ontology(ONTOLOGY)
    node = (await memory.create_node("Note", "one", properties={"rank": 1})).node_id
    text = (await memory.create_node("Note", LARGE)).node_id
    await memory.create_connection("Link", node, text, content="why")
    await memory.update_node(node, content="two", encoding="utf-8")
    await memory.update_node(node, content="three", encoding="utf-8", properties={"rank": 2})
    await memory.delete_node(text)
    cut = await last(memory)
    await memory.update_node(node, properties={"rank": 3})
    return node, text, cut


@pytest.mark.long
async def test_every_way_to_an_earlier_point_says_that_it_was_compacted(memory: Memory) -> None:
    node, text, cut = await fill(memory)
    _, version, *_, created = (await memory.history.log(subject=node)).entries
    await memory.history.compact(cut)
    history, early = memory.history, cut - 1
    for ask in (
        lambda: history.as_of(early),
        lambda: history.as_of(created.id),
        lambda: history.as_of("2020-01-01"),
        lambda: history.diff(since=early),
        lambda: history.log(since=early),
        lambda: history.log(until=cut),
        lambda: history.sessions(since=early),
        lambda: history.revert(since=early),
        lambda: history.revert(event_ids=[created.id]),
        lambda: history.revert(event_ids=[version.id]),
        lambda: history.branch("anew", at=early),
        lambda: history.compact(early),
    ):
        error = await refusal(ask())
        assert error.code is Code.HISTORY_COMPACTED
        assert error.details["compacted_to"] == cut
    entries = (await history.log()).entries
    assert [entry.summary for entry in entries] == [f"Compacted up to {cut}", 'Note "three": rank 2 → 3']
    assert entries[0].operation == "update"
    assert (await (await history.as_of(cut)).get_node(node)).properties == {"rank": 2}
    assert (await refusal((await history.as_of(cut)).get_node(text))).code is Code.NODE_NOT_FOUND
    await history.revert(since=cut + 1, until=cut + 1)
    assert (await memory.get_node(node)).properties == {"rank": 2}
    assert await is_clean(memory)


async def test_a_time_at_the_point_leads_to_it(memory: Memory) -> None:
    node, _, cut = await fill(memory)
    at = next(entry.at for entry in (await memory.history.log(limit=50)).entries if entry.seq == cut)
    done = await memory.history.compact(at.isoformat())
    assert done.compacted_to == cut
    assert (await memory.history.as_of(at.isoformat())).seq == cut
    assert (await (await memory.history.as_of(at.isoformat())).get_node(node)).properties == {"rank": 2}


async def test_the_archive_holds_every_event_and_content_and_can_be_checked(memory: Memory, tmp_path: Path) -> None:
    node, _, cut = await fill(memory)
    before = (await memory.history.log(until=cut, limit=100)).entries
    path = tmp_path / "deep" / "a.jsonl.gz"
    done = await memory.history.compact(cut, archive=path)
    assert done.archive == str(path)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    results = [json.loads(line) for line in lines]
    assert (results[0]["format"], results[0]["domain"], results[0]["seq"]) == ("graph-memory log", done.domain, cut)
    assert results[-1]["end"] == {
        "events": cut,
        "contents": 5,
        "sha256": hashlib.sha256(b"".join(lines[:-1])).hexdigest(),
    }
    events = [line["event"] for line in results if "event" in line]
    assert [(e["_seq"], e["_id"], e["_op"]) for e in events] == [(e.seq, e.id, e.operation) for e in reversed(before)]
    contents = {line["content"]: line["text"] for line in results if "content" in line}
    assert {e["_content_sha256"] for e in events if "_content_sha256" in e} == set(contents)
    assert set(contents.values()) == {"one", "two", "three", "why", LARGE}
    assert (await refusal(memory.history.compact(await last(memory), archive=path))).code is Code.FILE_CREATION_FAILED
    assert (await memory.update_node(node, properties={"rank": 7})).version > 0


@pytest.mark.long
async def test_an_archive_can_be_imported_as_the_domain_was_at_the_point(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    """Also that of a second compaction, to a point before the first had told of itself."""
    node, text, cut = await fill(memory)
    late = await last(memory)
    whole = await everything(memory, [node], [])
    early = await everything(await memory.history.as_of(cut), [node, text], [])
    for name, point in (("first", cut), ("second", late)):
        path = tmp_path / f"{name}.jsonl.gz"
        await memory.history.compact(point, archive=path)
        copy = memory.in_domain((await memory.transfer.import_file(path, name=f"{domain}-{name}")).domain)
        if name == "first":
            assert await everything(copy, [node, text], []) == early
            assert node in (await (await copy.history.as_of(cut - 2)).query_nodes()).node_ids
        else:
            assert await everything(copy, [node], []) == whole
            assert (await refusal(copy.history.as_of(cut - 1))).code is Code.HISTORY_COMPACTED
        await copy.transfer.export_file(tmp_path / "again.jsonl")
        await copy.transfer.import_file(tmp_path / "again.jsonl", name=f"{domain}-{name}-again")
        assert await is_clean(copy, memory.in_domain(f"{domain}-{name}-again"))


@pytest.mark.long
@pytest.mark.parametrize("cut_after", some(range(1, 9)))
async def test_what_was_before_is_there_whole_or_said_to_be_gone_while_it_goes_on(
    memory: Memory, tmp_path: Path, cut_after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, text, cut = await fill(memory)
    expected = await everything(await memory.history.as_of(cut - 2), [node, text], [])
    monkeypatch.setattr(compaction, "PAGE", 4)
    cut_off(monkeypatch, after=cut_after)
    with pytest.raises(CutError):
        await memory.history.compact(cut, archive=tmp_path / "a.gz")
    monkeypatch.undo()
    if cut_after == 1:
        assert await everything(await memory.history.as_of(cut - 2), [node, text], []) == expected
    else:
        assert (await refusal(memory.history.as_of(cut - 2))).code is Code.HISTORY_COMPACTED
    assert await is_clean(memory)
    assert (await memory.history.compact("now")).resumed


@pytest.mark.long
async def test_asked_for_twice_at_once_the_archive_is_whole(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, cut = await fill(memory)
    path, refused = tmp_path / "a.jsonl.gz", list[Code]()
    write_log, written = archive_file.write_log, list[int]()

    async def slowly(*values: Any) -> Any:
        done = await write_log(*values)
        written.append(done.events)
        await anyio.sleep(0.2 * len(written))  # so that the others write too
        return done

    monkeypatch.setattr(archive_file, "write_log", slowly)

    async def compact() -> None:
        try:
            await memory.history.compact(cut, archive=path)
        except GraphError as error:
            refused.append(error.code)

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(compact)
    assert written[:2] == [cut, cut]
    assert set(refused) <= {Code.DOMAIN_BUSY, Code.FILE_CREATION_FAILED, Code.HISTORY_COMPACTED}
    await memory.history.compact("now", archive=tmp_path / "b.jsonl.gz")
    assert {file.name async for file in anyio.Path(tmp_path).iterdir()} == {"a.jsonl.gz", "b.jsonl.gz"}
    assert gzip.decompress(path.read_bytes()).count(b'{"event":') == cut
    assert await is_clean(memory)


@pytest.mark.long
async def test_contents_that_only_the_past_had_are_freed(memory: Memory, domain: str, driver: Driver) -> None:
    _, _, cut = await fill(memory)
    tried = await memory.history.compact(cut, dry_run=True)
    assert (tried.events, tried.contents, tried.bytes) == (5, 4, len(LARGE) + len("onetwowhy"))
    assert (await memory.history.as_of(1)).seq == 1
    done = await memory.history.compact(cut)
    assert (done.events, done.contents, done.bytes) == (tried.events, tried.contents, tried.bytes)
    texts = driver.execute_query("MATCH (c:_Content {_domain: $d}) RETURN collect(c._text)", d=domain).records[0][0]
    assert texts == ["three"]
    left = await memory.history.scan("that only compaction takes away")
    assert domain not in {finding.domain for finding in left.findings}
    verification = await memory.upkeep.verify()
    assert (verification.events, verification.differences) == (cut - 5 + 2, ())


async def test_sessions_stay_counted_and_cannot_be_reverted_in_part(memory: Memory, domain: str) -> None:
    _, _, cut = await fill(memory)
    await observe(memory, domain, (await memory.query_nodes()).node_ids[0])
    late = await last(memory)
    before = (await memory.history.sessions()).sessions
    await memory.history.compact(cut)
    await memory.history.compact(late)
    after = (await memory.history.sessions()).sessions
    lines = {"session", "source", "actor", "began", "first_seq"}
    assert [summary.model_dump(include=lines) for summary in after] == [
        summary.model_dump(include=lines) for summary in sorted(before, key=lambda summary: summary.session is not None)
    ]
    assert sum(summary.changes for summary in after) == sum(summary.changes for summary in before) + 2
    assert (await refusal(memory.history.revert_session("s1"))).code is Code.HISTORY_COMPACTED


@pytest.mark.long
async def test_a_name_that_is_not_ascii_is_found_by_a_scan_also_in_the_counts_of_sessions(
    memory: Memory, settings: Settings, domain: str
) -> None:
    await fill(memory)
    actor = f"Jürgen {uuid4().hex}"
    async with open_memory(settings, origin=Origin(actor=actor)) as other:
        await other.create_node("Note", "x", domain=domain)
    await memory.history.compact("now")
    scanned = await memory.history.scan(actor)
    assert "_compacted" in {finding.property for finding in scanned.findings}


@pytest.mark.long
async def test_a_batch_is_never_cut_in_two(memory: Memory) -> None:
    node, _, cut = await fill(memory)
    done = await memory.history.compact(cut - 1)  # deletes the connection, then its node
    assert done.compacted_to == cut - 2
    assert (await (await memory.history.as_of(cut - 2)).query_nodes()).node_ids[0] == node
    undone = await memory.history.revert(since=cut - 1, until=cut)
    assert len(undone.changes) == 2
    assert await is_clean(memory)


@pytest.mark.long
async def test_branches_keep_their_own_log_and_miss_what_went(memory: Memory, domain: str) -> None:
    node, _, cut = await fill(memory)
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b", at=cut - 3)).domain)
    made = await last(branch)
    changed = await branch.update_node(node, properties={"rank": 9})
    whole = (await branch.history.log(since=made, limit=100)).entries
    await memory.history.compact(cut)
    assert (await branch.history.log(limit=100)).entries == whole
    for at in (changed.version, made, cut - 3):
        assert node in (await (await branch.history.as_of(at)).query_nodes()).node_ids
    for kind in (branch.history.as_of(cut - 4), branch.history.log(since=1), branch.history.diff(since=cut - 4)):
        assert (await refusal(kind)).details["domain"] == domain
    assert (await refusal(branch.history.compact(cut - 3))).code is Code.INVALID_ARGUMENT
    assert await is_clean(memory, branch)

    twig = memory.in_domain((await branch.history.branch(f"{domain}-c")).domain)
    await branch.update_node(node, properties={"rank": 10})
    done = await branch.history.compact("now")
    assert done.events > 0
    assert (await twig.get_node(node)).properties["rank"] == 9
    assert (await refusal(branch.history.as_of(changed.version))).details["domain"] == f"{domain}-b"
    assert (await (await branch.history.as_of("now")).get_node(node)).properties["rank"] == 10
    assert await is_clean(memory, branch, twig)


async def test_the_past_before_a_fork_stays_when_only_the_branch_is_compacted(memory: Memory, domain: str) -> None:
    node, _, cut = await fill(memory)
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b", at=cut)).domain)
    fork = await last(branch)
    assert (await refusal(branch.history.compact(cut - 1))).code is Code.INVALID_ARGUMENT
    await branch.update_node(node, properties={"rank": 7})
    await branch.update_node(node, properties={"rank": 8})
    await branch.history.compact("now")
    for at in (cut, fork):
        assert (await (await branch.history.as_of(at)).get_node(node)).properties == {"rank": 2}
    assert (await (await branch.history.as_of(8)).query_nodes()).node_ids
    assert (await refusal(branch.history.as_of(fork + 1))).code is Code.HISTORY_COMPACTED
    assert (await refusal(branch.history.log(since=cut))).code is Code.HISTORY_COMPACTED
    assert (await branch.history.log(until=cut)).entries[0].seq == cut
    assert await is_clean(branch)


async def test_what_was_erased_is_still_known_as_erased(memory: Memory) -> None:
    node, text, _ = await fill(memory)
    await memory.history.erase(text)
    await memory.history.compact("now")
    past = await memory.history.as_of("now")
    assert (await refusal(past.get_node(text))).code is Code.SUBJECT_ERASED
    again = memory.create_node("Note", "new", id=text)
    assert (await refusal(again)).code is Code.NODE_ALREADY_EXISTS
    await memory.history.erase(node)
    assert (await memory.query_nodes()).node_ids == ()
    assert await is_clean(memory)


async def test_nothing_is_done_where_there_is_nothing_to_do(memory: Memory, tmp_path: Path) -> None:
    _, _, cut = await fill(memory)
    await memory.history.compact(cut)
    again = await memory.history.compact(cut, archive=tmp_path / "b.gz")
    assert (again.events, again.archive, (tmp_path / "b.gz").exists()) == (0, None, False)
    assert await last(memory) == cut + 2


@pytest.mark.long
@pytest.mark.parametrize("cut_after", some(range(1, 8)))
async def test_what_was_cut_off_goes_on_whatever_point_is_asked_for(
    memory: Memory, tmp_path: Path, cut_after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, _, cut = await fill(memory)
    expected = await everything(await memory.history.as_of(cut), [node], [])
    monkeypatch.setattr(compaction, "PAGE", 4)
    cut_off(monkeypatch, after=cut_after)
    with pytest.raises(CutError):
        await memory.history.compact(cut, archive=tmp_path / "a.gz")
    monkeypatch.undo()
    busy = await refusal(memory.update_node(node, properties={"rank": 5}))
    assert (busy.code, busy.details["state"]) == (Code.DOMAIN_BUSY, "compacting")
    assert (await refusal(memory.history.branch("anew"))).code is Code.DOMAIN_BUSY
    assert (await refusal(memory.history.erase(node))).code is Code.DOMAIN_BUSY
    done = await memory.history.compact("now")
    assert (done.compacted_to, done.archive, done.resumed) == (cut, str(tmp_path / "a.gz"), True)
    assert (done.events, done.contents) == (5, 4)
    assert len(gzip.decompress((tmp_path / "a.gz").read_bytes()).splitlines()) == cut + 5 + 2
    assert await everything(await memory.history.as_of(cut), [node], []) == expected
    assert (await memory.update_node(node, properties={"rank": 5})).version == cut + 3
    assert await is_clean(memory)


@pytest.mark.long
async def test_an_archive_that_cannot_be_written_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    node, _, cut = await fill(memory)
    (tmp_path / "file").write_text("")
    error = await refusal(memory.history.compact(cut, archive=tmp_path / "file" / "a.gz"))
    assert error.code is Code.FILE_CREATION_FAILED
    assert (await memory.update_node(node, properties={"rank": 5})).version == cut + 2
    assert (await (await memory.history.as_of(1)).query_nodes()).node_ids == ()


@pytest.mark.long
async def test_a_branch_that_is_just_being_made_is_waited_for(
    memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, _, cut = await fill(memory)
    cut_off(monkeypatch, after=2)
    with pytest.raises(CutError):
        await memory.history.branch(f"{domain}-b", at=cut - 2)
    monkeypatch.undo()
    error = await refusal(memory.history.compact(cut))
    assert (error.code, error.details["branches"]) == (Code.DOMAIN_BUSY, [f"{domain}-b"])
    assert (await refusal(memory.history.erase(node))).code is Code.DOMAIN_BUSY
    assert (await memory.update_node(node, properties={"rank": 5})).version == cut + 2
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b", at=cut - 2)).domain)
    await memory.history.compact(cut)
    assert await is_clean(memory, branch)


async def test_what_would_go_is_told_before_and_after(memory: Memory, tmp_path: Path) -> None:
    node, text, cut = await fill(memory)
    log = (await memory.history.log(limit=100)).entries
    tried = await memory.history.compact(cut, dry_run=True)
    done = await memory.history.compact(cut, archive=tmp_path / "a.jsonl.gz")
    rendered = {"dry_run": False, "archive": done.archive}
    assert done == tried.model_copy(update=rendered)
    assert (done.archived, done.answers_from) == (cut, next(entry.at for entry in log if entry.seq == cut))
    assert (done.nodes, done.titles) == (2, ("three", LARGE[:200].rstrip())), (node, text)
    again = await memory.history.compact(cut, dry_run=True)
    assert (again.archived, again.events, again.nodes, again.titles) == (0, 0, 0, None)
