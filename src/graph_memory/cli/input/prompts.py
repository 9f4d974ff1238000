"""Asks questions at a terminal, to be answered with a letter or a word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import typer

from graph_memory.cli.output.printing import note

T = TypeVar("T")


def run_prompt(prompt: Callable[[], T]) -> T:
    """Return the answer to the prompt. Ctrl-C ends the command, and does not count as "no"."""
    try:
        return prompt()
    except typer.Abort as abort:  # the prompt raises it for both Ctrl-C and the end of input
        if isinstance(abort.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise


def choose_answer(question: str, answers: Sequence[str]) -> str:
    """Ask for one of the answers, typed as the word or its first letter. At the end of input, exit with 1."""
    choices = ", ".join(f"[{answer[0]}]{answer[1:]}" for answer in answers)
    while True:
        reply = run_prompt(lambda: typer.prompt(f"{question} {choices}", prompt_suffix="? ", err=True)).strip().lower()
        matches = [answer for answer in answers if reply in (answer, answer[0])]
        if matches:
            return matches[0]
        note(f"Type one of {', '.join(answer[0] for answer in answers)}.")
