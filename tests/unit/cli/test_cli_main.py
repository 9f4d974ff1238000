"""The commands: what they ask of the memory, what they print and how they end."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock

import pytest
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from graph_memory import cli
from graph_memory.cli.errors import EXIT_STATUS, USAGE, error_text
from graph_memory.cli.main import app
from graph_memory.cli.registry import ENTRIES, Entry, LazyGroup
from graph_memory.cli.removed import REMOVED
from graph_memory.mcp_server.transport import stdio
from graph_memory.model import domain_results
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import BlobCollectionResult, CollectedBlob, Difference, Verification
from graph_memory.operations.table import CALLABLE
from graph_memory.settings import Settings
from tables import for_rows
from unit.mcp_server.mcp_fakes import MOMENT, RecordingMemory

MOST_MODULES_OF_A_COMMAND = 210
"""Modules of graph-memory that `graph-memory log` imports: 194 when this was written."""

DIFFERENT = Verification(
    domain="default",
    events=1200,
    subjects=1,
    differences=(Difference(kind="node", subject="mem_1", problem="is not there", expected="Project"),),
)
BLOBS = BlobCollectionResult(dry_run=True, blobs=(CollectedBlob(domain="default", name="ab12", bytes=1234),))


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> RecordingMemory:
    recording = RecordingMemory(collect_blobs=BLOBS)

    @asynccontextmanager
    async def open_memory(_settings: Settings, *, progress: Any, origin: Any) -> AsyncIterator[RecordingMemory]:
        progress("Starting", None)
        yield recording

    module: Any = ModuleType("graph_memory.app")
    module.open_memory = open_memory
    monkeypatch.setitem(sys.modules, "graph_memory.app", module)
    return recording


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_version_is_that_of_the_package():
    assert run("version").stdout == version("graph-memory") + "\n"
    assert run("--version").stdout == version("graph-memory") + "\n"
    assert json.loads(run("version", "--json").stdout) == {"version": version("graph-memory")}


def test_the_version_is_told_without_importing_what_it_does_not_need():
    code = """
import sys
from graph_memory.__main__ import run
run()
print(sorted(name for name in sys.modules if name.startswith("graph_memory")))
print(sorted({name.partition(".")[0] for name in sys.modules} & {"anyio", "mcp", "neo4j", "pydantic", "rich", "typer"}))
"""
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [version("graph-memory"), "['graph_memory', 'graph_memory.__main__']", "[]"]
    assert (
        subprocess.run(
            [sys.executable, "-m", "graph_memory", "--version"], capture_output=True, text=True, check=True
        ).stdout
        == f"{version('graph-memory')}\n"
    )


def test_ctrl_c_while_modules_are_imported_ends_without_a_traceback():
    code = """
import builtins, sys
from graph_memory.__main__ import run
before = builtins.__import__
def interrupted(name, *rest):
    if name == "graph_memory.cli.main":
        raise KeyboardInterrupt
    return before(name, *rest)
builtins.__import__ = interrupted
run()
"""
    done = subprocess.run([sys.executable, "-c", code, "query"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_ctrl_c_that_comes_where_python_drops_it_ends_the_command_all_the_same():
    code = """
import builtins, signal, time
from graph_memory.__main__ import run
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of a shell ignores it
class Dropping:
    def __del__(self):
        raise KeyboardInterrupt
before = builtins.__import__
def interrupted(name, *rest):
    if name == "graph_memory.cli.main":
        Dropping()
        for _ in range(100):
            time.sleep(0.1)
    return before(name, *rest)
builtins.__import__ = interrupted
run()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, "query"], capture_output=True, text=True, check=False, timeout=25
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_verify_ends_with_0_when_log_and_graph_agree(memory: RecordingMemory):
    result = run("verify")
    assert result.exit_code == 0
    assert result.stdout == "default: 3 events replayed, 2 subjects compared, 0 differences.\n"
    assert memory.calls == [("verify", (), {})]


def test_verify_names_each_difference_and_ends_with_1(memory: RecordingMemory):
    memory.answers["verify"] = DIFFERENT
    result = run("verify", "--domain", "work")
    assert result.exit_code == 1
    assert "node mem_1: is not there (expected Project)\n" in result.stdout
    assert "1,200 events replayed, 1 subject compared, 1 difference." in result.stdout
    assert memory.calls == [("verify", (), {"domain": "work"})]


def test_verify_goes_through_all_domains_and_ends_with_1_if_one_differs(memory: RecordingMemory):
    results = {"created": MOMENT, "modified": MOMENT, "events": 1, "node_types": 1, "connection_types": 0}
    domains = [domain_results.DomainSummary(name=name, **results) for name in ("home", "work")]
    memory.answers["list_domains"] = domain_results.Domains(domains=tuple(domains))
    assert run("verify", "--all").exit_code == 0
    assert [named for name, _, named in memory.calls if name == "verify"] == [{"domain": "home"}, {"domain": "work"}]
    memory.answers["verify"] = DIFFERENT
    result = run("verify", "--all", "--json")
    assert (result.exit_code, len(json.loads(result.stdout)["domains"])) == (1, 2)


def test_verify_prints_its_result_as_json(memory: RecordingMemory):
    memory.answers["verify"] = DIFFERENT
    result = run("verify", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == DIFFERENT.to_dict()


def test_rebuild_says_what_it_mended_and_ends_with_0(memory: RecordingMemory):
    memory.answers["rebuild"] = DIFFERENT.model_copy(update={"unmended": ()})
    result = run("rebuild")
    assert result.exit_code == 0
    assert "1 repaired, 0 left." in result.stdout


def test_rebuild_ends_with_1_when_something_could_not_be_mended(memory: RecordingMemory):
    memory.answers["rebuild"] = DIFFERENT.model_copy(update={"unmended": DIFFERENT.differences})
    result = run("rebuild")
    assert result.exit_code == 1
    assert "0 repaired, 1 left." in result.stdout
    assert "backup" in result.stderr


def test_blobs_are_kept_for_a_day_unless_told_otherwise(memory: RecordingMemory):
    result = run("gc", "--dry-run")
    assert result.exit_code == 0
    assert result.stdout == "default/ab12  1,234 bytes\n1 blob would be removed.\n"
    assert run("gc", "--grace", "0", "--json").exit_code == 0
    assert memory.calls == [
        ("collect_blobs", (), {"dry_run": True, "grace": 86400.0}),
        ("collect_blobs", (), {"dry_run": False, "grace": 0.0}),
    ]


def test_a_failure_of_the_memory_is_left_to_run(memory: RecordingMemory):
    memory.answers["verify"] = GraphError(Code.ONTOLOGY_NOT_FOUND, "No ontology")
    assert isinstance(run("verify").exception, GraphError)


def test_mcp_serves_the_domain_and_toolsets_that_it_is_given(monkeypatch: pytest.MonkeyPatch):
    served: list[tuple[str, tuple[str, ...]]] = []
    monkeypatch.setattr(stdio, "serve_stdio", lambda settings, toolsets, _: served.append((settings.domain, toolsets)))
    monkeypatch.setenv("GRAPH_MEMORY_DOMAIN", "from_environment")
    assert run("mcp").exit_code == 0
    assert run("mcp", "--domain", "work", "--toolsets", "graph, recall", "--transport", "stdio").exit_code == 0
    monkeypatch.setenv("GRAPH_MEMORY_TOOLSETS", "history")
    assert run("mcp", "--for", "agent").exit_code == 0
    assert run("mcp", "--for", "agent", "--toolsets", "agent,memory_as_of").exit_code == 0
    assert run("mcp", "--for", "agents").exit_code == 2
    default = ("graph", "recall", "batch", "memory_log", "memory_diff", "memory_revert")
    assert served[:2] == [("from_environment", default), ("work", ("graph", "recall"))]
    assert [toolsets for _, toolsets in served[2:]] == [("agent",), ("agent", "memory_as_of")]


def test_the_help_of_mcp_names_the_default_toolsets_and_the_list_of_tools():
    text = " ".join(run("mcp", "--help").stdout.replace("│", " ").split())
    assert "`graph-memory call --list`" in text
    assert f"Default: {', '.join(Settings().toolsets)}." in text


def test_a_transport_that_there_is_not_is_refused():
    assert run("mcp", "--transport", "sse").exit_code == 2


def commands(group: TyperGroup, *above: str) -> Iterator[list[str]]:
    """Give the words of every command and group that help shows."""
    yield list(above)
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, *above, name)
        elif not command.hidden:
            yield [*above, name]


VISIBLE = list(commands(get_command(app)))


@for_rows("name", ENTRIES)
def test_the_help_of_all_commands_says_what_the_help_of_each_command_begins_with(name: str):
    command = get_command(app).commands[name]
    own = inspect.cleandoc(command.help or "").partition("\n\n")[0].replace("\n", " ")
    assert (ENTRIES[name].help, ENTRIES[name].panel) == (own, command.rich_help_panel)


def test_a_fault_in_the_module_of_a_command_is_not_told_as_a_mistake_of_the_caller(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Entry, "load", Mock(side_effect=KeyError("a name")))
    with pytest.raises(KeyError, match="a name"):
        LazyGroup(name="graph-memory").commands.get("query")


def test_a_command_imports_only_what_it_uses():
    code = """
import sys
from graph_memory.cli.main import app
app(["log", "--help"], standalone_mode=False)
from graph_memory import app
from graph_memory.memory.api import history
print(*sorted(name for name in sys.modules if name.startswith("graph_memory.")), file=sys.stderr)
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    own, others = (set(line.split()) for line in done.stderr.splitlines())
    rooms = {"recall", "entities", "remember", "sessions", "statements", "transfer", "retention", "revert", "batch"}
    assert {f"graph_memory.memory.{room}" for room in rooms} & own == set()
    assert {"tokenizers", "onnxruntime", "snowballstemmer", "text_to_num", "mcp", "regex"} & others == set()
    assert len(own) <= MOST_MODULES_OF_A_COMMAND


def test_the_help_of_all_commands_imports_none_of_them():
    code = """
import sys
from graph_memory.cli.main import app
app(["--help"], standalone_mode=False)
print(*sorted(sys.modules), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = done.stderr.split()
    assert not [name for name in names if name.startswith(("graph_memory.cli.commands.", "mcp", "neo4j"))]
    assert "graph_memory.model.results" not in names


def test_the_commands_of_the_requirement_are_there():
    nouns = {"node": "create get content update delete", "connection": "create list"}
    nouns |= {"ontology": "show apply validate merge diagram"}
    nouns |= {"domain": "list info", "neo4j": "start stop status logs browser"}
    wanted = [[noun, verb] for noun, verbs in nouns.items() for verb in verbs.split()]
    verbs = ["query", "call", "search", "find", "mcp", "verify", "rebuild", "doctor", "version", "config", "gc"]
    wanted += [[verb] for verb in verbs]
    assert [words for words in wanted if words not in VISIBLE] == []


@for_rows("words", VISIBLE)
def test_every_command_explains_itself(words: list[str]):
    result = run(*words, "--help")
    assert result.exit_code == 0
    assert "Usage" in result.stdout
    assert not re.search("<(bool|str|int|float|list|path|file|directory|date)", result.stdout)
    assert "node_id" not in result.stdout


@pytest.mark.parametrize(("command", "instead"), REMOVED.items())
def test_a_removed_command_names_its_replacement(command: str, instead: str):
    operation = instead.removeprefix("call ")
    assert operation in CALLABLE if operation != instead else instead.split() in VISIBLE
    assert command.split() not in VISIBLE
    for arguments in ([], ["--help"], ["a", "--limit", "3", "-x"]):
        error = run(*command.split(), *arguments).exception
        assert isinstance(error, GraphError), arguments
        assert (error.code, EXIT_STATUS[error.code]) == (Code.INVALID_ARGUMENT, USAGE)
        assert f"Run `graph-memory {instead}" in error_text(error)


def test_the_adapters_load_no_driver_before_the_client_is_answered():
    """The package's own front door, which may load it, is left out by a package of the same place that is empty."""
    place = str(Path(cli.__file__).parents[1])
    code = f"""
import sys, types
package = types.ModuleType("graph_memory")
package.__path__ = [{place!r}]
sys.modules["graph_memory"] = package
import graph_memory.cli.main, graph_memory.mcp_server.transport.stdio
sys.exit("neo4j" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
