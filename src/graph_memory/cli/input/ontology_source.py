"""Where an ontology on the command line comes from: a file, standard input, or the name of one that is bundled."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.yaml_io import parse_bytes
from graph_memory.ontologies import load_ontology

SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A YAML file, - for standard input, or a bundled one: gtd, fitness or standard."
    ),
]


def read_ontology(source: str) -> Ontology:
    """Return the ontology that a file declares, `-` being standard input, or else the bundled one of that name.

    Raises what `load_ontology` does.
    """
    return parse_bytes(sys.stdin.buffer.read(), "standard input") if source == "-" else load_ontology(source)
