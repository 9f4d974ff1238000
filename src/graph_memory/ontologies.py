"""Reads ontologies from the user's files and from the package's bundled files."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.text.wording import join_names, printable, suggestion
from graph_memory.model.values.arguments import invalid_argument


def load_ontology(source: str | Path) -> Ontology:
    """Return the ontology in a YAML file. If the file does not exist, return the bundled ontology with that name.

    Raises INVALID_ARGUMENT if neither exists or the file cannot be read, and the errors of `parse_bytes`.
    """
    from graph_memory.model.ontology.yaml_io import parse_bytes

    path = Path(source)
    if not path.exists() and path.name == str(source):
        path = _bundled_file(path.name)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise invalid_argument("file", f"Cannot read {source}: {error.strerror}", "Pass a readable file.") from error
    return parse_bytes(data, path.name)


def with_standard_types(ontology: Ontology, current: Ontology) -> Ontology:
    """Return the ontology for a new domain. If it is open, standard connection types are added.

    `current` contains the types of the parent domains. A standard type is omitted if the ontology or a parent domain
    already uses its name or its inverse's name.
    """
    if not ontology.open:
        return ontology
    used_names = {
        name
        for connection_type in ontology.connection_types
        for name in (connection_type.name, connection_type.inverse)
    }
    used_names |= {inherited.type.name for inherited in current.above.values()}
    standard_types = [
        connection_type
        for connection_type in _standard_ontology().connection_types
        if not {connection_type.name, connection_type.other_name} & used_names
    ]
    return ontology.with_types((), standard_types)


@cache
def standard_names() -> frozenset[str]:
    """Return the names of the standard connection types."""
    return frozenset(connection_type.name for connection_type in _standard_ontology().connection_types)


@cache
def _standard_ontology() -> Ontology:
    return load_ontology(_bundled_file("standard"))


def _bundled_file(name: str) -> Path:
    files = {path.stem: path for path in _ontologies_root().glob("*.yaml")}
    if name not in files:
        hint = suggestion(name, files, f"Pass a file, or one of {join_names(sorted(files))}.")
        raise invalid_argument("file", f"{printable(name)} is neither a file nor a bundled ontology", hint)
    return files[name]


def _ontologies_root() -> Path:
    """Return the folder of the bundled ontologies, in the installed package or in the checkout."""
    package = Path(__file__).resolve().parent
    folders = (package / "ontologies", package.parents[1] / "ontologies")
    return next((folder for folder in folders if folder.is_dir()), folders[0])
