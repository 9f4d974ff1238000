"""Branches: a domain made of another as it was at a point."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.branches import branch as branching
from graph_memory.memory.domains import deletion
from graph_memory.memory.history.diff_results import Diff
from graph_memory.model.domain_results import DomainDeletionResult
from graph_memory.model.events import Origin
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.log import jobs
from graph_memory.storage.log.jobs import Job, Progress
from graph_memory.storage.log.protection import DomainScope
from graph_memory.storage.store import Store, Transaction
from support import exists, observe
from tables import for_rows

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": [{"name": "Note", "properties": {"rank": {"indexed": True}, "code": {"unique": True}}}, "Task"],
        "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"], "properties": {"key": {"unique": True}}}],
    }
)
LARGE = "a longer text about a kitchen " * 5_000


async def fill(memory: Memory, domain: str, nodes: int = 12) -> list[str]:
    """Begin a domain with all kinds of subjects, and return the ids of its nodes."""
    await memory.create_ontology(ONTOLOGY)
    rng = random.Random(7)
    ids = [
        (await memory.create_node("Note", f"text {n}", properties={"rank": n % 3, "code": n}, tags=["t"])).node_id
        for n in range(nodes)
    ]
    for n in range(nodes):
        await memory.create_connection(
            "Link", ids[n], rng.choice(ids), properties={"key": n}, content="a note" if n % 2 else None
        )
    ids.append((await memory.create_node("Task", LARGE)).node_id)
    ids.append((await memory.create_node("Task", b"\x00\xff" * 100, encoding="base64", format="bin")).node_id)
    await observe(memory, domain, ids[0])
    return ids


async def contents(memory: Memory) -> dict[str, object]:
    """Return all that can be read of a domain, without the versions."""
    result: dict[str, object] = {"ontology": await memory.get_ontology()}
    nodes = (await memory.query_nodes()).node_ids
    for node in nodes:
        info = (await memory.get_node(node)).model_dump(exclude={"version"})
        result[node] = (info, await memory.get_node_content(node))
        result[f"{node} out"] = await memory.get_connected_nodes(node, direction="out")
    for connection in (await memory.query_connections()).connection_ids:
        answer = await memory.get_connection(connection, include_content=True)
        result[connection] = answer.model_dump(exclude={"version"})
    result["rank 1"] = await memory.query_nodes(type="Note", properties={"rank": 1})
    result["search"] = await memory.search_content("text 1")
    result["kitchen"] = await memory.search_content("KITCHEN a longer")
    return result


async def test_a_branch_has_all_that_its_source_has_now(memory: Memory, domain: str) -> None:
    await fill(memory, domain)
    made = await memory.history.branch(f"{domain}-b")
    branch = memory.in_domain(made.domain)
    assert await contents(branch) == await contents(memory)
    assert len((await branch.search_content("KITCHEN a longer")).node_ids) == 1
    verification = await branch.upkeep.verify()
    assert not verification.differences
    assert (made.forked_from, made.subjects) == (domain, verification.subjects - 1)


@pytest.mark.long
async def test_a_branch_of_the_past_has_what_was_there_then(memory: Memory, domain: str) -> None:
    ids = await fill(memory, domain)
    then = await contents(memory)
    at = (await memory.history.log(limit=1)).entries[0].seq
    await memory.update_node(ids[0], content="something else", encoding="utf-8", properties={"rank": 9})
    await memory.delete_node(ids[1])
    await memory.delete_node(ids[-2])
    await memory.create_node("Note", "later", properties={"code": 1})
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b", at=at)).domain)
    assert await contents(branch) == then
    assert not (await branch.upkeep.verify()).differences


@pytest.mark.long
async def test_what_is_changed_in_one_is_not_changed_in_the_other(memory: Memory, domain: str) -> None:
    ids = await fill(memory, domain)
    before = await contents(memory)
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b")).domain)
    await branch.update_node(ids[0], properties={"rank": 7}, content="branched", encoding="utf-8")
    await branch.delete_node(ids[2])
    await branch.create_node("Note", "new here", properties={"code": 2})
    assert await contents(memory) == before
    mine = await contents(branch)
    await memory.update_node(ids[3], properties={"rank": 8})
    assert await contents(branch) == mine
    for domain_memory in (memory, branch):
        assert not (await domain_memory.upkeep.verify()).differences


@pytest.mark.long
async def test_the_past_of_a_branch_goes_on_in_its_source(memory: Memory, domain: str) -> None:
    ids = await fill(memory, domain)
    await memory.update_node(ids[0], properties={"rank": 5})
    fork = (await memory.history.log(limit=1)).entries[0].seq
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b")).domain)
    changed = await branch.update_node(ids[0], properties={"rank": 6})
    await memory.update_node(ids[0], properties={"rank": 50})

    lines = [entry.summary for entry in (await branch.history.log(subject=ids[0])).entries]
    assert lines == ['Note "text 0": rank 5 → 6', 'Note "text 0": rank 0 → 5', 'Note "text 0" created']
    assert (await branch.history.log(limit=2)).entries[1].summary == f"Branched from {domain} as it was at {fork}"
    whole = (await branch.history.log(limit=1_000)).entries
    assert [entry.seq for entry in whole][-1] == 1
    paged = []
    cursor = None
    while True:
        page = await branch.history.log(limit=7, cursor=cursor)
        paged += page.entries
        if (cursor := page.next_cursor) is None:
            break
    assert tuple(paged) == whole
    for at, rank in ((changed.version, 6), (changed.version - 1, 5), (fork, 5), (fork - 1, 0)):
        assert (await (await branch.history.as_of(at)).get_node(ids[0])).properties["rank"] == rank


@pytest.mark.long
async def test_a_change_on_a_branch_can_be_undone(memory: Memory, domain: str) -> None:
    ids = await fill(memory, domain)
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b")).domain)
    then = await contents(branch)
    await branch.delete_node(ids[0])
    await branch.update_node(ids[1], properties={"rank": 77})
    done = await branch.history.revert(since="1 hour ago")
    assert not done.skipped
    now = await contents(branch)
    assert now.keys() == then.keys()
    assert (await branch.get_node(ids[1])).properties["rank"] == 1
    assert not (await branch.upkeep.verify()).differences


@pytest.mark.long
async def test_a_branch_of_a_branch_and_of_its_past(memory: Memory, domain: str) -> None:
    ids = await fill(memory, domain)
    first = memory.in_domain((await memory.history.branch(f"{domain}-b")).domain)
    changed = await first.update_node(ids[0], properties={"rank": 6})
    second = memory.in_domain((await first.history.branch(f"{domain}-c")).domain)
    assert await contents(second) == await contents(first)
    await second.update_node(ids[0], properties={"rank": 7})
    lines = [entry.summary for entry in (await second.history.log(subject=ids[0])).entries]
    assert lines == ['Note "text 0": rank 6 → 7', 'Note "text 0": rank 0 → 6', 'Note "text 0" created']
    old = await second.history.branch(f"{domain}-d", at=changed.version - 1)
    assert await contents(memory.in_domain(old.domain)) == await contents(memory)
    assert old.forked_from in (domain, f"{domain}-b")
    assert not (await second.upkeep.verify()).differences


async def test_a_name_that_is_taken_is_refused(memory: Memory, domain: str) -> None:
    await fill(memory, domain, 2)
    with pytest.raises(GraphError) as refused:
        await memory.history.branch(domain)
    assert refused.value.code is Code.DOMAIN_ALREADY_EXISTS
    with pytest.raises(GraphError) as missing:
        await memory.history.branch("anew", domain=f"{domain}-nowhere")
    assert missing.value.code is Code.ONTOLOGY_NOT_FOUND
    assert not await exists(memory, "anew")


async def test_a_domain_is_deleted_with_all_that_is_in_it_and_nothing_else(
    memory: Memory, domain: str, driver: Driver
) -> None:
    await fill(memory, domain)
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b")).domain)
    before = await contents(branch)
    with pytest.raises(GraphError) as refused:
        await memory.delete_domain(domain)
    assert refused.value.code is Code.DOMAIN_HAS_BRANCHES
    assert refused.value.details["branches"] == [f"{domain}-b"]
    assert await contents(branch) == before

    deleted = await branch.delete_domain(f"{domain}-b")
    assert (deleted.nodes, deleted.blobs) == (14, 2)
    assert await contents(memory) == {**before, **await contents(memory)}
    result = driver.execute_query("MATCH (n {_domain: $d}) RETURN count(n)", d=f"{domain}-b")
    assert result.records[0][0] == 0
    assert not (await memory.upkeep.verify()).differences
    await memory.delete_domain(domain)
    assert not await exists(memory, domain)
    with pytest.raises(GraphError) as raised:
        await memory.create_node("Note", "text")
    assert raised.value.code is Code.ONTOLOGY_NOT_FOUND
    assert await fill(memory, domain, 1)


async def test_a_deleted_name_can_be_used_again_by_another_process(memory: Memory, domain: str) -> None:
    await fill(memory, domain, 1)
    await memory.delete_domain(domain)
    await memory.create_ontology(ontology_from({"node_types": ["Other"]}))
    made = await memory.create_node("Other", "new")
    assert (await memory.get_node(made.node_id)).type == "Other"
    assert not (await memory.upkeep.verify()).differences


def differences_of(diff: Diff) -> dict[str, str]:
    """Return the differences, by id."""
    return {entry.subject: entry.operation for entry in diff.entries}


async def test_a_branch_is_compared_with_its_source_and_back(memory: Memory, domain: str) -> None:
    ids = await fill(memory, domain)
    name = (await memory.history.branch(f"{domain}-b")).domain
    branch = memory.in_domain(name)
    assert differences_of(await memory.history.diff(against=name)) == {}
    made = await branch.create_node("Task", "on the branch")
    await branch.update_node(ids[0], properties={"rank": 7}, content="text on the branch", encoding="utf-8")
    await branch.delete_node(ids[13])
    await memory.update_node(ids[1], properties={"rank": 8})
    await memory.delete_node(ids[12])

    diff = await memory.history.diff(against=name, content=True)
    wanted = {
        made.node_id: "added",
        ids[0]: "changed",
        ids[13]: "removed",
        ids[1]: "changed",
        ids[12]: "added",
    }
    assert differences_of(diff) == wanted
    [entry] = [entry for entry in diff.entries if entry.subject == ids[0]]
    assert entry.summary.startswith('Note "text on the branch": rank 0 → 7, content 6 bytes → 18 bytes')
    assert entry.content is not None
    assert entry.content.diff is not None
    assert "-text 0" in entry.content.diff
    assert "+text on the branch" in entry.content.diff
    back = differences_of(await branch.history.diff(against=domain))
    swapped = {"added": "removed", "removed": "added", "changed": "changed"}
    assert back == {subject: swapped[operation] for subject, operation in wanted.items()}
    fork = (await branch.history.log(limit=1_000)).entries
    at = next(entry.seq for entry in fork if entry.summary.startswith("Branched"))
    own = await branch.history.diff(since=at)
    assert differences_of(own) == {made.node_id: "added", ids[0]: "changed", ids[13]: "removed"}
    assert differences_of(await branch.history.diff(since=0)).keys() >= {made.node_id, ids[0], ids[1]}
    paged: dict[str, str] = {}
    cursor = None
    while True:
        page = await memory.history.diff(against=name, limit=2, cursor=cursor)
        paged |= differences_of(page)
        if (cursor := page.next_cursor) is None:
            break
    assert paged == wanted


async def test_two_domains_that_share_no_past_are_compared_whole(memory: Memory, domain: str) -> None:
    await fill(memory, domain, 2)
    other = memory.in_domain(f"{domain}-other")
    await other.create_ontology(ONTOLOGY)
    same = (await memory.query_nodes(type="Task")).node_ids[0]
    await other.create_node("Task", LARGE, id=same)
    diff = await memory.history.diff(against=f"{domain}-other")
    assert same not in differences_of(diff)
    assert (diff.added, diff.changed) == (0, 0)
    assert diff.by_kind[Kind.NODE].removed == 3


@pytest.mark.long
async def test_what_was_compacted_and_a_branch_are_compared_with_a_domain_that_shares_no_past(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    ids = await fill(memory, domain, 4)
    other = memory.in_domain(f"{domain}-other")
    await other.create_ontology(ONTOLOGY)
    await other.create_node("Task", LARGE, id=ids[0])
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b")).domain)
    await memory.delete_node(ids[1])
    whole = differences_of(await other.history.diff(against=domain))
    of_branch = differences_of(await other.history.diff(against=f"{domain}-b"))
    assert (whole[ids[0]], whole[ids[2]]) == ("changed", "added")
    assert of_branch.keys() - whole.keys() >= {ids[1]}
    last = (await memory.history.log(limit=1)).entries[0].seq
    await memory.history.compact(last, archive=tmp_path / "archive.jsonl.gz")
    assert differences_of(await other.history.diff(against=domain)) == whole
    assert differences_of(await other.history.diff(against=f"{domain}-b")) == of_branch
    assert differences_of(await branch.history.diff(against=f"{domain}-other")).keys() == of_branch.keys()


@pytest.mark.long
async def test_the_line_of_a_branch_of_branches_is_read_to_its_end(memory: Memory, domain: str) -> None:
    await fill(memory, domain, 1)
    names = [domain]
    for number in range(9):
        names.append((await memory.in_domain(names[-1]).history.branch(f"{domain}-{number}")).domain)
    last = memory.in_domain(names[-1])
    entries = (await last.history.log(limit=1_000)).entries
    assert [entry.seq for entry in entries] == sorted((entry.seq for entry in entries), reverse=True)
    assert sum(entry.summary.startswith("Branched") for entry in entries) == 9
    assert entries[-1].seq == 1
    assert (await (await last.history.as_of(1)).query_nodes()).node_ids == ()


async def test_a_diff_needs_something_to_compare_with(memory: Memory, domain: str) -> None:
    await fill(memory, domain, 1)
    with pytest.raises(GraphError) as refused:
        await memory.history.diff()
    assert refused.value.details["argument"] == "since"


class Cut(Exception):  # noqa: N818 - it stands for a process that dies
    """The process ends here."""


@pytest.mark.long
async def test_a_branch_that_was_cut_off_goes_on_and_says_so_meanwhile(
    memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = await fill(memory, domain, 30)
    wanted = await contents(memory)
    monkeypatch.setattr(branching, "PAGE", 10)
    steps = 0
    step = Job.step

    async def cut(self: Job, then: Progress, *work: Callable[[Transaction], Awaitable[None]]) -> None:
        nonlocal steps
        steps += 1
        if steps % 3 == 0:
            raise Cut
        await step(self, then, *work)

    monkeypatch.setattr(Job, "step", cut)
    name, cuts = f"{domain}-b", 0
    at = (await memory.history.log(limit=1)).entries[0].seq
    while True:
        try:
            await memory.history.branch(name, at=at)
            break
        except Cut:
            cuts += 1
        assert (await memory.domain_info(domain=name)).busy == "branching"
        assert (await memory.history.log(domain=name)).entries == ()
        assert (await memory.history.log(domain=name, subject=ids[0])).entries == ()
        assert (await memory.history.sessions(domain=name)).sessions == ()
        with pytest.raises(GraphError) as busy:
            await memory.create_node("Task", "x", domain=name)
        assert busy.value.code is Code.DOMAIN_BUSY
        with pytest.raises(GraphError) as kept:
            await memory.delete_domain(domain)
        assert kept.value.code is Code.DOMAIN_HAS_BRANCHES
        await memory.update_node(ids[cuts], content=f"changed {cuts}", encoding="utf-8")
    assert cuts > 3
    branch = memory.in_domain(name)
    assert await contents(branch) == wanted
    assert not (await branch.upkeep.verify()).differences
    assert (await memory.domain_info(domain=name)).busy is None


@pytest.mark.long
async def test_a_branch_that_is_not_finished_can_be_deleted(
    memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(memory, domain, 5)

    async def cut(*_: object) -> None:
        raise Cut

    with monkeypatch.context() as patched:
        patched.setattr(Job, "end", cut)
        with pytest.raises(Cut):
            await memory.history.branch(f"{domain}-b")
    await memory.delete_domain(f"{domain}-b")
    assert not await exists(memory, f"{domain}-b")
    assert (await memory.history.branch(f"{domain}-b")).subjects > 5


@pytest.mark.long
async def test_a_branch_is_right_while_its_source_is_written(memory: Memory, domain: str) -> None:
    ids = await fill(memory, domain, 20)
    wanted = await contents(memory)
    at = (await memory.history.log(limit=1)).entries[0].seq
    done = False

    async def write() -> None:
        turn = 0
        while not done:
            turn += 1
            await memory.update_node(
                ids[turn % 20], content=f"{turn} kitchen a longer", properties={"rank": 1}, encoding="utf-8"
            )

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        await anyio.sleep(0.1)
        made = [await memory.history.branch(f"{domain}-{turn}", at=at) for turn in range(4)]
        done = True
    for branched in made:
        assert await contents(memory.in_domain(branched.domain)) == wanted
        assert not (await memory.upkeep.verify(domain=branched.domain)).differences


@pytest.mark.long
async def test_what_changes_between_being_read_and_being_copied_is_found_as_it_was(
    memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = await fill(memory, domain)
    wanted = await contents(memory)
    whole = branching._BranchStages._copy_blobs

    async def beside_a_writer(self: Any, rows: Any) -> None:
        await memory.update_node(ids[1], content="text 1, later", properties={"rank": 5, "code": -1}, encoding="utf-8")
        await whole(self, rows)

    monkeypatch.setattr(branching._BranchStages, "_copy_blobs", beside_a_writer)
    made = memory.in_domain((await memory.history.branch(f"{domain}-b")).domain)
    assert await contents(made) == wanted
    assert (await made.search_content("later")).node_ids == ()
    assert not (await made.upkeep.verify()).differences


async def test_a_domain_that_had_not_begun_cannot_be_branched(memory: Memory, domain: str) -> None:
    await fill(memory, domain, 1)
    with pytest.raises(GraphError) as refused:
        await memory.history.branch(f"{domain}-b", at=0)
    assert refused.value.details["argument"] == "at"
    assert not await exists(memory, f"{domain}-b")
    first = await memory.history.branch(f"{domain}-b", at=2)
    assert not (await memory.upkeep.verify(domain=first.domain)).differences


async def test_a_domain_in_which_something_long_goes_on_is_not_branched(memory: Memory, domain: str) -> None:
    await fill(memory, domain, 3)
    job = await jobs.begin(memory._core.store, domain, "deleting", {}, {}, origin=Origin(), reach=DomainScope.ALL)
    with pytest.raises(GraphError) as refused:
        await memory.history.branch(f"{domain}-b")
    assert refused.value.code is Code.DOMAIN_BUSY
    await job.withdraw()
    assert (await memory.history.branch(f"{domain}-b")).subjects > 3


async def test_a_branch_that_begins_beside_a_deletion_leaves_nothing(
    memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(memory, domain, 3)
    begin = jobs.begin

    async def begin_beside(store: Store, name: str, *values: Any, **more: Any) -> Job:
        job = await begin(store, name, *values, **more)
        if name != domain:
            await begin(store, domain, "deleting", {}, {}, origin=Origin(), reach=DomainScope.ALL)
        return job

    monkeypatch.setattr(jobs, "begin", begin_beside)
    with pytest.raises(GraphError) as refused:
        await memory.history.branch(f"{domain}-b")
    assert refused.value.code is Code.DOMAIN_BUSY
    assert not await exists(memory, f"{domain}-b")


async def test_a_deletion_that_begins_beside_a_branch_is_taken_back(
    memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(memory, domain, 3)
    begin = jobs.begin

    async def begin_after_a_branch(store: Store, name: str, *values: Any, **more: Any) -> Job:
        monkeypatch.setattr(jobs, "begin", begin)
        await memory.history.branch(f"{domain}-b")
        return await begin(store, name, *values, **more)

    monkeypatch.setattr(jobs, "begin", begin_after_a_branch)
    with pytest.raises(GraphError) as refused:
        await memory.delete_domain(domain)
    assert refused.value.code is Code.DOMAIN_HAS_BRANCHES
    await memory.create_node("Task", "x")
    assert (await memory.upkeep.verify()).clean


@pytest.mark.long
async def test_of_two_that_delete_a_domain_at_once_none_leaves_anything(
    memory: Memory, domain: str, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion, "PAGE", 5)
    for turn in range(4):
        name = f"{domain}-{turn}"
        await fill(memory.in_domain(name), name, 6)
        ends: list[Code | DomainDeletionResult] = []

        async def delete(name: str, ends: list[Code | DomainDeletionResult]) -> None:
            try:
                ends.append(await memory.delete_domain(name))
            except GraphError as error:
                ends.append(error.code)

        async with anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(delete, name, ends)
        assert any(isinstance(end, DomainDeletionResult) for end in ends)
        assert {end for end in ends if isinstance(end, Code)} <= {Code.DOMAIN_BUSY, Code.ONTOLOGY_NOT_FOUND}
        left = driver.execute_query("MATCH (n) WHERE n._domain = $name RETURN count(n) AS count", name=name)
        assert left.records[0]["count"] == 0


@pytest.mark.long
async def test_a_name_with_slashes_leads_nowhere_else(memory: Memory, domain: str, tmp_path: Path) -> None:
    await fill(memory, domain)
    name, blobs = f"{domain}/try/it", memory._core.contents.blobs
    before, kept = await contents(memory), await blobs.list_blobs(domain)
    branch = memory.in_domain((await memory.history.branch(name)).domain)
    await branch.create_node("Task", LARGE + "once more")
    assert {blob.name for blob in await blobs.list_blobs(name)} > {blob.name for blob in kept}
    assert {domain, name} <= set(await blobs.domains())
    assert (await branch.upkeep.verify()).differences == ()

    end = (await branch.history.log(limit=1)).entries[0].seq
    archive = memory._core.archives / f"{domain}=try=it-{end}.jsonl.gz"
    assert (await branch.history.compact(end)).archive == str(archive)
    await branch.transfer.export_file(tmp_path / "b.jsonl")
    await memory.transfer.import_file(tmp_path / "b.jsonl", name=f"{domain}/copy")
    assert (await branch.query_nodes()) == await memory.in_domain(f"{domain}/copy").query_nodes()

    assert (await memory.delete_domain(name)).blobs == len(kept) + 1
    assert await blobs.list_blobs(name) == []
    assert await blobs.list_blobs(domain) == kept
    assert await contents(memory) == before


@pytest.fixture
async def begin_domain(memory: Memory) -> Memory:
    """A domain with an ontology."""
    await memory.create_ontology(ONTOLOGY)
    return memory


@for_rows("name", ["/x", "x/", "x//y", "../x", "x/../y", "x/..", "./x", "x\\y", "x=y", "auto", "x/" * 40])
async def test_a_name_that_could_lead_elsewhere_makes_no_branch(
    begin_domain: Memory, driver: Driver, name: str
) -> None:
    for attempt in (
        begin_domain.history.branch(name),
        begin_domain.delete_domain(name),
        begin_domain.history.merge(name),
    ):
        with pytest.raises(GraphError) as refused:
            await attempt
        assert (refused.value.code, refused.value.details["argument"]) == (Code.INVALID_ARGUMENT, "domain")
    assert driver.execute_query("MATCH (d:_Domain {_id: $name}) RETURN d", name=name).records == []
