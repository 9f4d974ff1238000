"""Our own statements, unchanged or with the labels and indexes of another side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_memory.model.subjects.kinds import Step
from graph_memory.storage.log.project import PROJECT
from graph_memory.storage.queries import cypher_root


def schema() -> Sequence[str]:
    """Return the statements of all schema steps, in order."""
    steps = sorted((cypher_root() / "schema").glob("*.cypher"))
    lines = [line for step in steps for line in step.read_text().splitlines() if not line.startswith("//")]
    return [statement for statement in "\n".join(lines).split(";") if statement.strip()]


def together(*steps: Step) -> str:
    """Return one statement that runs these steps of the projection."""
    parts = [
        f"CALL () {{\nCALL () {{\n{PROJECT[step].text}\n}}\nRETURN found AS found_{place}\n}}"
        for place, step in enumerate(steps)
    ]
    return "\n".join([*parts, "RETURN found_0"])


def exchange_names(statement: str, names: Mapping[str, str]) -> str:
    """Return a statement with names exchanged. Longer names must stand before their own prefixes."""
    for old, new in names.items():
        statement = statement.replace(old, new)
    return statement
