"""`graph-memory doctor`: what graph-memory needs, and what to do about what is missing."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING

import anyio
import typer

from graph_memory import local
from graph_memory.cli.input.options import JsonOption
from graph_memory.cli.output.printing import count_of
from graph_memory.local.checks import Check, Outcome, check_disk, check_needs
from graph_memory.model.errors import GraphError, unusable_place
from graph_memory.settings import Settings, missing_memory_file

if TYPE_CHECKING:
    from graph_memory.memory.search.index.backlog import Backlog

_MOST_NAMED = 5
_MARKS = {Outcome.OK: "ok  ", Outcome.NOTE: "note", Outcome.FAILED: "FAIL"}


def doctor(as_json: JsonOption = False) -> None:
    """Check Java, jars, ports, disk, versions, the connection and models; exits with 1 if something failed."""
    checks: list[Check] = []
    for check in _checks(Settings()):
        checks.append(check)
        if not as_json:
            _tell(check)
    sound = all(check.outcome is not Outcome.FAILED for check in checks)
    if not as_json:
        failed = sum(check.outcome is Outcome.FAILED for check in checks)
        typer.echo(f"\n{count_of(failed, 'check')} failed." if failed else "\nAll is well.")
    else:
        typer.echo(json.dumps({"ok": sound, "checks": [asdict(check) for check in checks]}))
    raise typer.Exit(0 if sound else 1)


def _checks(settings: Settings) -> Iterator[Check]:
    yield from _versions(settings)
    if settings.neo4j_uri:
        yield Check("local neo4j", Outcome.NOTE, "not used: NEO4J_URI names a server")
        yield from _guarded("disk", check_disk(settings))
    else:
        yield from _guarded("local neo4j", check_needs(settings))
    if missing := missing_memory_file(settings):
        yield Check("memory file", Outcome.NOTE, missing, "Correct the path, or unset MEMORY_FILE_PATH.")
    yield from _guarded("connection", _connection(settings))
    yield from _guarded("blobs", _blobs(settings))
    yield anyio.run(_embeddings, settings)
    yield anyio.run(_model, settings)


def _guarded(name: str, checks: Iterator[Check]) -> Iterator[Check]:
    """Give the checks, and one that failed in place of those that could not be made."""
    try:
        yield from checks
    except OSError as error:
        yield _refused(name, unusable_place(error))
    except GraphError as error:
        yield _refused(name, error)


def _refused(name: str, error: GraphError) -> Check:
    found = f"{error.message} ({error.path})" if error.path else error.message
    return Check(name, Outcome.FAILED, found, error.hint or "`graph-memory neo4j logs` may say why.")


def _versions(settings: Settings) -> Iterator[Check]:
    yield Check("python", Outcome.OK, platform.python_version())
    yield Check("graph-memory", Outcome.OK, version("graph-memory"))
    yield Check("neo4j driver", Outcome.OK, version("neo4j"))
    if not settings.neo4j_uri:
        yield Check("neo4j", Outcome.OK, f"{settings.neo4j_version} (local)")


def _connection(settings: Settings) -> Iterator[Check]:
    if not settings.neo4j_uri and local.status(settings).state is local.State.STOPPED:
        found = "the local Neo4j is not running: it starts when needed, or with `graph-memory neo4j start`"
        yield Check("connection", Outcome.NOTE, found)
    else:
        yield Check("connection", Outcome.OK, anyio.run(_connected, settings))
        yield from _guarded("schema", _schema(settings))
        yield from _guarded("clock", _clock(settings))
        yield from _guarded("search", _search(settings))


def _schema(settings: Settings) -> Iterator[Check]:
    yield Check("schema", Outcome.OK, anyio.run(_whole, settings))


def _clock(settings: Settings) -> Iterator[Check]:
    if ahead := anyio.run(_ahead, settings):
        found = f"{ahead}, ahead of this machine: one of the clocks was wrong, or this one is"
        remedy = "Check this machine's clock. It will stamp the next change in the domain."
        yield Check("clock", Outcome.NOTE, found, remedy)
    else:
        yield Check("clock", Outcome.OK, "no domain is ahead of it")


def _search(settings: Settings) -> Iterator[Check]:
    lacking = anyio.run(_backlog, settings)
    if not lacking:
        yield Check("search", Outcome.OK, "every index that is used is complete")
        return
    text = "; ".join(map(_lacking, lacking[:_MOST_NAMED]))
    more = f"; and {count_of(len(lacking) - _MOST_NAMED, 'more domain')}" if len(lacking) > _MOST_NAMED else ""
    remedy = "Servers and searches index by themselves; `graph-memory reindex --missing` does it now."
    if any(backlog.skipped for backlog in lacking):
        remedy += " Run `graph-memory reindex` to retry the skipped events."
    yield Check("search", Outcome.NOTE, text + more, remedy)


def _lacking(backlog: Backlog) -> str:
    """Return what the index of a domain lacks, in a line."""
    found = (
        f"domain {backlog.domain}: {count_of(backlog.not_indexed, 'change')} not indexed, "
        f"{count_of(backlog.without_vectors, 'passage')} without vectors"
    )
    return f"{found}, {backlog.failed} could not be indexed" if backlog.skipped else found


def _blobs(settings: Settings) -> Iterator[Check]:
    yield Check("blobs", Outcome.OK, anyio.run(_readable, settings))


async def _backlog(settings: Settings) -> list[Backlog]:
    from graph_memory.app import check_index

    return await check_index(settings)


async def _readable(settings: Settings) -> str:
    from graph_memory.app import check_blobs

    return await check_blobs(settings)


async def _embeddings(settings: Settings) -> Check:
    from graph_memory.app import check_embeddings
    from graph_memory.embedding import EmbeddingUnavailable

    try:
        found = await check_embeddings(settings)
    except EmbeddingUnavailable as error:
        return Check("embeddings", Outcome.FAILED, error.message, error.hint)
    if found is None:
        return Check("embeddings", Outcome.NOTE, "off: search goes by words and connections")
    return Check("embeddings", Outcome.OK, found)


async def _model(settings: Settings) -> Check:
    from graph_memory.app import check_model
    from graph_memory.chat import ModelUnavailable

    try:
        found = await check_model(settings)
    except ModelUnavailable as error:
        return Check("model", Outcome.FAILED, error.message, error.hint)
    if found is None:
        return Check("model", Outcome.NOTE, "off: nothing is written from what is stored")
    return Check("model", Outcome.OK, found)


async def _whole(settings: Settings) -> str:
    from graph_memory.app import check_schema

    return await check_schema(settings)


async def _ahead(settings: Settings) -> str | None:
    from graph_memory.app import clocks_ahead

    return await clocks_ahead(settings)


async def _connected(settings: Settings) -> str:
    from graph_memory.app import check_connection

    return await check_connection(settings)


def _tell(check: Check) -> None:
    typer.echo(f"{_MARKS[check.outcome]}  {check.name:<13} {check.found}")
    if check.remedy:
        typer.echo(f"      {'':<13} → {check.remedy}")
