"""The commands of the graph: each asks the memory for what the tool of the same purpose asks, and prints its answer."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio.to_thread
import pytest
from typer.testing import CliRunner

from graph_memory.cli.errors import COMMANDS, error_data, error_text
from graph_memory.cli.main import app
from graph_memory.memory.domains.lineage import erased_error
from graph_memory.memory.drift.results import HandChange, Reconciliation
from graph_memory.memory.history.results import LogEntry, LogPage, NamedSubject, RevertedChange, RevertResult, Sessions
from graph_memory.model import domain_results, results
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.ontology.ontology import ontology_from
from graph_memory.model.sessions import SessionSummary
from graph_memory.model.subjects.kinds import Kind
from graph_memory.operations.table import OPERATIONS
from graph_memory.project import domain_for
from graph_memory.settings import Settings
from graph_memory.storage.log.ontologies import no_ontology_error
from unit.cli.test_cli_main import VISIBLE
from unit.mcp_server.mcp_fakes import MOMENT, NODE, RecordingMemory, client_of, opens

NODES = (results.NodeSummary(id="mem_1", type="Project", title="Kitchen", modified=MOMENT, version=7),)
CONNECTIONS = (
    results.ConnectionSummary(
        id="conn_1",
        type="WaitingFor",
        from_id="mem_1",
        from_title="Kitchen",
        to_id="mem_2",
        to_title="Anna",
        modified=MOMENT,
        version=8,
    ),
)
ENTRY = LogEntry(
    seq=27,
    id="evt_1",
    at=MOMENT,
    summary="Action changed",
    operation="update",
    kind=Kind.NODE,
    subject="mem_1",
    by="user",
    source="user",
    batch="evt_1",
)
DOMAIN = {"name": "work", "created": MOMENT, "modified": MOMENT, "events": 1200, "node_types": 2, "connection_types": 1}

AS_TOOLS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "create_node": (
        ["node", "create", "Project", "-c", "# K", "-p", "status=next", "-p", "n:=1", "-t", "home", "--path", "a/b"],
        {
            "type": "Project",
            "content": "# K",
            "format": "markdown",
            "encoding": "utf-8",
            "properties": {"status": "next", "n": 1},
            "tags": ["home"],
            "path": "a/b",
        },
    ),
    "get_node": (["node", "get", "mem_1"], {"node_id": "mem_1"}),
    "get_node_content": (["node", "content", "mem_1"], {"node_id": "mem_1"}),
    "update_node": (
        ["node", "update", "mem_1", "-c", "new", "--format", "text", "-t", "x", "--expected-version", "7"],
        {
            "node_id": "mem_1",
            "content": "new",
            "encoding": "utf-8",
            "format": "text",
            "tags": ["x"],
            "expected_version": 7,
        },
    ),
    "delete_node": (
        ["node", "delete", "mem_1", "--expected-version", "7"],
        {"node_id": "mem_1", "expected_version": 7},
    ),
    "create_connection": (
        ["connection", "create", "Knows", "mem_1", "mem_2", "-p", "since=now", "-c", "note"],
        {
            "type": "Knows",
            "from_node_id": "mem_1",
            "to_node_id": "mem_2",
            "properties": {"since": "now"},
            "content": "note",
        },
    ),
    "query_nodes": (
        ["query", "--type", "Project", "-p", "n:=1", "--limit", "2", "--cursor", "after:x"],
        {"type": "Project", "properties": {"n": 1}, "detail": True, "limit": 2, "cursor": "after:x"},
    ),
    "query_connections": (
        ["connection", "list", "--from", "mem_1", "--to", "mem_2", "--type", "Knows", "-p", "a=b"],
        {"from_node_id": "mem_1", "to_node_id": "mem_2", "type": "Knows", "properties": {"a": "b"}, "detail": True},
    ),
    "search_content": (
        ["find", "kitchen", "--type", "Project", "--limit", "5"],
        {"query": "kitchen", "node_type": "Project", "detail": True, "limit": 5},
    ),
    "search_memories": (
        [
            *(
                "search",
                "When do the tiles come?",
                "--type",
                "Project",
                "-t",
                "home",
                "--path-prefix",
                "a",
                "-p",
                "n:=1",
            ),
            *("--created-after", "2025-10-01", "--min-edges", "2", "--weight", "title=2.5", "--weight", "edge=0.5"),
            *("--mode", "lexical", "--depth", "1", "-n", "5", "--max-tokens", "500", "--cursor", "c", "--explain"),
            *("--as-of", "7", "--valid-at", "2026-05-01T00:00:00Z", "--syntax", "lucene"),
        ],
        {
            "query": "When do the tiles come?",
            "search_mode": "lexical",
            "weightings": {"title": 2.5, "edge": 0.5},
            "filters": {
                "node_types": ["Project"],
                "tags": ["home"],
                "path_prefix": "a",
                "created_after": "2025-10-01T00:00:00Z",
                "min_edge_count": 2,
                "properties": {"n": 1},
            },
            "traversal_depth": 1,
            "include_relevance_explanation": True,
            "max_results": 5,
            "max_tokens": 500,
            "cursor": "c",
            "as_of": "7",
            "valid_at": "2026-05-01T00:00:00Z",
            "syntax": "lucene",
        },
    ),
    "recall": (
        [
            *("recall", "When do the tiles come?", "--depth", "deep", "--focus", "Anna", "--max-tokens", "300"),
            *("--as", "structured", "--like-type", "Project", "--like-tag", "home", "--like", "tiles"),
            *(
                "--like-path",
                "/home",
                "--like-session",
                "s1",
                "-n",
                "5",
                "--as-of",
                "7",
                "--valid-at",
                "2026-05-01T00:00:00Z",
            ),
        ],
        {
            "query": "When do the tiles come?",
            "depth": "deep",
            "focus": ["Anna"],
            "max_tokens": 300,
            "as": "structured",
            "context": {"types": ["Project"], "tags": ["home"], "text": "tiles", "path": "/home", "session": "s1"},
            "limit": 5,
            "as_of": "7",
            "valid_at": "2026-05-01T00:00:00Z",
        },
    ),
    "traverse_memories": (
        [
            *(
                "traverse",
                "mem_1",
                "mem_2",
                "--strategy",
                "bidirectional",
                "--depth",
                "3",
                "-n",
                "20",
                "--type",
                "Knows",
            ),
            *("--direction", "out", "--min-strength", "0.2", "-p", "rank:=1", "--node-type", "Project", "-t", "home"),
            *("--node-property", "n:=1", "--weight", "rank", "--expansion", "strongest_edges", "--content", "adaptive"),
            *("--deduplication", "content_hash", "--metrics", "--as-of", "7", "--max-tokens", "500"),
            *("--valid-at", "2026-05-01T00:00:00Z", "--cross-domains"),
        ],
        {
            "start": ["mem_1", "mem_2"],
            "strategy": "bidirectional",
            "max_depth": 3,
            "max_nodes": 20,
            "edge_filter": {"types": ["Knows"], "direction": "out", "min_strength": 0.2, "properties": {"rank": 1}},
            "node_filter": {"types": ["Project"], "tags": ["home"], "properties": {"n": 1}},
            "weight": "rank",
            "expansion": "strongest_edges",
            "return_mode": "adaptive",
            "deduplication": "content_hash",
            "include_metrics": True,
            "as_of": "7",
            "valid_at": "2026-05-01T00:00:00Z",
            "max_tokens": 500,
            "cross_domains": True,
        },
    ),
    "find_path": (
        [
            *("path", "mem_1", "mem_2", "--mode", "k_shortest", "-k", "4", "--type", "Knows", "--direction", "in"),
            *("--depth", "4", "--as-of", "7"),
        ],
        {
            "from_id": "mem_1",
            "to_id": "mem_2",
            "mode": "k_shortest",
            "k": 4,
            "types": ["Knows"],
            "direction": "in",
            "max_depth": 4,
            "as_of": "7",
        },
    ),
    "get_neighbors": (
        ["neighbors", "mem_1", "--type", "Knows", "--direction", "in", "-n", "5", "--as-of", "7"],
        {"node_id": "mem_1", "types": ["Knows"], "direction": "in", "limit": 5, "as_of": "7"},
    ),
    "memory_synthesize": (
        ["synthesize", "tiles", "--from", "mem_1", "--from", "mem_2", "--style", "analysis", "--max-words", "90"],
        {"query": "tiles", "subgraph": ["mem_1", "mem_2"], "style": "analysis", "max_words": 90},
    ),
    "get_ontology": (["ontology", "show"], {}),
}
"""For each tool, a command and the arguments that mean the same."""


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> RecordingMemory:
    recording = RecordingMemory(
        describe_nodes=NODES,
        describe_connections=CONNECTIONS,
        list_domains=domain_results.Domains(domains=(domain_results.DomainSummary(**DOMAIN),)),
        domain_info=domain_results.DomainInfo(**DOMAIN, nodes=5, connections=1, content_bytes=20, ontology_version=4),
    )

    @asynccontextmanager
    async def open_memory(_settings: Settings, *, progress: Any, origin: Any) -> AsyncIterator[RecordingMemory]:
        yield recording

    module: Any = ModuleType("graph_memory.app")
    module.open_memory = open_memory
    monkeypatch.setitem(sys.modules, "graph_memory.app", module)
    return recording


def run(*arguments: str, **options: Any) -> Any:
    return CliRunner().invoke(app, list(arguments), **options)


def calls_of(memory: RecordingMemory) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls of the memory, positional arguments by number, without omitted arguments."""
    calls = [(name, {**{str(n): value for n, value in enumerate(args)}, **named}) for name, args, named in memory.calls]
    return [(name, {key: value for key, value in named.items() if value is not None}) for name, named in calls]


async def tool_text(name: str, arguments: dict[str, Any], memory: RecordingMemory) -> Any:
    async with client_of(opens(memory), toolsets=(*Settings().toolsets, name)) as client:
        return (await client.call_tool(name, arguments)).structured_content


def test_every_operation_with_a_command_is_there_and_so_is_its_command():
    known = {" ".join(words) for words in VISIBLE}
    for operation, command in COMMANDS.items():
        assert operation.partition(":")[0] in OPERATIONS
        assert command.partition(" --")[0] in known, operation


@pytest.mark.anyio
@pytest.mark.parametrize("name", AS_TOOLS)
async def test_json_is_the_structured_answer_of_the_tool(name: str, memory: RecordingMemory):
    command, arguments = AS_TOOLS[name]
    by_tool = RecordingMemory()
    answer = await tool_text(name, {**arguments, "domain": "work"}, by_tool)
    result = await in_thread(*command, "--domain", "work", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == answer
    assert positional_by_name(calls_of(memory)) == positional_by_name(calls_of(by_tool))


async def in_thread(*arguments: str) -> Any:
    """Run a command, which has an event loop of its own."""
    return await anyio.to_thread.run_sync(lambda: run(*arguments))


def positional_by_name(calls: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, list[Any]]]:
    """Return the calls with the values in an order of their own: one adapter names what the other gives by place."""
    return [(name, sorted(map(repr, named.values()))) for name, named in calls]


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_query_for_what_does_not_exist_warns_on_stderr_and_ends_well(memory: RecordingMemory, flags: list[str]):
    memory.answers["query_nodes"] = results.NodeIds(node_ids=(), warnings=(Hint("Use {add_node_type}."),))
    done = run("query", "--type", "Projekt", *flags)
    assert done.exit_code == 0
    assert "Warning: Use `graph-memory call add_node_type type_name=…`." in done.stderr
    assert "graph-memory" not in done.stdout


def test_detail_is_that_of_the_tool(memory: RecordingMemory):
    shown = json.loads(run("ontology", "show", "--detail", "--json").stdout)
    assert shown["node_types"][1] == {"name": "Person", "description": "Somebody"}
    assert shown["open"] is False


def test_the_past_is_listed_in_an_order_too(memory: RecordingMemory):
    memory.answers["as_of"] = memory
    for command in (["query", "--type", "Project"], ["connection", "list"]):
        memory.calls.clear()
        assert run(*command, "--order-by", "n", "--descending", "--as-of", "7").exit_code == 0
        orders = [(named["order_by"], named["descending"]) for _, _, named in memory.calls if "order_by" in named]
        assert orders == [("n", True)], command


def test_a_table_stops_at_a_hundred_rows_and_json_does_not(memory: RecordingMemory):
    for command in (["query"], ["find", "x"], ["connection", "list"]):
        memory.calls.clear()
        assert run(*command).exit_code == 0
        assert run(*command, "--json").exit_code == 0
        limits = [named["limit"] for name, _, named in memory.calls if not name.startswith("describe")]
        assert limits == [100, None], command


def test_lists_show_types_and_titles_first_and_say_how_to_go_on(memory: RecordingMemory):
    nodes = (results.NodeBrief(id="mem_1", type="Project", title="Kitchen"),)
    memory.answers["query_nodes"] = results.NodeIds(node_ids=("mem_1",), nodes=nodes, next_cursor="more")
    result = run("query")
    assert result.stdout.splitlines() == ["type     title    id", "Project  Kitchen  mem_1"]
    assert "--cursor more" in result.stderr
    memory.answers["query_connections"] = results.ConnectionIds(connection_ids=("conn_1",), connections=CONNECTIONS)
    assert "Kitchen  WaitingFor  Anna  conn_1" in run("connection", "list").stdout


def test_a_node_is_named_by_its_title_or_the_beginning_of_its_id_in_every_command(memory: RecordingMemory):
    memory.answers["named"] = (
        NamedSubject(id="mem_1", kind=Kind.NODE, type="Project", title="Kitchen", deleted=False),
    )
    for command in (
        ["node", "get", "Kitchen", "--json"],
        ["node", "content", "Kitchen"],
        ["node", "update", "Kitchen", "-c", "x"],
        ["node", "delete", "Kitchen"],
    ):
        memory.calls.clear()
        assert run(*command).exit_code == 0
        assert {args[0] for _, args, _ in memory.calls} == {"mem_1"}, command
    assert run("connection", "create", "Knows", "Kitchen", "Kitchen").exit_code == 0
    assert memory.calls[-1][1] == ("Knows", "mem_1", "mem_1")
    assert run("connection", "list", "--from", "Kitchen").exit_code == 0
    assert memory.calls[-1][2]["from_node_id"] == "mem_1"


def test_a_name_of_several_is_refused_with_what_it_could_mean(memory: RecordingMemory):
    named = [
        NamedSubject(id=f"mem_{n}", kind=Kind.NODE, type="Project", title="Kitchen", deleted=False) for n in (1, 2)
    ]
    memory.answers["named"] = tuple(named)
    error = run("node", "delete", "Kitchen", "--yes").exception
    assert isinstance(error, GraphError)
    assert memory.calls == []
    assert error_text(error).splitlines()[-2:] == ["  mem_1  Project  Kitchen", "  mem_2  Project  Kitchen"]
    assert error.message == '"Kitchen" is ambiguous'  # no number: the candidates may not be all
    assert error_data(error)["details"]["candidates"][1] == {"id": "mem_2", "type": "Project", "title": "Kitchen"}


def test_a_whole_id_is_not_looked_for(memory: RecordingMemory):
    memory.answers["named"] = None
    whole = "mem_01M83T4S28RSG96HBFZ96FDSSH"
    assert run("node", "get", whole, "--json").exit_code == 0
    assert memory.calls[-1][1] == (whole,)


def test_a_value_is_read_as_the_ontology_declares_it(memory: RecordingMemory):
    rules = {"year": "integer", "read": "boolean", "isbn": "string"}
    memory.answers["get_ontology"] = ontology_from({"node_types": [{"name": "Book", "properties": rules}]})
    values = ("-p", "year=2017", "-p", "read=true", "-p", "isbn=12", "-p", "note=3", "-p", "rank:=3")
    wanted = {"year": 2017, "read": True, "isbn": "12", "note": "3", "rank": 3}
    for command in (["node", "create", "Book"], ["query", "--type", "Book"], ["query"]):
        assert run(*command, *values).exit_code == 0
        assert memory.calls[-1][2]["properties"] == wanted, command
    memory.answers["get_node"] = NODE.model_copy(update={"type": "Book"})
    assert run("node", "update", "mem_1", *values).exit_code == 0
    assert memory.calls[-1][2]["properties"] == wanted


def test_the_ontology_is_not_asked_for_when_it_decides_nothing(memory: RecordingMemory):
    assert run("query", "-p", "status=next", "-p", "n:=1").exit_code == 0
    assert [name for name, _, _ in memory.calls] == ["query_nodes"]


def test_events_are_named_by_number_or_id_and_in_one_way_only(memory: RecordingMemory):
    memory.answers["revert"] = RevertResult(dry_run=False, changes=(), skipped=())
    assert run("revert", "27", "evt_2").exit_code == 0
    assert memory.calls[-1][2]["event_ids"] == ["27", "evt_2"]
    for unclear in ([], ["27", "--since", "3"], ["--session", "a", "27"], ["--until", "3"]):
        assert getattr(run("revert", *unclear).exception, "code", None) is Code.INVALID_ARGUMENT, unclear


def test_a_session_is_named_by_the_beginning_that_the_table_shows(memory: RecordingMemory):
    names = ("session_0123456789", "session_0199", "desk")
    summary = SessionSummary(
        source="agent", began=MOMENT, ended=MOMENT, changes=1, subjects=1, about=("Call",), first_seq=1, last_seq=1
    )
    memory.answers["sessions"] = Sessions(
        sessions=tuple(summary.model_copy(update={"session": name}) for name in names)
    )
    memory.answers["revert_session"] = RevertResult(dry_run=False, changes=(), skipped=())
    for text, meant in (("session_012", "session_0123456789"), ("desk", "desk"), ("current", "current")):
        assert run("revert", "--session", text).exit_code == 0
        assert memory.calls[-1][1] == (meant,)
    assert getattr(run("revert", "--session", "session_01").exception, "code", None) is Code.INVALID_ARGUMENT
    del memory.answers["sessions"]  # a whole name is not looked for
    whole = f"session_{'0123456789abcdef' * 2}"
    assert run("revert", "--session", whole).exit_code == 0
    assert memory.calls[-1][1] == (whole,)


def test_what_a_revert_of_a_merge_sets_back_has_a_name(memory: RecordingMemory):
    change = RevertedChange(subject="domain", kind=Kind.DOMAIN, operation="update", seq=9)
    memory.answers["revert"] = RevertResult(dry_run=True, changes=(change,), skipped=())
    assert run("revert", "8", "--dry-run").stdout == "set back  the record of what was merged\n"


def test_the_full_log_shows_states_as_text(memory: RecordingMemory):
    before = {"status": "next", "_title": "Call", "_tags": ["nlp", "classics"], "_content_size": 6}
    changed = ENTRY.model_copy(update={"before": before, "after": {**before, "status": "done", "year": 2017}})
    memory.answers["log"] = LogPage(entries=(changed,))
    lines = run("log", "--full").stdout.splitlines()
    assert lines[1] == "  mem_1  evt_1"
    assert [line.split(maxsplit=1) for line in lines[2:4]] == [["status", "next → done"], ["year", "none → 2017"]]
    assert "    tags           nlp, classics" in lines
    assert "    content bytes  6" in lines


def test_a_node_is_shown_with_its_properties_as_they_are_typed(memory: RecordingMemory):
    shown = run("node", "get", "mem_1").stdout
    assert "title     Kitchen\n" in shown
    assert "  status=active\n  urgent:=true\n  priority:=1\n" in shown


def test_content_is_written_byte_for_byte(memory: RecordingMemory, tmp_path: Any):
    assert run("node", "content", "mem_1").stdout_bytes == "Größe 🏠".encode()
    memory.answers["get_node_content"] = results.NodeContent(content="AP8=", encoding="base64", format="pdf")
    assert run("node", "content", "mem_1").stdout_bytes == b"\x00\xff"
    assert run("node", "content", "mem_1", "-o", str(tmp_path / "out")).exit_code == 0
    assert (tmp_path / "out").read_bytes() == b"\x00\xff"


def test_ids_are_printed_alone_so_that_scripts_can_take_them(memory: RecordingMemory):
    assert run("node", "create", "Project").stdout == "mem_1\n"
    assert run("connection", "create", "Knows", "a", "b").stdout == "conn_1\n"
    assert calls_of(memory)[0][1]["1"] == ""


def test_standard_input_is_content(memory: RecordingMemory):
    assert run("node", "create", "Project", "-f", "-", input="piped").exit_code == 0
    assert calls_of(memory)[0][1]["1"] == "piped"


def test_an_edited_node_is_guarded_by_the_version_that_was_read(memory: RecordingMemory, monkeypatch: Any):
    monkeypatch.setenv("VISUAL", "true")
    assert run("node", "update", "mem_1", "--edit").exit_code == 0
    _, arguments = calls_of(memory)[-1]
    assert (arguments["expected_version"], arguments["content"]) == (7, "Größe 🏠")


@pytest.mark.parametrize(("answer", "deleted"), [("n\n", False), ("y\n", True)])
def test_a_person_is_asked_before_a_delete(
    answer: str, deleted: bool, memory: RecordingMemory, monkeypatch: pytest.MonkeyPatch
):
    command = ("node", "delete", "mem_1")
    monkeypatch.setattr("graph_memory.cli.input.options.should_confirm", lambda *, yes: not yes)
    result = run(*command, input=answer)
    assert "“Kitchen”" in result.stderr
    assert any(name.startswith("delete") for name, _ in calls_of(memory)) is deleted
    assert (result.exit_code == 0) is deleted
    memory.calls.clear()
    assert run(*command, "--yes").exit_code == 0
    assert [name.split("_")[0] for name, _ in calls_of(memory)] == ["delete"]


def test_deleting_a_node_says_what_is_counted(memory: RecordingMemory):
    assert run("node", "delete", "mem_1").stdout == "Deleted mem_1 with 3 connections and observations.\n"


def test_applying_says_what_was_added(memory: RecordingMemory, tmp_path: Any):
    file = tmp_path / "one.yaml"
    file.write_text("node_types: [Project]")
    for answer, text in (
        ((True, ("Project",), ()), "Created the ontology: 1 node type, 0 connection types.\n"),
        ((False, ("A", "B"), ("X",)), "Added 2 node types, 1 connection type: A, B, X.\n"),
        ((False, (), ()), "The domain already has all of these types.\n"),
    ):
        created, nodes, connections = answer
        memory.answers["apply_ontology"] = results.OntologyApplyResult(
            version=3, created=created, node_types=nodes, connection_types=connections
        )
        assert run("ontology", "apply", str(file)).stdout == text
    assert memory.calls[0][1] == (ontology_from({"node_types": ["Project"]}),)


def test_files_are_validated_merged_and_drawn_without_a_database(tmp_path: Any):
    result, other = tmp_path / "one.yaml", tmp_path / "other.yaml"
    result.write_text("node_types: [Project]")
    other.write_text("node_types: [Project, Person]")
    assert run("ontology", "validate", str(result)).stdout.endswith("is valid: 1 node type, 0 connection types.\n")
    assert json.loads(run("ontology", "validate", str(result), "--json").stdout)["valid"] is True
    merged = run("ontology", "merge", str(result), "-", input="node_types: [Person]")
    assert merged.stdout == "node_types: [Project, Person]\nconnection_types: []\n"
    assert run("ontology", "diagram", str(other)).stdout.startswith('flowchart LR\n  n0["Project"]\n')
    result.write_text("node_types: [Project]\nnod: 1")
    fault = run("ontology", "validate", str(result)).exception
    assert isinstance(fault, GraphError)
    assert fault.details["line"] == 2


def test_all_faults_of_a_file_are_explained(tmp_path: Path):
    file = tmp_path / "ontology.yaml"
    file.write_text("node_types: [Person]\nconnection_types: {knows: {from: [Zed], to: [Foo]}}")
    fault = run("ontology", "validate", str(file)).exception
    assert isinstance(fault, GraphError)
    assert "Zed" in error_text(fault)
    assert "Foo" in error_text(fault)


@pytest.mark.parametrize("name", ["gtd", "fitness"])
def test_a_bundled_ontology_is_known_by_its_name(name: str):
    assert run("ontology", "validate", name).exit_code == 0


@pytest.mark.parametrize("source", ["gdt", "no/such.yaml", "."])
def test_what_is_no_file_is_an_argument_at_fault(source: str):
    fault = run("ontology", "validate", source).exception
    assert isinstance(fault, GraphError)
    assert fault.code is Code.INVALID_ARGUMENT


def test_the_shown_ontology_has_allowed_values_and_types_and_no_empty_column(memory: RecordingMemory):
    rules = {"status": {"enum": ["next", "done"], "required": True}, "year": "integer", "note": {}}
    memory.answers["get_ontology"] = ontology_from({"node_types": [{"name": "Book", "properties": rules}]})
    shown = run("ontology", "show").stdout
    assert "status* (next, done), year (integer), note\n" in shown
    assert "description" not in shown


def test_the_shown_ontology_can_be_applied_again(memory: RecordingMemory):
    text = run("ontology", "show", "--yaml").stdout
    assert run("ontology", "validate", "-", input=text).exit_code == 0


def test_a_missing_domain_is_told_with_that_of_the_project_at_hand(
    memory: RecordingMemory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.chdir(tmp_path)
    memory.answers["get_ontology"] = no_ontology_error("default")
    own = domain_results.DomainSummary(**{**DOMAIN, "name": domain_for("auto")})
    for domains, begins in (
        ((), "To create one, use `graph-memory remember` or `graph-memory ontology apply`"),
        ((own,), "This folder's project"),
    ):
        memory.answers["list_domains"] = domain_results.Domains(domains=domains)
        error = run("ontology", "show").exception
        assert isinstance(error, GraphError)
        assert f"Hint: {begins}" in error_text(error)
    assert "--domain auto, or set GRAPH_MEMORY_DOMAIN=auto" in error_text(error)
    named = run("ontology", "show", "--domain", "work").exception
    assert isinstance(named, GraphError)
    assert "This folder" not in error_text(named)
    assert "`graph-memory ontology apply FILE --domain default`" in error_text(named)


def test_domains_are_listed_and_counted(memory: RecordingMemory):
    assert "work    3      1,200 " in run("domain", "list").stdout
    assert "connections       1\n" in run("domain", "info", "work").stdout
    assert memory.calls[-1] == ("domain_info", (), {"domain": "work"})
    assert json.loads(run("domain", "info", "--json").stdout)["nodes"] == 5


def test_what_a_hand_did_is_settled_as_it_was_asked_for(memory: RecordingMemory):
    change = {"id": "mem_1", "kind": "node", "what": "made", "differences": (), "adoptable": True, "settled": "adopted"}
    memory.answers["reconcile"] = Reconciliation(domain="work", changes=(HandChange(**change),), batch="evt_1")
    result = run("reconcile", "--adopt", "mem_1", "--adopt", "mem_2", "--restore-all", "--domain", "work", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == memory.answers["reconcile"].to_dict()
    arguments = {"adopt": ["mem_1", "mem_2"], "restore": "all", "domain": "work"}
    assert memory.calls == [("reconcile", (), arguments)]


def test_a_review_needs_a_person(memory: RecordingMemory):
    error = run("review", "--session", "bot").exception
    assert isinstance(error, GraphError)
    assert error.code is Code.INVALID_ARGUMENT
    assert memory.calls == []


def test_settings_are_shown_with_their_source_and_without_secrets(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NEO4J_PASSWORD", "hunter2")
    monkeypatch.setenv("GRAPH_MEMORY_BLOB_URL", "s3://key:hunter2@bucket")
    result = run("config", "--json")
    answer = {setting["name"]: setting for setting in json.loads(result.stdout)["settings"]}
    assert set(answer) == set(Settings.model_fields)
    assert answer["neo4j_password"]["source"] == "environment"
    assert answer["domain"]["source"] == "default"
    assert answer["home"]["environment"] == "GRAPH_MEMORY_HOME"
    for arguments in ([], ["--detail"], ["--json"]):
        assert "hunter2" not in run("config", *arguments).stdout


def test_an_error_names_commands_and_options_and_no_word_of_mcp():
    hint = Hint("Find nodes with {query_nodes}.")
    error = GraphError(
        Code.INVALID_ARGUMENT, "This tool does not support valid_at", {"argument": "valid_at", "hint": hint}
    )
    assert (
        error_text(error)
        == "INVALID_ARGUMENT: This tool does not support --valid-at\nHint: Find nodes with `graph-memory query`."
    )
    rendered = error_data(error)
    assert (rendered["message"], rendered["details"]["hint"]) == (
        "This tool does not support --valid-at",
        "Find nodes with `graph-memory query`.",
    )
    assert "Use `graph-memory log --subject mem_1` to see" in error_text(erased_error("default", "mem_1"))
