"""Builds a jar of Neo4j Browser with the style, guide and saved queries of graph-memory.

Neo4j serves the folder `browser/` of a jar in the class path, so this jar replaces the published one. The build is
reproducible: the same published jar and assets produce the same bytes and file time.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import time
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

from graph_memory.files import replace_file
from graph_memory.jar import Jar
from graph_memory.local.browser.patches import PATCHES

ARTIFACT = "neo4j-browser"
GUIDE = "browser/graph-memory/guide.html"
"""The guide's path relative to the server's address."""

_DATE = (2024, 9, 6, 12, 0, 0)
_TIME = 1_725_624_000  # the same, in seconds since the epoch
_UNUSED_LIFETIME = 7 * 24 * 3600.0


class BrowserError(Exception):
    """Raised if the published jar of Neo4j Browser does not have the expected content."""


def is_browser(jar: Jar) -> bool:
    """Return whether the jar contains Neo4j Browser."""
    return jar.artifact == ARTIFACT


def served_jar(jar: Jar, original: Path, cache: Path) -> Path:
    """Return the path of the adapted jar if it exists and is unchanged, otherwise the path of the original jar."""
    served = _served_path(jar, cache)
    return served if _is_intact(served) else original


def make_served_jar(jar: Jar, original: Path, cache: Path) -> None:
    """Create the adapted jar if it is missing. Errors are ignored, because Neo4j can serve the original jar instead."""
    served = _served_path(jar, cache)
    if _is_intact(served):
        return
    with suppress(BrowserError, OSError, zipfile.BadZipFile):
        served.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(served) as file:
            file.write(with_assets(original.read_bytes(), jar.sha256))
        os.utime(served, (_TIME, _TIME))  # set last: a file with this time is complete, even after a power failure
        _remove_unused_jars(served)


def forget_served_jar(jar: Jar, cache: Path) -> None:
    """Delete the adapted jar, so that the next start creates it again."""
    with suppress(OSError):
        _served_path(jar, cache).unlink(missing_ok=True)


def with_assets(original: bytes, sha256: str) -> bytes:
    """Return the original jar with graph-memory's assets added. Raises BrowserError if the jar's SHA-256 is wrong."""
    if hashlib.sha256(original).hexdigest() != sha256:
        raise BrowserError("the jar of Neo4j Browser is damaged")
    data = io.BytesIO(original)
    with zipfile.ZipFile(data, "a") as jar:
        for name, text in {**_patched_files(jar), **_added_files()}.items():
            _write_entry(jar, name, text)
    return data.getvalue()


def read_style() -> dict[str, dict[str, str]]:
    """Return the rules in `style.grass` by selector, in the form that Neo4j Browser stores."""
    blocks = re.findall(r"([^{}]+)\{\n(.*?)\n\}", _read_asset("style.grass"), re.S)
    return {selector.strip(): dict(_parse_declarations(body)) for selector, body in blocks}


def read_saved_queries() -> dict[str, str]:
    """Return the saved queries by title. A query's first line is its title."""
    texts = _read_asset("queries.cypher").strip().split("\n\n")
    return {text.partition("\n")[0].removeprefix("// "): text for text in texts}


def _parse_declarations(body: str) -> Iterable[tuple[str, str]]:
    for line in body.splitlines():
        name, _, value = line.partition(":")
        yield name.strip(), value.strip().removesuffix(";").strip("'")


def _patched_files(jar: zipfile.ZipFile) -> Mapping[str, str]:
    files_to_patch = {_find_file(jar, pattern): patches for pattern, patches in PATCHES.items()}
    return {name: _patch(jar.read(name).decode(), patches) for name, patches in files_to_patch.items()}


def _find_file(jar: zipfile.ZipFile, pattern: str) -> str:
    for name in jar.namelist():
        if re.fullmatch(f"browser/{pattern}", name):
            return name
    raise BrowserError(f"no file {pattern} in the jar")


def _patch(text: str, patches: Mapping[str, str]) -> str:
    for old, new in patches.items():
        if text.count(old) != 1:
            raise BrowserError(f"the text does not occur exactly once: {old}")
        text = text.replace(old, new)
    return text


def _added_files() -> Mapping[str, str]:
    seeds = json.dumps({"style": read_style(), "queries": read_saved_queries()}, indent=1)
    added = {name: _read_asset(name) for name in ("style.grass", "guide.html", "seed.js")}
    added["seeds.js"] = f"const graphMemorySeeds = {seeds};\n"
    return {f"browser/graph-memory/{name}": text for name, text in added.items()}


def _write_entry(jar: zipfile.ZipFile, name: str, text: str) -> None:
    if existing_entry := jar.NameToInfo.pop(name, None):
        jar.filelist.remove(existing_entry)
    entry = zipfile.ZipInfo(name, _DATE)
    entry.create_system = 3  # the same on every system
    jar.writestr(entry, text)


def _is_intact(path: Path) -> bool:
    try:
        return path.stat().st_mtime == _TIME and os.access(path, os.R_OK)
    except OSError:
        return False


def _remove_unused_jars(served: Path) -> None:
    for other in served.parent.glob("*.jar"):
        if other != served and other.stat().st_ctime < time.time() - _UNUSED_LIFETIME:
            other.unlink(missing_ok=True)


def _served_path(jar: Jar, cache: Path) -> Path:
    parts = (jar.sha256, json.dumps(PATCHES), *_added_files().values())
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return cache / "browser" / f"{jar.artifact}-{jar.version}-{key}.jar"


def _read_asset(name: str) -> str:
    return files("graph_memory.local.browser").joinpath("assets", name).read_text("utf-8")
