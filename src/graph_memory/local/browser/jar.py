"""Neo4j Browser as we serve it: the published jar with a style, a guide and saved queries of ours put into it.

Neo4j serves what lies under `browser/` in the one jar of its class path that has it, so ours takes that jar's place.
Nothing is compressed or dated by the machine: the same jar and assets give the same bytes and the same time anywhere.
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

from graph_memory.files import replacing
from graph_memory.local.browser.patches import PATCHES
from graph_memory.maven import Jar

ARTIFACT = "neo4j-browser"
GUIDE = "browser/graph-memory/guide.html"
"""Where the guide lies, relative to the server's address."""

_DATE = (2024, 9, 6, 12, 0, 0)
_TIME = 1_725_624_000  # the same, in seconds since the epoch
_OLD = 7 * 24 * 3600.0


class BrowserError(Exception):
    """The jar is not the one that this was made for."""


def is_browser(jar: Jar) -> bool:
    """Tell whether a jar is Neo4j Browser."""
    return jar.artifact == ARTIFACT


def served_jar(jar: Jar, original: Path, cache: Path) -> Path:
    """Give the jar that takes the original's place: ours if it was made and nobody touched it, else the original."""
    ours = _place(jar, cache)
    return ours if _is_sound(ours) else original


def make_served_jar(jar: Jar, original: Path, cache: Path) -> None:
    """Make ours unless it is there. Without it the original is served, so what goes wrong here is no error."""
    ours = _place(jar, cache)
    if _is_sound(ours):
        return
    with suppress(BrowserError, OSError, zipfile.BadZipFile):
        ours.parent.mkdir(parents=True, exist_ok=True)
        with replacing(ours) as file:
            file.write(with_assets(original.read_bytes(), jar.sha256))
        os.utime(ours, (_TIME, _TIME))  # what has the right time is whole, also after a power cut
        _remove_old(ours)


def forget_served_jar(jar: Jar, cache: Path) -> None:
    """Let the next start make ours again."""
    with suppress(OSError):
        _place(jar, cache).unlink(missing_ok=True)


def with_assets(original: bytes, sha256: str) -> bytes:
    """Give the jar's bytes with ours put in; BrowserError when they are not those that `sha256` names."""
    if hashlib.sha256(original).hexdigest() != sha256:
        raise BrowserError("the jar of Neo4j Browser is damaged")
    made = io.BytesIO(original)
    with zipfile.ZipFile(made, "a") as jar:
        for name, text in {**_changed(jar), **_added()}.items():
            _put(jar, name, text)
    return made.getvalue()


def style() -> dict[str, dict[str, str]]:
    """Give the rules of `style.grass` by selector, as Neo4j Browser keeps them."""
    blocks = re.findall(r"([^{}]+)\{\n(.*?)\n\}", _asset("style.grass"), re.S)
    return {selector.strip(): dict(_declarations(body)) for selector, body in blocks}


def queries() -> dict[str, str]:
    """Give the saved queries by title, which is their first line."""
    texts = _asset("queries.cypher").strip().split("\n\n")
    return {text.partition("\n")[0].removeprefix("// "): text for text in texts}


def _declarations(body: str) -> Iterable[tuple[str, str]]:
    for line in body.splitlines():
        name, _, value = line.partition(":")
        yield name.strip(), value.strip().removesuffix(";").strip("'")


def _changed(jar: zipfile.ZipFile) -> Mapping[str, str]:
    places = {_named(jar, pattern): pieces for pattern, pieces in PATCHES.items()}
    return {name: _patched(jar.read(name).decode(), pieces) for name, pieces in places.items()}


def _named(jar: zipfile.ZipFile, pattern: str) -> str:
    for name in jar.namelist():
        if re.fullmatch(f"browser/{pattern}", name):
            return name
    raise BrowserError(f"no file {pattern} in the jar")


def _patched(text: str, patches: Mapping[str, str]) -> str:
    for old, new in patches.items():
        if text.count(old) != 1:
            raise BrowserError(f"not found once: {old}")
        text = text.replace(old, new)
    return text


def _added() -> Mapping[str, str]:
    seeds = json.dumps({"style": style(), "queries": queries()}, indent=1)
    added = {name: _asset(name) for name in ("style.grass", "guide.html", "seed.js")}
    added["seeds.js"] = f"const graphMemorySeeds = {seeds};\n"
    return {f"browser/graph-memory/{name}": text for name, text in added.items()}


def _put(jar: zipfile.ZipFile, name: str, text: str) -> None:
    if old := jar.NameToInfo.pop(name, None):
        jar.filelist.remove(old)
    entry = zipfile.ZipInfo(name, _DATE)
    entry.create_system = 3  # else it would tell the system that it was made on
    jar.writestr(entry, text)


def _is_sound(path: Path) -> bool:
    try:
        return path.stat().st_mtime == _TIME and os.access(path, os.R_OK)
    except OSError:
        return False


def _remove_old(ours: Path) -> None:
    for other in ours.parent.glob("*.jar"):
        if other != ours and other.stat().st_ctime < time.time() - _OLD:
            other.unlink(missing_ok=True)


def _place(jar: Jar, cache: Path) -> Path:
    parts = (jar.sha256, json.dumps(PATCHES), *_added().values())
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return cache / "browser" / f"{jar.artifact}-{jar.version}-{key}.jar"


def _asset(name: str) -> str:
    return files("graph_memory.local.browser").joinpath("assets", name).read_text("utf-8")
