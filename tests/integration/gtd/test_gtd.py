"""The questions of Getting Things Done, asked of a real graph."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from graph_memory import Code, GraphError, Memory, load_ontology, ontology_from
from graph_memory.gtd import Gtd, Ref
from graph_memory.model.ontology.ontology import merge_ontologies

pytestmark = pytest.mark.anyio

TODAY = date(2025, 10, 20)


class Desk:
    """A person's projects and actions, written down by title."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.gtd = Gtd(memory)
        self.ids: dict[str, str] = {}

    async def add(self, kind: str, title: str, **properties: object) -> str:
        made = await self.memory.create_node(kind, f"# {title}", properties=properties)
        self.ids[title] = made.node_id
        return made.node_id

    async def join(self, kind: str, source: str, target: str, **properties: object) -> None:
        await self.memory.create_connection(kind, self.ids[source], self.ids[target], properties=properties)

    async def change(self, title: str, **properties: object) -> None:
        await self.memory.update_node(self.ids[title], properties=properties)

    async def available(self, **means: object) -> list[str]:
        return titles((await self.gtd.available_actions(**means)).actions)  # pyright: ignore[reportArgumentType]


def titles(refs: Sequence[Ref]) -> list[str]:
    return [ref.title for ref in refs]


@pytest.fixture
async def desk(memory: Memory) -> Desk:
    await memory.apply_ontology(load_ontology("gtd"))
    desk = Desk(memory)
    await desk.add("Project", "Kitchen", status="active", due="2025-12-01")
    await desk.add("Project", "Bathroom", status="active")
    await desk.add("Project", "Garden", status="active", due="2025-11-01", area="home")
    await desk.add("Project", "Attic", status="someday")
    await desk.add("Action", "Call contractor", status="next", context="phone", time_estimate="30m", due="2025-10-22")
    await desk.add("Action", "Compare quotes", status="next", context="computer", time_estimate=60)
    await desk.add("Action", "Call plumber", status="next", time_estimate=10)
    await desk.add("Action", "Choose sinks", status="next", context="computer", energy="high")
    await desk.add("Action", "Clear attic", status="next")
    await desk.add("Action", "Measure", status="completed")
    await desk.add("Context", "The telephone", name="@Phone")
    await desk.add("Person", "Anna")
    for project, action in (
        ("Kitchen", "Call contractor"),
        ("Kitchen", "Compare quotes"),
        ("Bathroom", "Choose sinks"),
        ("Garden", "Measure"),
        ("Attic", "Clear attic"),
    ):
        await desk.join("NextAction", project, action)
    await desk.join("RequiresContext", "Call plumber", "The telephone")
    await desk.join("DependsOn", "Compare quotes", "Call contractor")
    return desk


async def test_a_project_is_stuck_until_a_next_action_moves_it(desk: Desk) -> None:
    await desk.add("Project", "Basement", status="active", priority="high")
    stuck = (await desk.gtd.stuck_projects()).projects
    assert [(project.title, project.reason) for project in stuck] == [
        ("Garden", "all next actions are done"),
        ("Basement", "no next action"),
    ]
    assert (stuck[0].due, stuck[0].area, stuck[1].priority) == ("2025-11-01", "home", "high")
    await desk.add("Action", "Buy seeds", status="next")
    await desk.join("NextAction", "Garden", "Buy seeds")
    await desk.change("Basement", status="on_hold")
    assert (await desk.gtd.stuck_projects()).projects == ()


async def test_actions_are_available_by_context_time_and_what_they_depend_on(desk: Desk) -> None:
    available = await desk.gtd.available_actions()
    assert titles(available.actions) == ["Call contractor", "Call plumber", "Choose sinks"]
    assert available.left_out.to_dict() == {"project": 1, "dependencies": 1, "contexts": 0, "time": 0, "energy": 0}
    first = available.actions[0]
    assert (first.contexts, first.minutes, titles(first.projects)) == (("phone",), 30, ["Kitchen"])
    assert await desk.available(contexts=["@phone"]) == ["Call contractor", "Call plumber"]
    assert await desk.available(contexts=["phone"], minutes=15) == ["Call plumber"]
    assert await desk.available(contexts=["Computer"], energy="medium") == []
    await desk.change("Call contractor", status="complete")
    assert await desk.available(contexts=["computer"]) == ["Choose sinks", "Compare quotes"]


async def test_what_others_owe_is_overdue_from_the_day_to_ask_again(desk: Desk) -> None:
    for title, day in (("Compare quotes", "2025-10-20"), ("Kitchen", "2025-10-01"), ("Bathroom", "2025-10-21")):
        await desk.join("WaitingFor", title, "Anna", since="2025-09-01", follow_up_date=day)
    await desk.join("WaitingFor", "Measure", "Anna", since="2025-09-01", follow_up_date="2025-10-01")
    overdue = (await desk.gtd.overdue_waiting(today=TODAY)).waiting
    assert [(waiting.waiting.title, waiting.person.title, waiting.days_overdue) for waiting in overdue] == [
        ("Kitchen", "Anna", 19),
        ("Compare quotes", "Anna", 0),
    ]
    everything = (await desk.gtd.waiting_for(today=TODAY)).waiting
    assert [(waiting.waiting.title, waiting.days_overdue) for waiting in everything][2:] == [("Bathroom", -1)]


async def test_next_actions_come_by_project(desk: Desk) -> None:
    projects = (await desk.gtd.next_actions()).projects
    assert [(project.title, titles(project.actions)) for project in projects] == [
        ("Garden", []),
        ("Kitchen", ["Call contractor", "Compare quotes"]),
        ("Bathroom", ["Choose sinks"]),
    ]
    [attic] = (await desk.gtd.next_actions(project=desk.ids["Attic"])).projects
    assert titles(attic.actions) == ["Clear attic"]
    for node, code in ((desk.ids["Anna"], Code.INVALID_ARGUMENT), ("mem_unknown", Code.NODE_NOT_FOUND)):
        with pytest.raises(GraphError) as caught:
            await desk.gtd.next_actions(project=node)
        assert caught.value.code is code


async def test_a_review_goes_through_every_list(desk: Desk) -> None:
    await desk.add("Action", "A thought", status="inbox")
    await desk.add("Action", "No idea yet")
    await desk.add("Action", "Send back", status="next", due="2025-10-19")
    await desk.add("Action", "Old plan", status="cancelled", due="2025-10-19")
    await desk.join("DependsOn", "Send back", "Old plan")
    await desk.add("Action", "Dentist", status="scheduled", scheduled="2025-10-28T09:00:00+01:00")
    await desk.add("Project", "Cellar", status="on_hold", due="next week")
    await desk.join("WaitingFor", "Kitchen", "Anna", since="2025-10-01", follow_up_date="2025-12-01")
    review = await desk.gtd.weekly_review(today=TODAY)
    assert titles(review.inbox) == ["A thought"]
    assert titles(review.unclear) == ["No idea yet"]
    assert titles(review.stuck) == ["Garden"]
    assert titles(review.blocked) == ["Send back"]
    assert [waiting.waiting.title for waiting in review.waiting] == ["Kitchen"]
    assert titles(review.overdue) == ["Send back"]
    assert titles(review.coming) == ["Call contractor"]
    assert titles(review.projects) == ["Garden", "Kitchen", "Bathroom"]
    assert titles(review.someday) == ["Attic"]
    assert titles(review.scheduled) == ["Dentist"]
    assert titles(review.resting) == ["Cellar"]
    assert titles(review.undated) == ["Cellar"]
    assert titles(review.loose) == ["Send back", "Call plumber"]
    assert review.done == ()  # nothing of today was done in the week before that day
    for days, done in ((0, ["Measure"]), (6, ["Measure"]), (7, [])):
        later = await desk.gtd.weekly_review(today=date.today() + timedelta(days=days))
        assert titles(later.done) == done


async def test_a_domain_without_the_types_says_which_are_missing(memory: Memory) -> None:
    gtd = Gtd(memory)
    with pytest.raises(GraphError) as caught:
        await gtd.weekly_review()
    assert caught.value.code is Code.ONTOLOGY_NOT_FOUND
    await memory.apply_ontology(ontology_from({"node_types": ["Project"]}))
    with pytest.raises(GraphError) as caught:
        await gtd.stuck_projects()
    assert (caught.value.code, caught.value.details["missing"]) == (Code.INVALID_NODE_TYPE, ["Action"])
    with pytest.raises(GraphError) as caught:
        await gtd.overdue_waiting()
    assert caught.value.code is Code.INVALID_CONNECTION_TYPE
    assert "ontology apply gtd" in (caught.value.hint or "")


async def test_arguments_that_cannot_be_are_refused(desk: Desk) -> None:
    for means in ({"contexts": "phone"}, {"energy": "some"}, {"minutes": 0}):
        with pytest.raises(GraphError) as caught:
            await desk.available(**means)
        assert caught.value.code is Code.INVALID_ARGUMENT


async def test_a_server_that_is_gone_is_told_as_such(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def raise_gone(*_: object, **__: object) -> None:
        raise GraphError(Code.STORE_UNAVAILABLE, "gone")

    monkeypatch.setattr(Memory, "get_connected_nodes_of", raise_gone)
    with pytest.raises(GraphError) as caught:
        await desk.gtd.weekly_review()
    assert caught.value.code is Code.STORE_UNAVAILABLE


@pytest.mark.long
async def test_it_works_beside_other_types_in_one_domain(memory: Memory) -> None:
    await memory.apply_ontology(merge_ontologies([load_ontology("gtd"), load_ontology("fitness")]))
    desk = Desk(memory)
    await desk.add("Goal", "Run 10 km", status="active")
    await desk.add("Project", "Find a running club", status="active")
    await desk.join("RelatesTo", "Find a running club", "Run 10 km")
    assert titles((await desk.gtd.stuck_projects()).projects) == ["Find a running club"]
