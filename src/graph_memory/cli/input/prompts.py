"""Asks questions in a terminal. The user answers with a letter or a word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import typer

from graph_memory.cli.output.printing import note

T = TypeVar("T")


def run_prompt(prompt: Callable[[], T]) -> T:
    """Run the prompt, and return the user's answer. Ctrl-C ends the command instead of counting as "no"."""
    try:
        return prompt()
    except typer.Abort as abort:  # the prompt raises it for both Ctrl-C and the end of input
        if isinstance(abort.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise


def choose_answer(question: str, answers: Sequence[str]) -> str:
    """Ask until the user types an answer or its first letter, and return it. At end of input, exit with status 1."""
    choices = ", ".join(f"[{answer[0]}]{answer[1:]}" for answer in answers)
    while True:
        reply = run_prompt(lambda: typer.prompt(f"{question} {choices}", prompt_suffix="? ", err=True)).strip().lower()
        matches = [answer for answer in answers if reply in (answer, answer[0])]
        if matches:
            return matches[0]
        note(f"Type one of {', '.join(answer[0] for answer in answers)}.")
