"""Domains as a tree: their fields, who may be above whom, and what becomes of them in the log."""

from __future__ import annotations

import json
from collections.abc import Awaitable
from pathlib import Path

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.model.domain_results import DomainSummary
from graph_memory.storage.log import parents
from support import exists

pytestmark = pytest.mark.anyio

NOTES = ontology_from({"node_types": ["Note"]})


async def error_of(call: Awaitable[object], code: Code) -> GraphError:
    with pytest.raises(GraphError) as error:
        await call
    assert error.value.code is code
    assert error.value.hint
    return error.value


async def test_a_domain_has_fields_a_place_in_the_tree_and_a_log_of_both(memory: Memory, domain: str) -> None:
    top, below = f"{domain}/top", f"{domain}/below"
    await memory.create_domain(top, description="Everything", metadata={"owner": "Ann", "n": [1, None]})
    await memory.create_domain(below, parent=top)
    result, child = await memory.domain_info(domain=top), await memory.domain_info(domain=below)
    assert (result.description, result.metadata, result.children) == (
        "Everything",
        {"owner": "Ann", "n": [1, None]},
        (below,),
    )
    assert (child.parent, child.children, child.nodes, child.content_bytes) == (top, None, 0, 0)
    listed = {domain.name: domain for domain in (await memory.list_domains()).domains}
    assert (listed[top].children, listed[below].parent) == ((below,), top)
    version = (await memory.update_domain(below, description="Less", metadata={"a": 1})).version
    assert (await memory.update_domain(below, description="Less")).version == version
    await memory.update_domain(below, description="", parent="", metadata={})
    answer = await memory.domain_info(domain=below)
    assert (answer.description, answer.parent, answer.metadata) == (None, None, None)
    lines = [entry.summary for entry in (await memory.in_domain(below).history.log(limit=10)).entries]
    assert lines[:2] == [
        "Domain removed from its parent, Description and metadata changed",
        "Description and metadata changed",
    ]
    await memory.in_domain(below).history.revert(event_ids=[version + 1])
    again = await memory.domain_info(domain=below)
    assert (again.description, again.parent, again.metadata) == ("Less", top, {"a": 1})
    for name in (top, below):
        assert (await memory.upkeep.verify(domain=name)).clean


@pytest.mark.parametrize(
    "arguments",
    [
        {"parent": "not a name"},
        {"parent": "auto"},
        {"metadata": {"x": "y" * 70_000}},
        {"metadata": {"x": float("nan")}},
        {"metadata": "text"},
        {"description": "x" * 10_001},
        {"description": "\ud800"},
    ],
    ids=str,
)
async def test_a_field_that_cannot_be_changes_nothing(
    memory: Memory, domain: str, arguments: dict[str, object]
) -> None:
    await error_of(memory.create_domain(domain, **arguments), Code.INVALID_ARGUMENT)  # pyright: ignore[reportArgumentType]
    assert not await exists(memory, domain)
    await memory.create_domain(domain, description="As it is")
    await error_of(memory.update_domain(domain, **arguments), Code.INVALID_ARGUMENT)  # pyright: ignore[reportArgumentType]
    assert (await memory.domain_info()).events == 2


async def test_a_name_that_is_taken_or_a_parent_that_is_not_there_is_refused(memory: Memory, domain: str) -> None:
    await error_of(memory.create_domain(domain, parent=f"{domain}-no"), Code.ONTOLOGY_NOT_FOUND)
    assert not await exists(memory, domain)
    await memory.create_domain(domain)
    await error_of(memory.create_domain(domain), Code.DOMAIN_ALREADY_EXISTS)
    await error_of(memory.update_domain(domain, parent=f"{domain}-no"), Code.ONTOLOGY_NOT_FOUND)
    await error_of(memory.update_domain(domain), Code.INVALID_ARGUMENT)
    await error_of(memory.update_domain(f"{domain}-no", description="x"), Code.ONTOLOGY_NOT_FOUND)


async def test_no_domain_is_above_itself_whichever_way_it_would_come_there(memory: Memory, domain: str) -> None:
    a, b, c = (f"{domain}/{name}" for name in "abc")
    for name, parent in ((a, None), (b, a), (c, b)):
        await memory.create_domain(name, parent=parent)
    for name, parent in ((a, a), (a, b), (a, c), (b, c)):
        assert (
            "own ancestor" in (await error_of(memory.update_domain(name, parent=parent), Code.INVALID_ARGUMENT)).message
        )
    moved = (await memory.update_domain(b, parent="")).version
    await memory.update_domain(a, parent=c)
    await error_of(memory.in_domain(b).history.revert(event_ids=[moved]), Code.INVALID_ARGUMENT)
    assert (await memory.domain_info(domain=b)).parent is None


async def test_two_moves_at_the_same_moment_make_no_circle(shared_memory: Memory, domain: str) -> None:
    names = [f"{domain}/{number}" for number in range(4)]
    for name in names:
        await shared_memory.create_domain(name)

    codes: list[Code] = []

    async def move(name: str, parent: str) -> None:
        try:
            await shared_memory.update_domain(name, parent=parent)
        except GraphError as error:
            codes.append(error.code)

    for _ in range(5):
        async with anyio.create_task_group() as tasks:
            for name, parent in zip(names, [*names[1:], names[0]], strict=True):
                tasks.start_soon(move, name, parent)
        above = {name: (await shared_memory.domain_info(domain=name)).parent for name in names}
        assert sum(parent is None for parent in above.values()) == 1, above
        for name in names:
            await shared_memory.update_domain(name, parent="")
    assert set(codes) == {Code.INVALID_ARGUMENT}


async def test_a_domain_with_children_stays_until_they_are_gone_or_elsewhere(memory: Memory, domain: str) -> None:
    top, text, other = f"{domain}/top", f"{domain}/one", f"{domain}/other"
    await memory.create_domain(top)
    for name in (text, other):
        await memory.create_domain(name, parent=top)
    error = await error_of(memory.delete_domain(top), Code.DOMAIN_HAS_CHILDREN)
    assert error.details["children"] == [text, other]
    assert (await memory.domain_info(domain=top)).busy is None
    await memory.delete_domain(text)
    await memory.update_domain(other, parent="")
    await memory.delete_domain(top)
    assert (await memory.domain_info(domain=other)).parent is None


async def test_a_branch_and_an_import_keep_the_fields(memory: Memory, domain: str, tmp_path: Path) -> None:
    top, child = f"{domain}/top", f"{domain}/child"
    await memory.create_ontology(NOTES, domain=top)
    await memory.create_domain(child, parent=top, description="Mine", metadata={"a": 1})
    node = (await memory.create_node("Note", "one", domain=child)).node_id
    await memory.history.branch(f"{child}-b", domain=child)
    file = tmp_path / "child.jsonl"
    await memory.transfer.export_file(file, domain=child)
    await error_of(memory.transfer.import_file(file, name=top), Code.DOMAIN_ALREADY_EXISTS)
    await memory.transfer.import_file(file, name=f"{child}-i")
    for name in (f"{child}-b", f"{child}-i"):
        result = await memory.domain_info(domain=name)
        assert (result.parent, result.description, result.metadata) == (top, "Mine", {"a": 1})
        assert (await memory.get_node(node, domain=name)).type == "Note"
        assert (await memory.upkeep.verify(domain=name)).clean
    for name in (f"{child}-b", f"{child}-i", child, top):
        await memory.delete_domain(name)
    await error_of(memory.transfer.import_file(file, name=top), Code.INVALID_ARGUMENT)


@pytest.mark.long
async def test_an_import_without_the_domain_above_is_whole_and_nobody_else_gets_above_it(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    top, child = f"{domain}/top", f"{domain}/child"
    await memory.create_ontology(NOTES, domain=top)
    await memory.create_domain(child, parent=top, description="Mine")
    await memory.create_node("Note", "one", domain=child)
    await memory.protect(domain=child, can_be_unprotected_by=["alice"])
    exported = await memory.transfer.export_file(tmp_path / "child.jsonl", domain=child)
    for name in (child, top):
        await memory.acting_as("alice").delete_domain(name)
    made = await memory.transfer.import_file(tmp_path / "child.jsonl")
    assert made.warnings is not None
    assert made.warnings[0].startswith(f'The domain was not put under {top}: Domain "{top}" does not exist.')
    assert (made.seq, made.events) == (exported.seq + 1, exported.events + 1)
    [entry] = (await memory.in_domain(child).history.log(limit=1)).entries
    assert entry.summary == "Domain removed from its parent"
    await memory.create_domain(top)
    result = await memory.domain_info(domain=child)
    assert (result.parent, result.description, result.events) == (None, "Mine", made.events)
    assert result.protection is not None
    assert (await memory.upkeep.verify(domain=child)).clean
    alice = memory.acting_as("alice")
    await alice.create_node("Note", "two", domain=child)
    await alice.update_domain(child, parent=top)
    again = await memory.transfer.export_file(tmp_path / "again.jsonl", domain=child)
    await memory.transfer.import_file(tmp_path / "again.jsonl", name=f"{child}-i")
    assert (await memory.domain_info(domain=f"{child}-i")).parent == top
    assert (await memory.domain_info(domain=f"{child}-i")).events == again.events


@pytest.mark.long
async def test_imports_at_once_close_no_circle(shared_memory: Memory, domain: str, tmp_path: Path) -> None:
    a, b = f"{domain}/a", f"{domain}/b"
    for name in (a, b):
        await shared_memory.create_domain(name)
    for name, other in ((a, b), (b, a)):
        await shared_memory.update_domain(name, parent=other)
        await shared_memory.transfer.export_file(tmp_path / f"{name[-1]}.jsonl", domain=name)
        await shared_memory.update_domain(name, parent="")
    for name in (a, b):
        await shared_memory.delete_domain(name)
    async with anyio.create_task_group() as tasks:
        for name in "ab":
            tasks.start_soon(shared_memory.transfer.import_file, tmp_path / f"{name}.jsonl")
    above = [(await shared_memory.domain_info(domain=name)).parent for name in (a, b)]
    assert None in above
    for name in (a, b):
        assert (await shared_memory.upkeep.verify(domain=name)).clean


async def test_a_branch_of_a_time_whose_domain_above_is_gone_is_under_none(memory: Memory, domain: str) -> None:
    top, child = f"{domain}/top", f"{domain}/child"
    await memory.create_ontology(NOTES, domain=top)
    then = (await memory.create_domain(child, parent=top)).version
    await memory.update_domain(child, parent="")
    await memory.delete_domain(top)
    made = await memory.in_domain(child).history.branch(top, at=then)
    assert made.warnings is not None
    assert f"Domain {top} would be its own ancestor" in made.warnings[0]
    assert (await memory.domain_info(domain=top)).parent is None
    assert (await memory.upkeep.verify(domain=top)).clean
    assert (await memory.in_domain(child).history.branch(f"{child}-b")).warnings is None


async def test_a_folder_has_the_fields(memory: Memory, domain: str, tmp_path: Path) -> None:
    top, child = f"{domain}/top", f"{domain}/child"
    await memory.create_ontology(NOTES, domain=top)
    then = (await memory.create_domain(child, parent=top, description="Mine", metadata={"a": [1]})).version
    await memory.create_node("Note", "one", domain=child)
    await memory.update_domain(child, description="Ours", parent="")
    transfer = memory.in_domain(child).transfer
    await transfer.export_folder(tmp_path / "now")
    await transfer.export_folder(tmp_path / "then", at=then)
    await memory.transfer.import_folder(tmp_path / "now", name=f"{child}-now")
    await memory.transfer.import_folder(tmp_path / "then", name=f"{child}-then")
    for name, fields in (("now", (None, "Ours", {"a": [1]})), ("then", (top, "Mine", {"a": [1]}))):
        result = await memory.domain_info(domain=f"{child}-{name}")
        assert (result.parent, result.description, result.metadata) == fields
        assert (await memory.upkeep.verify(domain=f"{child}-{name}")).clean
    await memory.delete_domain(f"{child}-then")
    await memory.delete_domain(top)
    made = await memory.transfer.import_folder(tmp_path / "then", name=f"{child}-alone")
    assert made.warnings is not None
    assert (await memory.domain_info(domain=f"{child}-alone")).parent is None


@pytest.mark.parametrize(
    "rendered", [{"parent": "not a name"}, {"metadata": [1]}, {"description": 3}, {"color": "red"}]
)
async def test_a_folder_with_a_wrong_field_is_refused(
    memory: Memory, domain: str, tmp_path: Path, rendered: dict[str, object]
) -> None:
    await memory.create_ontology(NOTES)
    await memory.transfer.export_folder(tmp_path / "it")
    registry = tmp_path / "it" / "_system" / "registry.json"
    registry.write_text(json.dumps({"domain": rendered, **json.loads(registry.read_text())}))
    await error_of(memory.transfer.import_folder(tmp_path / "it", name=f"{domain}-i"), Code.INVALID_ARCHIVE)
    await error_of(memory.domain_info(domain=f"{domain}-i"), Code.ONTOLOGY_NOT_FOUND)


async def test_domains_are_listed_in_pages(memory: Memory, domain: str) -> None:
    names = [f"{domain}/{number}" for number in range(5)]
    for name, parent in zip(names, [names[4], None, names[1], None, None], strict=True):
        if name != names[0]:
            await memory.create_domain(name, parent=parent)
    await memory.create_domain(names[0], parent=names[4])
    summaries = (await memory.list_domains()).domains
    pages: list[DomainSummary] = []
    cursor: str | None = f"after:{domain}"
    while cursor is not None and len(pages) < len(names):
        page = await memory.list_domains(limit=2, cursor=cursor)
        assert len(page.domains) <= 2
        pages += page.domains
        cursor = page.next_cursor
    own = pages[: len(names)]  # the last page goes on with a domain of another test, if there is one
    assert own == [summary for summary in summaries if summary.name in names]
    assert {summary.name: summary.children for summary in own if summary.children} == {
        names[1]: (names[2],),
        names[4]: (names[0],),
    }
    for wrong in ({"cursor": "nonsense"}, {"limit": 0}):
        await error_of(memory.list_domains(**wrong), Code.INVALID_ARGUMENT)  # pyright: ignore[reportArgumentType]


async def test_the_last_access_is_told_without_a_change_of_the_domain(memory: Memory, domain: str) -> None:
    await memory.create_ontology(NOTES)
    node = (await memory.create_node("Note", "one")).node_id
    before = await memory.domain_info()
    assert before.last_access is None
    assert before.content_bytes == 3
    core = memory._core
    core.accesses._maximum = 10
    try:
        await memory.get_node(node)
        after = await memory.domain_info()
    finally:
        core.accesses.take()
        core.accesses._maximum = 0
    assert after.last_access is not None
    assert (after.events, after.modified) == (before.events, before.modified)


async def test_a_protected_domain_keeps_its_fields_but_may_get_children(memory: Memory, domain: str) -> None:
    await memory.create_domain(domain, description="As it is")
    await memory.protect(domain=domain, can_be_unprotected_by=["alice"])
    await error_of(memory.update_domain(domain, description="Otherwise"), Code.PROTECTED)
    await memory.create_domain(f"{domain}/below", parent=domain)
    await memory.acting_as("alice").update_domain(domain, description="Otherwise")
    assert (await memory.domain_info()).protection is not None


async def test_a_domain_does_not_move_where_one_under_it_would_be_too_deep(
    memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parents, "MAX_LEVELS", 4)
    chain = [f"{domain}/d{number}" for number in range(5)]
    for name, above in zip(chain, [None, *chain], strict=False):
        await memory.create_domain(name, parent=above)
    await memory.create_domain(f"{domain}/top")
    error = await error_of(memory.update_domain(chain[0], parent=f"{domain}/top"), Code.INVALID_ARGUMENT)
    assert "more than 4 ancestors" in error.message
