"""Archetypes by name: the entry points `graph_memory.archetypes` of the installed packages."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import cast

from graph_memory.agent.archetypes.extraction import Archetype
from graph_memory.model.text.wording import listed, quoted, suggestion
from graph_memory.model.values.arguments import fault

GROUP = "graph_memory.archetypes"


@cache
def load_archetype(name: str) -> Archetype:
    """Return the archetype with a name. Raises INVALID_ARGUMENT if no package has it, or if it cannot be imported."""
    points = {point.name: point for point in entry_points(group=GROUP)}
    if name not in points:
        hint = suggestion(name, points, f"Give one of {listed(sorted(points))}, or install the package that offers it.")
        raise fault("archetype", f"No archetype {quoted(name)} is installed", hint)
    point = points[name]
    try:
        loaded: object = point.load()
    except Exception as error:  # a module can raise anything while it is imported; the caller gets the reason
        message = f"The archetype {quoted(name)} ({point.value}) cannot be imported: {type(error).__name__}: {error}"
        raise fault("archetype", message, "Correct or reinstall its package, or omit the archetype.") from error
    if not callable(loaded):
        message = f"The archetype {quoted(name)} ({point.value}) is not a function"
        raise fault("archetype", message, "Its entry point must name a function of event type and content.")
    return cast("Archetype", loaded)
