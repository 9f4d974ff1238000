"""`Gtd`: the lists of Getting Things Done, built with the public methods of `Memory`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta

from graph_memory.gtd import lists, reading, rules
from graph_memory.gtd.lists import ActionNeighbours, AvailableResources, Neighbours
from graph_memory.gtd.results import (
    AvailableActions,
    NextActions,
    ProjectActions,
    Review,
    StuckProjects,
    Waiting,
    WaitingFor,
)
from graph_memory.memory.api.memory import Memory
from graph_memory.model.results import NodeSummary
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument

WEEK = timedelta(days=7)
DAY = timedelta(days=1)


class Gtd:
    """The lists of a domain with the types of `ontologies/gtd.yaml`. The domain may have other types too.

    Every method raises ONTOLOGY_NOT_FOUND if the domain does not exist, and INVALID_NODE_TYPE or
    INVALID_CONNECTION_TYPE if the domain lacks a type. `today` defaults to the current day in the machine's time zone.
    """

    def __init__(self, memory: Memory, *, domain: str | None = None) -> None:
        self._memory = memory if domain is None else memory.in_domain(domain)

    async def stuck_projects(self) -> StuckProjects:
        """Return the active projects that have no open next action."""
        await reading.require_types(self._memory, ("Project", "Action"), ("NextAction",))
        projects, steps = await self._active_projects()
        return StuckProjects(projects=lists.stuck_projects(projects, steps))

    async def waiting_for(self, *, today: date | None = None) -> WaitingFor:
        """Return unfinished actions and projects that wait for a person, with that person, longest overdue first."""
        return WaitingFor(waiting=await self._waiting(_day(today)))

    async def overdue_waiting(self, *, today: date | None = None) -> WaitingFor:
        """Return the entries of `waiting_for` whose follow-up date is today or earlier."""
        waiting_entries = await self._waiting(_day(today))
        return WaitingFor(
            waiting=tuple(
                waiting for waiting in waiting_entries if waiting.days_overdue is not None and waiting.days_overdue >= 0
            )
        )

    async def available_actions(
        self, *, contexts: Collection[str] | None = None, minutes: float | None = None, energy: str | None = None
    ) -> AvailableActions:
        """Return the actions with status `next` that can be done now, and the number of other actions for each reason.

        An action is excluded if all its projects are finished, on hold or someday, if a dependency is not complete, if
        it requires a context that is not in `contexts`, or if it takes longer than `minutes` or more than `energy`
        (low, medium or high). A missing property never excludes an action: without a context, it can be done anywhere.
        Raises INVALID_ARGUMENT if an argument is invalid.
        """
        means = AvailableResources(
            lists.context_keys(_check_contexts(contexts)), _check_minutes(minutes), _check_energy(energy)
        )
        await reading.require_types(self._memory, ("Action",), ())
        nodes = await reading.read_nodes(self._memory, "Action", rules.NEXT)
        dependencies = await reading.read_neighbours(self._memory, nodes, "DependsOn", "out")
        return lists.select_available(nodes, await self._neighbours_of(nodes), dependencies, means)

    async def next_actions(self, *, project: str | None = None) -> NextActions:
        """Return the active projects, or only the project with this id, with their open next actions.

        Raises NODE_NOT_FOUND for an unknown id, and INVALID_ARGUMENT if the node is not a project.
        """
        await reading.require_types(self._memory, ("Project", "Action"), ("NextAction",))
        if project is None:
            return NextActions(projects=await self._with_actions(*await self._active_projects()))
        projects = await self._read_project(project)
        steps = await reading.read_neighbours(self._memory, projects, "NextAction", "out")
        return NextActions(projects=await self._with_actions(projects, steps))

    async def weekly_review(self, *, today: date | None = None) -> Review:
        """Return the lists of a weekly review, such as the inbox, stuck projects, and overdue projects and actions."""
        day = _day(today)
        await reading.require_types(self._memory, ("Project", "Action"), ("NextAction",))
        projects = await reading.read_nodes(self._memory, "Project")
        actions = await reading.read_nodes(self._memory, "Action")
        projects_and_actions = (*projects, *actions)
        active = lists.sort_by_urgency(_with_status(projects, rules.ACTIVE))
        steps = await reading.read_neighbours(self._memory, active, "NextAction", "out")
        next_actions = _with_status(actions, rules.NEXT)
        parents = await reading.read_neighbours(self._memory, next_actions, "NextAction", "in")
        return Review(
            inbox=lists.list_items(_with_status(actions, "inbox")),
            unclear=lists.list_items(node for node in projects_and_actions if lists.status_of(node) is None),
            stuck=lists.stuck_projects(active, steps),
            blocked=lists.list_items(await self._cancelled_dependents(next_actions)),
            waiting=await self._waiting(day),
            overdue=lists.list_items(lists.due_within(projects_and_actions, date.min, day - DAY)),
            coming=lists.list_items(lists.due_within(projects_and_actions, day, day + WEEK)),
            projects=await self._with_actions(active, steps),
            scheduled=lists.list_items(_with_status(actions, "scheduled")),
            resting=lists.list_items(
                [*_with_status(projects_and_actions, "waiting"), *_with_status(projects_and_actions, "on_hold")]
            ),
            loose=lists.list_items(node for node in next_actions if not parents[node.id]),
            undated=lists.list_items(filter(lists.has_unparsable_due_day, projects_and_actions)),
            someday=lists.list_items(_with_status(projects_and_actions, "someday")),
            done=lists.list_items(
                node for node in projects_and_actions if lists.is_done_within(node, day - WEEK + DAY, day)
            ),
        )

    async def _active_projects(self) -> tuple[Sequence[NodeSummary], Neighbours]:
        """Return the active projects, most urgent first, and each project's next actions."""
        nodes = await reading.read_nodes(self._memory, "Project", rules.ACTIVE)
        return lists.sort_by_urgency(nodes), await reading.read_neighbours(self._memory, nodes, "NextAction", "out")

    async def _read_project(self, project: str) -> Sequence[NodeSummary]:
        info = await self._memory.get_node(project)
        if info.type != "Project":
            message = f"{quote(project)} is a node of type {info.type}, not a project"
            raise invalid_argument("project", message, "Pass the id of a node of type Project.")
        return await self._memory.describe_nodes([project])

    async def _neighbours_of(self, actions: Sequence[NodeSummary]) -> ActionNeighbours:
        return ActionNeighbours(
            projects=await reading.read_neighbours(self._memory, actions, "NextAction", "in"),
            contexts=await reading.read_neighbours(self._memory, actions, "RequiresContext", "out"),
        )

    async def _with_actions(self, projects: Sequence[NodeSummary], steps: Neighbours) -> tuple[ProjectActions, ...]:
        open_steps = {
            project.id: [step for step in steps[project.id] if not lists.is_finished(step)] for project in projects
        }
        actions = {node.id: node for nodes in open_steps.values() for node in nodes}
        return lists.render_projects(projects, open_steps, await self._neighbours_of(list(actions.values())))

    async def _cancelled_dependents(self, next_actions: Sequence[NodeSummary]) -> list[NodeSummary]:
        """Return the actions that depend on a cancelled action. They stay blocked, because it is never completed."""
        dependencies = await reading.read_neighbours(self._memory, next_actions, "DependsOn", "out")
        return [node for node in next_actions if "cancelled" in map(lists.status_of, dependencies[node.id])]

    async def _waiting(self, today: date) -> tuple[Waiting, ...]:
        await reading.require_types(self._memory, (), ("WaitingFor",))
        connections = await reading.read_connections(self._memory, "WaitingFor")
        sources = await self._memory.describe_nodes(tuple({connection.from_id for connection in connections}))
        return lists.list_waiting(connections, {source.id: source for source in sources}, today)


def _with_status(nodes: Iterable[NodeSummary], status: str) -> list[NodeSummary]:
    return [node for node in nodes if lists.status_of(node) == status]


def _day(today: date | None) -> date:
    return date.today() if today is None else today


def _check_contexts(contexts: Collection[str] | None) -> Collection[str] | None:
    if isinstance(contexts, str):
        raise invalid_argument("contexts", "contexts is a string, not a list", 'For one context, pass ["phone"].')
    return contexts


def _check_minutes(minutes: float | None) -> float | None:
    if minutes is not None and not minutes > 0:
        raise invalid_argument(
            "minutes", f"minutes is {minutes:g}, but must be above 0", "Pass a number above 0, or omit it."
        )
    return minutes


def _check_energy(energy: str | None) -> str | None:
    if energy is not None and energy not in rules.ENERGIES:
        raise invalid_argument("energy", f"{quote(energy)} is not an energy level", "Use low, medium or high.")
    return energy
