"""The audit log, without a database."""

from __future__ import annotations

import json
import logging
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graph_memory.audit import REQUEST, AuditLog
from graph_memory.cli.log import AUDIT, log_to_stderr
from graph_memory.local.backup import backup, restore
from graph_memory.local.backup.backup import MemoryInfo, back_up
from graph_memory.local.backup.restore import activate
from graph_memory.mcp_server.control import FinishedCall, record_rejected_calls
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Origin
from graph_memory.model.rights import Caller, Grant, Principal, Right, new_secret, run_as
from graph_memory.settings import Settings

ORIGIN = Origin(actor="ann", session="monday")
REFUSED = GraphError(Code.INSUFFICIENT_RIGHTS, "No")


def lines_of(file: Path) -> list[dict[str, Any]]:
    """Return the lines of an audit log without their times and users."""
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert all(line.pop("time") and line.pop("user") and line.pop("event") == "audit" for line in lines)
    return lines


def test_an_act_is_a_line_with_its_outcome_its_actor_and_its_request(tmp_path: Path):
    file = tmp_path / "audit.jsonl"
    audit, principal = AuditLog(file), Principal("anns-laptop", (Grant("*", Right.ADMIN),))
    running = REQUEST.set("7")
    with run_as(Caller(principal)), audit.act("erase", "mem_1", domain="kitchen", origin=ORIGIN):
        pass
    REQUEST.reset(running)
    with pytest.raises(GraphError), audit.act("delete_domain", "kitchen"):
        raise GraphError(Code.DOMAIN_HAS_BRANCHES, "It has branches")
    with pytest.raises(KeyboardInterrupt), audit.act("compact", "9", domain="kitchen"):
        raise KeyboardInterrupt
    with audit.act("erase", "mem_1", dry_run=True):
        pass
    assert lines_of(file) == [
        {
            "act": "erase",
            "domain": "kitchen",
            "target": "mem_1",
            "outcome": "ok",
            "actor": "ann",
            "key": "anns-laptop",
            "session": "monday",
            "request": "7",
        },
        {"act": "delete_domain", "target": "kitchen", "outcome": "DOMAIN_HAS_BRANCHES"},
        {"act": "compact", "domain": "kitchen", "target": "9", "outcome": "interrupted"},
    ]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_secret_that_is_passed_instead_of_a_name_is_not_logged(tmp_path: Path):
    secret = new_secret()
    audit = AuditLog(tmp_path / "audit.jsonl")
    with audit.act("revoke_key", f"Bearer {secret}"):
        pass
    with pytest.raises(GraphError), audit.act("revoke_key", f"{secret} "):
        raise GraphError(Code.INVALID_ARGUMENT, "There is no such key")
    lines = lines_of(tmp_path / "audit.jsonl")
    assert [line.get("target") for line in lines] == [f"Bearer {secret[:11]}", None]


def test_a_text_that_is_passed_instead_of_an_id_is_not_logged(tmp_path: Path):
    with (
        pytest.raises(GraphError),
        AuditLog(tmp_path / "audit.jsonl").act("erase", "Ann's diagnosis", domain="kitchen"),
    ):
        raise GraphError(Code.NODE_NOT_FOUND, "There is no such node")
    assert lines_of(tmp_path / "audit.jsonl") == [{"act": "erase", "domain": "kitchen", "outcome": "NODE_NOT_FOUND"}]


def test_a_pipe_without_a_reader_does_not_stop_an_act(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with AuditLog(tmp_path / "pipe").act("compact", "9"):
        pass


def test_a_refused_call_is_one_line(tmp_path: Path):
    audit = AuditLog(tmp_path / "audit.jsonl")
    call = FinishedCall("delete_domain", "ok", 0.1, request="7", key="anns-laptop")
    observe = record_rejected_calls(audit)
    observe(call)
    with pytest.raises(GraphError), run_as(Caller(Principal("ann", ()))), audit.act("delete_domain", "kitchen"):
        raise REFUSED
    observe(replace(call, outcome=str(Code.INSUFFICIENT_RIGHTS)))
    assert lines_of(audit.file or tmp_path) == [
        {"act": "delete_domain", "outcome": "INSUFFICIENT_RIGHTS", "key": "anns-laptop", "request": "7"}
    ]


def test_a_refusal_in_python_is_recorded_by_the_act(tmp_path: Path):
    audit = AuditLog(tmp_path / "audit.jsonl")
    with pytest.raises(GraphError), audit.act("delete_domain", "kitchen"):
        raise REFUSED
    assert [line["outcome"] for line in lines_of(tmp_path / "audit.jsonl")] == ["INSUFFICIENT_RIGHTS"]


def test_an_act_succeeds_if_the_file_cannot_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with AuditLog(tmp_path / "link").act("compact", "9"):
        pass
    assert not (tmp_path / "elsewhere").exists()
    [error] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert f"The audit log {tmp_path / 'link'} cannot be written" in error.message


def test_a_line_on_stderr_is_nothing_but_json(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)
    log_to_stderr("INFO")
    with AuditLog().act("compact", "9"):
        pass
    logging.getLogger(AUDIT).error("It is full")
    act, error = capsys.readouterr().err.splitlines()
    assert json.loads(act)["act"] == "compact"
    assert error.endswith(f"ERROR {AUDIT}: It is full")


def test_a_backup_and_a_restore_are_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    settings = Settings(home=tmp_path / "home", audit_log=tmp_path / "audit.jsonl", actor="ann")

    def fail(*_: object, **__: object) -> None:
        raise GraphError(Code.STORE_UNAVAILABLE, "It does not dump")

    monkeypatch.setattr(backup, "_dump_database", fail)
    monkeypatch.setattr(restore, "_swap_in", lambda *_: None)
    with pytest.raises(GraphError):
        back_up(settings, tmp_path / "saved.tar", MemoryInfo((), 1), keep_running=False)
    activate(settings)
    assert lines_of(tmp_path / "audit.jsonl") == [
        {"act": "backup", "outcome": "STORE_UNAVAILABLE", "actor": "ann"},
        {"act": "restore", "target": str(tmp_path / "home"), "outcome": "ok", "actor": "ann"},
    ]
