"""Lists of the jars of a Neo4j version. The package contains the list for the default version.

Lists of other versions are cached.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from graph_memory.jar import Jar
from graph_memory.model.errors import Code, GraphError

_HEAD = (
    "# group:artifact:version[:classifier] sha256 bytes, in class path order. Made by graph_memory.local.jars.resolve\n"
)
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]*")


def parse(text: str) -> tuple[Jar, ...]:
    """Parse a list of jars. Each line has coordinates, SHA-256 and size, or is a comment that starts with `#`.

    Raises ValueError if a line has another format.
    """
    lines = (line.split() for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return tuple(_parse_line(line) for line in lines)


def render(jars: Iterable[Jar]) -> str:
    """Return the list as text that `parse` can read."""
    return _HEAD + "".join(f"{jar.coordinates} {jar.sha256} {jar.size}\n" for jar in jars)


def committed_list(version: str) -> tuple[Jar, ...] | None:
    """Return the package's list of jars for a Neo4j version, or None if the package has none."""
    resource = files("graph_memory.local.jars").joinpath("lists", f"{checked_version(version)}.txt")
    return parse(resource.read_text("utf-8")) if resource.is_file() else None


def cached_list_path(root: Path, version: str) -> Path:
    """Return the cache path of the list of jars for a Neo4j version that is not in the package."""
    return root / f"{checked_version(version)}.txt"


def checked_version(version: str) -> str:
    """Return the Neo4j version. Raises INVALID_ARGUMENT if it contains characters that are unsafe in a path."""
    if _VERSION.fullmatch(version):
        return version
    raise GraphError(
        Code.INVALID_ARGUMENT,
        f"{version!r} is not a Neo4j version",
        {"hint": "Set GRAPH_MEMORY_NEO4J_VERSION to a version such as 2026.08.1, or unset it."},
    )


def _parse_line(line: list[str]) -> Jar:
    coordinates, sha256, size = line
    group, artifact, version, *classifier = coordinates.split(":")
    return Jar(group, artifact, version, "".join(classifier), sha256, int(size))
