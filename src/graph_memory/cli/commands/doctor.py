"""`graph-memory doctor`: checks the installation, and suggests a remedy for each problem."""

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
from graph_memory.cli.output.printing import format_count
from graph_memory.hooks.spool import Spool
from graph_memory.local.checks import Check, Outcome, check_disk, check_needs
from graph_memory.model.databases import HOME
from graph_memory.model.errors import GraphError, unusable_path_error
from graph_memory.settings import Settings, missing_memory_file

if TYPE_CHECKING:
    from graph_memory.memory.search.index.backlog import Backlog

_MAX_DOMAINS = 5
_MARKS = {Outcome.OK: "ok  ", Outcome.NOTE: "note", Outcome.FAILED: "FAIL"}


def doctor(as_json: JsonOption = False) -> None:
    """Check Java, jars, ports, disk, versions, the connection and models. Exits with status 1 if a check fails."""
    checks: list[Check] = []
    for check in _checks(Settings()):
        checks.append(check)
        if not as_json:
            _show_check(check)
    is_ok = all(check.outcome is not Outcome.FAILED for check in checks)
    if not as_json:
        failed = sum(check.outcome is Outcome.FAILED for check in checks)
        typer.echo(f"\n{format_count(failed, 'check')} failed." if failed else "\nAll is well.")
    else:
        typer.echo(json.dumps({"ok": is_ok, "checks": [asdict(check) for check in checks]}))
    raise typer.Exit(0 if is_ok else 1)


def _checks(settings: Settings) -> Iterator[Check]:
    yield from _versions(settings)
    if settings.neo4j_uri:
        yield Check("local neo4j", Outcome.NOTE, "not used: NEO4J_URI is set to a server")
        yield from _catch_errors("disk", check_disk(settings))
    else:
        yield from _catch_errors("local neo4j", check_needs(settings))
    if missing := missing_memory_file(settings):
        yield Check("memory file", Outcome.NOTE, missing, "Correct the path, or unset MEMORY_FILE_PATH.")
    yield from _catch_errors("capture", _capture(settings))
    yield from _catch_errors("connection", _connection(settings))
    yield from _catch_errors("blobs", _blobs(settings))
    yield from _models(settings)


def _catch_errors(name: str, checks: Iterator[Check]) -> Iterator[Check]:
    """Yield the results of the checks. If a check raises an error, yield a failed check with this name and stop."""
    try:
        yield from checks
    except OSError as error:
        yield _failed_check(name, unusable_path_error(error))
    except GraphError as error:
        yield _failed_check(name, error)


def _failed_check(name: str, error: GraphError) -> Check:
    text = f"{error.message} ({error.path})" if error.path else error.message
    return Check(name, Outcome.FAILED, text, error.hint or "`graph-memory neo4j logs` may show the cause.")


def _versions(settings: Settings) -> Iterator[Check]:
    yield Check("python", Outcome.OK, platform.python_version())
    yield Check("graph-memory", Outcome.OK, version("graph-memory"))
    yield Check("neo4j driver", Outcome.OK, version("neo4j"))
    if not settings.neo4j_uri:
        yield Check("neo4j", Outcome.OK, f"{settings.neo4j_version} (local)")


def _connection(settings: Settings) -> Iterator[Check]:
    if not settings.neo4j_uri and local.status(settings).state is local.State.STOPPED:
        text = "the local Neo4j is not running: it starts when needed, or with `graph-memory neo4j start`"
        yield Check("connection", Outcome.NOTE, text)
    else:
        yield _check_connection("connection", settings, HOME)
        yield from _catch_errors("schema", _schema(settings))
        yield from _catch_errors("clock", _clock(settings))
        yield from _catch_errors("search", _search(settings))
        if settings.databases:
            yield from _catch_errors(f"database {HOME}", _database(settings, HOME))
    for name in settings.databases:
        yield from _catch_errors(f"database {name}", _database(settings, name))


def _database(settings: Settings, name: str) -> Iterator[Check]:
    """Check one of several databases: connection, domains, schema and search indexes."""
    from graph_memory.app import check_domains

    label = f"database {name}"
    if name != HOME:
        yield _check_connection(label, settings, name)
        yield from _catch_errors(label, _schema(settings, name))
        yield from _catch_errors(label, _clock(settings, name))
        yield from _catch_errors(label, _search(settings, name))
    yield Check(label, Outcome.OK, anyio.run(check_domains, settings, name))


def _capture(settings: Settings) -> Iterator[Check]:
    spool = Spool.of(settings.home.expanduser())
    waiting, invalid = spool.names(), spool.count_invalid()
    if spool.losses.exists():
        remedy = f"Start a server, which stores the events, then delete {spool.losses}."
        yield Check(
            "capture", Outcome.NOTE, f"the spool was full, so captured events were lost: {spool.folder}", remedy
        )
    if invalid:
        text = f"{format_count(invalid, 'captured event')} could not be stored: *.invalid in {spool.folder}"
        yield Check("capture", Outcome.NOTE, text, "Delete these files once you have seen them.")
    if waiting:
        remedy = "A server stores them: any client that uses graph-memory starts one."
        yield Check("capture", Outcome.NOTE, f"{format_count(len(waiting), 'captured event')} to be stored", remedy)
    else:
        yield Check("capture", Outcome.OK, "no captured events are waiting to be stored")


def _schema(settings: Settings, database: str = HOME) -> Iterator[Check]:
    from graph_memory.app import check_schema

    yield Check("schema", Outcome.OK, anyio.run(check_schema, settings, database))


def _clock(settings: Settings, database: str = HOME) -> Iterator[Check]:
    from graph_memory.app import describe_clock_skew

    if ahead := anyio.run(describe_clock_skew, settings, database):
        text = f"{ahead}, ahead of this machine: this machine's clock is wrong, or another machine's clock was wrong"
        remedy = "Check this machine's clock, which sets the time of the next change in the domain."
        yield Check("clock", Outcome.NOTE, text, remedy)
    else:
        yield Check("clock", Outcome.OK, "no domain is ahead of this machine")


def _search(settings: Settings, database: str = HOME) -> Iterator[Check]:
    from graph_memory.app import check_index

    backlogs = anyio.run(check_index, settings, database)
    if not backlogs:
        yield Check("search", Outcome.OK, "every search index in use is complete")
        return
    text = "; ".join(map(_backlog_text, backlogs[:_MAX_DOMAINS]))
    more = f"; and {format_count(len(backlogs) - _MAX_DOMAINS, 'more domain')}" if len(backlogs) > _MAX_DOMAINS else ""
    remedy = "Servers and searches complete it over time; `graph-memory reindex --missing` does it now."
    if any(backlog.skipped for backlog in backlogs):
        remedy += " Run `graph-memory reindex` to retry the skipped events."
    yield Check("search", Outcome.NOTE, text + more, remedy)


def _backlog_text(backlog: Backlog) -> str:
    """Describe on one line how many changes and vectors a domain's search index lacks."""
    text = (
        f"domain {backlog.domain}: {format_count(backlog.not_indexed, 'change')} not indexed, "
        f"{format_count(backlog.without_vectors, 'passage')} without vectors"
    )
    return f"{text}, {backlog.failed_events} could not be indexed" if backlog.skipped else text


def _blobs(settings: Settings) -> Iterator[Check]:
    from graph_memory.app import check_blobs

    yield Check("blobs", Outcome.OK, anyio.run(check_blobs, settings))


def _models(settings: Settings) -> Iterator[Check]:
    from graph_memory.app import check_embeddings, check_model
    from graph_memory.chat import ModelUnavailable
    from graph_memory.embedding import EmbeddingUnavailable

    for name, check, text_if_off in (
        ("embeddings", check_embeddings, "off: search uses words and connections"),
        ("model", check_model, "off: no language model answers questions"),
    ):
        try:
            text = anyio.run(check, settings)
        except (EmbeddingUnavailable, ModelUnavailable) as error:
            yield Check(name, Outcome.FAILED, error.message, error.hint)
        else:
            yield Check(name, Outcome.NOTE, text_if_off) if text is None else Check(name, Outcome.OK, text)


def _check_connection(label: str, settings: Settings, database: str) -> Check:
    from graph_memory.app import check_connection

    return Check(label, Outcome.OK, anyio.run(check_connection, settings, database))


def _show_check(check: Check) -> None:
    typer.echo(f"{_MARKS[check.outcome]}  {check.name:<13} {check.found}")
    if check.remedy:
        typer.echo(f"      {'':<13} → {check.remedy}")
