"""`graph-memory entity`: shows entities by their names, and checks them for possible problems."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.errors import as_command
from graph_memory.cli.output.printing import assignment, command_line, escape_line, format_count, note
from graph_memory.cli.output.tables import print_table
from graph_memory.memory.entities.cleaning.results import Duplicates, GraphHealth
from graph_memory.memory.entities.results import (
    KnowledgeGraph,
    Profiles,
)
from graph_memory.model.time.clock import rfc3339

app = typer.Typer(no_args_is_help=True, help="Entities with their observations and relations.")

LimitOption = Annotated[int, typer.Option("--limit", min=1, max=1000, help="Maximum number of results.")]
NamesArgument = Annotated[list[str], typer.Argument(metavar="NAME", help="Names of entities, exactly as written.")]


@command(app, "open")
def open_(
    call: Call,
    name: NamesArgument,
    detail: Annotated[bool, typer.Option("--detail", help="Also show ids, times, sources, and use counts.")] = False,
) -> None:
    """Show the entities with these names, and their relations."""
    call.answer(
        lambda memory: memory.entities.open_nodes(name, detail=detail or not call.as_json),
        lambda graph: _show_graph(graph, detail=detail),
    )


@command(app, "list")
def list_(
    call: Call,
    max_tokens: Annotated[int | None, typer.Option(help="Maximum size of the result in tokens.")] = None,
    limit: Annotated[int | None, typer.Option(help="Maximum number of entities.")] = None,
    cursor: Annotated[str | None, typer.Option(help="Continue after the page that ended with this cursor.")] = None,
) -> None:
    """Show all entities and relations, in the order in which they were created."""
    call.answer(
        lambda memory: memory.entities.read_graph(max_tokens=max_tokens, limit=limit, cursor=cursor), _show_graph
    )


def _show_graph(graph: KnowledgeGraph, *, detail: bool = False) -> None:
    for entity in graph.entities:
        typer.echo(f"{escape_line(entity.name)} ({escape_line(entity.entity_type)})")
        if detail and entity.created_at and entity.updated_at:
            creator, times = entity.created_by or "nobody", format_count(entity.access_count or 0, "time")
            typer.echo(f"  {entity.id}, created {rfc3339(entity.created_at)} by {escape_line(creator)}")
            typer.echo(f"  changed {rfc3339(entity.updated_at)}, used {times}")
        for alias in entity.aliases or ():
            typer.echo(f"  also called {escape_line(alias)}")
        for key, value in (entity.properties or {}).items():
            typer.echo(f"  {assignment(key, value)}")
        for text in () if detail and entity.observation_details else entity.observations:
            typer.echo(f"  {escape_line(text)}")
        for observation in entity.observation_details or () if detail else ():
            confidence = "" if observation.confidence is None else f", confidence {observation.confidence:g}"
            source = escape_line(observation.source or "no source")
            origin = f"{observation.id}, {rfc3339(observation.ts)}, {source}{confidence}"
            typer.echo(f"  {escape_line(observation.text)} ({origin})")
    if graph.entities and graph.relations:
        typer.echo()
    for relation in graph.relations:
        typer.echo(escape_line(f"{relation.from_name} → {relation.relation_type} → {relation.to_name}"))
    if not graph.entities and not graph.relations:
        typer.echo("No entities.")
    if graph.next_cursor is not None:
        typer.echo(f"\nThere are more: --cursor {shlex.quote(graph.next_cursor)}")


@command(app)
def salient(
    call: Call, limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Maximum number of entities.")] = 10
) -> None:
    """List the most important entities: mentioned often, seen recently, and used often."""

    def show(profiles: Profiles) -> None:
        for entity in profiles.entities:
            text = f"{format_count(entity.mention_count, 'mention')}, last seen {entity.last_seen:%Y-%m-%d}"
            typer.echo(f"{entity.salience:.2f}  {escape_line(entity.name)} ({escape_line(entity.type)}): {text}")
        if not profiles.entities:
            typer.echo("No entities.")

    call.answer(lambda memory: memory.entities.get_salient(limit), show)


@command(app)
def duplicates(
    call: Call,
    limit: LimitOption = 20,
    min_score: Annotated[
        float,
        typer.Option(
            "--min-score",
            min=0,
            max=1,
            help="Minimum score of a pair. A lower score finds more pairs, but also more false pairs.",
        ),
    ] = 0.75,
) -> None:
    """List pairs of entities that may be the same."""

    def show(result: Duplicates) -> None:
        rows = [(f"{pair.score:.2f}", *pair.names, "; ".join(pair.reasons)) for pair in result.duplicates]
        print_table(("score", "name", "other", "reasons"), rows)
        note(f"{format_count(result.found, 'pair')} among {result.compared:,} entities.")
        for pair in result.duplicates:
            _note_different(pair.question, pair.names)

    call.answer(lambda memory: memory.entities.find_duplicates(limit=limit, min_score=min_score), show, "Comparing")


@command(app)
def health(call: Call, limit: LimitOption = 5) -> None:
    """List possible problems, such as duplicates, orphans and contradictions, with the commands to solve them."""

    def show(health_report: GraphHealth) -> None:
        rows = [
            (finding.kind, ", ".join(finding.about), finding.reason, as_command(finding.call))
            for finding in health_report.findings
        ]
        print_table(("kind", "about", "why", "what to do"), rows)
        for finding in health_report.findings:
            if finding.question is not None:
                _note_different(finding.question, finding.about)
        counts = ", ".join(f"{kind} {count}" for kind, count in health_report.counts.items())
        note("Nothing is wrong." if health_report.healthy else f"Found: {counts}.")

    call.answer(lambda memory: memory.entities.graph_health(limit=limit), show, "Looking")


def _note_different(question: str, names: Sequence[str]) -> None:
    """Print the command that records that two similar entities are different."""
    note(f"If {escape_line(' and '.join(names))} are different:")
    note(f"  {command_line('decide', question, 'new')}")
