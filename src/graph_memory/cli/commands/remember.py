"""`graph-memory remember`, `decide` and `forget`: facts kept clean, doubts settled, facts ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import parse_assignments, parse_relations
from graph_memory.cli.output.printing import command_line, note, plain, undo_line
from graph_memory.cli.output.tables import print_table
from graph_memory.memory.entities.cleaning.results import Settled
from graph_memory.memory.entities.remember_results import About, Candidate, Outcome, Question, Remembered
from graph_memory.memory.entities.results import Forgotten
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import is_whole
from graph_memory.model.values.arguments import fault

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


@command()
def remember(
    call: Call,
    text: Annotated[str | None, typer.Argument(help="Facts, a sentence each.")] = None,
    name: Annotated[str | None, typer.Option(help="What they are about; else the one entity that they name.")] = None,
    type_name: Annotated[str | None, typer.Option("--type", help="The type, if the entity is new.")] = None,
    properties: takes.PropertyOption = None,
    aliases: Annotated[list[str] | None, typer.Option("--alias", help="Another name of it; repeatable.")] = None,
    relations: Annotated[
        list[str] | None,
        typer.Option("--relation", metavar="TYPE=NAME", help="It is related so to that entity; repeatable."),
    ] = None,
    incoming: Annotated[
        list[str] | None,
        typer.Option("--relation-from", metavar="TYPE=NAME", help="That entity is related so to it; repeatable."),
    ] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Relations also where there is no entity of a name yet.")
    ] = False,
    replaces: Annotated[
        list[str] | None,
        typer.Option("--replaces", help="A known observation that is over, by id or text; repeatable."),
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="The session that the goals of a text alone are for; else all.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
) -> None:
    """Remember facts about one thing: add what is new, skip what is known, and say what may be out of date."""
    values = parse_assignments(properties)
    key = "relationType" if lenient else "type"
    ties = [{key: kind, "to": end} for kind, end in parse_relations(relations)]
    ties += [{key: kind, "from": end} for kind, end in parse_relations(incoming)]

    async def use(memory: Memory) -> Remembered:
        if text is not None and not (name or type_name or values or ties or aliases or replaces):
            return await memory.agent.remember(text, session=session, dry_run=dry_run)
        if session is not None:
            raise fault("--session", "--session goes only with a text alone", "Leave it out.")
        return await memory.entities.remember(
            text,
            name=name,
            type=type_name,
            properties=values,
            relations=ties or None,
            aliases=aliases,
            replaces=replaces,
            dry_run=dry_run,
        )

    call.answer(use, _show_remembered, "Remembering")


def _show_remembered(found: Remembered) -> None:
    for remembered in (found, *(found.others or ())):
        _show_about(remembered, is_dry=bool(found.dry_run))
    if found.model is not None:
        note(f"{found.model} split the text into facts.")


def _show_about(found: About, *, is_dry: bool) -> None:
    rows = [(fact.decision, fact.fact, fact.rule, fact.id or "") for fact in found.facts]
    print_table(("decision", "fact", "rule", "id"), rows)
    what = "would be" if is_dry else "is"
    note(
        f"{plain(found.entity)} {what} a new {plain(found.type)}." if found.created else f"About {plain(found.entity)}."
    )
    for receipt in found.facts:
        if receipt.model is not None:
            note(f"{receipt.model} decided: {plain(receipt.evidence)}")
        elif receipt.evidence is not None and (
            receipt.decision in (Outcome.ADD, Outcome.REFUSED) or receipt.rule == "property"
        ):
            note(f"{plain(receipt.fact)}: {plain(receipt.evidence)}")
    note_candidates(found.candidates, found.domain)
    note_questions(found.questions, found.domain)


@command()
def decide(
    call: Call,
    question: Annotated[str, typer.Argument(help="Id of the question: those of what is new and known, with a colon.")],
    decision: Annotated[
        Literal["close", "keep", "same", "new"],
        typer.Argument(
            help="close: the known one is over. keep: both hold. same: the new one goes. new: two entities, not one."
        ),
    ],
) -> None:
    """Answer a question of remember."""

    async def use(memory: Memory) -> Settled:
        return await memory.entities.answer(question, decision)

    call.answer(use, _show_settled, "Deciding")


def _show_settled(found: Settled) -> None:
    done = "done" if found.changed else "nothing changes" if found.decision == "new" else "it was so already"
    note(f"{found.decision}: {done}.")
    if found.since is not None:
        note(f"To undo it: {undo_line(found.since, found.until)}")
    if found.merged is not None:
        for conflict in found.merged.conflicts:
            note(f"{plain(conflict.what)} stays {plain(conflict.kept)}, not {plain(conflict.not_taken)}.")
        note_questions(found.merged.questions)


@command()
def forget(
    call: Call,
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT", help="A name, an id, or the text of an observation, goal, pattern or preference."
        ),
    ],
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="Only these observations of WHAT, as they are written.")
    ] = None,
    erase: Annotated[
        bool, typer.Option("--erase", help="Erase it with its whole past, in all branches. This cannot be undone.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be forgotten.")] = False,
    yes: takes.IrreversibleYesOption = False,
) -> None:
    """End the facts about an entity, or single observations. They are kept as the past unless you erase them."""

    def forgetting(*, dry: bool) -> Callable[[Memory], Awaitable[Forgotten]]:
        return lambda memory: _forgotten(memory, what, texts or (), erase=erase, dry=dry)

    if erase and takes.must_confirm(yes=yes or dry_run, alternative="--dry-run shows what would go."):
        call.preview(forgetting(dry=True), _show_forgotten, "Looking")
        takes.confirm("Erase this for good?")
    call.answer(forgetting(dry=dry_run), _show_forgotten, "Forgetting")


async def _forgotten(memory: Memory, what: str, texts: Sequence[str], *, erase: bool, dry: bool) -> Forgotten:
    """Forget an entity by its name, else anything by its id, else an observation by its text."""
    if not texts and is_whole(what):
        return await memory.agent.forget(ids=[what], erase=erase, dry_run=dry)
    try:
        return await memory.agent.forget([what], text=texts or None, erase=erase, dry_run=dry)
    except GraphError as error:
        if texts or error.code is not Code.NODE_NOT_FOUND:
            raise
        unknown = error
    try:
        return await memory.agent.forget(text=what, erase=erase, dry_run=dry)
    except GraphError as error:  # a name may have been meant: that error has the nearest one
        raise unknown if error.code is Code.INVALID_ARGUMENT else error from error


def _show_forgotten(found: Forgotten) -> None:
    for forgot in found.forgotten:
        typer.echo("  ".join(plain(part) for part in (forgot.kind, forgot.id, forgot.text) if part))
    if not found.forgotten:
        return note("Nothing is to be done: it was over already.")
    numbers = {"entities": found.entities, "observations": found.observations, "relations": found.relations}
    parts = ", ".join(f"{what} {number:,}" for what, number in numbers.items() if number)
    note(f"{'Would be' if found.dry_run else 'Now'} {'erased' if found.erased else 'ended'}: {parts}.")
    for mention in found.stays or ():
        note(f"Stays: {plain(mention)}")
    if found.more_stays:
        note(f"And {found.more_stays:,} more texts.")
    for warning in found.warnings or ():
        note(f"Warning: {plain(warning)}")
    if found.since is not None:
        note(f"Undo it: {undo_line(found.since, found.until, found.domain)}")
    return None


def note_questions(questions: Iterable[Question] | None, domain: str | None = None) -> None:
    """Ask whether known statements are out of date, in a domain that need not be that of the command."""
    for question in questions or ():
        note(f"Out of date? {plain(question.known_text)} ({plain(question.reason)})")
        _note_choices(question.id, question.choices, domain)


def note_candidates(candidates: Iterable[Candidate] | None, domain: str | None = None) -> None:
    """Ask whether an entity is the same as known ones, in a domain that need not be that of the command."""
    for candidate in candidates or ():
        note(f"Is it the same as {plain(candidate.name)} ({candidate.id})? {plain(candidate.reason)}.")
        _note_choices(candidate.question, candidate.choices, domain)


def _note_choices(question: str | None, choices: Mapping[str, str], domain: str | None) -> None:
    for choice, consequence in choices.items() if question else ():
        note(f"{command_line('decide', question, choice, domain=domain)}: {consequence}.")
