"""When things hold in the world, beside when the log learnt of them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graph_memory import Code, GraphError, Memory, ontology_from

pytestmark = pytest.mark.anyio

FEBRUARY, MARCH, APRIL = (datetime(2026, month, 15, tzinfo=UTC) for month in (2, 3, 4))


@pytest.fixture
async def home(memory: Memory) -> Memory:
    """Anna, who lived in Bern until March and lives in Rome since."""
    await memory.create_ontology(
        ontology_from(
            {
                "node_types": [{"name": "Person", "properties": {"code": {"indexed": True}}}, "City"],
                "connection_types": [
                    {"name": "LivesIn", "from": ["Person"], "to": ["City"], "properties": {"code": {"indexed": True}}}
                ],
            }
        )
    )
    await memory.create_node("Person", "# Anna", id="anna", properties={"code": 1})
    for city in ("bern", "rome"):
        await memory.create_node("City", f"# {city}", id=city)
        await memory.create_connection("LivesIn", "anna", city, id=f"in-{city}", properties={"code": 1})
    await memory.set_validity("in-bern", valid_to="2026-02-28")
    await memory.set_validity("in-rome", valid_from="2026-03-01T00:00:00+00:00")
    return memory


async def cities(memory: Memory, at: datetime | str | None) -> tuple[str, ...]:
    return (await memory.get_connected_nodes("anna", direction="out", valid_at=at)).node_ids


async def test_queries_give_what_holds_at_a_time(home: Memory) -> None:
    assert await cities(home, None) == ("bern", "rome")
    assert await cities(home, FEBRUARY) == ("bern",)
    assert await cities(home, "2026-03-01") == ("rome",)
    assert await cities(home, APRIL) == ("rome",)
    for arguments in (
        {},
        {"type": "LivesIn"},
        {"from_node_id": "anna"},
        {"to_node_id": "bern"},
        {"from_node_id": "anna", "to_node_id": "bern"},
        {"type": "LivesIn", "properties": {"code": 1}},
    ):
        assert "in-bern" in (await home.query_connections(**arguments, valid_at=FEBRUARY)).connection_ids
        assert "in-bern" not in (await home.query_connections(**arguments, valid_at=APRIL)).connection_ids
        assert "in-bern" in (await home.query_connections(**arguments)).connection_ids
    connection = await home.get_connection("in-bern")
    assert (connection.valid_from, connection.valid_to) == (None, datetime(2026, 3, 1, tzinfo=UTC))
    assert connection.to_dict()["valid_to"] == "2026-03-01T00:00:00Z"


@pytest.mark.long
async def test_nodes_hold_for_a_time_too(home: Memory) -> None:
    await home.set_validity("anna", valid_from=FEBRUARY, valid_to=APRIL)
    for arguments in ({}, {"type": "Person"}, {"type": "Person", "properties": {"code": 1}}):
        for at, is_there in ((FEBRUARY, True), (MARCH, True), (APRIL, False), ("2026-01-01", False)):
            assert ("anna" in (await home.query_nodes(**arguments, valid_at=at)).node_ids) is is_there
    assert (await home.get_node("anna")).valid_from == FEBRUARY
    assert not (await home.upkeep.verify()).differences


async def test_what_is_closed_is_kept_and_can_be_opened_again(home: Memory) -> None:
    closed = await home.invalidate("in-rome")
    assert await cities(home, "now") == ()
    assert (await home.get_connection("in-rome")).version == closed.version
    [entry] = (await home.history.log(limit=1)).entries
    assert entry.summary.startswith('"Anna" LivesIn "rome": ended on ')
    again = await home.set_validity("in-rome", valid_to="open", expected_version=closed.version)
    assert await cities(home, "now") == ("rome",)
    same = await home.set_validity("in-rome", valid_to="open")
    assert same.version == again.version
    with pytest.raises(GraphError) as moved:
        await home.invalidate("in-rome", expected_version=closed.version)
    assert moved.value.code is Code.VERSION_CONFLICT
    assert not (await home.upkeep.verify()).differences


async def test_an_update_keeps_the_bounds_and_a_revert_takes_them_back(home: Memory) -> None:
    await home.set_validity("anna", valid_from=FEBRUARY)
    await home.update_node("anna", properties={"code": 2})
    assert (await home.get_node("anna")).valid_from == FEBRUARY
    version = (await home.set_validity("anna", valid_to=APRIL)).version
    await home.history.revert(since=version, until=version)
    assert (await home.get_node("anna")).valid_to is None


async def test_what_was_believed_of_a_time_is_found_at_a_point_of_the_log(home: Memory) -> None:
    before = (await home.history.log(limit=1)).entries[0].seq
    await home.set_validity("in-bern", valid_to="2026-01-31")
    await home.set_validity("in-rome", valid_from="2026-02-01")
    assert await cities(home, FEBRUARY) == ("rome",)
    past = await home.history.as_of(before)
    believed = await past.get_connected_nodes("anna", direction="out", valid_at=FEBRUARY)
    assert believed.node_ids == ("bern",)
    assert (await past.query_connections(valid_at=FEBRUARY)).connection_ids == ("in-bern",)
    assert (await past.query_nodes(type="City", valid_at=FEBRUARY)).node_ids == ("bern", "rome")
    assert (await past.get_connection("in-bern")).valid_to == datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({}, "valid_to"),
        ({"valid_from": "some day"}, "valid_from"),
        ({"valid_from": APRIL, "valid_to": MARCH}, "valid_to"),
        ({"valid_from": MARCH, "valid_to": MARCH}, "valid_to"),
        ({"valid_to": 7}, "valid_to"),
    ],
)
async def test_bounds_that_make_no_sense_change_nothing(home: Memory, arguments: dict[str, str], argument: str) -> None:
    before = await home.get_node("anna")
    with pytest.raises(GraphError) as refused:
        await home.set_validity("anna", **arguments)
    assert refused.value.code is Code.INVALID_ARGUMENT
    assert refused.value.details["argument"] == argument
    assert await home.get_node("anna") == before


async def test_what_is_not_there_has_no_bounds(home: Memory) -> None:
    with pytest.raises(GraphError) as missing:
        await home.invalidate("nobody")
    assert missing.value.code is Code.NODE_NOT_FOUND
    with pytest.raises(GraphError) as unread:
        await home.query_nodes(valid_at="the other day")
    assert unread.value.details["argument"] == "valid_at"
