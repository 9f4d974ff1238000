"""Which jars make a Neo4j server: a committed list for the version we ship, a cached one for any other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from graph_memory.maven import Jar
from graph_memory.model.errors import Code, GraphError

_HEAD = (
    "# group:artifact:version[:classifier] sha256 bytes, in class path order. Made by graph_memory.local.jars.resolve\n"
)
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]*")


def parse(text: str) -> tuple[Jar, ...]:
    """Read a list: a line per jar of coordinates, SHA-256 and size; `#` begins a comment line. Order is kept.

    ValueError for any other text.
    """
    lines = (line.split() for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return tuple(_jar(line) for line in lines)


def render(jars: Iterable[Jar]) -> str:
    """Write a list that `parse` reads."""
    return _HEAD + "".join(f"{jar.coordinates} {jar.sha256} {jar.size}\n" for jar in jars)


def committed_list(version: str) -> tuple[Jar, ...] | None:
    """Give the list that comes with the package, or None when it has none for that version."""
    resource = files("graph_memory.local.jars").joinpath("lists", f"{checked_version(version)}.txt")
    return parse(resource.read_text("utf-8")) if resource.is_file() else None


def cached_list_path(root: Path, version: str) -> Path:
    """Tell where, under the folder of the jars, the list of a version that we do not ship is kept once resolved."""
    return root / f"{checked_version(version)}.txt"


def checked_version(version: str) -> str:
    """Give the version back if it can be one; INVALID_ARGUMENT when it could name another folder."""
    if _VERSION.fullmatch(version):
        return version
    raise GraphError(
        Code.INVALID_ARGUMENT,
        f"{version!r} is not a Neo4j version",
        {"hint": "Set GRAPH_MEMORY_NEO4J_VERSION to one like 2026.08.1, or leave it out."},
    )


def _jar(line: list[str]) -> Jar:
    coordinates, sha256, size = line
    group, artifact, version, *classifier = coordinates.split(":")
    return Jar(group, artifact, version, "".join(classifier), sha256, int(size))
