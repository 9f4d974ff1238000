"""Questions about statements and entities, each answer with its command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from graph_memory.cli.output.printing import command_line, note, plain
from graph_memory.memory.entities.remembered import Candidate, Question


def note_questions(questions: Iterable[Question] | None, domain: str | None = None) -> None:
    """Ask whether known statements are out of date, in a domain that need not be that of the command."""
    for one in questions or ():
        note(f"Out of date? {plain(one.known_text)} ({plain(one.reason)})")
        _note_choices(one.id, one.choices, domain)


def note_candidates(candidates: Iterable[Candidate] | None, domain: str | None = None) -> None:
    """Ask whether an entity is the same as known ones, in a domain that need not be that of the command."""
    for one in candidates or ():
        note(f"Is it the same as {plain(one.name)} ({one.id})? {plain(one.reason)}.")
        _note_choices(one.question, one.choices, domain)


def _note_choices(question: str | None, choices: Mapping[str, str], domain: str | None) -> None:
    for choice, consequence in choices.items() if question else ():
        note(f"{command_line('decide', question, choice, domain=domain)}: {consequence}.")
