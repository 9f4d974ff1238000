"""Which calls are logged as slow, and what the log says of them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import cast

import pytest
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.requests import Request

from graph_memory.mcp_server.access import KeyToken
from graph_memory.mcp_server.callers import Context
from graph_memory.mcp_server.control import CallControl, FinishedCall, slow_call_logger
from graph_memory.model.rights import Principal

CALL = FinishedCall("recall", "ok", 1.2345, request="7\n", key="anns-laptop")


def test_a_slow_call_is_one_line_of_json(capsys: pytest.CaptureFixture[str]):
    observe = slow_call_logger(1.0)
    observe(replace(CALL, seconds=0.999))
    assert capsys.readouterr().err == ""
    observe(CALL)
    [text] = capsys.readouterr().err.splitlines()
    line = json.loads(text)
    assert datetime.now(UTC) - datetime.fromisoformat(line.pop("time")) < timedelta(minutes=1)
    assert line == {
        "event": "slow_call",
        "request": "7\n",
        "key": "anns-laptop",
        "operation": "recall",
        "outcome": "ok",
        "milliseconds": 1234,
    }


def test_a_call_is_reported_with_its_key_and_the_beginning_of_its_request_id():
    calls: list[FinishedCall] = []
    control = CallControl()
    control.observers.append(calls.append)
    token = KeyToken(token="", client_id="ann", scopes=[], principal=Principal("ann", ()), hash="")
    request = Request({"type": "http", "user": AuthenticatedUser(token)})
    with control.observe_call("recall", cast("Context", SimpleNamespace(request=request, request_id="x" * 1000))):
        pass
    [call] = calls
    assert (call.key, call.request) == ("ann", "x" * 64)
