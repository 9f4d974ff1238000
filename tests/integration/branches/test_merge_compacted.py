"""Merging domains whose logs were compacted, or are not what their names say: with the right base, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graph_memory import Code, Memory
from graph_memory.memory.branches import merge
from integration.branches.test_merge import ONTOLOGY, events_of, make_branch, note
from integration.retention.test_erase import refusal

pytestmark = pytest.mark.anyio


async def conflicts(memory: Memory, source: str) -> set[tuple[str, str]]:
    results = (await memory.history.merge(source, preview=True)).conflicts
    return {(conflict.subject, conflict.conflict) for conflict in results}


async def merged_once(memory: Memory) -> tuple[str, str, Memory]:
    """Return a node whose change in a branch was merged and then undone in the domain; the branch, and its memory."""
    await memory.create_ontology(ONTOLOGY)
    text = await note(memory, rank=1)
    source, branch = await make_branch(memory)
    await branch.update_node(text, properties={"rank": 2})
    await memory.history.merge(source)
    await memory.update_node(text, properties={"rank": 1})
    return text, source, branch


@pytest.mark.long
async def test_what_was_deleted_stays_in_conflict_when_the_fork_was_compacted_away(memory: Memory) -> None:
    """The last event before the fork is kept, as its node was never changed again; the state around it is not."""
    await memory.create_ontology(ONTOLOGY)
    changed, deleted = await note(memory, rank=1), await note(memory, rank=1)
    await note(memory, "the last before the fork")
    source, branch = await make_branch(memory)
    await memory.update_node(changed, properties={"rank": 2})
    await memory.delete_node(deleted)
    await memory.history.compact("now")
    await branch.delete_node(changed)
    await branch.update_node(deleted, properties={"rank": 3})
    new = await note(branch, "new")
    assert await conflicts(memory, source) == {(changed, "changed"), (deleted, "deleted")}
    done = await memory.history.merge(source, strategy="ours")
    assert ([change.subject for change in done.changes], done.base) == ([new], source)
    assert (await memory.get_node(changed)).properties == {"rank": 2}
    assert (await refusal(memory.get_node(deleted))).code is Code.NODE_NOT_FOUND
    assert (await memory.upkeep.verify()).differences == ()


@pytest.mark.long
async def test_the_other_way_round_all_that_is_kept_is_compared(memory: Memory, domain: str) -> None:
    await memory.create_ontology(ONTOLOGY)
    text, other, third = await note(memory, rank=1), await note(memory, rank=1), await note(memory, rank=1)
    _, branch = await make_branch(memory)
    await memory.update_node(text, properties={"rank": 2})
    await memory.delete_node(other)
    new = await note(memory, "new")
    await memory.history.compact("now")
    await branch.update_node(third, properties={"rank": 3})
    done = await branch.history.merge(domain)
    assert {(change.subject, change.operation) for change in done.changes} == {
        (text, "update"),
        (other, "delete"),
        (new, "create"),
    }
    assert (await branch.get_node(third)).properties == {"rank": 3}
    assert (await branch.history.merge(domain)).changes == ()


async def test_what_was_merged_last_is_the_base_also_after_a_compaction(memory: Memory) -> None:
    text, source, branch = await merged_once(memory)
    await memory.history.compact("now")
    new = await note(branch, "new")
    assert [change.subject for change in (await memory.history.merge(source)).changes] == [new]
    assert (await memory.get_node(text)).properties == {"rank": 1}


@pytest.mark.long
async def test_merged_there_and_back_a_compaction_of_both_is_no_hindrance(memory: Memory, domain: str) -> None:
    text, source, branch = await merged_once(memory)
    await branch.history.merge(domain)
    await memory.history.compact("now")
    await branch.history.compact("now")
    await branch.update_node(text, properties={"rank": 5})
    assert (await memory.history.merge(source)).updated == 1


async def test_a_merged_state_that_was_compacted_is_not_replaced_by_an_earlier_one(memory: Memory) -> None:
    text, source, branch = await merged_once(memory)
    await branch.update_node(text, properties={"rank": 3})
    await branch.history.compact("now")
    before = await events_of(memory)
    error = await refusal(memory.history.merge(source, strategy="theirs"))
    assert (error.code, error.details["domain"]) == (Code.HISTORY_COMPACTED, source)
    assert await events_of(memory) == before


@pytest.mark.long
async def test_two_branches_are_merged_when_only_what_came_after_their_forks_was_compacted(memory: Memory) -> None:
    await memory.create_ontology(ONTOLOGY)
    text = await note(memory, rank=1)
    source, branch = await make_branch(memory)
    _, other = await make_branch(memory, "c")
    await memory.update_node(text, properties={"rank": 9})
    await memory.history.compact("now")
    await branch.delete_node(text)
    await other.update_node(text, properties={"rank": 2})
    assert await conflicts(other, source) == {(text, "changed")}


async def test_a_base_that_is_compacted_while_it_is_read_stops_the_merge(
    memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two branches of one domain are merged, which neither of their locks holds still."""
    await memory.create_ontology(ONTOLOGY)
    await note(memory)
    source, branch = await make_branch(memory)
    _, other = await make_branch(memory, "c")
    await note(memory)
    await note(branch, "new")
    items_of = merge.items_of

    async def read(*values: Any) -> Any:
        await memory.history.compact("now")
        return await items_of(*values)

    monkeypatch.setattr(merge, "items_of", read)
    error = await refusal(other.history.merge(source))
    assert (error.code, error.details["domain"]) == (Code.HISTORY_COMPACTED, domain)
    monkeypatch.undo()
    assert (await other.history.merge(source)).created == 1


@pytest.mark.long
async def test_a_branch_without_its_source_is_not_compared_with_a_domain_that_has_its_name(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    await memory.create_ontology(ONTOLOGY)
    await note(memory)
    source, branch = await make_branch(memory)
    await branch.transfer.export_file(tmp_path / "b.jsonl")
    for name in (source, domain):
        await memory.delete_domain(name)
    await memory.transfer.import_file(tmp_path / "b.jsonl")
    await memory.create_ontology(ONTOLOGY)
    for _ in range(9):
        await note(memory, "unrelated")
    assert (await refusal(memory.history.merge(source))).code is Code.INVALID_ARGUMENT
