"""Where an ontology on the command line comes from: a file, standard input, or the name of one that is bundled."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from graph_memory.model.arguments import fault
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.yaml_io import parse

SourceArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A YAML file, - for standard input, or a bundled one: gtd or fitness.")
]


def read_ontology(source: str) -> Ontology:
    """Return the ontology that a file declares, `-` being standard input, or else the bundled one of that name.

    Raises what `parse` does, and INVALID_ARGUMENT when there is no such file.
    """
    if source == "-":
        return parse(_text(sys.stdin.buffer.read(), "standard input"), "standard input")
    path = Path(source)
    if not path.exists() and path.name == source:
        from graph_memory.app import bundled_ontology

        return bundled_ontology(source)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise fault("file", f"Cannot read {source}: {error.strerror}", "Give a readable file.") from error
    return parse(_text(data, path.name), path.name)


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message, details = f"{name}:{line}: not UTF-8", {"file": name, "line": line, "hint": "Save the file as UTF-8."}
        raise GraphError(Code.INVALID_ONTOLOGY, message, details) from error
