"""Erasing: nothing of a subject is found any more, in its domain and in all that shares its past."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import anyio
import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.branches import merge
from graph_memory.memory.retention import erasure, scan
from graph_memory.storage.store import Store
from profiles import some
from support import index, observe

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": [{"name": "Note", "properties": {"rank": {"indexed": True}, "code": {"unique": True}}}],
        "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"], "properties": {"key": {"unique": True}}}],
    }
)


def secret() -> str:
    """A word that is nowhere else."""
    return f"secret{uuid4().hex}"


async def fill(memory: Memory, domain: str, word: str) -> tuple[str, str, str]:
    """Return a node about the word, another one, and the connection between them; the word is in all sorts of it."""
    await memory.create_ontology(ONTOLOGY)
    other = (await memory.create_node("Note", "other text", properties={"code": 1})).node_id
    node = (
        await memory.create_node(
            "Note", f"# {word}\ntext", properties={"code": word, "a": word}, tags=[word], path=f"p/{word}"
        )
    ).node_id
    await memory.update_node(node, content=f"{word} {'long ' * 10_000}", encoding="utf-8", properties={"rank": 1})
    await memory.update_node(node, content=b"\x00\xff" + word.encode(), encoding="base64")
    await memory.update_node(node, content=f"small {word}", encoding="utf-8")
    link = await memory.create_connection("Link", node, other, properties={"key": word}, content=f"since {word}")
    await observe(memory, domain, node)
    await index(memory)
    return node, other, link.connection_id


async def refusal(query: Awaitable[Any]) -> GraphError:
    with pytest.raises(GraphError) as caught:
        await query
    return caught.value


async def is_clean(*memories: Memory) -> bool:
    return not [difference for memory in memories for difference in (await memory.upkeep.verify()).differences]


@pytest.mark.long
async def test_nothing_of_it_is_found_in_the_domain_its_branches_and_what_it_was_branched_from(
    memory: Memory, domain: str
) -> None:
    word = secret()
    node, other, link = await fill(memory, domain, word)
    past = memory.in_domain((await memory.history.branch(f"{domain}-a", at=8)).domain)
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b")).domain)
    twig = memory.in_domain((await branch.history.branch(f"{domain}-c")).domain)
    await twig.update_node(node, content=f"twig {word}", encoding="utf-8")
    await index(twig)
    scanned = await memory.history.scan(word)
    assert {finding.place for finding in scanned.findings} == {"node", "relationship", "blob"}
    assert {finding.label for finding in scanned.findings} >= {"_Event", "_Content", "_Key", "_Window"}

    done = await branch.history.erase(node)
    assert [domain.domain for domain in done.domains] == [domain, f"{domain}-a", f"{domain}-b", f"{domain}-c"]
    assert (done.domains[0].subjects, done.domains[0].events, done.domains[0].contents) == (3, 6, 5)
    result = await memory.history.scan(word)
    assert result.clean, result
    for subject in (node, link):
        left = await memory.history.scan(subject)
        assert left.clean
        assert left.tombstones > 0
    for domain_memory in (memory, past, branch, twig):
        assert (await domain_memory.query_nodes()).node_ids == (other,)
        assert (await domain_memory.query_connections()).connection_ids == ()
        assert (await domain_memory.search_content("text")).node_ids == (other,)
    assert await is_clean(memory, past, branch, twig)


@pytest.mark.long
async def test_a_connection_that_leads_to_it_is_erased_with_it(memory: Memory, domain: str) -> None:
    word = secret()
    node, other, _ = await fill(memory, domain, word)
    link = await memory.create_connection("Link", other, node, properties={"key": f"to {word}"}, content=f"by {word}")
    await memory.update_connection(link.connection_id, content=f"for {word}")
    assert (await memory.history.erase(node)).domains[0].subjects == 4
    assert (await memory.history.scan(word)).clean
    assert await is_clean(memory)


async def test_the_log_says_that_it_was_erased_and_no_more(memory: Memory, domain: str) -> None:
    node, other, link = await fill(memory, domain, secret())
    before = (await memory.history.log(limit=1_000)).entries
    await memory.history.erase(node)
    entries = (await memory.history.log(subject=node, full=True)).entries
    assert [entry.summary for entry in entries] == [
        f"Node {node} erased",
        *[f"Node {node} changed, since erased"] * 3,
        f"Node {node} created, since erased",
    ]
    assert [entry.operation for entry in entries] == ["delete", "update", "update", "update", "create"]
    assert {(entry.type, entry.before, entry.after) for entry in entries} == {(None, None, None)}
    after = (await memory.history.log(limit=1_000)).entries
    assert [entry.seq for entry in after] == list(range(len(before) + 3, 0, -1))
    kept = {"seq", "id", "at", "operation", "kind", "subject", "session", "source", "actor", "batch"}
    assert [entry.model_dump(include=kept) for entry in after[3:]] == [
        entry.model_dump(include=kept) for entry in before
    ]
    created = await memory.history.log(operations=["create"], limit=1_000)
    assert {node, link} <= {entry.subject for entry in created.entries}
    assert (await memory.get_node(other)).version == next(entry.seq for entry in after if entry.subject == other)


async def test_its_past_says_that_it_was_erased_and_its_id_is_not_given_out_again(memory: Memory, domain: str) -> None:
    node, other, link = await fill(memory, domain, secret())
    then = (await memory.get_node(node)).version
    await memory.history.erase(node)
    past = await memory.history.as_of(then)
    for kind in (past.get_node(node), past.get_node_content(node), past.get_connected_nodes(node, direction="out")):
        assert (await refusal(kind)).code is Code.SUBJECT_ERASED
    latest = await memory.history.as_of("now")
    assert (await refusal(latest.get_connection(link))).code is Code.SUBJECT_ERASED
    assert (await past.query_nodes()).node_ids == (other,)
    assert (await past.query_connections()).connection_ids == ()
    assert (await past.search_content("text")).node_ids == (other,)
    assert (await refusal(memory.get_node(node))).code is Code.NODE_NOT_FOUND
    again = memory.create_node("Note", "new", id=node)
    assert (await refusal(again)).code is Code.NODE_ALREADY_EXISTS
    assert not (await memory.history.diff(since=then, content=True)).entries


@pytest.mark.long
async def test_a_revert_of_it_is_refused_with_the_reason_and_can_leave_it(memory: Memory, domain: str) -> None:
    node, other, _ = await fill(memory, domain, secret())
    version = (await memory.get_node(node)).version
    await memory.update_node(other, properties={"rank": 2})
    await memory.history.erase(node)
    for counts in ({"since": version}, {"since": version, "until": version}, {"since": "1 hour ago"}):
        error = await refusal(memory.history.revert(**counts))
        assert error.code is Code.REVERT_CONFLICT
        [result] = [conflict for conflict in error.details["conflicts"] if conflict["subject"] == node]  # type: ignore[index]
        assert (result["reason"], result["forcible"]) == ("it was erased", False)
    done = await memory.history.revert(since=version, on_conflict="skip")
    assert [change.subject for change in done.changes] == [other]
    assert node in {skipped.subject for skipped in done.skipped}
    assert (await memory.get_node(other)).properties == {"code": 1}
    assert await is_clean(memory)


async def test_what_others_have_too_stays(memory: Memory, domain: str) -> None:
    await memory.create_ontology(ONTOLOGY)
    texts = ["the same small text", "the same long text " * 5_000]
    results, other = [[(await memory.create_node("Note", text)).node_id for text in texts] for _ in range(2)]
    deleted = (await memory.create_node("Note", "deleted " * 5_000)).node_id
    await memory.create_node("Note", "deleted " * 5_000)
    await memory.delete_node(deleted)
    for node in (*results, deleted):
        assert (await memory.history.erase(node)).domains[0].contents == 0
    for node, text in zip(other, texts, strict=True):
        assert (await memory.get_node_content(node)).content == text
    assert await is_clean(memory)


@pytest.mark.long
async def test_a_connection_is_erased_and_its_ends_stay(memory: Memory, domain: str, driver: Driver) -> None:
    word = secret()
    node, other, link = await fill(memory, domain, word)
    await memory.update_connection(link, properties={"key": word + "2"}, content="another " + word)
    await memory.history.erase(link)
    assert (await memory.get_connected_nodes(node, direction="both")).node_ids == ()
    rows = driver.execute_query(
        "MATCH (e:_Event {_domain: $d, _subject: $s}) RETURN keys(e) AS names, e._op AS op", d=domain, s=link
    ).records
    allowed = {"_domain", "_seq", "_id", "_op", "_kind", "_subject", "_prev", "_at", "_source", "_batch"}
    assert {name for row in rows for name in row["names"]} <= allowed | {"_erased", "_was", "_session", "_actor"}
    assert {finding.label for finding in (await memory.history.scan(word)).findings} & {"_Key", "Link"} == {"_Key"}
    assert sorted((await memory.query_nodes()).node_ids) == sorted([node, other])
    assert await is_clean(memory)


@pytest.mark.long
async def test_what_was_deleted_before_can_be_erased_and_asking_again_does_no_harm(memory: Memory, domain: str) -> None:
    word = secret()
    node, _, _ = await fill(memory, domain, word)
    await memory.delete_node(node)
    await memory.history.erase(node)
    events = (await memory.domain_info()).events
    assert (await memory.history.scan(word)).clean
    again = await memory.history.erase(node)
    assert [(domain.events, domain.contents, domain.resumed) for domain in again.domains] == [(0, 0, None)]
    assert (await memory.domain_info()).events == events
    assert await is_clean(memory)
    assert (await memory.upkeep.rebuild()).clean


@pytest.mark.long
async def test_a_dry_run_counts_what_would_go_and_changes_nothing(memory: Memory, domain: str) -> None:
    word = secret()
    node, _, _ = await fill(memory, domain, word)
    await memory.history.branch(f"{domain}-b")
    title = (await memory.get_node(node)).title
    before = (await memory.history.log(full=True, limit=1_000), len((await memory.history.scan(word)).findings))
    tried = await memory.history.erase(node, dry_run=True)
    assert (await memory.history.log(full=True, limit=1_000), len((await memory.history.scan(word)).findings)) == before
    done = await memory.history.erase(node)
    assert tried.dry_run
    assert tried.domains == done.domains
    assert (tried.title, done.title) == (title, None)


async def test_what_is_not_there_or_no_data_is_refused(memory: Memory, domain: str) -> None:
    await fill(memory, domain, secret())
    assert (await refusal(memory.history.erase("mem_unknown"))).code is Code.NODE_NOT_FOUND
    for subject in ("domain", "ontology", "node_type/Note"):
        assert (await refusal(memory.history.erase(subject))).code is Code.INVALID_ARGUMENT
    assert (await refusal(memory.history.erase("x", domain=f"{domain}-none"))).code is Code.ONTOLOGY_NOT_FOUND


@pytest.mark.long
@pytest.mark.parametrize("cut", some([0, 1, 2, 3, 5]))
async def test_what_was_cut_off_says_so_and_goes_on_when_the_same_is_asked(
    memory: Memory, domain: str, cut: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = secret()
    node, other, _ = await fill(memory, domain, word)
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b")).domain)
    monkeypatch.setattr(erasure, "PAGE", 2)
    cut_off(monkeypatch, after=2 + cut * 2)
    with pytest.raises(CutError):
        await memory.history.erase(node)
    monkeypatch.undo()
    for domain_memory in (memory, branch) if cut < 4 else (branch,):  # the first domain is done by then
        busy = await refusal(domain_memory.update_node(other, properties={"rank": 1}))
        assert (busy.code, busy.details["state"]) == (Code.DOMAIN_BUSY, "erasing")
        assert (await refusal(domain_memory.history.erase(other))).code is Code.DOMAIN_BUSY
    done = await branch.history.erase(node)
    assert True in {domain.resumed for domain in done.domains}
    assert (await memory.history.scan(word)).clean
    for reader in (memory, branch):
        assert (await reader.update_node(other, properties={"rank": 1})).version > 0
    assert await is_clean(memory, branch)


@pytest.mark.long
async def test_what_is_merged_while_it_is_erased_is_erased_too(
    memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = secret()
    await memory.create_ontology(ONTOLOGY)
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b")).domain)
    node = (await branch.create_node("Note", f"about {word}")).node_id
    items_of = merge.items_of

    async with anyio.create_task_group() as group:

        async def read(*values: Any) -> Any:
            trios = await items_of(*values)
            group.start_soon(branch.history.erase, node)
            await anyio.sleep(1)
            return trios

        monkeypatch.setattr(merge, "items_of", read)
        await memory.history.merge(f"{domain}-b")
    assert (await memory.history.scan(word)).clean
    assert (await refusal(memory.get_node(node))).code is Code.NODE_NOT_FOUND
    assert await is_clean(memory, branch)


async def test_a_scan_finds_a_text_in_base64_of_metadata_but_not_its_other_case(memory: Memory) -> None:
    await memory.create_ontology(ONTOLOGY)
    for padding in ("", "1", "12"):
        word = secret()
        data = base64.b64encode(f"{padding}{word} and more".encode()).decode()
        node = (await memory.create_node("Note", "text", metadata={"data": data})).node_id
        findings = (await memory.history.scan(word)).findings
        assert {(finding.subject, finding.property) for finding in findings} == {(node, "_metadata")}
        assert (await memory.history.scan(word.upper())).clean
        await memory.history.erase(node)
        assert (await memory.history.scan(word)).clean


@pytest.mark.long
async def test_a_scan_says_that_there_are_more_places(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    word = secret()
    monkeypatch.setattr(scan, "MAX_FINDINGS", 2)
    await memory.create_ontology(ONTOLOGY)
    await memory.create_node("Note", f"about {word}", tags=[word])
    scanned = await memory.history.scan(word)
    assert (len(scanned.findings), scanned.more) == (2, True)
    assert (await memory.history.scan(secret())).more is None


class CutError(Exception):
    """The power goes."""


def cut_off(monkeypatch: pytest.MonkeyPatch, *, after: int) -> None:
    """Let so many writes to the store through."""
    write: Callable[..., Awaitable[Any]] = Store.write
    made = 0

    async def fail_at(self: Store, *values: Any, **more: Any) -> Any:
        nonlocal made
        made += 1
        if made > after:
            raise CutError
        return await write(self, *values, **more)

    monkeypatch.setattr(Store, "write", fail_at)
