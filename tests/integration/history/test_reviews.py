"""Which changes were reviewed: kept with the domain and beside its log, for whichever process asks."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.history.results import Verdict
from support import last

pytestmark = pytest.mark.anyio


@pytest.fixture
async def notes(memory: Memory) -> Memory:
    """A memory with two notes, and eight changes at most."""
    await memory.create_ontology(ontology_from({"node_types": ["Note"], "connection_types": []}))
    for name in ("one", "two"):
        await memory.create_node("Note", f"# {name}", id=name)
    return memory


async def test_what_was_said_is_kept_beside_the_log_and_goes_with_the_domain(notes: Memory, domain: str) -> None:
    log, end = await notes.history.log(full=True), await last(notes)
    assert (await notes.history.reviewed()).to_dict() == {"domain": domain, "verdicts": {}, "settled": 0}
    await notes.history.mark_reviewed({1: "accept", 2: "accept", end: "reject"})
    changed = await notes.history.mark_reviewed({2: "edit"})
    assert (changed.verdicts, changed.settled) == ({2: "edit"}, 2)
    reviewed = await notes.history.reviewed()
    assert await notes.history.reviewed(changes=[2, 3]) == changed
    assert (reviewed.verdicts, reviewed.settled) == ({1: "accept", 2: "edit", end: "reject"}, 2)
    assert await notes.history.log(full=True) == log
    assert (await notes.upkeep.verify()).differences == ()
    await notes.upkeep.rebuild()
    assert await notes.history.reviewed() == reviewed
    await notes.delete_domain(domain)
    with pytest.raises(GraphError) as refused:
        await notes.history.reviewed()
    assert refused.value.code is Code.ONTOLOGY_NOT_FOUND
    await notes.create_ontology(ontology_from({"node_types": ["Note"], "connection_types": []}))
    assert (await notes.history.reviewed()).verdicts == {}


async def test_a_verdict_can_be_removed(notes: Memory) -> None:
    await notes.history.mark_reviewed({1: "accept", 2: "reject", 3: "accept"})
    removed = await notes.history.mark_reviewed({2: None, 4: None})
    assert (removed.verdicts, removed.settled) == ({}, 1)
    assert (await notes.history.reviewed()).verdicts == {1: "accept", 3: "accept"}


async def test_many_who_review_at_once_lose_nothing(notes: Memory) -> None:
    end = await last(notes)
    async with anyio.create_task_group() as tasks:
        for seq in range(1, end + 1):
            verdicts: dict[int, Verdict] = {seq: "accept"}
            tasks.start_soon(notes.history.mark_reviewed, verdicts)
    assert (await notes.history.reviewed()).settled == end


@pytest.mark.parametrize("verdicts", [{1: "maybe"}, {0: "accept"}, {-1: "accept"}, {2**40: "accept"}])
async def test_what_is_no_change_or_no_verdict_is_refused(notes: Memory, verdicts: dict[int, Verdict]) -> None:
    with pytest.raises(GraphError) as refused:
        await notes.history.mark_reviewed({2: "accept", **verdicts})
    assert (refused.value.code, refused.value.details["argument"]) == (Code.INVALID_ARGUMENT, "verdicts")
    assert (await notes.history.reviewed()).verdicts == {}


async def test_a_branch_and_a_compacted_log_have_only_their_own_changes_to_review(
    notes: Memory, domain: str, tmp_path: Path
) -> None:
    cut = await last(notes)
    branch = notes.in_domain((await notes.history.branch(f"{domain}/experiment")).domain)
    begun = await last(branch)
    assert (await branch.history.reviewed()).settled == begun
    await branch.create_node("Note", "# three")
    with pytest.raises(GraphError) as refused:
        await branch.history.mark_reviewed({1: "accept", begun + 1: "accept"})
    assert (refused.value.code, refused.value.details["argument"]) == (Code.INVALID_ARGUMENT, "verdicts")
    assert (await branch.history.mark_reviewed({begun + 1: "accept"})).verdicts == {begun + 1: "accept"}
    await notes.history.mark_reviewed(dict.fromkeys(range(1, cut), "accept"))
    await notes.history.compact(cut, archive=tmp_path / "a.jsonl.gz")
    await notes.history.mark_reviewed({cut + 1: "accept"})
    reviewed = await notes.history.reviewed()
    assert (reviewed.verdicts, reviewed.settled) == ({cut + 1: "accept"}, cut + 1)
