"""Find out which jars make a version of Neo4j that we ship no list for. Slow: about three minutes.

A maintainer makes the committed list of a new version with `python -m graph_memory.local.jars.resolve VERSION FILE`.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

import requests

from graph_memory.local.jar_manifest import render
from graph_memory.maven import THREADS, DownloadError, Jar, fetch, session

if TYPE_CHECKING:
    from jgo.maven import Artifact

BROWSER = "org.neo4j.client:neo4j-browser:5.24.0"
_TEST_ONLY = frozenset({"junit", "hamcrest", "mockito-core", "byte-buddy", "byte-buddy-agent", "objenesis"})


def resolve(version: str, jars: Path, poms: Path) -> tuple[Jar, ...]:
    """Resolve a version, fetch its jars into the folder `jars` and give their list, in class path order.

    DownloadError when the version does not exist or a part of it cannot be had.
    """
    try:
        artifacts = _artifacts(version, poms)
    except (RuntimeError, ValueError, OSError) as error:
        raise DownloadError(f"its jars cannot be determined ({error})") from error
    results = [_unchecked(artifact) for artifact in artifacts if _is_needed(artifact)]
    group, artifact, browser = BROWSER.split(":")
    results.append(Jar(group, artifact, browser, "", "", 0))
    with session() as connections, ThreadPoolExecutor(THREADS) as pool:
        return tuple(pool.map(_checked, results, repeat(jars), repeat(connections)))


def _artifacts(version: str, poms: Path) -> list[Artifact]:
    from jgo.constants import MAVEN_CENTRAL_URL
    from jgo.maven import MavenContext
    from jgo.parse import Endpoint

    context = MavenContext(repo_cache=poms, remote_repos={"central": MAVEN_CENTRAL_URL})
    endpoint = Endpoint.parse(f"org.neo4j:neo4j:{version}+org.neo4j.app:neo4j-server:{version}")
    wanted = [context.create_dependency(replace(part, scope="compile")) for part in endpoint.coordinates]
    inputs, transitive = context.resolver.resolve(wanted)
    return [input_.artifact for input_ in (*inputs, *transitive) if input_.scope in ("compile", "runtime")]


def _is_needed(artifact: Artifact) -> bool:
    """Say whether a server needs the file; older versions name bills of material among the jars."""
    return artifact.packaging == "jar" and artifact.artifactId not in _TEST_ONLY


def _unchecked(artifact: Artifact) -> Jar:
    return Jar(artifact.groupId, artifact.artifactId, artifact.version, artifact.classifier, "", 0)


def _checked(jar: Jar, folder: Path, connections: requests.Session) -> Jar:
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
