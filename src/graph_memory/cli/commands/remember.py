"""`graph-memory remember`, `decide` and `forget`: store facts, answer questions about them, and end them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import parse_assignments, parse_relations
from graph_memory.cli.output.printing import command_line, escape_line, note, undo_command
from graph_memory.cli.output.tables import print_table
from graph_memory.memory.entities.cleaning.results import DecisionResult
from graph_memory.memory.entities.remember_results import (
    Candidate,
    EntityRememberResult,
    Outcome,
    Question,
    RememberResult,
)
from graph_memory.memory.entities.results import ForgetResult
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import is_generated_id
from graph_memory.model.values.arguments import invalid_argument

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


@command()
def remember(
    call: Call,
    text: Annotated[str | None, typer.Argument(help="Facts, one per sentence.")] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the entity. Default: the entity that the text names.")
    ] = None,
    type_name: Annotated[str | None, typer.Option("--type", help="Type of the entity, if it is new.")] = None,
    properties: takes.PropertyOption = None,
    aliases: Annotated[list[str] | None, typer.Option("--alias", help="Another name for it. Repeatable.")] = None,
    relations: Annotated[
        list[str] | None,
        typer.Option("--relation", metavar="TYPE=NAME", help="A relation from it to another entity. Repeatable."),
    ] = None,
    incoming: Annotated[
        list[str] | None,
        typer.Option("--relation-from", metavar="TYPE=NAME", help="A relation from another entity to it. Repeatable."),
    ] = None,
    lenient: Annotated[bool, typer.Option("--lenient", help="Create missing ends of relations.")] = False,
    replaces: Annotated[
        list[str] | None,
        typer.Option("--replaces", help="A stored observation that is no longer valid, by id or text. Repeatable."),
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="Session for the goals in a text without other options. Default: all sessions.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
) -> None:
    """Store facts about an entity. Adds new facts, skips known ones, and asks about facts that may be out of date."""
    values = parse_assignments(properties)
    key = "relationType" if lenient else "type"
    entity_relations = [{key: relation_type, "to": end} for relation_type, end in parse_relations(relations)]
    entity_relations += [{key: kind, "from": end} for kind, end in parse_relations(incoming)]

    async def use(memory: Memory) -> RememberResult:
        if text is not None and not (name or type_name or values or entity_relations or aliases or replaces):
            return await memory.agent.remember(text, session=session, dry_run=dry_run)
        if session is not None:
            raise invalid_argument("--session", "--session can only be used with a text", "Omit the other options.")
        return await memory.entities.remember(
            text,
            name=name,
            type=type_name,
            properties=values,
            relations=entity_relations or None,
            aliases=aliases,
            replaces=replaces,
            dry_run=dry_run,
        )

    call.answer(use, _show_remembered, "Remembering")


def _show_remembered(result: RememberResult) -> None:
    for remembered in (result, *(result.others or ())):
        _show_about(remembered, is_dry=bool(result.dry_run))
    if result.model is not None:
        note(f"{result.model} split the text into facts.")


def _show_about(about: EntityRememberResult, *, is_dry: bool) -> None:
    rows = [(fact.decision, fact.fact, fact.rule, fact.id or "") for fact in about.facts]
    print_table(("decision", "fact", "rule", "id"), rows)
    verb = "would be" if is_dry else "is"
    note(
        f"{escape_line(about.entity)} {verb} a new {escape_line(about.type)}."
        if about.created
        else f"About {escape_line(about.entity)}."
    )
    for receipt in about.facts:
        if receipt.model is not None:
            note(f"{receipt.model} decided: {escape_line(receipt.evidence)}")
        elif receipt.evidence is not None and (
            receipt.decision in (Outcome.ADD, Outcome.REFUSED) or receipt.rule == "property"
        ):
            note(f"{escape_line(receipt.fact)}: {escape_line(receipt.evidence)}")
    note_candidates(about.candidates, about.domain)
    note_questions(about.questions, about.domain)


@command()
def decide(
    call: Call,
    question: Annotated[str, typer.Argument(help="Id of the question: the new and the stored id, joined by a colon.")],
    decision: Annotated[
        Literal["close", "keep", "same", "new"],
        typer.Argument(
            help="close: end the stored fact. keep: both are true. same: delete the new fact. new: two entities."
        ),
    ],
) -> None:
    """Answer a question that remember asked."""
    call.answer(lambda memory: memory.entities.answer(question, decision), _show_settled, "Deciding")


def _show_settled(settled: DecisionResult) -> None:
    effect = "done" if settled.changed else "already so"
    note(f"{settled.decision}: {effect}.")
    if settled.since is not None:
        note(f"To undo it: {undo_command(settled.since, settled.until)}")
    if settled.merged is not None:
        for conflict in settled.merged.conflicts:
            name, kept, other = map(escape_line, (conflict.what, conflict.kept, conflict.not_taken))
            note(f"{name} is still {kept}, not {other}.")
        note_questions(settled.merged.questions)


@command()
def forget(
    call: Call,
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="WHAT", help="A name, an id, or the text of an observation, goal, pattern or preference."
        ),
    ] = None,
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="Only these observations of WHAT, exactly as stored.")
    ] = None,
    session: Annotated[str | None, typer.Option(help="Erase what hooks captured in this session.")] = None,
    path: Annotated[str | None, typer.Option(help="Erase captured events that name this file or folder.")] = None,
    phrase: Annotated[str | None, typer.Option(help="Erase captured events with this text.")] = None,
    erase: Annotated[bool, typer.Option("--erase", help="Permanently erase the history too, in all branches.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be forgotten.")] = False,
    yes: takes.IrreversibleYesOption = False,
) -> None:
    """End the facts about an entity, or single observations. They remain in the history unless you erase them."""

    def forget_in(*, dry: bool) -> Callable[[Memory], Awaitable[ForgetResult]]:
        if target is None or session or path or phrase:
            captured = {"session": session, "path": path, "phrase": phrase}
            return lambda memory: memory.agent.forget(
                target and [target], text=texts, **captured, erase=erase, dry_run=dry
            )
        return partial(_forget_target, target=target, texts=texts or (), erase=erase, dry=dry)

    if erase and takes.must_confirm(yes=yes or dry_run, alternative="--dry-run shows what would be erased."):
        call.preview(forget_in(dry=True), _show_forgotten, "Looking")
        takes.confirm("Erase this for good?")
    call.answer(forget_in(dry=dry_run), _show_forgotten, "Forgetting")


async def _forget_target(memory: Memory, target: str, texts: Sequence[str], *, erase: bool, dry: bool) -> ForgetResult:
    """Forget the entity or record with this id or name. If no entity has the name, look for a record with this text."""
    if not texts and is_generated_id(target):
        return await memory.agent.forget(ids=[target], erase=erase, dry_run=dry)
    try:
        return await memory.agent.forget([target], text=texts or None, erase=erase, dry_run=dry)
    except GraphError as error:
        if texts or error.code is not Code.NODE_NOT_FOUND:
            raise
        not_found = error
    try:
        return await memory.agent.forget(text=target, erase=erase, dry_run=dry)
    except GraphError as error:  # WHAT may be a misspelled name: that error suggests the nearest one
        raise not_found if error.code is Code.INVALID_ARGUMENT else error from error


def _show_forgotten(result: ForgetResult) -> None:
    for item in result.forgotten:
        typer.echo("  ".join(escape_line(part) for part in (item.kind, item.id, item.text) if part))
    if result.waiting:
        note(f"{'Would be' if result.dry_run else 'Now'} removed before they were stored: {result.waiting:,} events.")
    for warning in result.warnings or ():
        note(f"Warning: {escape_line(warning)}")
    if not result.forgotten:
        return None if result.waiting else note("Nothing to do: it had already ended.")
    numbers = {"entities": result.entities, "observations": result.observations, "relations": result.relations}
    parts = ", ".join(f"{noun} {number:,}" for noun, number in numbers.items() if number)
    note(f"{'Would be' if result.dry_run else 'Now'} {'erased' if result.erased else 'ended'}: {parts}.")
    for mention in result.stays or ():
        note(f"Stays: {escape_line(mention)}")
    if result.more_stays:
        note(f"And {result.more_stays:,} more texts.")
    if result.since is not None:
        note(f"Undo it: {undo_command(result.since, result.until, result.domain)}")
    return None


def note_questions(questions: Iterable[Question] | None, domain: str | None = None) -> None:
    """Print to stderr the questions about facts that may be out of date, with the commands that answer them."""
    for question in questions or ():
        note(f"Out of date? {escape_line(question.known_text)} ({escape_line(question.reason)})")
        _note_choices(question.id, question.choices, domain)


def note_candidates(candidates: Iterable[Candidate] | None, domain: str | None = None) -> None:
    """Print to stderr the questions whether a new entity is a stored one, with the commands that answer them."""
    for candidate in candidates or ():
        note(f"Is it the same as {escape_line(candidate.name)} ({candidate.id})? {escape_line(candidate.reason)}.")
        _note_choices(candidate.question, candidate.choices, domain)


def _note_choices(question: str | None, choices: Mapping[str, str], domain: str | None) -> None:
    for choice, consequence in choices.items() if question else ():
        note(f"{choice}: {consequence}")
        note(f"  {command_line('decide', question, choice, domain=domain)}")
