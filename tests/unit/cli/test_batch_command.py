"""`graph-memory batch`: what it reads, asks for and shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from graph_memory.cli.errors import error_text
from graph_memory.cli.main import app
from graph_memory.memory.batch.results import BatchFault, BatchItem, BatchResult
from graph_memory.model.errors import Code, GraphError, Hint
from unit.cli.test_cli_commands import memory as memory
from unit.mcp_server.mcp_fakes import RecordingMemory

DELETION = {"op": "delete_node", "node_id": "mem_1"}
CREATION = {"op": "create_node", "type": "Note", "content": "a\nb"}
DONE = BatchResult(
    batch="evt_1",
    since=4,
    until=6,
    created=2,
    updated=0,
    deleted=1,
    refused=0,
    results=(
        BatchItem(index=0, op="create_node", id="mem_1", ref="a", version=5),
        BatchItem(index=1, op="delete_node", id="mem_2", version=6, connections=0),
    ),
)


@pytest.fixture
def memory_with_answer(memory: RecordingMemory) -> RecordingMemory:
    memory.answers["execute_batch"] = DONE
    return memory


def run(*arguments: str, data: bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["batch", *arguments], input=data)


def call_of(memory: RecordingMemory) -> tuple[Any, dict[str, Any]]:
    [(name, arguments, named)] = memory.calls
    assert name == "execute_batch"
    memory.calls.clear()
    return arguments[0], named


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", json.dumps([DELETION, CREATION])),
        ("a.json", json.dumps({"operations": [DELETION, CREATION]}, indent=2)),
        ("a.jsonl", f"{json.dumps(DELETION)}\n\n{json.dumps(CREATION)}"),
    ],
)
def test_a_file_is_json_or_an_operation_on_each_line(
    memory_with_answer: RecordingMemory, tmp_path: Path, name: str, text: str
):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert run(str(path)).exit_code == 0
    assert call_of(memory_with_answer) == ([DELETION, CREATION], {"options": {}, "idempotency_key": None})
    assert run("-", data=text.encode()).exit_code == 0
    assert call_of(memory_with_answer)[0] == [DELETION, CREATION]


def test_one_operation_can_come_on_standard_input(memory_with_answer: RecordingMemory):
    assert run("-", data=json.dumps(DELETION).encode()).exit_code == 0
    assert call_of(memory_with_answer)[0] == [DELETION]


def test_a_file_says_its_options_and_the_command_line_takes_precedence(
    memory_with_answer: RecordingMemory, tmp_path: Path
):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"operations": [DELETION], "options": {"atomic": True, "x": 1}, "idempotencyKey": "k"}))
    run(str(path))
    assert call_of(memory_with_answer)[1] == {"options": {"atomic": True, "x": 1}, "idempotency_key": "k"}
    run(str(path), "--no-atomic", "--first-fault", "--dry-run", "--idempotency-key", "l")
    options = {"atomic": False, "x": 1, "validate_before_commit": False, "dry_run": True}
    assert call_of(memory_with_answer)[1] == {"options": options, "idempotency_key": "l"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "{", "is not valid JSON"),
        ("a.jsonl", '{"op": "x"}\n{"op":', "Line 2 is not valid JSON"),
        ("a.json", "{}", 'the file needs "operations"'),
        ("a.json", '{"operations": [], "atomic": true}', "the file.atomic is not a valid key"),
        ("a.json", "7", "the file must be an object"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_and_nothing_asked(
    memory_with_answer: RecordingMemory, tmp_path: Path, name: str, text: str, message: str
):
    path = tmp_path / name
    path.write_text(text)
    error = run(str(path)).exception
    assert isinstance(error, GraphError)
    assert (error.code, message in error.message, memory_with_answer.calls) == (Code.INVALID_ARGUMENT, True, []), (
        error.message
    )
    missing = run(str(tmp_path / "none.json")).exception
    assert isinstance(missing, GraphError)
    assert missing.message.startswith("Cannot read ")


def test_people_see_each_operation_and_how_to_undo_all(memory_with_answer: RecordingMemory):
    shown = run("-", data=b"[{}]")
    assert shown.stdout.splitlines() == [
        "    0  create_node        mem_1  $a  version 5",
        "    1  delete_node        mem_2  version 6",
    ]
    assert shown.stderr == "2 created, 0 updated, 1 deleted. To undo: graph-memory revert --since 4 --until 6\n"
    assert json.loads(run("-", "--json", data=b"[{}]").stdout) == DONE.to_dict()


@pytest.mark.parametrize(
    ("update", "text"),
    [
        (
            {"repeated": True},
            "Already applied, as evt_1: 2 created, 0 updated, 1 deleted. Nothing was changed now.",
        ),
        (
            {"repeated": True, "refused": 1},
            "Already applied, as evt_1: 2 created, 0 updated, 1 deleted, 1 operation rejected. "
            "Nothing was changed now.",
        ),
        ({"batch": None, "dry_run": True}, "Dry run: 2 created, 0 updated, 1 deleted."),
        ({"batch": None, "created": 0, "deleted": 0}, "Nothing was changed: 0 created, 0 updated, 0 deleted."),
    ],
)
def test_people_are_told_what_was_done(memory_with_answer: RecordingMemory, update: dict[str, Any], text: str):
    memory_with_answer.answers["execute_batch"] = DONE.model_copy(update=update)
    assert run("-", data=b"[{}]").stderr.splitlines()[-1] == text


def test_what_was_left_out_is_told_with_an_exit_status(memory_with_answer: RecordingMemory):
    hint = Hint("Use {query_nodes}.")
    fault = BatchFault(index=1, op="update_node", code="NODE_NOT_FOUND", message="Node x does not exist", hint=hint)
    memory_with_answer.answers["execute_batch"] = DONE.model_copy(update={"refused": 1, "faults": (fault,)})
    shown = run("-", "--no-atomic", data=b"[{}]")
    assert (shown.exit_code, len(shown.stdout.splitlines())) == (65, 1)
    assert shown.stderr.splitlines()[0] == (
        "operations[1] update_node: NODE_NOT_FOUND: Node x does not exist. Use `graph-memory query`."
    )
    assert "1 operation rejected" in shown.stderr


def test_many_that_were_left_out_are_counted(memory_with_answer: RecordingMemory):
    faults = tuple(BatchFault(index=n, op="delete_node", code="NODE_NOT_FOUND", message="Gone") for n in range(103))
    memory_with_answer.answers["execute_batch"] = DONE.model_copy(update={"refused": 103, "faults": faults})
    lines = run("-", "--no-atomic", data=b"[{}]").stderr.splitlines()
    assert (len(lines), lines[-2]) == (102, "… and 3 more errors; --json prints all.")


def test_a_batch_that_is_refused_lists_its_faults():
    about = {"message": "It is wrong\x1b[2J", "hint": 'Did you mean "create_node"?'}
    fault = {"index": 0, "op": "x", "code": "INVALID_ARGUMENT", **about}
    error = GraphError(Code.BATCH_REFUSED, "1 operation is at fault: …", {"faults": [fault], "hint": "Correct it."})
    assert error_text(error).splitlines()[1:] == [
        "Hint: Correct it.",
        '  operations[0] x: INVALID_ARGUMENT: It is wrong\\u001b[2J. Did you mean "create_node"?',
    ]
