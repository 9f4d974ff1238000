"""Resolves the jars of a Neo4j version that the package has no list for. This takes about three minutes.

Maintainers create the list for a new version with `python -m graph_memory.local.jars.resolve VERSION FILE`.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

import requests

from graph_memory.jar import Jar
from graph_memory.local.jar_manifest import render
from graph_memory.maven import THREADS, DownloadError, fetch, open_session

if TYPE_CHECKING:
    from jgo.maven import Artifact

BROWSER = "org.neo4j.client:neo4j-browser:5.24.0"
_TEST_LIBRARIES = frozenset({"junit", "hamcrest", "mockito-core", "byte-buddy", "byte-buddy-agent", "objenesis"})


def resolve(version: str, jars: Path, poms: Path) -> tuple[Jar, ...]:
    """Determine a Neo4j version's jars, download them to the folder `jars`, and return them in class path order.

    Raises DownloadError if the version does not exist or a jar cannot be downloaded.
    """
    try:
        artifacts = _artifacts(version, poms)
    except (RuntimeError, ValueError, OSError) as error:
        raise DownloadError(f"its jars cannot be determined ({error})") from error
    needed = [
        Jar(artifact.groupId, artifact.artifactId, artifact.version, artifact.classifier, "", 0)
        for artifact in artifacts
        if artifact.packaging == "jar" and artifact.artifactId not in _TEST_LIBRARIES
    ]
    group, artifact, browser_version = BROWSER.split(":")
    needed.append(Jar(group, artifact, browser_version, "", "", 0))
    with open_session() as connections, ThreadPoolExecutor(THREADS) as pool:
        return tuple(pool.map(_fetch_jar, needed, repeat(jars), repeat(connections)))


def _artifacts(version: str, poms: Path) -> list[Artifact]:
    from jgo.constants import MAVEN_CENTRAL_URL
    from jgo.maven import MavenContext
    from jgo.parse import Endpoint

    context = MavenContext(repo_cache=poms, remote_repos={"central": MAVEN_CENTRAL_URL})
    endpoint = Endpoint.parse(f"org.neo4j:neo4j:{version}+org.neo4j.app:neo4j-server:{version}")
    dependencies = [context.create_dependency(replace(part, scope="compile")) for part in endpoint.coordinates]
    inputs, transitive = context.resolver.resolve(dependencies)
    return [dependency.artifact for dependency in (*inputs, *transitive) if dependency.scope in ("compile", "runtime")]


def _fetch_jar(jar: Jar, folder: Path, connections: requests.Session) -> Jar:
    target = folder / jar.path
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    sha256 = fetch(jar.path, part, connections)
    part.replace(target)
    return replace(jar, sha256=sha256, size=target.stat().st_size)


def _main(version: str, file: str) -> None:
    from graph_memory.settings import Settings

    cache = Settings().cache
    Path(file).write_text(render(resolve(version, cache / "jars", cache / "poms")), "utf-8", newline="\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
