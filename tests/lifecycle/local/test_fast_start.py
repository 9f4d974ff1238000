"""A cache made on a real Java and Neo4j, in a cache folder of the test's own, and what damages it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from graph_memory import local
from graph_memory.local.aot import training
from graph_memory.local.aot.cache import AotCache
from graph_memory.local.aot.fast_start import cache_of, was_cache_rejected
from graph_memory.local.home.home import HomeFolder
from graph_memory.local.jars.fetch import class_path, known_list
from graph_memory.local.process.process import find
from graph_memory.settings import Settings

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="there is no cache on Windows"),
    pytest.mark.timeout(900),  # making a cache takes 30 s of a processor that is free
]


@pytest.fixture(scope="module")
def jars(tmp_path_factory) -> Path:
    """A cache folder with the usual jars, their times kept."""
    folder = tmp_path_factory.mktemp("cache")
    usual = Settings().cache.expanduser().resolve()
    class_path(Settings())
    for jar in known_list(Settings()) or ():
        target = folder / "jars" / jar.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(usual / "jars" / jar.path)
    return folder


@pytest.fixture(scope="module")
def started_home(jars, tmp_path_factory) -> Iterator[tuple[Settings, AotCache, bytes]]:
    """A home that was started once, and a cache that was made for it."""
    settings = Settings(home=tmp_path_factory.mktemp("home"), cache=jars)
    local.ensure_running(settings)
    local.stop(settings)
    patch = pytest.MonkeyPatch()
    with patch.context() as patched:
        patched.setattr(training, "_lower_priority", lambda process: None)  # beside other tests it would take minutes
        training.make_cache(settings)
    cache = cache_of(settings)
    assert cache
    assert cache.is_intact(), cache.record()
    yield settings, cache, cache.file.read_bytes()
    local.stop(settings)


@pytest.fixture
def stopped_home(started_home) -> Iterator[tuple[Settings, AotCache]]:
    """The same before each test: stopped, the cache as it was made."""
    settings, cache, content = started_home
    put(cache, content)
    yield settings, cache
    local.stop(settings)


def put(cache: AotCache, content: bytes) -> None:
    other = cache.file.with_name("other")
    other.write_bytes(content)
    cache.adopt(other)


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def uses_cache(server: local.LocalServer) -> bool:
    return any(part.startswith("-XX:AOTCache=") for part in psutil.Process(server.pid).cmdline())


def test_a_start_uses_the_cache_and_says_no_more_on_its_console(stopped_home):
    settings, cache = stopped_home
    HomeFolder.of(settings).console_log.unlink()
    server = local.ensure_running(settings)
    assert uses_cache(server)
    assert not was_cache_rejected(HomeFolder.of(settings))
    assert not any("][" in line for line in local.console_log(settings))
    assert cache.is_intact()
    assert not cache.training_home.exists()


@pytest.mark.parametrize("offset", [300, None], ids=["a header that brings Java down", "an end that is missing"])
def test_a_cache_damaged_behind_our_back_does_not_stop_a_start_and_is_removed(stopped_home, started_home, offset):
    settings, cache = stopped_home
    content = bytearray(started_home[2])
    if offset:
        content[offset : offset + 4] = b"XXXX"
    else:
        del content[len(content) // 2 :]
    put(cache, bytes(content))
    local.ensure_running(settings)
    assert local.status(settings).state is local.State.RUNNING
    assert not cache.file.exists()


def test_a_start_has_the_cache_made_by_a_process_that_outlives_it_and_can_be_killed(stopped_home):
    settings, cache = stopped_home
    cache.discard()
    code = f"""
import pathlib
from graph_memory.local import ensure_running
from graph_memory.settings import Settings
ensure_running(Settings(home=pathlib.Path({str(settings.home)!r}), cache=pathlib.Path({str(settings.cache)!r})))
"""
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "GRAPH_MEMORY_AOT": "auto"}, check=True)
    workshop = HomeFolder(cache.training_home)
    wait_for(lambda: find(workshop, None))
    makers = [
        process
        for process in psutil.process_iter(["cmdline"])
        if {"graph_memory.local.aot.training", str(settings.cache)} <= set(process.info["cmdline"] or [])
    ]
    assert len(makers) == 1
    assert local.fast_start(settings).reason.endswith("in the background")
    makers[0].kill()
    wait_for(lambda: not cache.is_being_made())
    assert not cache.file.exists()
    assert "interrupted" in local.fast_start(settings).reason
    left = find(workshop, None)
    assert left
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(training, "_NEEDED_BYTES", 1 << 60)  # as far as clearing up, and no further
        training.make_cache(settings)
    assert not psutil.pid_exists(left.pid) or left.status() == psutil.STATUS_ZOMBIE
    assert not cache.training_home.exists()
