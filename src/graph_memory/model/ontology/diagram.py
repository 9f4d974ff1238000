"""An ontology as a Mermaid diagram: a box for each node type, an arrow for each pair that connection types may join."""

from __future__ import annotations

from collections.abc import Mapping

from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.types import ConnectionType
from graph_memory.model.values.properties import ANY

_ANY_BOX = "any"
_ANY_TITLE = "any type"


def mermaid(ontology: Ontology) -> str:
    """Return the text of a Mermaid flowchart; connection types that join the same two boxes share an arrow.

    An extra box, drawn only if needed, is for ends that may have any type.
    """
    boxes = {declared.name: f"n{number}" for number, declared in enumerate(ontology.node_types)}
    arrows = _arrows(ontology, {**boxes, ANY: _ANY_BOX})
    lines = ["flowchart LR", *(f'  {box}["{_label(name)}"]' for name, box in boxes.items())]
    if any(_ANY_BOX in ends for ends in arrows):
        lines.append(f'  {_ANY_BOX}(["{_ANY_TITLE}"])')
    joined = ((ends, "<br/>".join(map(_label, names))) for ends, names in arrows.items())
    lines += [f'  {source} -->|"{label}"| {target}' for (source, target), label in joined]
    return "\n".join(lines) + "\n"


def _arrows(ontology: Ontology, boxes: Mapping[str, str]) -> dict[tuple[str, str], list[str]]:
    arrows: dict[tuple[str, str], list[str]] = {}
    for declared in ontology.connection_types:
        for ends in _ends(declared):
            arrows.setdefault((boxes[ends[0]], boxes[ends[1]]), []).append(declared.name)
    return arrows


def _ends(declared: ConnectionType) -> list[tuple[str, str]]:
    return [(source, target) for source in declared.from_types for target in declared.to_types]


def _label(name: str) -> str:
    """Escape characters of a name that have a meaning in Mermaid, Markdown or HTML."""
    return "".join(character if _is_harmless(character) else f"#{ord(character)};" for character in name)


def _is_harmless(character: str) -> bool:
    return character.isalnum() or character == " " or not character.isascii()
