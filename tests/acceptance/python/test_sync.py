"""The memory without async."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, Settings, SyncMemory, ontology_from, open_memory_sync
from graph_memory.gtd import Gtd
from graph_memory.memory.api.history import History
from graph_memory.memory.api.transfer import Transfer
from graph_memory.memory.api.upkeep import Upkeep
from graph_memory.memory.sessions.past import PastMemory
from graph_memory.sync import SYNC_CLASSES, SyncHistory, SyncPastMemory, SyncTransfer, SyncUpkeep

TYPES = ontology_from({"node_types": ["Thing"], "connection_types": {"Link": {"from": ["Thing"], "to": ["Thing"]}}})


@pytest.fixture
def waiting(settings: Settings, domain: str) -> Iterator[SyncMemory]:
    with open_memory_sync(settings) as memory:
        yield memory.in_domain(domain)


def public(cls: type) -> dict[str, object]:
    members = {name: member for kind in reversed(cls.__mro__) for name, member in vars(kind).items()}
    return {name: member for name, member in members.items() if not name.startswith("_")}


@pytest.mark.parametrize(
    ("sync", "own"),
    [
        (SyncMemory, Memory),
        (SyncHistory, History),
        (SyncPastMemory, PastMemory),
        (SyncTransfer, Transfer),
        (SyncUpkeep, Upkeep),
    ],
)
def test_it_has_every_method_with_the_same_arguments_and_words(sync: type, own: type) -> None:
    assert set(public(sync)) - {"run"} == set(public(own))
    for name, method in public(own).items():
        ours = public(sync)[name]
        assert not inspect.iscoroutinefunction(ours)
        assert ours.__doc__ == method.__doc__
        if inspect.iscoroutinefunction(method):
            assert ours.__name__ == name  # type: ignore[attr-defined]
            assert list(inspect.signature(ours).parameters) == list(inspect.signature(method).parameters)


def test_the_stub_for_type_checkers_has_the_methods_that_there_are() -> None:
    spec = importlib.util.spec_from_file_location("hatch_build", Path(__file__).parents[3] / "hatch_build.py")
    assert spec
    assert spec.loader
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    classes = {part.name: part for part in ast.parse(build.stub()).body if isinstance(part, ast.ClassDef)}
    assert {made.__name__ for made in SYNC_CLASSES.values()} == classes.keys() - {"SyncFacade"}
    for made in SYNC_CLASSES.values():
        bases = [made, *(base for base in made.__mro__ if base in SYNC_CLASSES.values())]
        written = {part.name for base in bases for part in classes[base.__name__].body if hasattr(part, "name")}
        assert written - {"run"} == set(public(made)) - {"run"}


def test_what_is_written_is_read_back(waiting: SyncMemory) -> None:
    waiting.create_ontology(TYPES)
    result, other = [waiting.create_node("Thing", text).node_id for text in ("# One", "# Other")]
    waiting.create_connection("Link", result, other)
    assert waiting.get_connected_nodes(result, direction="out").node_ids == (other,)
    assert waiting.search_content("OTHER").node_ids == (other,)
    assert waiting.upkeep.verify().clean


def test_errors_are_those_of_the_memory_and_leave_it_open(waiting: SyncMemory) -> None:
    with pytest.raises(GraphError) as caught:
        waiting.create_node("Thing", "")
    assert caught.value.code is Code.ONTOLOGY_NOT_FOUND
    waiting.create_ontology(TYPES)
    with pytest.raises(GraphError) as caught:
        waiting.get_node("mem_unknown")
    assert caught.value.code is Code.NODE_NOT_FOUND


def test_an_async_function_of_a_memory_can_be_waited_for(waiting: SyncMemory) -> None:
    waiting.create_ontology(ontology_from({"node_types": ["Action"]}))
    waiting.create_node("Action", "# Call", properties={"status": "next"})
    result = waiting.run(lambda memory: Gtd(memory).available_actions())
    assert [action.title for action in result.actions] == ["Call"]


def test_whoever_is_interrupted_while_waiting_stops_the_work(waiting: SyncMemory) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def work(_: Memory) -> None:
        begun.set()
        try:
            await anyio.sleep(60)
        finally:
            ended.set()

    def interrupt() -> None:
        begun.wait(10)
        time.sleep(0.2)  # until the caller waits
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            waiting.run(work)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.wait(10)
    assert waiting.query_nodes().node_ids == ()


@pytest.mark.anyio
async def test_it_works_inside_a_running_loop(waiting: SyncMemory) -> None:
    waiting.create_ontology(TYPES)
    assert [kind.name for kind in waiting.get_ontology().node_types] == ["Thing"]
    await anyio.lowlevel.checkpoint()


def test_threads_share_it(waiting: SyncMemory) -> None:
    waiting.create_ontology(TYPES)
    threads = [threading.Thread(target=waiting.create_node, args=("Thing", f"# {n}")) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(waiting.query_nodes(type="Thing").node_ids) == 8


def test_a_memory_that_cannot_be_opened_says_why() -> None:
    settings = Settings(neo4j_uri="bolt://127.0.0.1:1", neo4j_password="x")
    with pytest.raises(GraphError) as caught, open_memory_sync(settings):
        pass
    assert caught.value.code is Code.STORE_UNAVAILABLE


def test_the_past_is_read_without_async(waiting: SyncMemory) -> None:
    waiting.create_ontology(TYPES)
    made = waiting.create_node("Thing", "# One")
    waiting.delete_node(made.node_id)
    past = waiting.history.as_of(made.version, domain=None)
    assert past.get_node_content(made.node_id).content == "# One"
    assert waiting.history.log(limit=1).entries[0].summary == 'Thing "One" deleted'
    waiting.history.revert(since=made.version + 1)
    assert waiting.get_node(made.node_id).type == "Thing"
