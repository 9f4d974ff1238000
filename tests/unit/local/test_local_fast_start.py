import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from graph_memory.local.aot import fast_start, training
from graph_memory.local.aot.cache import AotCache, CacheRecord
from graph_memory.local.aot.fast_start import cache_of, flags, maintain
from graph_memory.local.home.config import cached_flags, server_command
from graph_memory.local.home.home import HomeFolder, Run
from graph_memory.local.home.lock import file_lock
from graph_memory.local.jar_manifest import committed_list
from graph_memory.settings import Settings
from tables import for_rows

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="there is no cache on Windows")
pytestmark = posix_only


@pytest.fixture
def settings(tmp_path) -> Settings:
    """Settings whose cache has all jars, if only by name."""
    settings = Settings(home=tmp_path / "home", cache=tmp_path / "cache", aot="auto")
    for jar in committed_list(settings.neo4j_version) or ():
        path = settings.cache / "jars" / jar.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("jar")
    HomeFolder.of(settings).make_folders()
    return settings


@pytest.fixture
def cache(settings) -> AotCache:
    cache = cache_of(settings)
    assert cache
    cache.file.parent.mkdir()
    return cache


@pytest.fixture
def launches(monkeypatch) -> list[list[str]]:
    """Tell what would be launched in the background."""
    launches: list[list[str]] = []
    monkeypatch.setattr(fast_start, "launch", lambda command, _log: launches.append(command))
    return launches


def put(cache: AotCache) -> None:
    made = cache.file.with_name("made")
    made.write_text("cache")
    cache.adopt(made)


def uses_cache(settings: Settings) -> bool:
    return any(flag.startswith("-XX:AOTCache=") for flag in flags(settings, HomeFolder.of(settings)))


def test_an_adopted_cache_is_used(settings, cache):
    assert not uses_cache(settings)
    put(cache)
    assert uses_cache(settings)
    assert fast_start.fast_start(settings).ready


def test_a_cache_that_somebody_changed_is_not_used_and_made_anew(settings, cache, launches):
    put(cache)
    cache.file.write_text("other")
    assert not uses_cache(settings)
    maintain(settings, HomeFolder.of(settings), None)
    assert not cache.file.exists()
    assert len(launches) == 1


def test_a_file_that_nobody_found_good_is_not_used(settings, cache):
    cache.file.write_text("a part of a cache")
    assert not uses_cache(settings)


def test_what_java_refuses_is_removed_and_made_anew(settings, cache, launches):
    put(cache)
    place = HomeFolder.of(settings)
    place.aot_log.write_text("[0.1s][error][aot] Unable to map shared spaces\n")
    maintain(settings, place, None)
    assert not cache.file.exists()
    assert len(launches) == 1


def test_what_java_only_warns_of_is_kept(settings, cache, launches):
    put(cache)
    place = HomeFolder.of(settings)
    place.aot_log.write_text("[0.1s][warning][aot] Skipping this and that\n")
    maintain(settings, place, None)
    assert cache.is_intact()
    assert launches == []


@pytest.mark.parametrize("crashed", [True, False])
def test_a_cache_is_removed_after_a_crash_of_java_and_kept_after_a_failure_of_neo4j(settings, cache, launches, crashed):
    put(cache)
    place = HomeFolder.of(settings)
    if crashed:
        (place.console_log.parent / "hs_err_pid12.log").touch()
    maintain(settings, place, Run(1, 2, "1", pid=12))
    assert cache.is_intact() != crashed
    assert len(launches) == crashed


def test_what_an_earlier_start_was_told_does_not_count_for_the_next(settings):
    place = HomeFolder.of(settings)
    place.aot_log.write_text("[error]")
    flags(settings, place)
    assert not place.aot_log.exists()


@pytest.mark.parametrize("aot", ["use", "off"])
def test_no_cache_is_made_unless_it_is_wanted(settings, cache, launches, aot):
    maintain(settings.model_copy(update={"aot": aot}), HomeFolder.of(settings), None)
    assert launches == []


def test_where_ci_is_set_no_cache_is_made_by_default(monkeypatch):
    monkeypatch.delenv("GRAPH_MEMORY_AOT")
    monkeypatch.setenv("CI", "true")
    assert Settings().aot == "use"
    monkeypatch.delenv("CI")
    assert Settings().aot == "auto"


def test_only_one_process_makes_a_cache(settings, cache, launches):
    with file_lock(cache.lock, 0, lambda: None):
        assert cache.is_being_made()
        assert "being created" in fast_start.fast_start(settings).reason
        maintain(settings, HomeFolder.of(settings), None)
    assert not cache.is_being_made()
    assert launches == []


def test_what_always_fails_is_not_tried_for_ever(settings, cache, launches):
    for _ in range(4):
        maintain(settings, HomeFolder.of(settings), None)
        cache.record_try()
        cache.record_failure("the disk is full")
    maintain(settings, HomeFolder.of(settings), None)
    assert len(launches) == 4
    text = fast_start.fast_start(settings).reason
    assert "the disk is full" in text
    assert "tomorrow" in text


def test_tries_are_forgotten_after_a_day():
    assert CacheRecord(tries=[time.time()] * 4).is_exhausted


def test_a_note_of_yesterday_does_not_count(cache):
    cache._write(CacheRecord(tries=[time.time() - 90_000] * 9))
    assert cache.record().tries == []


def test_a_try_of_the_day_after_tomorrow_does_not_count(cache):
    cache._write(CacheRecord(tries=[time.time() + 200_000] * 9))
    assert not cache.record().is_exhausted


@for_rows(
    "text",
    [
        "",
        "{",
        "[]",
        '{"other": 1}',
        '{"tries": ["now"]}',
        '{"tries": [Infinity]}',
        '{"size": "1"}',
        '{"failure": 1}',
        "[" * 100_000,
        "\x00",
    ],
)
def test_a_broken_note_is_an_empty_one(cache, text):
    cache.file.with_suffix(".json").write_text(text)
    assert cache.record() == CacheRecord()


def test_caches_that_nobody_uses_are_removed(cache):
    put(cache)
    other, fresh = (AotCache(cache.file.with_name(f"{name}.aot")) for name in ("other", "fresh"))
    put(other)
    put(fresh)
    for aot_cache in (cache, other):
        os.utime(aot_cache.file.with_suffix(".json"), (1, 1))
    cache.mark_used()
    assert (cache.is_intact(), fresh.is_intact(), other.file.exists()) == (True, True, False)


def test_the_key_follows_the_jars_and_the_compiler_and_not_the_heap(settings, cache):
    assert cache_of(settings.model_copy(update={"neo4j_heap": "2g"})) == cache
    assert cache_of(settings.model_copy(update={"neo4j_compiler": "full"})) != cache
    jar = next((settings.cache / "jars").rglob("*.jar"))
    os.utime(jar, (1, 1))
    other = cache_of(settings)
    assert other
    assert other != cache
    jar.unlink()
    assert cache_of(settings) is None


def test_the_same_build_of_java_elsewhere_shares_the_cache(settings, cache, tmp_path):
    java = tmp_path / "elsewhere" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch()
    from graph_memory.local.process.java import find_java

    release = find_java(settings).command.parent.parent / "release"
    (tmp_path / "elsewhere" / "release").write_text(release.read_text())
    assert cache_of(settings.model_copy(update={"java": java})) == cache
    (tmp_path / "elsewhere" / "release").write_text('JAVA_VERSION="25.9.9"\n')
    assert cache_of(settings.model_copy(update={"java": java})) != cache


@pytest.mark.parametrize(
    ("changed", "expected"),
    [({"aot": "off"}, "GRAPH_MEMORY_AOT"), ({"neo4j_heap": "40g"}, "heap"), ({"java": Path("/none")}, "Java")],
)
def test_where_there_can_be_no_cache_the_reason_is_told(settings, changed, expected):
    changed_settings = settings.model_copy(update=changed)
    assert cache_of(changed_settings) is None
    assert expected in fast_start.fast_start(changed_settings).reason


def test_an_older_java_is_not_given_a_flag_that_it_does_not_know(settings, cache, tmp_path):
    put(cache)
    old = tmp_path / "old" / "bin" / "java"
    old.parent.mkdir(parents=True)
    old.touch()
    (tmp_path / "old" / "release").write_text('JAVA_VERSION="21.0.5"\n')
    older = settings.model_copy(update={"java": old})
    assert flags(older, HomeFolder.of(older)) == ()
    assert "25" in fast_start.fast_start(older).reason


@pytest.mark.parametrize("compiler", ["quick", "full"])
def test_the_flags_that_a_cache_depends_on_are_all_in_its_key(settings, compiler):
    settings = settings.model_copy(update={"neo4j_compiler": compiler})
    place = HomeFolder.of(settings)
    own = [part for part in server_command(settings, place, Path("java")) if part.startswith("-") and "=/" not in part]
    assert {part for part in own if not part.startswith(("-Xmx", "--console-mode"))} == set(cached_flags(settings))


def test_a_full_disk_is_told_and_nothing_is_left(settings, cache, monkeypatch):
    monkeypatch.setattr(training, "_NEEDED_BYTES", 1 << 60)
    training.make_cache(settings)
    assert "MiB free" in (cache.record().failure or "")
    assert not cache.training_home.exists()


def test_whoever_makes_the_cache_leaves_the_processor_to_others():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True) as child:
        process = psutil.Process(child.pid)
        training._lower_priority(process)
        assert process.nice() == 19
        group = Path(f"/proc/{child.pid}/autogroup")
        assert not group.exists() or group.read_text().endswith("nice 19\n")
        child.kill()
