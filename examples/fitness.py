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
    """Write down two weeks of training, and ask how it goes."""
    with open_memory_sync() as memory:
        memory = memory.in_domain(f"fitness-{secrets.token_hex(3)}")
        memory.apply_ontology(merge_ontologies([load_ontology("fitness"), load_ontology("gtd")]))
        squat = memory.create_node("Exercise", "# Back squat", properties={"name": "Back squat"}).node_id
        plan = begin_plan(memory, squat)
        train(memory, plan, squat, day="2025-10-13", weight_kg=80)
        train(memory, plan, squat, day="2025-10-16", weight_kg=85)
        for day, weight in progress(memory, squat):
            print(f"{day}  {weight:g} kg")
        print("planned", planned(memory, plan))
        print("stuck:", *(one.title for one in memory.run(lambda own: Gtd(own).stuck_projects()).projects))
        print("log and graph agree:", memory.upkeep.verify().clean)


def begin_plan(memory: SyncMemory, exercise: str) -> str:
    """Return the id of a plan that serves a goal; a project of the same goal has no next action yet."""
    goal = memory.create_node("Goal", "# Squat 100 kg", properties={"status": "active", "target": 100, "unit": "kg"})
    plan = memory.create_node("Plan", "# Autumn", properties={"status": "active", "sessions_per_week": 2})
    memory.create_connection("AimsAt", plan.node_id, goal.node_id)
    sets = {"sets": 5, "repetitions": 5, "weight_kg": 85}
    memory.create_connection("Prescribes", plan.node_id, exercise, properties=sets)
    club = memory.create_node("Project", "# Find a gym with a rack", properties={"status": "active"})
    memory.create_connection("RelatesTo", club.node_id, goal.node_id)
    return plan.node_id


def train(memory: SyncMemory, plan: str, exercise: str, *, day: str, weight_kg: float) -> None:
    """Write down a session with one exercise."""
    session = memory.create_node("Session", f"# Training on {day}", properties={"date": day, "status": "done"})
    memory.create_connection("FollowsPlan", session.node_id, plan)
    done = {"sets": 5, "repetitions": 5, "weight_kg": weight_kg}
    memory.create_connection("Performed", session.node_id, exercise, properties=done)


def progress(memory: SyncMemory, exercise: str) -> Sequence[tuple[str, float]]:
    """Return on which days an exercise was done with which weight in kg, in the order of the days."""
    found = memory.query_connections(type="Performed", to_node_id=exercise).connection_ids
    performed = memory.describe_connections(found)
    sessions = {one.id: one for one in memory.describe_nodes([one.from_id for one in performed])}
    return sorted(
        (str(sessions[one.from_id].properties["date"]), float(one.properties["weight_kg"]))
        for one in performed
        if one.from_id in sessions
    )


def planned(memory: SyncMemory, plan: str) -> str:
    """Return what a plan prescribes, in words."""
    found = memory.query_connections(type="Prescribes", from_node_id=plan).connection_ids
    parts = [
        f"{one.to_title} {one.properties['sets']} × {one.properties['repetitions']} at {one.properties['weight_kg']} kg"
        for one in memory.describe_connections(found)
    ]
    return ", ".join(parts)


if __name__ == "__main__":
    main()
