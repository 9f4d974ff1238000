import json
import math
import stat
import sys
from dataclasses import asdict

import pytest

from graph_memory.local.home.home import HomeFolder, Run, read_run
from graph_memory.settings import Settings
from tables import for_rows

RUN = Run(bolt_port=7687, http_port=7474, version="2026.08.1", pid=42, created=1.5, ready=True)
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")


@pytest.fixture
def place(tmp_path) -> HomeFolder:
    place = HomeFolder.of(Settings(home=tmp_path))
    place.make_folders()
    return place


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_run_is_read_as_it_was_saved(place):
    RUN.save(place)
    assert read_run(place) == RUN


def with_changes(**changes: object) -> str:
    return json.dumps({**asdict(RUN), **changes})


NO_RUNS = {
    "empty": "",
    "cut": "{",
    "list": "[]",
    "null": "null",
    "fields missing": '{"pid": 1}',
    "binary": "\x00\xff",
    "deep": "[" * 100_000,
    "huge": with_changes(version="1" * 2**20),
    "unknown key": with_changes(unknown=2),
    "pid of text": with_changes(pid="42"),
    "pid of a list": with_changes(pid=[42]),
    "pid of truth": with_changes(pid=True),
    "fraction of a pid": with_changes(pid=4.2),
    "negative pid": with_changes(pid=-1),
    "pid nought": with_changes(pid=0),
    "huge pid": with_changes(pid=2**80),
    "port of text": with_changes(bolt_port="7687"),
    "negative port": with_changes(bolt_port=-1),
    "port nought": with_changes(http_port=0),
    "port too high": with_changes(http_port=65536),
    "no port": with_changes(http_port=None),
    "version of number": with_changes(version=2026),
    "version with a line": with_changes(version="2026\n"),
    "created never": with_changes(created=math.nan),
    "created at no end": with_changes(created=math.inf),
    "created in no year": with_changes(created=1e300),
    "created before": with_changes(created=-1.0),
    "created of text": with_changes(created="1.5"),
    "ready of a number": with_changes(ready=1),
}


@for_rows("text", NO_RUNS.values())
def test_a_run_file_that_cannot_be_read_is_no_run_file(place, text):
    place.run_file.write_text(text)
    assert read_run(place) is None


def test_a_stopped_run_remembers_its_ports_only(place):
    assert RUN.without_process() == Run(bolt_port=7687, http_port=7474, version="2026.08.1")


def test_one_home_is_one_place_however_it_is_spelled(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "home")
    assert HomeFolder.of(Settings(home=tmp_path / "link")) == HomeFolder.of(
        Settings(home=tmp_path / "x" / ".." / "home")
    )


@posix_only
def test_only_the_owner_reads_what_is_kept(place):
    place.generate_password()
    RUN.save(place)
    assert (mode(place.root), mode(place.password_file), mode(place.run_file)) == (0o700, 0o600, 0o600)


def test_a_password_is_long_plain_and_kept(place):
    password = place.generate_password()
    assert place.password() == password
    assert len(password) == 40
    assert password.isalnum()


def test_there_is_no_password_before_one_was_made(place):
    assert place.password() is None


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe"])
def test_a_password_file_without_text_holds_none(place, content):
    place.password_file.write_bytes(content)
    assert place.password() is None


def test_what_a_killed_server_left_in_its_temporary_folder_is_removed(place):
    (place.temporary / "jetty-1").mkdir()
    (place.temporary / "jetty-1" / "file").write_text("left")
    place.empty_temporary()
    assert list(place.temporary.iterdir()) == []
    assert mode(place.temporary) == 0o700


def test_a_first_start_that_broke_off_begins_anew_and_its_rest_is_set_aside(place):
    place.prepare_start()
    (place.data / "databases").mkdir(parents=True)
    place.prepare_start()
    assert place.first_start_mark.exists()
    assert not place.data.exists()
    assert (place.unfinished_data / "databases").exists()


def test_databases_are_kept_once_the_first_start_succeeded(place):
    place.prepare_start()
    (place.data / "databases").mkdir(parents=True)
    place.finish_first_start()
    place.prepare_start()
    assert (place.data / "databases").exists()
    assert not place.first_start_mark.exists()


def test_databases_that_were_there_before_are_kept(place):
    (place.data / "databases").mkdir(parents=True)
    place.prepare_start()
    assert (place.data / "databases").exists()
    assert not place.first_start_mark.exists()


def test_nothing_is_left_beside_a_file_that_was_written(place):
    RUN.save(place)
    assert [path.name for path in place.run_file.parent.iterdir()] == ["server.json"]
    assert json.loads(place.run_file.read_text())["pid"] == 42
