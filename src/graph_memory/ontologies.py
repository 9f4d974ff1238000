"""Ontologies in files: a user's own, and those that come with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.yaml_io import parse_bytes
from graph_memory.model.text.wording import listed, shown, suggestion
from graph_memory.model.values.arguments import fault


def load_ontology(source: str | Path) -> Ontology:
    """Return the ontology that a YAML file declares, or else the bundled one of that name, such as `gtd`.

    Raises INVALID_ARGUMENT when there is neither, and what `parse_ontology` does.
    """
    path = Path(source)
    if not path.exists() and path.name == str(source):
        path = _bundled(path.name)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise fault("file", f"Cannot read {source}: {error.strerror}", "Give a readable file.") from error
    return parse_bytes(data, path.name)


def begun(ontology: Ontology, present: Ontology) -> Ontology:
    """Return what a domain begins with: an open ontology has the standard connection types besides its own.

    Those whose name, or the name of whose inverse, it uses otherwise, or the domains above, are left out.
    """
    if not ontology.open:
        return ontology
    used = {name for one in ontology.connection_types for name in (one.name, one.inverse)}
    used |= {one.type.name for one in present.above.values()}
    standard = [one for one in _standard().connection_types if not {one.name, one.other_name} & used]
    return ontology.with_types((), standard)


@cache
def standard_names() -> frozenset[str]:
    """Return the names of the standard connection types."""
    return frozenset(one.name for one in _standard().connection_types)


@cache
def _standard() -> Ontology:
    return load_ontology(_bundled("standard"))


def _bundled(name: str) -> Path:
    """Return the file of an ontology that comes with the package."""
    files = {path.stem: path for path in _ontologies_root().glob("*.yaml")}
    if name not in files:
        hint = suggestion(name, files, f"Give a file, or one of {listed(sorted(files))}.")
        raise fault("file", f"{shown(name)} is neither a file nor a bundled ontology", hint)
    return files[name]


def _ontologies_root() -> Path:
    """Return the folder of the bundled ontologies: in the installed package, or in the checkout."""
    package = Path(__file__).resolve().parent
    places = (package / "ontologies", package.parents[1] / "ontologies")
    return next((place for place in places if place.is_dir()), places[0])
