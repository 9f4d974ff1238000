"""Reads an ontology from a file, standard input, or the bundled ontologies."""

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
    """Return the ontology in a file or on standard input (`-`), or the bundled ontology with that name.

    Raises the errors of `load_ontology`.
    """
    return parse_bytes(sys.stdin.buffer.read(), "standard input") if source == "-" else load_ontology(source)
