"""`Gtd`: the lists of Getting Things Done, built with the public methods of `Memory`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta
from itertools import chain

from graph_memory.gtd import lists, rules
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
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.results import Direction, NodeSummary
from graph_memory.model.text.wording import join_names, quote
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
        await self._require_types(("Project", "Action"), ("NextAction",))
        projects, steps = await self._active_projects()
        return StuckProjects(projects=lists.stuck_projects(projects, steps))

    async def waiting_for(self, *, today: date | None = None) -> WaitingFor:
        """Return unfinished actions and projects that wait for a person, with that person, longest overdue first."""
        return WaitingFor(waiting=await self._waiting(_day(today)))

    async def overdue_waiting(self, *, today: date | None = None) -> WaitingFor:
        """Return the entries of `waiting_for` whose follow-up date is today or earlier."""
        entries = await self._waiting(_day(today))
        overdue = [entry for entry in entries if entry.days_overdue is not None and entry.days_overdue >= 0]
        return WaitingFor(waiting=tuple(overdue))

    async def available_actions(
        self, *, contexts: Collection[str] | None = None, minutes: float | None = None, energy: str | None = None
    ) -> AvailableActions:
        """Return the actions with status `next` that can be done now, and the number of excluded ones for each reason.

        An action is excluded if all its projects are finished, on hold or someday, if a dependency is not complete, if
        it requires a context that is not in `contexts`, or if it takes longer than `minutes` or more than `energy`
        (low, medium or high). A missing property never excludes an action: an action without a context can be done
        anywhere. Raises INVALID_ARGUMENT if an argument is invalid.
        """
        if isinstance(contexts, str):
            raise invalid_argument("contexts", "contexts is a string, not a list", 'For one context, pass ["phone"].')
        if minutes is not None and not minutes > 0:
            raise invalid_argument(
                "minutes", f"minutes is {minutes:g}, but must be above 0", "Pass a number above 0, or omit it."
            )
        if energy is not None and energy not in rules.ENERGIES:
            raise invalid_argument("energy", f"{quote(energy)} is not an energy level", "Use low, medium or high.")
        resources = AvailableResources(lists.context_keys(contexts), minutes, energy)
        await self._require_types(("Action",), ())
        nodes = await self._read_nodes("Action", rules.NEXT)
        dependencies = await self._read_neighbours(nodes, "DependsOn", "out")
        return lists.select_available(nodes, await self._neighbours_of(nodes), dependencies, resources)

    async def next_actions(self, *, project: str | None = None) -> NextActions:
        """Return the active projects, or only the project with this id, with their open next actions.

        Raises NODE_NOT_FOUND for an unknown id, and INVALID_ARGUMENT if the node is not a project.
        """
        await self._require_types(("Project", "Action"), ("NextAction",))
        if project is None:
            return NextActions(projects=await self._with_actions(*await self._active_projects()))
        node_type = (await self._memory.get_node(project)).type
        if node_type != "Project":
            message = f"{quote(project)} is a node of type {node_type}, not a project"
            raise invalid_argument("project", message, "Pass the id of a node of type Project.")
        projects = await self._memory.describe_nodes([project])
        steps = await self._read_neighbours(projects, "NextAction", "out")
        return NextActions(projects=await self._with_actions(projects, steps))

    async def weekly_review(self, *, today: date | None = None) -> Review:
        """Return the lists of a weekly review, such as the inbox, stuck projects, and overdue projects and actions."""
        day = _day(today)
        await self._require_types(("Project", "Action"), ("NextAction",))
        projects = await self._read_nodes("Project")
        actions = await self._read_nodes("Action")
        projects_and_actions = (*projects, *actions)
        active = lists.sort_by_urgency(_with_status(projects, rules.ACTIVE))
        steps = await self._read_neighbours(active, "NextAction", "out")
        next_actions = _with_status(actions, rules.NEXT)
        parents = await self._read_neighbours(next_actions, "NextAction", "in")
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
        nodes = await self._read_nodes("Project", rules.ACTIVE)
        return lists.sort_by_urgency(nodes), await self._read_neighbours(nodes, "NextAction", "out")

    async def _neighbours_of(self, actions: Sequence[NodeSummary]) -> ActionNeighbours:
        return ActionNeighbours(
            projects=await self._read_neighbours(actions, "NextAction", "in"),
            contexts=await self._read_neighbours(actions, "RequiresContext", "out"),
        )

    async def _with_actions(self, projects: Sequence[NodeSummary], steps: Neighbours) -> tuple[ProjectActions, ...]:
        open_steps = {
            project.id: [step for step in steps[project.id] if not lists.is_finished(step)] for project in projects
        }
        actions = {node.id: node for nodes in open_steps.values() for node in nodes}
        return lists.render_projects(projects, open_steps, await self._neighbours_of(list(actions.values())))

    async def _cancelled_dependents(self, next_actions: Sequence[NodeSummary]) -> list[NodeSummary]:
        """Return the actions that depend on a cancelled action. They stay blocked, because it is never completed."""
        dependencies = await self._read_neighbours(next_actions, "DependsOn", "out")
        return [node for node in next_actions if "cancelled" in map(lists.status_of, dependencies[node.id])]

    async def _waiting(self, today: date) -> tuple[Waiting, ...]:
        await self._require_types((), ("WaitingFor",))
        page = await self._memory.query_connections(type="WaitingFor")
        connections = await self._memory.describe_connections(page.connection_ids)
        sources = await self._memory.describe_nodes(tuple({connection.from_id for connection in connections}))
        return lists.list_waiting(connections, {source.id: source for source in sources}, today)

    async def _require_types(self, node_types: Sequence[str], connection_types: Sequence[str]) -> None:
        """Raise INVALID_NODE_TYPE or INVALID_CONNECTION_TYPE if the domain lacks one of the types."""
        ontology = await self._memory.get_ontology()
        missing = {
            Code.INVALID_NODE_TYPE: [name for name in node_types if ontology.find_node_type(name) is None],
            Code.INVALID_CONNECTION_TYPE: [
                name for name in connection_types if ontology.find_connection_type(name) is None
            ],
        }
        for code, names in missing.items():
            if names:
                hint = Hint("Add them to the domain with {graph-memory ontology apply gtd}.")
                message = f"The ontology does not define {join_names(names)}, which Getting Things Done needs"
                raise GraphError(code, message, {"missing": names, "hint": hint})

    async def _read_nodes(self, node_type: str, status: str | None = None) -> tuple[NodeSummary, ...]:
        properties = None if status is None else {"status": status}
        page = await self._memory.query_nodes(type=node_type, properties=properties)
        return await self._memory.describe_nodes(page.node_ids)

    async def _read_neighbours(
        self, sources: Iterable[NodeSummary], connection_type: str, direction: Direction
    ) -> Neighbours:
        """Return each source's neighbours over connections of the type. A deleted source has no neighbours."""
        ids = [node.id for node in sources]
        targets = await self._memory.get_connected_nodes_of(ids, direction=direction, connection_type=connection_type)
        nodes_by_id = {node.id: node for node in await self._memory.describe_nodes(list({*chain(*targets.values())}))}
        return {source: tuple(filter(None, map(nodes_by_id.get, targets.get(source, ())))) for source in ids}


def _with_status(nodes: Iterable[NodeSummary], status: str) -> list[NodeSummary]:
    return [node for node in nodes if lists.status_of(node) == status]


def _day(today: date | None) -> date:
    return date.today() if today is None else today
