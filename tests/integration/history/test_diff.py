"""Differences between two points of the log: added, removed and changed subjects, value by value, page by page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import given
from hypothesis import strategies as st

from graph_memory import Code, GraphError, Memory, NodeType, Settings, ontology_from, open_memory
from graph_memory.memory.history import diff as work_of_diff
from graph_memory.memory.history.diff_results import Diff, ValueChange
from profiles import profile
from tables import for_rows

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": ["Project", "Action"],
        "connection_types": [{"name": "NextAction", "from": ["Project"], "to": ["Action"]}],
    }
)


@pytest.fixture
async def work(memory: Memory) -> Memory:
    """A domain of 5 events of its ontology, and then 3 of a project and its action."""
    await memory.create_ontology(ONTOLOGY)
    await memory.create_node("Project", "# Renovate", id="renovate")
    await memory.create_node("Action", "# Call\nAnna", properties={"status": "next", "n": 1}, tags=["a"], id="call")
    await memory.create_connection("NextAction", "renovate", "call", id="next")
    return memory


def operations_of(diff: Diff) -> list[tuple[str, str]]:
    return [(entry.subject, entry.operation) for entry in diff.entries]


async def all_pages(memory: Memory, **arguments: Any) -> list[Diff]:
    pages = [await memory.history.diff(**arguments)]
    while pages[-1].next_cursor is not None:
        pages.append(await memory.history.diff(**arguments, cursor=pages[-1].next_cursor))
    return pages


async def test_what_was_added_removed_and_changed_is_counted_and_told_in_order_of_the_ids(work: Memory) -> None:
    await work.update_node("renovate", properties={"by": "Anna"})
    await work.delete_node("call")
    await work.create_node("Action", "# Phone", id="phone")
    diff = await work.history.diff(since=8)
    assert (diff.since, diff.until) == (8, 12)
    assert (diff.added, diff.removed, diff.changed) == (1, 2, 1)
    assert diff.to_dict()["by_kind"] == {
        "connection": {"added": 0, "removed": 1, "changed": 0},
        "node": {"added": 1, "removed": 1, "changed": 1},
    }
    assert operations_of(diff) == [
        ("call", "removed"),
        ("next", "removed"),
        ("phone", "added"),
        ("renovate", "changed"),
    ]
    assert [entry.summary for entry in diff.entries] == [
        'Action "Call" deleted',
        '"Renovate" NextAction "Call" deleted',
        'Action "Phone" created',
        'Project "Renovate": by "Anna" added',
    ]
    assert [entry.title for entry in diff.entries] == ["Call", None, "Phone", "Renovate"]
    assert [entry.type for entry in diff.entries] == ["Action", "NextAction", "Action", "Project"]
    assert diff.next_cursor is None


async def test_the_change_at_the_earlier_point_is_made_already(work: Memory) -> None:
    version = (await work.update_node("call", properties={"status": "done"})).version
    assert operations_of(await work.history.diff(since=version)) == []
    assert operations_of(await work.history.diff(since=version - 1)) == [("call", "changed")]
    assert operations_of(await work.history.diff(since=version - 2, until=version - 1)) == [("next", "added")]
    [created, *_] = (await work.history.diff(since=5)).entries
    assert created.summary == 'Action "Call" created'
    entries = (await work.history.log()).entries
    assert operations_of(await work.history.diff(since=entries[1].id, until=entries[0].at.isoformat())) == [
        ("call", "changed")
    ]
    assert (await work.history.diff(since="1 hour ago")).added == version - 3  # not the domain and its ontology


async def test_a_change_is_told_value_by_value(work: Memory) -> None:
    await work.update_node(
        "call",
        properties={"status": "done", "new": True, "n": 1.0},
        content="# Phone",
        encoding="utf-8",
        tags=["a", "b"],
        path="home",
    )
    [entry] = (await work.history.diff(since=8)).entries
    assert entry.to_dict()["properties"] == [
        {"name": "n", "before": 1, "after": 1.0},
        {"name": "new", "after": True},
        {"name": "status", "before": "next", "after": "done"},
    ]
    assert entry.to_dict()["attributes"] == [
        {"name": "path", "after": "home"},
        {"name": "tags", "before": ["a"], "after": ["a", "b"]},
        {"name": "title", "before": "Call", "after": "Phone"},
    ]
    assert entry.content is not None
    assert entry.content.to_dict() == {"before_bytes": 11, "after_bytes": 7}


async def test_what_was_changed_back_or_came_and_went_is_no_difference(work: Memory) -> None:
    await work.update_node("call", properties={"status": "done"})
    await work.update_node("call", properties={"status": "next"})
    await work.create_node("Action", "", id="brief")
    await work.delete_node("brief")
    await work.delete_node("renovate")
    await work.history.revert(since=13)
    diff = await work.history.diff(since=8)
    assert (diff.until > 14, diff.added, diff.removed, diff.changed, diff.entries) == (True, 0, 0, 0, ())


async def test_a_number_that_became_a_float_is_a_difference(work: Memory) -> None:
    await work.update_node("call", properties={"n": 1.0})
    assert (await work.history.diff(since=8)).changed == 1


async def test_what_came_back_as_something_else_is_changed(work: Memory) -> None:
    await work.update_node("call", properties={"status": "done"})
    await work.delete_node("call")
    await work.history.revert(since=10)
    [entry] = (await work.history.diff(since=8, subject="call")).entries
    assert (entry.operation, entry.summary) == ("changed", 'Action "Call": status "next" → "done"')


async def test_content_is_told_as_a_text_diff_on_request(work: Memory) -> None:
    await work.update_node("call", content="# Call\nBert\n", encoding="utf-8")
    await work.create_node("Action", "# New", id="new")
    await work.delete_node("renovate")
    diffs = {e.subject: e.content for e in (await work.history.diff(since=8, content=True)).entries}
    assert {subject: content and content.diff for subject, content in diffs.items()} == {
        "call": "--- before\n+++ after\n@@ -1,2 +1,3 @@\n # Call\n-Anna\n+Bert\n+",
        "new": "--- before\n+++ after\n@@ -0,0 +1 @@\n+# New",
        "next": None,
        "renovate": "--- before\n+++ after\n@@ -1 +0,0 @@\n-# Renovate",
    }


async def test_content_in_blobs_is_compared_and_binary_or_very_long_content_told_by_its_size(work: Memory) -> None:
    long = "line\n" * 20_000
    await work.create_node("Action", long[:80_000], id="blob")
    await work.create_node("Action", "x" * 600_000, id="long")
    await work.create_node("Action", "AP8=", encoding="base64", id="binary")
    since = (await work.update_node("call", content="a\n" * 4_000, encoding="utf-8")).version
    await work.update_node("blob", content="short", encoding="utf-8")
    await work.update_node("binary", content="AQ==", encoding="base64")
    await work.update_node("long", content="short", encoding="utf-8")
    await work.update_node("call", content="b\n" * 4_000, encoding="utf-8")
    diff = await work.history.diff(since=since, content=True)
    contents = {entry.subject: entry.content for entry in diff.entries}
    assert [(c and (c.before_bytes, c.after_bytes, c.diff is None, c.note)) for c in contents.values()] == [
        (2, 1, True, "binary"),
        (80_000, 5, True, "too long to compare"),
        (8_000, 8_000, False, "cut after 200 lines or 20,000 characters"),
        (600_000, 5, True, "too long to compare"),
    ]


@pytest.mark.long
async def test_filters_narrow_entries_and_counts_alike(work: Memory) -> None:
    assert (await work.history.diff(since=0, types=["Action"])).by_kind.keys() == {"node"}
    assert operations_of(await work.history.diff(since=5, types=["Action", "NextAction"])) == [
        ("call", "added"),
        ("next", "added"),
    ]
    assert operations_of(await work.history.diff(since=0, subject="renovate")) == [("renovate", "added")]
    assert operations_of(await work.history.diff(since=0, subject="renovate", types=["Action"])) == []
    assert operations_of(await work.history.diff(since=7, subject="renovate")) == []
    assert operations_of(await work.history.diff(since=0, subject="unknown")) == []


async def test_types_of_the_ontology_are_subjects_too(work: Memory) -> None:
    await work.add_node_type(NodeType("Person"))
    assert operations_of(await work.history.diff(since=8)) == [("node_type/Person", "added")]
    assert (await work.history.diff(since=0)).added == 7


async def test_pages_lead_to_all_of_it_between_the_same_points(work: Memory) -> None:
    first = await work.history.diff(since=0, limit=3)
    await work.create_node("Action", "written meanwhile", id="zzz")
    pages = [first]
    while pages[-1].next_cursor is not None:
        pages.append(await work.history.diff(since=5, limit=3, cursor=pages[-1].next_cursor))
    subjects = [entry.subject for page in pages for entry in page.entries]
    assert [len(page.entries) for page in pages] == [3, 3]
    assert subjects == sorted({*subjects})
    assert "zzz" not in subjects
    assert {(page.since, page.until, page.added) for page in pages} == {(0, 8, 6)}


async def test_a_page_has_so_many_entries_at_most_and_every_page_the_counts_of_all(
    work: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await work.history.diff(since=0, limit=1_000)
    monkeypatch.setattr(work_of_diff, "MAX_ENTRIES", 3)
    pages = await all_pages(work, since=0, limit=1_000)
    assert [len(page.entries) for page in pages] == [3, 3]
    assert [entry for page in pages for entry in page.entries] == list(whole.entries)
    assert all((page.added, page.by_kind) == (whole.added, whole.by_kind) for page in pages)


async def test_a_page_ends_before_it_is_too_long(work: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_of_diff, "PAGE_CHARACTERS", 400)
    pages = await all_pages(work, since=0)
    assert len(pages) > 3
    assert [len(operations_of(page)) > 0 for page in pages] == [True] * len(pages)
    assert sum(len(page.entries) for page in pages) == 6


@for_rows(
    ("arguments", "code"),
    [
        ({"since": "sometime"}, Code.INVALID_ARGUMENT),
        ({"since": 8, "until": 7}, Code.INVALID_ARGUMENT),
        ({"since": "evt_unknown"}, Code.EVENT_NOT_FOUND),
        ({"since": 0, "until": "evt_unknown"}, Code.EVENT_NOT_FOUND),
        ({"since": 0, "cursor": "after:call"}, Code.INVALID_ARGUMENT),
        ({"since": 0, "cursor": "between:1:x:counts::after:call"}, Code.INVALID_ARGUMENT),
        ({"since": 0, "cursor": "between:1:9:counts:nobody.added.1,:after:call"}, Code.INVALID_ARGUMENT),
        ({"since": 0, "limit": 0}, Code.INVALID_ARGUMENT),
        ({"since": 0, "domain": "no-such-domain"}, Code.ONTOLOGY_NOT_FOUND),
        ({"since": 0, "cursor": "between:0:9:counts::after:a", "domain": "no-such-domain"}, Code.ONTOLOGY_NOT_FOUND),
    ],
)
async def test_what_cannot_be_asked_is_refused(work: Memory, arguments: dict[str, Any], code: Code) -> None:
    with pytest.raises(GraphError) as caught:
        await work.history.diff(**arguments)
    assert caught.value.code is code
    assert caught.value.hint


NODES = ["a", "b", "c"]
BEGUN = 3
"""The number of the last event of a domain that was just begun with its ontology."""
values = st.sampled_from([0, 1, 1.0, True, "", "x", "1"])
maps = st.dictionaries(st.sampled_from(["p", "q", "title"]), values, max_size=2)
writes = st.tuples(
    st.sampled_from(["put", "put", "put", "delete", "undo"]),
    st.sampled_from(NODES),
    maps,
    st.sampled_from([None, "", "text", "# Head\ntext"]),
    st.sampled_from([None, ["t"], []]),
)


@pytest.mark.long
@profile(examples=30)
@given(sequence=st.lists(writes, min_size=1, max_size=8), points=st.tuples(st.integers(0, 12), st.integers(0, 12)))
def test_applied_to_the_earlier_state_a_diff_gives_the_later_one(
    settings: Settings, sequence: list[tuple[Any, ...]], points: tuple[int, int]
) -> None:
    async def run() -> None:
        async with open_memory(settings) as memory:
            await check(memory.in_domain(f"diff-{uuid4().hex}"), sequence, points)

    with start_blocking_portal() as portal:
        portal.call(run)


async def check(memory: Memory, sequence: list[tuple[Any, ...]], points: tuple[int, int]) -> None:
    await memory.create_ontology(ontology_from({"node_types": ["Note"], "connection_types": []}))
    for write in sequence:
        await carry_out(memory, write)
    last = (await memory.history.log(limit=1)).entries[0].seq
    since, until = sorted(min(3 + point, last) for point in points)
    before, after = [await states(memory, seq) for seq in (since, until)]
    entries = {entry.subject: entry for page in await all_pages(memory, since=since, until=until, limit=2, content=True)
             for entry in page.entries}  # fmt: skip
    assert {s for s, e in entries.items() if e.operation == "added"} == after.keys() - before.keys()
    assert {s for s, e in entries.items() if e.operation == "removed"} == before.keys() - after.keys()
    for subject in before.keys() & after.keys():
        entry = entries.get(subject)
        is_told = entry is not None and entry.operation == "changed"
        assert entry is None or () not in (entry.properties, entry.attributes), "what did not change is absent"
        assert is_told is (exact(before[subject]) != exact(after[subject])), subject
        changes = [*(entry.properties or ()), *with_stored_names(entry.attributes or ())] if entry else []
        patched = apply_changes(before[subject], changes)
        assert exact(without_content(patched)) == exact(without_content(after[subject]))
        has_new = before[subject]["_content_sha256"] != after[subject]["_content_sha256"]
        assert (entry is not None and entry.content is not None) is has_new


async def carry_out(memory: Memory, write: tuple[Any, ...]) -> None:
    act, node, properties, content, tags = write
    text: dict[str, Any] = {} if content is None else {"content": content, "encoding": "utf-8"}
    live = (await memory.query_nodes(type="Note")).node_ids
    try:
        if act == "undo":
            last = (await memory.history.log(limit=1)).entries[0].seq
            if last > BEGUN:
                await memory.history.revert(since=last)
        elif act == "delete" and node in live:
            await memory.delete_node(node)
        elif node in live:
            await memory.update_node(node, properties=properties, tags=tags, **text)
        else:
            await memory.create_node("Note", content or "", properties=properties, tags=tags or [], id=node)
    except GraphError as error:
        if error.code not in (Code.NODE_ALREADY_EXISTS, Code.REVERT_CONFLICT):
            raise


async def states(memory: Memory, seq: int) -> dict[str, dict[str, object]]:
    """The states of all nodes after an event, put together from the log."""
    result: dict[str, dict[str, object]] = {}
    for entry in reversed((await memory.history.log(until=seq, full=True, limit=1_000)).entries):
        if entry.kind == "node":
            result.pop(entry.subject, None)
            if entry.after is not None:
                result[entry.subject] = entry.after
    return result


def with_stored_names(changes: tuple[ValueChange, ...]) -> list[ValueChange]:
    """The attributes under the names that the log keeps."""
    names = {"format": "_content_format"}
    return [change.model_copy(update={"name": names.get(change.name, f"_{change.name}")}) for change in changes]


def apply_changes(state: Mapping[str, object], changes: list[ValueChange]) -> dict[str, object]:
    result = dict(state)
    for change in changes:
        assert exact({change.name: result.get(change.name)}) == exact({change.name: change.before})
        result[change.name] = change.after
    return {key: value for key, value in result.items() if value is not None}


def without_content(state: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in state.items() if key not in ("_content_sha256", "_content_size")}


def exact(state: Mapping[str, object]) -> dict[str, tuple[str, object]]:
    """Values with their types, so that 1, 1.0 and true differ; without the times of writing."""
    return {
        key: (type(value).__name__, str(value))
        for key, value in map(with_list, state.items())
        if key not in ("_created", "_modified")
    }


def with_list(item: tuple[str, Any]) -> tuple[str, object]:
    key, value = item
    return key, list(value) if key == "_tags" and value is not None else value


async def test_that_a_domain_began_is_no_difference(work: Memory) -> None:
    kinds = [entry.kind for entry in (await work.history.diff(since=0)).entries]
    assert kinds == ["node", "connection_type", "connection", "node_type", "node_type", "node"]


async def test_content_of_the_same_length_is_told_as_rewritten(work: Memory) -> None:
    await work.update_node("call", content="# Call\nBert", encoding="utf-8")
    [entry] = (await work.history.diff(since=8)).entries
    assert entry.summary == 'Action "Call": content rewritten, 11 bytes'
