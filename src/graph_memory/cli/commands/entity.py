"""`graph-memory entity`: what is known of things, by their names."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.commands.remember import forget
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import assigned
from graph_memory.cli.output.printing import assignment, counted, plain
from graph_memory.cli.output.questions import note_candidates
from graph_memory.memory.entities.results import (
    Done,
    EntitiesCreated,
    EntityUpdated,
    KnowledgeGraph,
    ObservationsAdded,
    ObservationUpdated,
    Profiles,
    RelationsCreated,
)
from graph_memory.model.results import rfc3339

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

app = typer.Typer(no_args_is_help=True, help="What is known of things, by their names.")

NameArgument = Annotated[str, typer.Argument(help="The name of an entity, exactly as it is written.")]
NamesArgument = Annotated[list[str], typer.Argument(metavar="NAME", help="Names of entities, exactly as written.")]
TextsArgument = Annotated[list[str], typer.Argument(metavar="TEXT", help="Observations, each a text.")]
FromArgument = Annotated[str, typer.Argument(metavar="FROM", help="The name of the entity where it starts.")]
RelationArgument = Annotated[str, typer.Argument(metavar="TYPE", help="The type of the relation, such as knows.")]
ToArgument = Annotated[str, typer.Argument(metavar="TO", help="The name of the entity where it ends.")]


@command(app)
def create(
    call: Call,
    name: NameArgument,
    type_: Annotated[str, typer.Option("--type", help="The type, any text.")] = "entity",
    observation: Annotated[
        list[str] | None, typer.Option("--observation", "-o", help="What is known of it; repeat for several.")
    ] = None,
    description: Annotated[str | None, typer.Option(help="What it is.")] = None,
) -> None:
    """Create an entity. One of that name is left as it is."""
    given: Mapping[str, object] = {
        "name": name,
        "type": type_,
        "observations": observation or [],
        "description": description,
    }

    async def use(memory: Memory) -> EntitiesCreated:
        return await memory.entities.create_entities([given])

    def show(made: EntitiesCreated) -> None:
        typer.echo(f"Created {plain(name)}." if made.entities else f"{plain(name)} exists; it was left as it is.")

    call.answer(use, show, "Creating")


@command(app)
def add(call: Call, name: NameArgument, text: TextsArgument) -> None:
    """Add observations to an entity. Those that it has are left as they are."""

    async def use(memory: Memory) -> ObservationsAdded:
        return await memory.entities.add_observations([{"entityName": name, "contents": text}])

    def show(made: ObservationsAdded) -> None:
        added = sum(len(one.added_observations) for one in made.results)
        typer.echo(f"Added {counted(added, 'observation')} to {plain(name)}.")

    call.answer(use, show, "Adding")


@command(app)
def update(
    call: Call,
    name: NameArgument,
    new_name: Annotated[str | None, typer.Option("--name", help="What it is called from now on.")] = None,
    kind: Annotated[str | None, typer.Option("--type", help="Of which type it is from now on.")] = None,
    alias: Annotated[
        list[str] | None, typer.Option("--alias", help="Another name; give all that it has, each with --alias.")
    ] = None,
    properties: takes.PropertyOption = None,
    description: Annotated[str | None, typer.Option(help="What it is.")] = None,
) -> None:
    """Change an entity. Its observations and relations stay."""
    values = assigned(properties)

    async def use(memory: Memory) -> EntityUpdated:
        return await memory.entities.update_entity(
            name, new_name=new_name, type=kind, aliases=alias, properties=values, description=description
        )

    def show(made: EntityUpdated) -> None:
        typer.echo(f"Changed {plain(made.name)}." if made.changed else f"{plain(made.name)} was so already.")
        note_candidates(made.candidates)

    call.answer(use, show, "Changing")


@command(app)
def observation(
    call: Call,
    name: NameArgument,
    which: Annotated[str, typer.Argument(metavar="OBSERVATION", help="Its id, or its text as it is written.")],
    text: Annotated[str | None, typer.Option(help="What it says from now on.")] = None,
    confidence: Annotated[float | None, typer.Option(help="How sure it is, from 0 to 1.")] = None,
) -> None:
    """Correct an observation of an entity."""

    async def use(memory: Memory) -> ObservationUpdated:
        return await memory.entities.update_observation(name, which, text=text, confidence=confidence)

    def show(made: ObservationUpdated) -> None:
        typer.echo(f"Changed: {plain(made.text)}" if made.changed else f"It was so already: {plain(made.text)}")
        if made.over is not None:
            typer.echo(f"This observation ended at {rfc3339(made.over.since)}.")

    call.answer(use, show, "Changing")


@command(app)
def relate(
    call: Call,
    source: FromArgument,
    relation: RelationArgument,
    target: ToArgument,
    lenient: Annotated[bool, typer.Option("--lenient", help="Also where there is no entity of a name yet.")] = False,
) -> None:
    """Relate an entity to another."""
    given = {"from": source, "to": target, "relationType": relation}

    async def use(memory: Memory) -> RelationsCreated:
        return await memory.entities.create_relations([given], lenient=lenient)

    def show(made: RelationsCreated) -> None:
        told = _relation(source, relation, target)
        typer.echo(f"Created {told}." if made.relations else f"{told} exists.")

    call.answer(use, show, "Relating")


@command(app, "open")
def open_(
    call: Call,
    name: NamesArgument,
    detail: Annotated[
        bool, typer.Option("--detail", help="Also ids, times, sources, and how often it is used.")
    ] = False,
) -> None:
    """Show entities of these names, and how each is related."""

    async def use(memory: Memory) -> KnowledgeGraph:
        return await memory.entities.open_nodes(name, detail=detail or not call.as_json)

    def show(found: KnowledgeGraph) -> None:
        _show_graph(found, detail=detail)

    call.answer(use, show)


@command(app)
def search(call: Call, text: Annotated[str, typer.Argument(help="What the name, type or an observation has.")]) -> None:
    """Show entities in which a text is found, and how each is related."""

    async def use(memory: Memory) -> KnowledgeGraph:
        return await memory.entities.search_nodes(text)

    call.answer(use, _show_graph, "Searching")


@command(app, "list")
def list_(
    call: Call,
    max_tokens: Annotated[int | None, typer.Option(help="As many entities as fit in so many tokens.")] = None,
    limit: Annotated[int | None, typer.Option(help="At most so many entities.")] = None,
    cursor: Annotated[str | None, typer.Option(help="Where to go on, as the part before told.")] = None,
) -> None:
    """Show all entities and relations, in the order in which they were created."""

    async def use(memory: Memory) -> KnowledgeGraph:
        return await memory.entities.read_graph(max_tokens=max_tokens, limit=limit, cursor=cursor)

    call.answer(use, _show_graph)


@command(app)
def salient(
    call: Call, limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most so many entities.")] = 10
) -> None:
    """Show the entities that matter most: mentioned often, seen lately, much used."""

    async def use(memory: Memory) -> Profiles:
        return await memory.entities.get_salient(limit)

    def show(found: Profiles) -> None:
        for one in found.entities:
            told = f"{counted(one.mention_count, 'mention')}, last seen {one.last_seen:%Y-%m-%d}"
            typer.echo(f"{one.salience:.2f}  {plain(one.name)} ({plain(one.type)}): {told}")
        if not found.entities:
            typer.echo("No entities.")

    call.answer(use, show)


@command(app)
def delete(call: Call, name: NamesArgument) -> None:
    """Delete entities with their observations and relations. History keeps what they were."""

    async def use(memory: Memory) -> Done:
        return await memory.entities.delete_entities(name)

    call.answer(use, _show_done, "Deleting")


app.command("forget")(forget)


@command(app)
def unrelate(call: Call, source: FromArgument, relation: RelationArgument, target: ToArgument) -> None:
    """Delete a relation."""

    async def use(memory: Memory) -> Done:
        return await memory.entities.delete_relations([{"from": source, "to": target, "relationType": relation}])

    call.answer(use, _show_done, "Deleting")


def _show_done(done: Done) -> None:
    typer.echo(f"{done.message}." if done.deleted else "Nothing was deleted: there is none of that name or text.")


def _show_graph(graph: KnowledgeGraph, *, detail: bool = False) -> None:
    for entity in graph.entities:
        typer.echo(f"{plain(entity.name)} ({plain(entity.entity_type)})")
        if detail and entity.created_at and entity.updated_at:
            who, times = entity.created_by or "nobody", counted(entity.access_count or 0, "time")
            typer.echo(f"  {entity.id}, created {rfc3339(entity.created_at)} by {plain(who)}")
            typer.echo(f"  changed {rfc3339(entity.updated_at)}, used {times}")
        for alias in entity.aliases or ():
            typer.echo(f"  also called {plain(alias)}")
        for key, value in (entity.properties or {}).items():
            typer.echo(f"  {assignment(key, value)}")
        for text in () if detail and entity.observation_details else entity.observations:
            typer.echo(f"  {plain(text)}")
        for one in entity.observation_details or () if detail else ():
            sure = "" if one.confidence is None else f", confidence {one.confidence:g}"
            typer.echo(f"  {plain(one.text)} ({one.id}, {rfc3339(one.ts)}, {plain(one.source or 'no source')}{sure})")
    if graph.entities and graph.relations:
        typer.echo()
    for one in graph.relations:
        typer.echo(_relation(one.from_name, one.relation_type, one.to_name))
    if not graph.entities and not graph.relations:
        typer.echo("No entities.")
    if graph.next_cursor is not None:
        typer.echo(f"\nThere are more: --cursor {shlex.quote(graph.next_cursor)}")


def _relation(source: str, relation: str, target: str) -> str:
    return f"{plain(source)} → {plain(relation)} → {plain(target)}"
