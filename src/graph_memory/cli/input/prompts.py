"""Questions to a person at a terminal, whatever that can show: a line, and an answer of a letter or a word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import typer

from graph_memory.cli.output.printing import note

T = TypeVar("T")


def asked(ask: Callable[[], T]) -> T:
    """Return the answer to a question. Ctrl-C there ends the command as it does anywhere else, not as a no."""
    try:
        return ask()
    except typer.Abort as stopped:  # the prompt has turned both Ctrl-C and the end of input into it
        if isinstance(stopped.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise


def answered(question: str, answers: Sequence[str]) -> str:
    """Return the answer that a person chose: its word or its first letter. The end of input exits with 1."""
    choices = ", ".join(f"[{answer[0]}]{answer[1:]}" for answer in answers)
    while True:
        given = asked(lambda: typer.prompt(f"{question} {choices}", prompt_suffix="? ", err=True)).strip().lower()
        results = [answer for answer in answers if given in (answer, answer[0])]
        if results:
            return results[0]
        note(f"Type one of {', '.join(answer[0] for answer in answers)}.")
