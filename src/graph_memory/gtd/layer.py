"""`Gtd`: the questions of Getting Things Done, read through the public methods of `Memory`, decided by `rules`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta

from graph_memory.gtd import lists, reading, rules
from graph_memory.gtd.lists import Around, Means, Neighbours
from graph_memory.gtd.results import Available, NextActions, ProjectActions, Review, StuckProjects, Waiting, WaitingFor
from graph_memory.memory.api.memory import Memory
from graph_memory.model.results import NodeSummary
from graph_memory.model.text.wording import quoted
from graph_memory.model.values.arguments import fault

WEEK = timedelta(days=7)
DAY = timedelta(days=1)


class Gtd:
    """Questions about a domain that has the types of `ontologies/gtd.yaml`, alone or among others.

    Every method raises ONTOLOGY_NOT_FOUND for a domain that there is not, and INVALID_NODE_TYPE or
    INVALID_CONNECTION_TYPE for one without the types that it asks about. `today` is the machine's day unless given.
    """

    def __init__(self, memory: Memory, *, domain: str | None = None) -> None:
        self._memory = memory if domain is None else memory.in_domain(domain)

    async def stuck_projects(self) -> StuckProjects:
        """Return the projects with status `active` that no next action moves: they have none, or all are over."""
        await reading.require_types(self._memory, ("Project", "Action"), ("NextAction",))
        projects, steps = await self._active_projects()
        return StuckProjects(projects=lists.stuck(projects, steps))

    async def waiting_for(self, *, today: date | None = None) -> WaitingFor:
        """Return all that somebody else has to do, unless what waits for it is complete or cancelled."""
        return WaitingFor(waiting=await self._waiting(_day(today)))

    async def overdue_waiting(self, *, today: date | None = None) -> WaitingFor:
        """Return of `waiting_for` what was to be followed up today or earlier."""
        pending = await self._waiting(_day(today))
        return WaitingFor(
            waiting=tuple(
                waiting for waiting in pending if waiting.days_overdue is not None and waiting.days_overdue >= 0
            )
        )

    async def available_actions(
        self, *, contexts: Collection[str] | None = None, minutes: float | None = None, energy: str | None = None
    ) -> Available:
        """Return the actions with status `next` that can be done now, and count those that cannot.

        An action is left out when all its projects are over, on hold or for some day, when something that it depends
        on is not complete, when it requires a context beyond `contexts`, or when it takes longer than `minutes` or more
        than `energy` (low, medium or high). What an action does not say leaves it in: one without context can be done
        anywhere. Raises INVALID_ARGUMENT.
        """
        means = Means(lists.names(_several(contexts)), _time(minutes), _energy(energy))
        await reading.require_types(self._memory, ("Action",), ())
        nodes = await reading.nodes(self._memory, "Action", rules.NEXT)
        depends = await reading.neighbours(self._memory, nodes, "DependsOn", "out")
        return lists.available(nodes, await self._around(nodes), depends, means)

    async def next_actions(self, *, project: str | None = None) -> NextActions:
        """Return every active project with its next actions that are not over; or one project, whatever its status.

        Raises NODE_NOT_FOUND, and INVALID_ARGUMENT for the id of something else.
        """
        await reading.require_types(self._memory, ("Project", "Action"), ("NextAction",))
        if project is None:
            return NextActions(projects=await self._with_actions(*await self._active_projects()))
        chosen = await self._project(project)
        steps = await reading.neighbours(self._memory, chosen, "NextAction", "out")
        return NextActions(projects=await self._with_actions(chosen, steps))

    async def weekly_review(self, *, today: date | None = None) -> Review:
        """Return every list that a weekly review goes through."""
        day = _day(today)
        await reading.require_types(self._memory, ("Project", "Action"), ("NextAction",))
        projects = await reading.nodes(self._memory, "Project")
        actions = await reading.nodes(self._memory, "Action")
        everything = (*projects, *actions)
        active = lists.by_urgency(_with(projects, rules.ACTIVE))
        steps = await reading.neighbours(self._memory, active, "NextAction", "out")
        upcoming = _with(actions, rules.NEXT)
        homes = await reading.neighbours(self._memory, upcoming, "NextAction", "in")
        return Review(
            inbox=lists.items(_with(actions, "inbox")),
            unclear=lists.items(node for node in everything if lists.status(node) is None),
            stuck=lists.stuck(active, steps),
            blocked=lists.items(await self._blocked_for_good(upcoming)),
            waiting=await self._waiting(day),
            overdue=lists.items(lists.due_within(everything, date.min, day - DAY)),
            coming=lists.items(lists.due_within(everything, day, day + WEEK)),
            projects=await self._with_actions(active, steps),
            scheduled=lists.items(_with(actions, "scheduled")),
            resting=lists.items([*_with(everything, "waiting"), *_with(everything, "on_hold")]),
            loose=lists.items(node for node in upcoming if not homes[node.id]),
            undated=lists.items(filter(lists.is_due_some_day, everything)),
            someday=lists.items(_with(everything, "someday")),
            done=lists.items(node for node in everything if lists.is_done_within(node, day - WEEK + DAY, day)),
        )

    async def _active_projects(self) -> tuple[Sequence[NodeSummary], Neighbours]:
        """Return the active projects, most pressing first, and the actions that move each."""
        nodes = await reading.nodes(self._memory, "Project", rules.ACTIVE)
        return lists.by_urgency(nodes), await reading.neighbours(self._memory, nodes, "NextAction", "out")

    async def _project(self, project: str) -> Sequence[NodeSummary]:
        info = await self._memory.get_node(project)
        if info.type != "Project":
            raise fault("project", f"{quoted(project)} is a node of type {info.type}", "Give the id of a Project.")
        return await self._memory.describe_nodes([project])

    async def _around(self, actions: Sequence[NodeSummary]) -> Around:
        return Around(
            projects=await reading.neighbours(self._memory, actions, "NextAction", "in"),
            contexts=await reading.neighbours(self._memory, actions, "RequiresContext", "out"),
        )

    async def _with_actions(self, projects: Sequence[NodeSummary], steps: Neighbours) -> tuple[ProjectActions, ...]:
        ahead = {project.id: [step for step in steps[project.id] if not lists.is_over(step)] for project in projects}
        several = {node.id: node for nodes in ahead.values() for node in nodes}
        return lists.with_actions(projects, ahead, await self._around(list(several.values())))

    async def _blocked_for_good(self, upcoming: Sequence[NodeSummary]) -> list[NodeSummary]:
        """Return the actions that depend on something cancelled: it will never be complete."""
        depends = await reading.neighbours(self._memory, upcoming, "DependsOn", "out")
        return [node for node in upcoming if any(lists.status(other) == "cancelled" for other in depends[node.id])]

    async def _waiting(self, today: date) -> tuple[Waiting, ...]:
        await reading.require_types(self._memory, (), ("WaitingFor",))
        connections = await reading.connections(self._memory, "WaitingFor")
        sources = await self._memory.describe_nodes(tuple({connection.from_id for connection in connections}))
        return lists.waiting(connections, {source.id: source for source in sources}, today)


def _with(nodes: Iterable[NodeSummary], status: str) -> list[NodeSummary]:
    return [node for node in nodes if lists.status(node) == status]


def _day(today: date | None) -> date:
    return date.today() if today is None else today


def _several(contexts: Collection[str] | None) -> Collection[str] | None:
    if isinstance(contexts, str):
        raise fault("contexts", "contexts must be a list of text", 'For one context, write ["phone"].')
    return contexts


def _time(minutes: float | None) -> float | None:
    if minutes is not None and not minutes > 0:
        raise fault("minutes", f"minutes must be above 0, not {minutes:g}", "Give more than 0, or leave it out.")
    return minutes


def _energy(energy: str | None) -> str | None:
    if energy is not None and energy not in rules.ENERGIES:
        raise fault("energy", f"{quoted(energy)} is not a level of energy", "Use low, medium or high.")
    return energy
