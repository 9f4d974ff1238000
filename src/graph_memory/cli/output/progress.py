"""What a person at a terminal sees while something takes its time: on stderr, and only there."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from graph_memory.progress import Progress as Listener

if TYPE_CHECKING:
    from rich.progress import TaskID

PATIENCE = 1.0
"""Seconds after which a person is told that work is under way."""


@contextmanager
def progress_bar(at_first: str | None = None) -> Generator[Listener]:
    """Give a listener that draws a bar from its first stage on, or writes nothing where stderr is no terminal.

    `at_first` is shown when after a second there is no stage yet: what is imported then takes a while.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    tasks: dict[str, TaskID] = {}
    over = False

    def show(stage: str, done: float | None) -> None:
        if over:
            return
        if not tasks:
            bar.start()
        if stage not in tasks:
            tasks[stage] = bar.add_task(stage, total=None if done is None else 1.0)
        bar.update(tasks[stage], completed=done or 0.0)

    timer = threading.Timer(PATIENCE, lambda: at_first and not tasks and show(at_first, None))
    timer.daemon = True
    timer.start()
    try:
        yield show
    finally:
        over = True
        timer.cancel()
        timer.join()
        bar.stop()


@contextmanager
def spinner(doing: str) -> Generator[None]:
    """Show a spinner with the time elapsed once the work has taken a second; nothing where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    bar = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), console=console, transient=True
    )
    bar.add_task(f"{doing} …", total=None)
    timer = threading.Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
