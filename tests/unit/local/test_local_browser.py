import hashlib
import io
import os
import zipfile
from pathlib import Path

import pytest

from graph_memory.jar import Jar
from graph_memory.local.browser.jar import (
    BrowserError,
    make_served_jar,
    read_saved_queries,
    read_style,
    served_jar,
    with_assets,
)
from graph_memory.local.browser.patches import PATCHES
from graph_memory.local.jar_manifest import render
from graph_memory.local.jars.fetch import class_path, fingerprint, forget_checks
from graph_memory.settings import Settings

NAMES = ["index.html", "app-0a1b.js", "ui-libs-0a1b.bundle.js"]


def zip_of(**texts: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as jar:
        for name, pieces in zip(NAMES, PATCHES.values(), strict=True):
            jar.writestr(f"browser/{name}", texts.get(name.partition("-")[0], "\n".join(pieces)))
        jar.writestr("browser/other.js", "untouched")
    return content.getvalue()


def jar_of(content: bytes, artifact: str = "neo4j-browser") -> Jar:
    return Jar("org.example", artifact, "1", "", hashlib.sha256(content).hexdigest(), len(content))


@pytest.fixture
def original() -> bytes:
    return zip_of()


@pytest.fixture
def jar(original) -> Jar:
    return jar_of(original)


@pytest.fixture
def path(original, tmp_path) -> Path:
    path = tmp_path / "original.jar"
    path.write_bytes(original)
    return path


def make_jar(jar: Jar, path: Path, cache: Path) -> Path:
    make_served_jar(jar, path, cache)
    return served_jar(jar, path, cache)


def text_in(content: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as jar:
        assert len(set(jar.namelist())) == len(jar.namelist())
        assert jar.testzip() is None
        return jar.read(f"browser/{name}").decode()


def test_the_same_jar_gives_the_same_bytes(original, jar):
    assert with_assets(original, jar.sha256) == with_assets(original, jar.sha256)


def test_the_assets_are_added_and_the_rest_is_kept(original, jar):
    content = with_assets(original, jar.sha256)
    assert "What your agents remember" in text_in(content, "graph-memory/guide.html")
    assert "{_title}" in text_in(content, "graph-memory/style.grass")
    assert "// The live graph" in text_in(content, "graph-memory/seeds.js")
    assert "graph-memory/seed.js" in text_in(content, "index.html")
    assert text_in(content, "other.js") == "untouched"


def test_every_piece_that_is_to_be_changed_is_changed(original, jar):
    content = with_assets(original, jar.sha256)
    for name, pieces in zip(NAMES, PATCHES.values(), strict=True):
        assert text_in(content, name) == "\n".join(pieces.values())


def test_a_damaged_original_is_refused(original, jar):
    with pytest.raises(BrowserError, match="damaged"):
        with_assets(original + b"x", jar.sha256)


@pytest.mark.parametrize("text", ["another browser", "\n".join(2 * list(PATCHES[r"app-[0-9a-f]+\.js"]))])
def test_a_script_that_is_not_the_one_known_is_refused(text):
    content = zip_of(app=text)
    with pytest.raises(BrowserError, match="does not occur exactly once"):
        with_assets(content, jar_of(content).sha256)


def test_a_jar_without_the_application_is_refused():
    content = io.BytesIO()
    zipfile.ZipFile(content, "w").close()
    with pytest.raises(BrowserError, match="no file"):
        with_assets(content.getvalue(), jar_of(content.getvalue()).sha256)


def test_ours_takes_the_place_of_the_original_and_is_made_once(jar, path, tmp_path):
    ours = make_jar(jar, path, tmp_path)
    assert ours != path
    before = ours.stat()
    assert make_jar(jar, path, tmp_path) == ours
    assert (ours.stat().st_ino, ours.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_ours_has_the_same_time_wherever_it_is_made(jar, path, tmp_path):
    times = {make_jar(jar, path, tmp_path / name).stat().st_mtime_ns for name in ("one", "two")}
    assert len(times) == 1


def test_one_that_somebody_touched_is_made_anew(jar, path, tmp_path):
    ours = make_jar(jar, path, tmp_path)
    right = ours.read_bytes()
    ours.write_bytes(b"damaged")
    assert served_jar(jar, path, tmp_path) == path
    assert make_jar(jar, path, tmp_path).read_bytes() == right


def test_the_original_is_served_where_ours_cannot_be_made(jar, path, tmp_path):
    (tmp_path / "browser").write_text("not a folder")
    assert make_jar(jar, path, tmp_path) == path


def test_the_original_is_served_where_it_is_another_one(path, tmp_path):
    assert make_jar(jar_of(b"another"), path, tmp_path) == path


def test_one_of_long_ago_is_removed_when_another_is_made(jar, path, tmp_path, monkeypatch):
    old = tmp_path / "browser" / "neo4j-browser-0.jar"
    old.parent.mkdir()
    old.touch()
    make_jar(jar, path, tmp_path)
    assert old.exists()
    served_jar(jar, path, tmp_path).unlink()
    monkeypatch.setattr("graph_memory.local.browser.jar._UNUSED_LIFETIME", -1.0)
    make_jar(jar, path, tmp_path)
    assert not old.exists()


@pytest.fixture
def settings(original, jar, tmp_path, monkeypatch) -> Settings:
    repository, lists = tmp_path / "m2", tmp_path / "cache" / "jars"
    monkeypatch.setenv("M2_REPO", str(repository))
    jars = {jar_of(b"first", "alpha"): b"first", jar: original, jar_of(b"last", "omega"): b"last"}
    for key, content in jars.items():
        (repository / key.path).parent.mkdir(parents=True)
        (repository / key.path).write_bytes(content)
    lists.mkdir(parents=True)
    (lists / "0.0.1.txt").write_text(render(jars))
    return Settings(home=tmp_path / "home", cache=tmp_path / "cache", neo4j_version="0.0.1")


def test_the_class_path_has_ours_in_the_place_of_the_original(settings):
    first, ours, last = class_path(settings)
    assert (first.name, last.name) == ("alpha-1.jar", "omega-1.jar")
    assert ours.parent == settings.cache / "browser"
    assert str(ours) in (fingerprint(settings) or "")


def test_a_failed_start_has_ours_made_anew_and_with_it_nothing_else_changes(settings):
    _, ours, _ = class_path(settings)
    before = fingerprint(settings)
    os.utime(ours, (1, 1))
    assert fingerprint(settings) != before
    forget_checks(settings)
    assert not ours.exists()
    class_path(settings)
    assert fingerprint(settings) == before


def test_the_style_shows_titles_and_gives_the_common_label_no_colour():
    assert read_style()["node._Node"]["caption"] == "{_title}"
    assert "color" not in read_style()["node._Node"]
    assert read_style()["relationship"]["caption"] == "<type>"


def test_the_saved_queries_begin_with_the_live_graph():
    titles = list(read_saved_queries())
    assert titles[0] == "The live graph"
    assert all(text.startswith(f"// {title}\n") for title, text in read_saved_queries().items())
