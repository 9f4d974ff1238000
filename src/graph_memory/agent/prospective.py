"""`Prospective`: what is to be done, and what stands in its way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from graph_memory.agent.goals import (
    OVER,
    Around,
    by_urgency,
    goal_of,
    progress_of,
    steps_of,
    stored_steps,
    text_of,
    with_step_done,
)
from graph_memory.agent.results import Goal, GoalChanged, Goals, Status
from graph_memory.agent.roles import Roles, prepared, roles_of
from graph_memory.agent.times import day_or_time
from graph_memory.agent.writing import Operation, check_range, new_connection, new_node, one_line
from graph_memory.memory.api.memory import Memory
from graph_memory.model.arguments import fault
from graph_memory.model.errors import GraphError
from graph_memory.model.events import new_id
from graph_memory.model.results import NodeSummary
from graph_memory.model.wording import quoted


class Prospective:
    """Goals of a domain. `memory.agent.prospective` is one.

    A goal waits for others (`BlockedBy`), and may be a part of another (`SubgoalOf`); neither can lead back to itself.
    A goal whose blockers are all completed is pending again, in the same change.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    async def create(
        self,
        description: str,
        *,
        priority: float | None = None,
        deadline: str | None = None,
        session: str | None = None,
        steps: Sequence[str] = (),
        parent: str | None = None,
        blocked_by: Sequence[str] = (),
        status: Status = "pending",
    ) -> GoalChanged:
        """Make a goal. It is blocked where it waits for a goal that is not completed.

        With a `session` it is for that session only. Raises INVALID_ARGUMENT, INVALID_PROPERTY for an unknown status,
        and NODE_NOT_FOUND for a parent or blocker that does not exist.
        """
        goal_id, content = new_id("mem"), text_of(description, steps)
        properties: dict[str, object] = {
            "description": description,
            "status": status,
            "priority": priority,
            "deadline": day_or_time("deadline", deadline),
            "session": session,
            "steps": stored_steps(steps) if steps else None,
        }
        properties = {name: value for name, value in properties.items() if value is not None}

        def changes(roles: Roles) -> list[Operation]:
            ties = [new_connection(roles["BlockedBy"], goal_id, other) for other in blocked_by]
            ties += [new_connection(roles["SubgoalOf"], goal_id, parent)] if parent is not None else []
            return [new_node(roles["Goal"], goal_id, description, content, properties), *ties]

        roles = await prepared(self._memory, changes)
        async with self._memory.transaction() as inside:
            blockers = await _nodes(inside, roles, blocked_by)
            waits = any(one.properties.get("status") != "completed" for one in blockers)
            properties |= {"status": "blocked"} if waits and status not in OVER else {}
            title = one_line(description) or roles["Goal"]
            goal = await inside.create_node(roles["Goal"], content, title=title, properties=properties)
            for other in blocked_by:
                await inside.create_connection(roles["BlockedBy"], goal.node_id, other)
            if parent is not None:
                await inside.create_connection(roles["SubgoalOf"], goal.node_id, parent)
        return GoalChanged(goal=await self.get(goal.node_id))

    async def get(self, goal_id: str) -> Goal:
        """Return a goal. Raises NODE_NOT_FOUND, and INVALID_ARGUMENT for a node that is no goal."""
        roles = await _roles(self._memory, goal_id)
        [goal] = await _told(self._memory, roles, await _nodes(self._memory, roles, [goal_id]))
        return goal

    async def update(
        self,
        goal_id: str,
        *,
        status: Status | None = None,
        description: str | None = None,
        priority: float | None = None,
        deadline: str | None = None,
        steps: Sequence[str] | None = None,
    ) -> GoalChanged:
        """Change a goal; new steps are all to be done. Completing one frees the goals that waited for it alone.

        Raises INVALID_ARGUMENT, also where nothing is given, INVALID_PROPERTY and NODE_NOT_FOUND.
        """
        given = {
            "status": status,
            "description": description,
            "priority": priority,
            "deadline": day_or_time("deadline", deadline),
            "steps": None if steps is None else stored_steps(steps),
            "completed_steps": None if steps is None else "[]",
        }
        properties = {name: value for name, value in given.items() if value is not None}
        if not properties:
            raise fault("goal_id", "There is nothing to change", "Give status, description, priority or the like.")
        roles = await _roles(self._memory, goal_id)
        [node] = await _nodes(self._memory, roles, [goal_id])
        told: tuple[str, str] | None = None
        if description is not None or steps is not None:
            words = description if description is not None else str(node.properties.get("description", node.title))
            texts = steps if steps is not None else [step.text for step in steps_of(node)]
            told = one_line(words) or node.type, text_of(words, texts)
        return await self._changed(goal_id, properties, version=node.version if told else None, told=told)

    async def complete_step(self, goal_id: str, step: int | None = None) -> GoalChanged:
        """Mark a step as done, the first that is not unless its number (from 1) is given; the last completes the goal.

        Raises INVALID_ARGUMENT for a step that there is not, or that is done, and NODE_NOT_FOUND.
        """
        roles = await _roles(self._memory, goal_id)
        [node] = await _nodes(self._memory, roles, [goal_id])
        done = with_step_done(node, step)
        is_last = len(done.split(",")) == len(steps_of(node))
        status = {"status": "completed"} if is_last else {}
        return await self._changed(goal_id, {"completed_steps": done, **status}, version=node.version)

    async def block(self, goal_id: str, *, by: str | None = None, reason: str | None = None) -> GoalChanged:
        """Say that a goal cannot go on, for another goal or for a reason.

        One that is blocked for a reason waits for `unblock`, whatever it waits for besides. Raises INVALID_ARGUMENT
        without either and for a goal that is completed, INVALID_TOPOLOGY for a goal that would wait for itself, and
        NODE_NOT_FOUND.
        """
        if by is None and not reason:
            raise fault("by", "Nothing is said to block the goal", "Give by, the id of a goal, or a reason.")
        why = {"blocked_reason": reason} if reason else {}
        return await self._changed(goal_id, {"status": "blocked", **why}, blocked_by=by)

    async def unblock(self, goal_id: str) -> GoalChanged:
        """Say that a goal can go on, whatever it waits for. Raises NODE_NOT_FOUND."""
        return await self._changed(goal_id, {"status": "pending"})

    async def abandon(self, goal_id: str) -> GoalChanged:
        """Give a goal up; `warnings` says what still waits for it. Raises NODE_NOT_FOUND."""
        return await self._changed(goal_id, {"status": "abandoned"})

    async def list(
        self,
        status: Status | None = None,
        *,
        due_before: str | None = None,
        session: str | None = None,
        limit: int = 50,
    ) -> Goals:
        """Return goals by priority and deadline: those of a status, or all that are not over.

        `due_before` leaves those with a deadline before that day or time; `session` those of a session and those that
        stay. Raises INVALID_ARGUMENT.
        """
        check_range("limit", limit, 1, 1_000)
        before = day_or_time("due_before", due_before)
        roles = await roles_of(self._memory)
        if roles is None:
            return Goals(goals=())
        wanted = None if status is None else {"status": status}
        found = await self._memory.query_nodes(type=roles["Goal"], properties=wanted)
        nodes = [
            node
            for node in await self._memory.describe_nodes(found.node_ids)
            if (status is not None or node.properties.get("status") not in OVER)
            and (session is None or node.properties.get("session") in (None, session))
            and (before is None or "" < str(node.properties.get("deadline") or "") < before)
        ]
        goals = by_urgency(await _told(self._memory, roles, nodes))
        return Goals(goals=tuple(goals[:limit]), left_out=max(len(goals) - limit, 0) or None)

    async def _changed(
        self,
        goal_id: str,
        properties: Mapping[str, object],
        *,
        version: int | None = None,
        blocked_by: str | None = None,
        told: tuple[str, str] | None = None,
    ) -> GoalChanged:
        """Change a goal, and free what waited for it alone, in one transaction."""
        roles = await _roles(self._memory, goal_id)
        status = properties.get("status")
        async with self._memory.transaction() as inside:
            [before] = await _nodes(inside, roles, [goal_id])
            if blocked_by is not None:
                await _block(inside, roles, goal_id, blocked_by)
            if status == "pending":
                await _unblock(inside, roles, goal_id)
                properties = {**properties, "blocked_reason": ""}
            title, content = told or (None, None)
            await inside.update_node(
                goal_id, properties=properties, expected_version=version, title=title, content=content
            )
            is_over = status in OVER and before.properties.get("status") != status
            waiting = await _waiting_for(inside, roles, goal_id) if is_over else ()
            free = await _free(inside, roles, waiting) if status == "completed" else ()
            for one in free:
                await inside.update_node(one, properties={"status": "pending"})
        warning = f"Still blocked by it: {', '.join(waiting)}. Status pending lets one of them go on."
        warnings = (warning,) if waiting and status == "abandoned" else None
        return GoalChanged(goal=await self.get(goal_id), unblocked=tuple(free) or None, warnings=warnings)


async def _block(memory: Memory, roles: Roles, goal_id: str, by: str) -> None:
    """Have a goal wait for another, unless it does. Raises INVALID_ARGUMENT for one that is completed."""
    [blocker] = await _nodes(memory, roles, [by])
    if blocker.properties.get("status") == "completed":
        raise fault("by", f"{quoted(by)} is completed, so it blocks nothing", "Name another goal, or give a reason.")
    found = await memory.get_neighbours([goal_id], direction="out", connection_type=roles["BlockedBy"])
    if by not in found.get(goal_id, ()):
        await memory.create_connection(roles["BlockedBy"], goal_id, by)


async def _unblock(memory: Memory, roles: Roles, goal_id: str) -> None:
    """Have a goal wait for nothing."""
    found = await memory.query_connections(from_node_id=goal_id, type=roles["BlockedBy"])
    for one in found.connection_ids:
        await memory.delete_connection(one)


async def _roles(memory: Memory, goal_id: str) -> Roles:
    """Return the roles of a domain that has goals. Raises NODE_NOT_FOUND, and INVALID_ARGUMENT, where it has none."""
    roles = await roles_of(memory)
    if roles is not None:
        return roles
    found = await memory.get_node(goal_id)
    raise _not_a_goal(goal_id, found.type)


def _not_a_goal(goal_id: str, node_type: str) -> GraphError:
    message = f"{quoted(goal_id)} is a node of type {node_type}, not a goal"
    return fault("goal_id", message, "list_goals returns the ids of goals.")


async def _waiting_for(memory: Memory, roles: Roles, goal_id: str) -> Sequence[str]:
    """Return the blocked goals that wait for one."""
    found = await memory.get_neighbours([goal_id], direction="in", connection_type=roles["BlockedBy"])
    nodes = await memory.describe_nodes(found.get(goal_id, ()))
    return [node.id for node in nodes if node.properties.get("status") == "blocked"]


async def _free(memory: Memory, roles: Roles, waiting: Sequence[str]) -> Sequence[str]:
    """Return those of some goals that wait for nothing any more: no goal, and no reason."""
    blockers = await memory.get_neighbours(waiting, direction="out", connection_type=roles["BlockedBy"])
    nodes = await memory.describe_nodes(list(dict.fromkeys(chain(*blockers.values()))))
    done = {node.id for node in nodes if node.properties.get("status") == "completed"}
    reasons = {node.id for node in await memory.describe_nodes(waiting) if node.properties.get("blocked_reason")}
    return [one for one in waiting if one not in reasons and done.issuperset(blockers.get(one, ()))]


async def _nodes(memory: Memory, roles: Roles, goal_ids: Iterable[str]) -> Sequence[NodeSummary]:
    """Return the nodes of goals. Raises NODE_NOT_FOUND, and INVALID_ARGUMENT for a node that is no goal."""
    ids = list(goal_ids)
    found = {node.id: node for node in await memory.describe_nodes(ids)}
    for one in ids:
        if one not in found:
            await memory.get_node(one)  # which says that it is not there
        if found[one].type != roles["Goal"]:
            raise _not_a_goal(one, found[one].type)
    return [found[one] for one in ids]


async def _told(memory: Memory, roles: Roles, nodes: Sequence[NodeSummary]) -> list[Goal]:
    """Return goals as they are shown, with the progress of all that they are made of."""
    ids = [node.id for node in nodes]
    parents, blockers = [
        await memory.get_neighbours(ids, direction="out", connection_type=roles[name])
        for name in ("SubgoalOf", "BlockedBy")
    ]
    others = await memory.describe_nodes(list(dict.fromkeys(chain(*blockers.values()))))
    is_open = {node.id for node in others if node.properties.get("status") != "completed"}
    blockers = {one: [each for each in found if each in is_open] for one, found in blockers.items()}
    known = {node.id: node for node in nodes}
    subgoals: dict[str, tuple[str, ...]] = {}
    edge = ids
    while edge:
        below = await memory.get_neighbours(edge, direction="in", connection_type=roles["SubgoalOf"])
        subgoals |= below
        edge = [one for one in dict.fromkeys(chain(*below.values())) if one not in subgoals]
        known |= {node.id: node for node in await memory.describe_nodes(edge)}
    around = Around(parents, subgoals, blockers)
    return [goal_of(node, around, progress_of(known, subgoals, node.id)) for node in nodes]
