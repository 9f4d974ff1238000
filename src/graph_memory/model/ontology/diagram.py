"""Draws an ontology as a Mermaid flowchart: a box per node type, and an arrow per pair that can be connected."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.values.properties import ANY

_ANY_BOX = "any"
_ANY_TITLE = "any type"


def mermaid(ontology: Ontology) -> str:
    """Return the text of a Mermaid flowchart. Connection types between the same two boxes share an arrow.

    An extra box, drawn only if needed, stands for endpoints of any type.
    """
    boxes = {node_type.name: f"n{number}" for number, node_type in enumerate(ontology.node_types)}
    arrows = _group_by_ends(ontology, {**boxes, ANY: _ANY_BOX})
    lines = ["flowchart LR", *(f'  {box}["{_escape_name(name)}"]' for name, box in boxes.items())]
    if any(_ANY_BOX in ends for ends in arrows):
        lines.append(f'  {_ANY_BOX}(["{_ANY_TITLE}"])')
    labels_by_ends = ((ends, "<br/>".join(map(_escape_name, names))) for ends, names in arrows.items())
    lines += [f'  {source} -->|"{label}"| {target}' for (source, target), label in labels_by_ends]
    return "\n".join(lines) + "\n"


def _group_by_ends(ontology: Ontology, boxes: Mapping[str, str]) -> dict[tuple[str, str], list[str]]:
    arrows: dict[tuple[str, str], list[str]] = {}
    for connection_type in ontology.connection_types:
        for source, target in product(connection_type.from_types, connection_type.to_types):
            arrows.setdefault((boxes[source], boxes[target]), []).append(connection_type.name)
    return arrows


def _escape_name(name: str) -> str:
    """Escape the characters of a name that are special in Mermaid, Markdown or HTML."""
    return "".join(character if _is_harmless(character) else f"#{ord(character)};" for character in name)


def _is_harmless(character: str) -> bool:
    return character.isalnum() or character == " " or not character.isascii()
