"""`Prospective`: goals, their steps and their blockers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain

from graph_memory.agent.kinds import Status
from graph_memory.agent.records.goals import (
    FINISHED,
    GoalContext,
    goal_of,
    progress_of,
    sort_by_urgency,
    steps_of,
    stored_steps,
    text_of,
    with_step_done,
)
from graph_memory.agent.records.roles import Roles, add_types, roles_of
from graph_memory.agent.records.times import day_or_time
from graph_memory.agent.records.writing import Operation, new_connection, new_node, title_from_text
from graph_memory.agent.results import Goal, GoalResult, Goals
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.search.request import check_integer
from graph_memory.model.errors import GraphError, Hint
from graph_memory.model.events import new_id
from graph_memory.model.results import NodeSummary
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument


class Prospective:
    """The goals of a domain. Access them as `memory.agent.prospective`.

    A goal can wait for other goals (`BlockedBy`) and be part of another goal (`SubgoalOf`). Cycles are rejected. When
    the last blocker of a goal is completed, the goal becomes pending again, in the same transaction.
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
        once: bool = False,
    ) -> GoalResult:
        """Create a goal. It is blocked if one of the goals in `blocked_by` is not completed.

        If `once` is set, and an unfinished goal with this description already exists for the session or for all
        sessions, returns that goal without `since`. Concurrent calls with `once` create only one goal. A goal
        with a `session` is for that session only. `deadline` is a date or an RFC 3339 time. Raises INVALID_ARGUMENT if
        the deadline or a step is invalid, INVALID_PROPERTY for an unknown status, and NODE_NOT_FOUND for an unknown
        parent or blocker.
        """
        content = text_of(description, steps)
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
            node_id = new_id("mem")
            connections = [new_connection(roles["BlockedBy"], node_id, blocker) for blocker in blocked_by]
            connections += [new_connection(roles["SubgoalOf"], node_id, parent)] if parent is not None else []
            return [new_node(roles["Goal"], node_id, description, content, properties), *connections]

        roles = await add_types(self._memory, changes)
        async with self._memory.transaction() as transaction:
            if once and (existing := await Prospective(transaction).find(description, session)):
                return GoalResult(goal=existing)
            goal_id = await _create_goal(transaction, roles, content, properties, parent=parent, blocked_by=blocked_by)
            since, until = transaction.range
        return GoalResult(goal=await _render_goal(self._memory, roles, goal_id), since=since, until=until)

    async def get(self, goal_id: str) -> Goal:
        """Return a goal. Raises NODE_NOT_FOUND for an unknown id, and INVALID_ARGUMENT if the node is not a goal."""
        return await _render_goal(self._memory, await _require_roles(self._memory, goal_id), goal_id)

    async def update(
        self,
        goal_id: str,
        *,
        status: Status | None = None,
        description: str | None = None,
        priority: float | None = None,
        deadline: str | None = None,
        steps: Sequence[str] | None = None,
    ) -> GoalResult:
        """Change a goal. Omitted fields keep their values. New `steps` replace the old steps, and are open.

        Status `completed` unblocks the goals that wait only for this goal. Status `pending` removes the goal's blockers
        and the reason why it is blocked. Raises INVALID_ARGUMENT if a field is invalid or no field is given,
        INVALID_PROPERTY for an unknown status, and NODE_NOT_FOUND for an unknown goal.
        """
        fields = {
            "status": status,
            "description": description,
            "priority": priority,
            "deadline": day_or_time("deadline", deadline),
            "steps": None if steps is None else stored_steps(steps),
            "completed_steps": None if steps is None else "[]",
        }
        properties = {name: value for name, value in fields.items() if value is not None}
        if not properties:
            raise invalid_argument(
                "goal_id", "No field to change was given", "Pass a field, such as status, description or priority."
            )
        roles = await _require_roles(self._memory, goal_id)
        if description is None and steps is None:
            return await self._change(roles, goal_id, properties)
        [node] = await _goal_nodes(self._memory, roles, [goal_id])
        new_description = (
            description if description is not None else str(node.properties.get("description", node.title))
        )
        step_texts = steps if steps is not None else [step.text for step in steps_of(node)]
        title_and_content = (title_from_text(new_description) or node.type, text_of(new_description, step_texts))
        return await self._change(roles, goal_id, properties, version=node.version, title_and_content=title_and_content)

    async def complete_step(self, goal_id: str, step: int | None = None) -> GoalResult:
        """Complete the step with this number (from 1), or by default the first open step.

        Completing the last open step completes the goal. Raises INVALID_ARGUMENT if the step is already completed or
        does not exist, and NODE_NOT_FOUND for an unknown goal.
        """
        roles = await _require_roles(self._memory, goal_id)
        [node] = await _goal_nodes(self._memory, roles, [goal_id])
        completed = with_step_done(node, step)
        is_last = len(completed.split(",")) == len(steps_of(node))
        status = {"status": "completed"} if is_last else {}
        return await self._change(roles, goal_id, {"completed_steps": completed, **status}, version=node.version)

    async def block(self, goal_id: str, *, by: str | None = None, reason: str | None = None) -> GoalResult:
        """Block a goal until another goal is completed, or for a reason.

        A goal that is blocked for a reason stays blocked until `unblock`, even if its blockers are completed. Raises
        INVALID_ARGUMENT if neither `by` nor `reason` is given or `by` is completed, INVALID_TOPOLOGY if the goals would
        wait for each other, and NODE_NOT_FOUND for an unknown goal.
        """
        if by is None and not reason:
            hint = "Pass the id of another goal as by, or pass a reason."
            raise invalid_argument("by", "Neither by nor reason was given", hint)
        properties = {"status": "blocked", **({"blocked_reason": reason} if reason else {})}
        return await self._change(await _require_roles(self._memory, goal_id), goal_id, properties, blocked_by=by)

    async def unblock(self, goal_id: str) -> GoalResult:
        """Make a goal pending, and remove its blockers and the reason why it is blocked.

        Raises NODE_NOT_FOUND for an unknown id.
        """
        return await self._change(await _require_roles(self._memory, goal_id), goal_id, {"status": "pending"})

    async def abandon(self, goal_id: str) -> GoalResult:
        """Abandon a goal. `warnings` lists the goals that it still blocks. Raises NODE_NOT_FOUND for an unknown id."""
        return await self._change(await _require_roles(self._memory, goal_id), goal_id, {"status": "abandoned"})

    async def list(
        self,
        status: Status | None = None,
        *,
        due_before: str | None = None,
        session: str | None = None,
        limit: int = 50,
    ) -> Goals:
        """Return the goals with the given status (default: all unfinished goals), by priority and then by deadline.

        `due_before` selects goals with an earlier deadline. `session` selects goals for that session and goals for all
        sessions. `limit` may be up to 1,000. Raises INVALID_ARGUMENT if `limit` is out of range, or `due_before` is not
        a date or time.
        """
        check_integer("limit", limit, 1, 1_000)
        due_limit = day_or_time("due_before", due_before)
        roles = await roles_of(self._memory)
        if roles is None:
            return Goals(goals=())
        properties = None if status is None else {"status": status}
        now = datetime.now(UTC)
        results = await self._memory.query_nodes(type=roles["Goal"], properties=properties, valid_at=now)
        nodes = [
            node
            for node in await self._memory.describe_nodes(results.node_ids)
            if (status is not None or node.properties.get("status") not in FINISHED)
            and (session is None or node.properties.get("session") in (None, session))
            and (due_limit is None or "" < str(node.properties.get("deadline") or "") < due_limit)
        ]
        goals = await _render_goals(self._memory, roles, sort_by_urgency(nodes)[:limit])
        return Goals(goals=tuple(goals), left_out=max(len(nodes) - limit, 0) or None)

    async def find(self, description: str, session: str | None = None) -> Goal | None:
        """Return an unfinished goal with this description, for this session or for all sessions, or None."""
        roles = await roles_of(self._memory)
        if roles is None:
            return None
        properties, now = {"description": description}, datetime.now(UTC)
        results = await self._memory.query_nodes(type=roles["Goal"], properties=properties, valid_at=now)
        goals = await self._unfinished_goals(roles, results.node_ids)
        return next((goal for goal in goals if goal.session in (None, session)), None)

    async def among(self, node_ids: Iterable[str]) -> tuple[Goal, ...]:
        """Return the unfinished goals with ids in `node_ids`, in the same order. Other nodes are ignored."""
        roles = await roles_of(self._memory)
        if roles is None:
            return ()
        valid = await self._memory.query_nodes(type=roles["Goal"], valid_at=datetime.now(UTC))
        valid_ids = {*valid.node_ids}
        return await self._unfinished_goals(roles, [node_id for node_id in node_ids if node_id in valid_ids])

    async def _unfinished_goals(self, roles: Roles, node_ids: Sequence[str]) -> tuple[Goal, ...]:
        nodes = await self._memory.describe_nodes(node_ids)
        goals = [node for node in nodes if node.properties.get("status") not in FINISHED]
        return tuple(await _render_goals(self._memory, roles, goals))

    async def _change(
        self,
        roles: Roles,
        goal_id: str,
        properties: Mapping[str, object],
        *,
        version: int | None = None,
        blocked_by: str | None = None,
        title_and_content: tuple[str | None, str | None] = (None, None),
    ) -> GoalResult:
        """Change a goal. If the goal is completed, the same transaction unblocks goals that waited only for it."""
        status = properties.get("status")
        title, content = title_and_content
        async with self._memory.transaction() as transaction:
            [old_node] = await _goal_nodes(transaction, roles, [goal_id])
            if blocked_by is not None:
                await _add_blocker(transaction, roles, goal_id, blocked_by)
            if status == "pending":
                blocking = await transaction.query_connections(from_node_id=goal_id, type=roles["BlockedBy"])
                for connection_id in blocking.connection_ids:
                    await transaction.delete_connection(connection_id)
                properties = {**properties, "blocked_reason": ""}
            await transaction.update_node(
                goal_id, properties=properties, expected_version=version, title=title, content=content
            )
            is_finished = status in FINISHED and old_node.properties.get("status") != status
            waiting_ids = await _blocked_goals(transaction, roles, goal_id) if is_finished else ()
            unblocked_ids = await _unblocked_goals(transaction, roles, waiting_ids) if status == "completed" else ()
            for node_id in unblocked_ids:
                await transaction.update_node(node_id, properties={"status": "pending"})
            since, until = transaction.range
        warning = f"Still blocked by it: {', '.join(waiting_ids)}. To unblock such a goal, set its status to pending."
        return GoalResult(
            goal=await _render_goal(self._memory, roles, goal_id),
            unblocked=tuple(unblocked_ids) or None,
            warnings=(warning,) if waiting_ids and status == "abandoned" else None,
            since=since,
            until=until,
        )


async def _create_goal(
    memory: Memory,
    roles: Roles,
    content: str,
    properties: Mapping[str, object],
    *,
    parent: str | None,
    blocked_by: Sequence[str],
) -> str:
    """Create a goal with its connections, and return its id. It is blocked if one of the blockers is not completed."""
    blockers = await _goal_nodes(memory, roles, blocked_by)
    is_finished = properties["status"] in FINISHED
    if not is_finished and any(blocker.properties.get("status") != "completed" for blocker in blockers):
        properties = {**properties, "status": "blocked"}
    title = title_from_text(str(properties["description"])) or roles["Goal"]
    goal = await memory.create_node(roles["Goal"], content, title=title, properties=properties)
    for blocker in blocked_by:
        await memory.create_connection(roles["BlockedBy"], goal.node_id, blocker)
    if parent is not None:
        await memory.create_connection(roles["SubgoalOf"], goal.node_id, parent)
    return goal.node_id


async def _add_blocker(memory: Memory, roles: Roles, goal_id: str, blocker_id: str) -> None:
    """Connect the goal with the blocker. Raises INVALID_ARGUMENT if the blocker is completed."""
    [blocker] = await _goal_nodes(memory, roles, [blocker_id])
    if blocker.properties.get("status") == "completed":
        message = f"The goal {quote(blocker_id)} is completed, so it cannot block another goal"
        raise invalid_argument("by", message, "Pass the id of another goal, or pass a reason.")
    blockers = await memory.get_connected_nodes_of([goal_id], direction="out", connection_type=roles["BlockedBy"])
    if blocker_id not in blockers.get(goal_id, ()):
        await memory.create_connection(roles["BlockedBy"], goal_id, blocker_id)


async def _require_roles(memory: Memory, goal_id: str) -> Roles:
    """Return the names of the agent's types in the domain.

    If the domain has none of these types, raises NODE_NOT_FOUND, or INVALID_ARGUMENT if the node exists.
    """
    roles = await roles_of(memory)
    if roles is not None:
        return roles
    node = await memory.get_node(goal_id)
    raise _not_a_goal_error(goal_id, node.type)


def _not_a_goal_error(goal_id: str, node_type: str) -> GraphError:
    message = f"{quote(goal_id)} is a node of type {node_type}, not a goal"
    return invalid_argument("goal_id", message, Hint("Find the ids of goals with {list_goals}."))


async def _blocked_goals(memory: Memory, roles: Roles, goal_id: str) -> Sequence[str]:
    """Return the ids of the blocked goals that wait for this goal."""
    neighbours = await memory.get_connected_nodes_of([goal_id], direction="in", connection_type=roles["BlockedBy"])
    nodes = await memory.describe_nodes(neighbours.get(goal_id, ()))
    return [node.id for node in nodes if node.properties.get("status") == "blocked"]


async def _unblocked_goals(memory: Memory, roles: Roles, goal_ids: Sequence[str]) -> Sequence[str]:
    """Return the ids of the goals whose blockers are all completed. Omits goals that are blocked for a reason."""
    blockers = await memory.get_connected_nodes_of(goal_ids, direction="out", connection_type=roles["BlockedBy"])
    nodes = await memory.describe_nodes(list(dict.fromkeys([*goal_ids, *chain(*blockers.values())])))
    completed = {node.id for node in nodes if node.properties.get("status") == "completed"}
    blocked_for_reason = {node.id for node in nodes if node.properties.get("blocked_reason")}
    return [
        goal_id
        for goal_id in goal_ids
        if goal_id not in blocked_for_reason and completed.issuperset(blockers.get(goal_id, ()))
    ]


async def _goal_nodes(memory: Memory, roles: Roles, goal_ids: Iterable[str]) -> Sequence[NodeSummary]:
    """Return the nodes of the goals. Raises NODE_NOT_FOUND, and INVALID_ARGUMENT if a node is not a goal."""
    ids = list(goal_ids)
    nodes = {node.id: node for node in await memory.describe_nodes(ids)}
    for goal_id in ids:
        if goal_id not in nodes:
            await memory.get_node(goal_id)  # raises NODE_NOT_FOUND
        if nodes[goal_id].type != roles["Goal"]:
            raise _not_a_goal_error(goal_id, nodes[goal_id].type)
    return [nodes[goal_id] for goal_id in ids]


async def _render_goal(memory: Memory, roles: Roles, goal_id: str) -> Goal:
    [goal] = await _render_goals(memory, roles, await _goal_nodes(memory, roles, [goal_id]))
    return goal


async def _render_goals(memory: Memory, roles: Roles, nodes: Sequence[NodeSummary]) -> list[Goal]:
    """Convert nodes to goals. Their progress counts the subgoals of all levels."""
    ids = [node.id for node in nodes]
    parents = await memory.get_connected_nodes_of(ids, direction="out", connection_type=roles["SubgoalOf"])
    blockers = await memory.get_connected_nodes_of(ids, direction="out", connection_type=roles["BlockedBy"])
    blocker_nodes = await memory.describe_nodes(list(dict.fromkeys(chain(*blockers.values()))))
    unfinished_blockers = {node.id for node in blocker_nodes if node.properties.get("status") != "completed"}
    blockers = {
        goal: [blocker for blocker in waits_for if blocker in unfinished_blockers]
        for goal, waits_for in blockers.items()
    }
    nodes_by_id = {node.id: node for node in nodes}
    subgoals: dict[str, tuple[str, ...]] = {}
    level = ids
    while level:
        subgoal_ids = await memory.get_connected_nodes_of(level, direction="in", connection_type=roles["SubgoalOf"])
        subgoals |= subgoal_ids
        level = [subgoal for subgoal in dict.fromkeys(chain(*subgoal_ids.values())) if subgoal not in subgoals]
        nodes_by_id |= {node.id: node for node in await memory.describe_nodes(level)}
    context = GoalContext(parents, subgoals, blockers)
    return [goal_of(node, context, progress_of(nodes_by_id, subgoals, node.id)) for node in nodes]
