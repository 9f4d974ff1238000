"""Questions to a person at a terminal, whatever that can show: a line, and an answer of a letter or a word."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from graph_memory.cli.output.printing import note


def answered(question: str, answers: Sequence[str]) -> str:
    """Return the answer that a person chose: its word or its first letter. An end of input or Ctrl-C ends with 1."""
    choices = ", ".join(f"[{answer[0]}]{answer[1:]}" for answer in answers)
    while True:
        given = typer.prompt(f"{question} {choices}", prompt_suffix="? ", err=True).strip().lower()
        found = [answer for answer in answers if given in (answer, answer[0])]
        if found:
            return found[0]
        note(f"Type one of {', '.join(answer[0] for answer in answers)}.")
