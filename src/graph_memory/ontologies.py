"""Ontologies in files: of the user, and bundled with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.text.wording import join_names, printable, suggestion
from graph_memory.model.values.arguments import invalid_argument


def load_ontology(source: str | Path) -> Ontology:
    """Return the ontology in a YAML file, or else the bundled ontology with that name, such as `gtd`.

    Raises INVALID_ARGUMENT if there is neither, and the errors of `parse_ontology`.
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
    """Return an ontology for a new domain: if it is open, with the standard connection types.

    Standard types are omitted if the ontology or a domain above uses their name or the name of their inverse.
    """
    if not ontology.open:
        return ontology
    used = {
        name
        for connection_type in ontology.connection_types
        for name in (connection_type.name, connection_type.inverse)
    }
    used |= {inherited.type.name for inherited in current.above.values()}
    standard = [kind for kind in _standard().connection_types if not {kind.name, kind.other_name} & used]
    return ontology.with_types((), standard)


@cache
def standard_names() -> frozenset[str]:
    """Return the names of the standard connection types."""
    return frozenset(kind.name for kind in _standard().connection_types)


@cache
def _standard() -> Ontology:
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
    places = (package / "ontologies", package.parents[1] / "ontologies")
    return next((place for place in places if place.is_dir()), places[0])
