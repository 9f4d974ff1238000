"""`Gtd`: the lists of Getting Things Done, built with the public methods of `Memory`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta

from graph_memory.gtd import lists, reading, rules
from graph_memory.gtd.lists import ActionNeighbours, Means, Neighbours
from graph_memory.gtd.results import Available, NextActions, ProjectActions, Review, StuckProjects, Waiting, WaitingFor
from graph_memory.memory.api.memory import Memory
from graph_memory.model.results import NodeSummary
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument

WEEK = timedelta(days=7)
DAY = timedelta(days=1)


class Gtd:
    """The lists for a domain that has the types of `ontologies/gtd.yaml`, and possibly other types.

    Every method raises ONTOLOGY_NOT_FOUND if the domain does not exist, and INVALID_NODE_TYPE or
    INVALID_CONNECTION_TYPE if it lacks a type. `today` defaults to the current day in the machine's time zone.
    """

    def __init__(self, memory: Memory, *, domain: str | None = None) -> None:
        self._memory = memory if domain is None else memory.in_domain(domain)

    async def stuck_projects(self) -> StuckProjects:
        """Return the active projects that have no open next action."""
        await reading.require_types(self._memory, ("Project", "Action"), ("NextAction",))
        projects, steps = await self._active_projects()
        return StuckProjects(projects=lists.stuck_projects(projects, steps))

    async def waiting_for(self, *, today: date | None = None) -> WaitingFor:
        """Return the unfinished actions and projects that wait for a person, and the person, longest overdue first."""
        return WaitingFor(waiting=await self._waiting(_day(today)))

    async def overdue_waiting(self, *, today: date | None = None) -> WaitingFor:
        """Return the entries of `waiting_for` that are due for follow-up today, or were due earlier."""
        pending = await self._waiting(_day(today))
        return WaitingFor(
            waiting=tuple(
                waiting for waiting in pending if waiting.days_overdue is not None and waiting.days_overdue >= 0
            )
        )

    async def available_actions(
        self, *, contexts: Collection[str] | None = None, minutes: float | None = None, energy: str | None = None
    ) -> Available:
        """Return the actions with status `next` that can be done now, and how many others there are, by reason.

        An action is left out if all its projects are finished, on hold or someday, if one of its dependencies is not
        complete, if it requires a context that is not in `contexts`, or if it takes longer than `minutes` or more than
        `energy` (low, medium or high). A missing property excludes no action: an action without a context can be done
        anywhere. Raises INVALID_ARGUMENT.
        """
        means = Means(lists.context_keys(_check_contexts(contexts)), _check_minutes(minutes), _check_energy(energy))
        await reading.require_types(self._memory, ("Action",), ())
        nodes = await reading.nodes(self._memory, "Action", rules.NEXT)
        dependencies = await reading.neighbours(self._memory, nodes, "DependsOn", "out")
        return lists.available(nodes, await self._neighbours_of(nodes), dependencies, means)

    async def next_actions(self, *, project: str | None = None) -> NextActions:
        """Return the active projects, or only the project with this id, each with its open next actions.

        Raises NODE_NOT_FOUND, and INVALID_ARGUMENT if the node is not a project.
        """
        await reading.require_types(self._memory, ("Project", "Action"), ("NextAction",))
        if project is None:
            return NextActions(projects=await self._with_actions(*await self._active_projects()))
        projects = await self._project(project)
        steps = await reading.neighbours(self._memory, projects, "NextAction", "out")
        return NextActions(projects=await self._with_actions(projects, steps))

    async def weekly_review(self, *, today: date | None = None) -> Review:
        """Return the lists of a weekly review."""
        day = _day(today)
        await reading.require_types(self._memory, ("Project", "Action"), ("NextAction",))
        projects = await reading.nodes(self._memory, "Project")
        actions = await reading.nodes(self._memory, "Action")
        everything = (*projects, *actions)
        active = lists.by_urgency(_with_status(projects, rules.ACTIVE))
        steps = await reading.neighbours(self._memory, active, "NextAction", "out")
        upcoming = _with_status(actions, rules.NEXT)
        parents = await reading.neighbours(self._memory, upcoming, "NextAction", "in")
        return Review(
            inbox=lists.items(_with_status(actions, "inbox")),
            unclear=lists.items(node for node in everything if lists.status(node) is None),
            stuck=lists.stuck_projects(active, steps),
            blocked=lists.items(await self._cancelled_dependents(upcoming)),
            waiting=await self._waiting(day),
            overdue=lists.items(lists.due_within(everything, date.min, day - DAY)),
            coming=lists.items(lists.due_within(everything, day, day + WEEK)),
            projects=await self._with_actions(active, steps),
            scheduled=lists.items(_with_status(actions, "scheduled")),
            resting=lists.items([*_with_status(everything, "waiting"), *_with_status(everything, "on_hold")]),
            loose=lists.items(node for node in upcoming if not parents[node.id]),
            undated=lists.items(filter(lists.is_due_some_day, everything)),
            someday=lists.items(_with_status(everything, "someday")),
            done=lists.items(node for node in everything if lists.is_done_within(node, day - WEEK + DAY, day)),
        )

    async def _active_projects(self) -> tuple[Sequence[NodeSummary], Neighbours]:
        """Return the active projects, most urgent first, and the next actions of each."""
        nodes = await reading.nodes(self._memory, "Project", rules.ACTIVE)
        return lists.by_urgency(nodes), await reading.neighbours(self._memory, nodes, "NextAction", "out")

    async def _project(self, project: str) -> Sequence[NodeSummary]:
        info = await self._memory.get_node(project)
        if info.type != "Project":
            raise invalid_argument(
                "project", f"{quote(project)} is a node of type {info.type}", "Pass the id of a Project."
            )
        return await self._memory.describe_nodes([project])

    async def _neighbours_of(self, actions: Sequence[NodeSummary]) -> ActionNeighbours:
        return ActionNeighbours(
            projects=await reading.neighbours(self._memory, actions, "NextAction", "in"),
            contexts=await reading.neighbours(self._memory, actions, "RequiresContext", "out"),
        )

    async def _with_actions(self, projects: Sequence[NodeSummary], steps: Neighbours) -> tuple[ProjectActions, ...]:
        open_steps = {
            project.id: [step for step in steps[project.id] if not lists.is_finished(step)] for project in projects
        }
        actions = {node.id: node for nodes in open_steps.values() for node in nodes}
        return lists.with_actions(projects, open_steps, await self._neighbours_of(list(actions.values())))

    async def _cancelled_dependents(self, upcoming: Sequence[NodeSummary]) -> list[NodeSummary]:
        """Return the actions that depend on a cancelled action. They stay blocked, as it is never completed."""
        dependencies = await reading.neighbours(self._memory, upcoming, "DependsOn", "out")
        return [node for node in upcoming if "cancelled" in map(lists.status, dependencies[node.id])]

    async def _waiting(self, today: date) -> tuple[Waiting, ...]:
        await reading.require_types(self._memory, (), ("WaitingFor",))
        connections = await reading.connections(self._memory, "WaitingFor")
        sources = await self._memory.describe_nodes(tuple({connection.from_id for connection in connections}))
        return lists.waiting(connections, {source.id: source for source in sources}, today)


def _with_status(nodes: Iterable[NodeSummary], status: str) -> list[NodeSummary]:
    return [node for node in nodes if lists.status(node) == status]


def _day(today: date | None) -> date:
    return date.today() if today is None else today


def _check_contexts(contexts: Collection[str] | None) -> Collection[str] | None:
    if isinstance(contexts, str):
        raise invalid_argument("contexts", "contexts is a text, not a list", 'For one context, pass ["phone"].')
    return contexts


def _check_minutes(minutes: float | None) -> float | None:
    if minutes is not None and not minutes > 0:
        raise invalid_argument("minutes", f"minutes must be above 0, not {minutes:g}", "Pass more than 0, or omit it.")
    return minutes


def _check_energy(energy: str | None) -> str | None:
    if energy is not None and energy not in rules.ENERGIES:
        raise invalid_argument("energy", f"{quote(energy)} is not a level of energy", "Use low, medium or high.")
    return energy
