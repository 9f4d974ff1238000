"""One Neo4j for the whole run, a fresh domain for each test, and an environment without the user's settings."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import LiteralString, cast
from unittest.mock import patch
from uuid import uuid4

import anyio
import hypothesis
import pytest
import typer.main
import typer.testing
from neo4j import Driver, GraphDatabase
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from container.images import NEO4J_IMAGE, address_of, neo4j_of
from graph_memory import Memory, Settings, local, open_memory
from graph_memory.embedding.local_models import DEFAULT, MODELS, model_folder
from graph_memory.local.home import config
from graph_memory.storage.queries import cypher_root
from profiles import EXAMPLES, SOAK

KEPT = {"GRAPH_MEMORY_CACHE"}
"""Jars are fetched once and shared with other runs; everything else that a user set is out of reach of a test."""
FIRST = {
    *("retention", "test_erasing", "test_import_secrets", "test_removal"),
    *("test_schema", "test_rehearsal", "test_graph_export", "test_revert_types"),
    *("test_analysers", "test_search_of_every_script"),
}
"""Tests that scan the whole database, or that change the schema, after which Neo4j plans every statement again."""
KEEP_PLANS = "dbms.cypher.min_replan_interval=1h\n"
"""Neo4j would replan the statements of a growing database every ten seconds."""
FEWER_PLANS = "internal.cypher.expression_engine=INTERPRETED\ninternal.cypher.use_parameter_size=false\n"
"""Neo4j would plan a statement once more after ten uses, and once for lists of each size, as it does in a soak."""
REHEARSED = "statements.json"
"""The file of statements that each server has Neo4j plan in advance. A folder of this name keeps it from being written,
because every server that a test starts would run the statements of all tests before it."""
READ = ("GRAPH_MEMORY_", "NEO4J_", "OPENAI_", "ANTHROPIC_")
for name in [name for name in os.environ if name.startswith(READ) and name not in KEPT]:
    del os.environ[name]
os.environ["GRAPH_MEMORY_BACKGROUND_INDEX"] = "false"  # each server of a test would load the model
os.environ["GRAPH_MEMORY_USE_COUNTS"] = "false"  # they take the locks of domains now and then
os.environ["GRAPH_MEMORY_AOT"] = "use"  # the cache that is there, but none made behind the tests' back
typer.main.get_command = typer.testing._get_command = cache(typer.main.get_command)  # else made anew by each call


hypothesis.settings.register_profile("few", deadline=None, max_examples=30)
hypothesis.settings.register_profile("all", deadline=None)
hypothesis.settings.load_profile("few" if EXAMPLES == "few" else "all")


def pytest_configure(config: pytest.Config) -> None:
    """Fetch the model of embeddings once, before tests in several processes ask for it."""
    if not hasattr(config, "workerinput"):
        with suppress(OSError):  # without a network the tests that need it fail by themselves
            model_folder(MODELS[DEFAULT], Settings().cache)


def _is_first(path: Path) -> bool:
    return not FIRST.isdisjoint((*path.parts, path.stem))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Take those tests first that the others would slow down, or that would slow down the others.

    Beside them, other workers run the tests without a database. The files of the longest tests follow, because a worker
    that takes one of them last would work alone.
    """
    items.sort(key=lambda item: 0 if _is_first(item.path) else _place(item.path))


def _place(path: Path) -> int:
    return next((place for place, folder in enumerate(("unit", "lifecycle"), start=1) if folder in path.parts), 3)


class FirstTogether(LoadFileScheduling):
    """Gives all tests of `FIRST` to one worker: two of them would have Neo4j plan the same statements twice."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return "first" if _is_first(Path(file)) else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """Return the scheduler of runs that take a file as a whole."""
    return FirstTogether(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The driver runs on asyncio."""
    return "asyncio"


@pytest.fixture(scope="session")
def neo4j_home(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[Path]:
    """The home of the run's one local Neo4j. Parallel workers share it. The last worker to leave stops it."""
    shared = tmp_path_factory.getbasetemp() if worker_id == "master" else tmp_path_factory.getbasetemp().parent
    home = _home(shared)
    (home / REHEARSED).mkdir(exist_ok=True)
    users = shared / "users"
    users.mkdir(exist_ok=True)
    mark = Path(tempfile.mkstemp(dir=users, prefix=worker_id)[1])
    try:
        yield home
    finally:
        mark.unlink()
        if not any(users.iterdir()):
            local.stop(Settings(home=home))
            shutil.rmtree(home.resolve(), ignore_errors=True)


def _home(shared: Path) -> Path:
    """Return the home, which leads to a disk in memory if there is one with room: each commit waits for its disk."""
    home, memory = shared / "home", Path("/dev/shm")
    if memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 4 << 30:
        folder = Path(tempfile.mkdtemp(dir=memory, prefix="graph-memory-tests-"))
        try:
            home.symlink_to(folder, target_is_directory=True)
        except FileExistsError:  # another worker's
            folder.rmdir()
    return home


@pytest.fixture(scope="session")
def settings(neo4j_home: Path) -> Iterator[Settings]:
    """Settings that lead to the run's Neo4j, started when this is first asked for."""
    if NEO4J_IMAGE:
        with neo4j_of(NEO4J_IMAGE, neo4j_home) as settings:
            yield settings
    else:
        settings = Settings(home=neo4j_home, neo4j_heap="1g")
        plans = KEEP_PLANS + ("" if SOAK else FEWER_PLANS)
        with patch.object(config, "_CONF", config._CONF + plans):
            local.ensure_running(settings)
        _make_names(settings)
        yield settings


def _make_names(settings: Settings) -> None:
    """Make the names in statements before Neo4j plans a statement.

    It replans a statement once a name exists that was unknown before. Planning is most of what Neo4j does in a run.
    """
    address = address_of(settings)
    texts = "".join(path.read_text(encoding="utf-8") for path in cypher_root().rglob("*.cypher"))
    names = {
        "Property": re.findall(r"\b_[a-z]\w*", texts),
        "Label": re.findall(r":(_[A-Z][a-z]\w*)", texts),
        "RelationshipType": re.findall(r":(_[A-Z][A-Z_]+)", texts),
    }
    with GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver:
        for kind, named in names.items():
            statement = cast("LiteralString", f"UNWIND $names AS name CALL db.create{kind}(name)")
            driver.execute_query(statement, names=sorted(set(named)))


@pytest.fixture(scope="session")
async def shared_memory(settings: Settings, anyio_backend: str) -> AsyncIterator[Memory]:
    """One open memory for all tests of a worker."""
    async with open_memory(settings) as memory:
        yield memory


@pytest.fixture(scope="session")
def driver(settings: Settings) -> Iterator[Driver]:
    """A raw driver, for looking at and damaging what the memory keeps."""
    address = address_of(settings)
    with GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver:
        yield driver


@pytest.fixture
def domain() -> str:
    """A domain that nobody has used."""
    return f"test-{uuid4().hex[:20]}"


@pytest.fixture
async def memory(shared_memory: Memory, domain: str) -> Memory:
    """A memory whose default domain is fresh."""
    return shared_memory.in_domain(domain)


@pytest.fixture
def fail_slow() -> Iterator[None]:
    """Fail a test that hangs instead of waiting for the runner's limit."""
    with anyio.fail_after(60):
        yield
