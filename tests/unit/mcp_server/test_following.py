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
from graph_memory.memory.transfer.results import ImportCounts, MemoryImportResult, RejectedRecords
from graph_memory.model.errors import Code, GraphError
from graph_memory.progress import log_progress

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
    async with opener_of(Settings(memory_file_path=None), None, toolsets)(log_progress):
        assert requests == [follows]


def open_importing(monkeypatch: pytest.MonkeyPatch, import_once: AsyncMock) -> None:
    """Let servers open a memory that only imports, with this function."""

    @asynccontextmanager
    async def open_memory(*_: object, **__: object) -> AsyncGenerator[Mock]:
        yield Mock(transfer=Mock(import_once=import_once))

    monkeypatch.setattr(app, "open_memory", open_memory)


def result_of(*, dry_run: bool, new: int) -> MemoryImportResult:
    counts = ImportCounts(new=new, already_there=1)
    return MemoryImportResult(
        domain="default",
        format="official",
        dry_run=dry_run,
        session=None,
        entities=counts,
        relations=ImportCounts(new=0, already_there=0),
        observations=counts,
        secrets=0,
        refused=RejectedRecords(count=0, codes={}, first=()),
        notes=(),
    )


async def test_the_log_says_that_the_memory_file_is_missing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_importing(monkeypatch, AsyncMock(return_value=None))
    missing = tmp_path / "gone.jsonl"
    async with opener_of(Settings(memory_file_path=missing), None, ["entities"])(log_progress):
        assert f"MEMORY_FILE_PATH is {missing}, which is not a file" in caplog.text


@pytest.mark.parametrize(
    ("dry_run", "new", "text"),
    [
        (False, 1, "Imported MEMORY_FILE_PATH into domain default (entities: 1, relations: 0, observations: 1)"),
        (False, 0, ""),
        (True, 1, "because domain default already has other data"),
        (True, 0, ""),
    ],
)
async def test_the_log_says_whether_the_memory_file_was_imported(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    dry_run: bool,
    new: int,
    text: str,
) -> None:
    open_importing(monkeypatch, AsyncMock(return_value=result_of(dry_run=dry_run, new=new)))
    file = tmp_path / "my memory.jsonl"
    file.touch()
    async with opener_of(Settings(memory_file_path=file), None, ["entities"])(log_progress):
        assert [text in record.getMessage() for record in caplog.records] == [True] * bool(text)
        assert (f"graph-memory import '{file}' --domain default" in caplog.text) == (dry_run and new > 0)


async def test_the_log_names_the_path_of_a_damaged_memory_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_importing(monkeypatch, AsyncMock(side_effect=GraphError(Code.INVALID_SOURCE, "The source has 1 error")))
    file = tmp_path / "memory.jsonl"
    file.touch()
    with pytest.raises(GraphError):
        async with opener_of(Settings(memory_file_path=file), None, ["entities"])(log_progress):
            pass
    assert f"Cannot import MEMORY_FILE_PATH ({file}): INVALID_SOURCE: The source has 1 error" in caplog.text
