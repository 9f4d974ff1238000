"""Reading the log: every change, newest first, by time, session, subject and kind."""

from __future__ import annotations

from datetime import timedelta

import pytest

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.domains import lineage
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
    """A domain of 6 events of its ontology, and then 6 of a project and its action."""
    await memory.create_ontology(ONTOLOGY)
    project = (await memory.create_node("Project", "# Renovate", id="renovate")).node_id
    action = (await memory.create_node("Action", "# Call", properties={"status": "next"}, id="call")).node_id
    await memory.create_connection("NextAction", project, action, id="next")
    await memory.update_node(action, properties={"status": "done"})
    await memory.delete_node(action)
    return memory


async def numbers(memory: Memory, **arguments: object) -> list[int]:
    return [entry.seq for entry in (await memory.history.log(**arguments)).entries]  # type: ignore[arg-type]


async def test_the_log_tells_each_change_in_words_newest_first(work: Memory) -> None:
    page = await work.history.log()
    assert [entry.summary for entry in page.entries] == [
        'Action "Call" deleted, with 1 connection',
        '"Renovate" NextAction "Call" deleted',
        'Action "Call": status "next" → "done"',
        '"Renovate" NextAction "Call" created',
        'Action "Call" created',
        'Project "Renovate" created',
        "Connection type NextAction defined",
        "Node type Action defined",
        "Node type Project defined",
        "Ontology created",
        "Domain created",
    ]
    assert page.next_cursor is None
    assert page.entries[0].batch == page.entries[1].batch


async def test_states_before_and_after_come_on_request(work: Memory) -> None:
    [entry] = (await work.history.log(subject="call", operations=["update"], full=True)).entries
    assert entry.before is not None
    assert entry.after is not None
    assert (entry.before["status"], entry.after["status"]) == ("next", "done")
    assert str(entry.after["_modified"]).endswith("Z")
    [entry] = (await work.history.log(subject="call", operations=["update"])).entries
    assert (entry.before, entry.after) == (None, None)


@pytest.mark.long
async def test_filters_join(work: Memory) -> None:
    assert await numbers(work, subject="call") == [11, 9, 7]
    assert await numbers(work, types=["NextAction"]) == [10, 8]
    assert await numbers(work, types=["Action"], operations=["create", "delete"]) == [11, 7]
    assert await numbers(work, source="agent") == []
    assert await numbers(work, source="user", since=10) == [11, 10]
    assert await numbers(work, session="none") == []
    assert await numbers(work, actor="nobody") == []


async def test_points_are_within(work: Memory) -> None:
    assert await numbers(work, since=10) == [11, 10]
    assert await numbers(work, until=2) == [2, 1]
    assert await numbers(work, since=3, until=4) == [4, 3]
    entries = (await work.history.log()).entries
    assert await numbers(work, since=entries[2].id) == [11, 10, 9]
    assert await numbers(work, until=entries[-3].id) == [3, 2, 1]


async def test_times_are_points(work: Memory) -> None:
    entries = {entry.seq: entry for entry in (await work.history.log()).entries}
    assert await numbers(work, since=entries[9].at.isoformat()) == [11, 10, 9]
    assert await numbers(work, since=(entries[8].at + timedelta(microseconds=1)).isoformat()) == [11, 10, 9]
    assert await numbers(work, until=entries[5].at.isoformat()) == [5, 4, 3, 2, 1]
    assert await numbers(work, until=(entries[6].at - timedelta(microseconds=1)).isoformat()) == [5, 4, 3, 2, 1]
    assert await numbers(work, since="1 hour ago", until="now") == list(range(11, 0, -1))
    assert await numbers(work, until="1 hour ago") == []
    assert await numbers(work, since="2999-01-01") == []


async def test_pages_lead_to_all_of_it_once(work: Memory) -> None:
    results: list[int] = []
    cursor = None
    while True:
        page = await work.history.log(limit=4, cursor=cursor)
        results += [entry.seq for entry in page.entries]
        cursor = page.next_cursor
        if cursor is None:
            break
        await work.create_node("Project", "written meanwhile")
    assert results == list(range(11, 0, -1))


@for_rows(
    ("arguments", "code"),
    [
        ({"since": "sometime"}, Code.INVALID_ARGUMENT),
        ({"until": "evt_unknown"}, Code.EVENT_NOT_FOUND),
        ({"cursor": "after:3"}, Code.INVALID_ARGUMENT),
        ({"cursor": "before:x"}, Code.INVALID_ARGUMENT),
        ({"limit": 0}, Code.INVALID_ARGUMENT),
        ({"operations": ["erase"]}, Code.INVALID_ARGUMENT),
        ({"source": "robot"}, Code.INVALID_ARGUMENT),
        ({"domain": "no-such-domain"}, Code.ONTOLOGY_NOT_FOUND),
    ],
)
async def test_what_cannot_be_asked_is_refused(work: Memory, arguments: dict[str, object], code: Code) -> None:
    with pytest.raises(GraphError) as caught:
        await work.history.log(**arguments)  # type: ignore[arg-type]
    assert caught.value.code is code
    assert caught.value.hint


@pytest.mark.parametrize("probes", [2, 3, 32])
async def test_a_time_is_found_however_many_numbers_are_looked_at_at_once(
    work: Memory, probes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lineage, "_PROBES", probes)
    entries = (await work.history.log()).entries
    for at in {entry.at for entry in entries}:
        assert await numbers(work, until=at.isoformat()) == [entry.seq for entry in entries if entry.at <= at]
        assert await numbers(work, since=at.isoformat()) == [entry.seq for entry in entries if entry.at >= at]


async def test_sessions_tell_who_changed_how_much_and_what(work: Memory) -> None:
    [session] = (await work.history.sessions()).sessions
    assert (session.session, session.source, session.changes, session.subjects) == (None, "user", 11, 8)
    assert (session.first_seq, session.last_seq) == (1, 11)
    assert set(session.about) == {"Call", "Renovate"}
    assert (await work.history.sessions(since=10)).sessions[0].changes == 2
    assert (await work.history.sessions(until="1 hour ago")).sessions == ()
