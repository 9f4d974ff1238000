"""Questions about statements and entities, each answer with its command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from graph_memory.cli.output.printing import note, plain
from graph_memory.memory.entities.remembered import Candidate, Question


def note_questions(questions: Iterable[Question] | None) -> None:
    """Ask whether known statements are out of date."""
    for one in questions or ():
        note(f"Out of date? {plain(one.known_text)} ({plain(one.reason)})")
        _note_choices(one.id, one.choices)


def note_candidates(candidates: Iterable[Candidate] | None) -> None:
    """Ask whether an entity is the same as known ones."""
    for one in candidates or ():
        note(f"Is it the same as {plain(one.name)} ({one.id})? {plain(one.reason)}.")
        _note_choices(one.question, one.choices)


def _note_choices(question: str | None, choices: Mapping[str, str]) -> None:
    for choice, consequence in choices.items() if question else ():
        note(f"graph-memory decide {question} {choice}: {consequence}.")
