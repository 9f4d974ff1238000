"""Training and projects in one memory: `.venv/bin/python examples/fitness.py`.

Merges the bundled ontologies `fitness` and `gtd` into one domain, writes down two sessions of training and a project
that serves the same goal, and asks questions of its own: small functions on the primitives, as `graph_memory.gtd` is a
larger one. It needs no async, and works in a fresh domain of the memory that your settings lead to.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from graph_memory import SyncMemory, load_ontology, merge_ontologies, open_memory_sync
from graph_memory.gtd import Gtd


def main() -> None:
    """Store two sessions of training, and print the progress."""
    with open_memory_sync() as memory:
        memory = memory.in_domain(f"fitness-{secrets.token_hex(3)}")
        memory.apply_ontology(merge_ontologies([load_ontology("fitness"), load_ontology("gtd")]))
        squat = memory.create_node("Exercise", "# Back squat", properties={"name": "Back squat"}).node_id
        plan = begin_plan(memory, squat)
        train(memory, plan, squat, day="2025-10-13", weight_kg=80)
        train(memory, plan, squat, day="2025-10-16", weight_kg=85)
        for day, weight in progress(memory, squat):
            print(f"{day}  {weight:g} kg")
        print("planned", describe_plan(memory, plan))
        stuck = memory.run(lambda opened: Gtd(opened).stuck_projects())
        print("stuck:", *(project.title for project in stuck.projects))
        print("log and graph agree:", memory.upkeep.verify().clean)


def begin_plan(memory: SyncMemory, exercise: str) -> str:
    """Create a plan for a goal, and a project for the same goal without a next action. Returns the id of the plan."""
    goal = memory.create_node("Goal", "# Squat 100 kg", properties={"status": "active", "target": 100, "unit": "kg"})
    plan = memory.create_node("Plan", "# Autumn", properties={"status": "active", "sessions_per_week": 2})
    memory.create_connection("AimsAt", plan.node_id, goal.node_id)
    sets = {"sets": 5, "repetitions": 5, "weight_kg": 85}
    memory.create_connection("Prescribes", plan.node_id, exercise, properties=sets)
    club = memory.create_node("Project", "# Find a gym with a rack", properties={"status": "active"})
    memory.create_connection("RelatesTo", club.node_id, goal.node_id)
    return plan.node_id


def train(memory: SyncMemory, plan: str, exercise: str, *, day: str, weight_kg: float) -> None:
    """Store a session with one exercise."""
    session = memory.create_node("Session", f"# Training on {day}", properties={"date": day, "status": "done"})
    memory.create_connection("FollowsPlan", session.node_id, plan)
    sets = {"sets": 5, "repetitions": 5, "weight_kg": weight_kg}
    memory.create_connection("Performed", session.node_id, exercise, properties=sets)


def progress(memory: SyncMemory, exercise: str) -> Sequence[tuple[str, float]]:
    """Return the days on which an exercise was done, in order, each with the weight in kg."""
    ids = memory.query_connections(type="Performed", to_node_id=exercise).connection_ids
    performed = memory.describe_connections(ids)
    nodes = memory.describe_nodes([connection.from_id for connection in performed])
    days = {node.id: str(node.properties["date"]) for node in nodes}
    return sorted(
        (days[connection.from_id], float(connection.properties["weight_kg"]))
        for connection in performed
        if connection.from_id in days
    )


def describe_plan(memory: SyncMemory, plan: str) -> str:
    """Return the exercises of a plan in words."""
    ids = memory.query_connections(type="Prescribes", from_node_id=plan).connection_ids
    return ", ".join(
        "{} {sets} × {repetitions} at {weight_kg} kg".format(connection.to_title, **connection.properties)
        for connection in memory.describe_connections(ids)
    )


if __name__ == "__main__":
    main()
