"""Which login a source that was named comes with, and what the check of a database reports."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import AsyncMock

import anyio
import pytest
from neo4j.exceptions import ServiceUnavailable

from graph_memory import Code, GraphError, Neo4jSource, Settings, app, local
from graph_memory.app import check_connection, source_at
from graph_memory.model.databases import HOME
from graph_memory.storage.driver_errors import graph_error_of
from tables import for_rows

PASSWORD = "own-secret"


def settings(home: Path, uri: str, **more: str) -> Settings:
    own = {"neo4j_uri": uri, "neo4j_username": "ann", "neo4j_password": PASSWORD, "neo4j_database": "mine"}
    return Settings.model_validate({"home": home, **own, **more})


@for_rows(
    ("own", "text", "is_own"),
    [
        ("bolt://localhost:7687", "neo4j://127.0.0.1", True),
        ("neo4j+s://db.example", "bolt+s://db.example:7687", True),
        ("bolt://localhost:7687", "bolt://localhost:7688", False),
        ("bolt://localhost", "bolt://elsewhere", False),
        ("neo4j+s://db.example", "neo4j://db.example", False),
        ("neo4j+s://db.example", "neo4j+ssc://db.example", False),
        ("bolt://localhost", "bolt://localhost:port", False),
        ("bolt://localhost", "bolt://ann:secret@localhost", False),
    ],
)
def test_the_memorys_login_is_for_its_own_server_alone(own: str, text: str, is_own: bool, tmp_path: Path):
    expected = Neo4jSource(own, "ann", PASSWORD, "mine") if is_own else Neo4jSource(text)
    assert source_at(settings(tmp_path, own), text, None) == expected


def test_a_login_for_sources_is_for_other_servers(tmp_path: Path):
    with_source_login = settings(tmp_path, "bolt://localhost", source_username="bob", source_password="other")
    assert source_at(with_source_login, "bolt://localhost", "films") == Neo4jSource(
        "bolt://localhost", "ann", PASSWORD, "films"
    )
    assert source_at(with_source_login, "bolt://host", "films") == Neo4jSource("bolt://host", "bob", "other", "films")


@pytest.mark.parametrize("text", ["bolt://localhost:7001", "neo4j://[::1]:7001", "bolt://127.0.0.1:7001"])
def test_the_local_server_is_read_where_it_was_found(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(local, "status", lambda _: status_of("bolt://127.0.0.1:7001"))
    result = SimpleNamespace(uri="bolt://127.0.0.1:7002", username="neo4j", password=PASSWORD)
    monkeypatch.setattr(local, "ensure_running", lambda _: result)
    source = source_at(Settings(home=tmp_path), text, None)
    assert source == Neo4jSource("bolt://127.0.0.1:7002", "neo4j", PASSWORD)
    assert isinstance(source, Neo4jSource)
    assert source.guard is result


@for_rows(
    ("database", "embeddings", "version", "problem", "hint"),
    [
        (HOME, "local", "2025.07.1", "older than 2025.08", "unset NEO4J_URI"),
        ("work", "local", "2025.12.0", "older than 2026.01", "the entry work in GRAPH_MEMORY_DATABASES"),
        ("work", "off", "2025.07.1", "older than 2025.08", "the entry work in GRAPH_MEMORY_DATABASES"),
        (HOME, "off", None, "cannot be reached", "NEO4J_URI is correct"),
        ("work", "off", None, "cannot be reached", "the entry work in GRAPH_MEMORY_DATABASES"),
    ],
)
def test_the_check_of_a_database_finds_an_old_server_and_names_its_own_settings(
    database: str, embeddings: str, version: str | None, problem: str, hint: str, monkeypatch: pytest.MonkeyPatch
):
    @asynccontextmanager
    async def open_store(_: object) -> AsyncGenerator[object]:
        if version is None:
            raise graph_error_of(ServiceUnavailable(), uri="bolt://host")
        yield SimpleNamespace(server_version=AsyncMock(return_value=version))

    monkeypatch.setattr(app, "open_store", open_store)
    with pytest.raises(GraphError, match=problem) as caught:
        anyio.run(check_connection, Settings.model_validate({"embeddings": embeddings}), database)
    assert hint in str(caught.value.hint)
    assert database == HOME or "NEO4J_URI" not in str(caught.value.hint)


def status_of(uri: str) -> local.Status:
    return local.Status(local.State.RUNNING, Path(), Path(), uri=uri)


def test_a_database_is_of_a_server(tmp_path: Path):
    assert source_at(settings(tmp_path, "bolt://localhost"), "films.csv", None) == "films.csv"
    with pytest.raises(GraphError) as refused:
        source_at(settings(tmp_path, "bolt://localhost"), "films.csv", "films")
    assert refused.value.code is Code.INVALID_ARGUMENT


def test_a_password_is_not_shown():
    assert PASSWORD not in repr(Neo4jSource("bolt://localhost", password=PASSWORD))
