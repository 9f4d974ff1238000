"""Servers that index behind the calls for recall: all except servers without tools for recall."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from graph_memory import Settings, app
from graph_memory.mcp_server.transport.process import opener_of
from graph_memory.progress import silent

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("toolsets", "follows"),
    [(["entities"], False), (["open_nodes"], False), (["entities", "recall"], True), (["graph"], True)],
)
async def test_a_server_of_the_official_tools_alone_follows_no_logs(
    monkeypatch: pytest.MonkeyPatch, toolsets: Sequence[str], follows: bool
) -> None:
    requests: list[object] = []

    @asynccontextmanager
    async def open_recording(*_: object, **arguments: Any) -> AsyncGenerator[None]:
        requests.append(arguments["follows"])
        yield

    monkeypatch.setattr(app, "open_memory", open_recording)
    async with opener_of(Settings(memory_file_path=None), None, toolsets)(silent):
        assert requests == [follows]


async def test_the_log_says_that_the_memory_file_is_missing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def open_recording(*_: object, **__: object) -> AsyncGenerator[Mock]:
        yield Mock(transfer=Mock(import_once=AsyncMock(return_value=None)))

    monkeypatch.setattr(app, "open_memory", open_recording)
    missing = tmp_path / "gone.jsonl"
    async with opener_of(Settings(memory_file_path=missing), None, ["entities"])(silent):
        assert f"MEMORY_FILE_PATH is {missing}, which is not a file" in caplog.text
