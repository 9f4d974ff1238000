"""Neo4j Browser's published jar, as the run's Neo4j has it: our changes fit it."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

from graph_memory.jar import Jar
from graph_memory.local.browser.jar import is_browser, with_assets
from graph_memory.local.browser.patches import PATCHES
from graph_memory.local.jars.fetch import class_path, known_list
from graph_memory.settings import Settings

ADDED = {f"browser/graph-memory/{name}" for name in ("guide.html", "seed.js", "seeds.js", "style.grass")}


@pytest.fixture(scope="module")
def jar() -> Jar:
    class_path(Settings())
    [jar] = filter(is_browser, known_list(Settings()) or ())
    return jar


@pytest.fixture(scope="module")
def original(jar: Jar) -> bytes:
    return (Settings().cache.expanduser().resolve() / "jars" / jar.path).read_bytes()


def open_archive(content: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(content))


def patched_files(archive: zipfile.ZipFile) -> dict[str, str]:
    """Give the file of each pattern of `PATCHES`."""
    files = {
        pattern: [name for name in archive.namelist() if re.fullmatch(f"browser/{pattern}", name)]
        for pattern in PATCHES
    }
    assert all(len(names) == 1 for names in files.values())
    return {pattern: names[0] for pattern, names in files.items()}


def test_every_piece_that_is_to_be_changed_is_there_once_and_is_changed(jar, original):
    with open_archive(original) as before, open_archive(with_assets(original, jar.sha256)) as after:
        for pattern, name in patched_files(before).items():
            old, new = before.read(name).decode(), after.read(name).decode()
            for piece, replacement in PATCHES[pattern].items():
                assert old.count(piece) == 1
                assert new.count(replacement) >= 1


def test_the_jar_is_sound_and_differs_in_the_changed_and_added_files_only(jar, original):
    with open_archive(original) as before, open_archive(with_assets(original, jar.sha256)) as after:
        assert after.testzip() is None
        names = after.namelist()
        assert len(set(names)) == len(names)
        assert set(names) - set(before.namelist()) == ADDED
        assert set(before.namelist()) <= set(names)
        sums = {info.filename: info.CRC for info in after.infolist()}
        differ = {info.filename for info in before.infolist() if sums[info.filename] != info.CRC}
        assert differ == set(patched_files(before).values())
