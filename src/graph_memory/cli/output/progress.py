"""Shows the progress of long work on stderr, if that is a terminal."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from graph_memory.progress import Progress as Listener

if TYPE_CHECKING:
    from rich.progress import TaskID

DELAY = 1.0
"""Seconds before progress is shown."""


@contextmanager
def progress_bar(first_stage: str | None = None) -> Generator[Listener]:
    """Yield a listener that draws a progress bar once a stage begins. Without a terminal, it prints nothing.

    `first_stage` is shown if no stage begins within `DELAY` seconds, for example during slow imports.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    tasks: dict[str, TaskID] = {}
    is_over = False

    def show(stage: str, done: float | None) -> None:
        if is_over:
            return
        if not tasks:
            bar.start()
        if stage not in tasks:
            tasks[stage] = bar.add_task(stage, total=None if done is None else 1.0)
        bar.update(tasks[stage], completed=done or 0.0)

    timer = threading.Timer(DELAY, lambda: first_stage and not tasks and show(first_stage, None))
    timer.daemon = True
    timer.start()
    try:
        yield show
    finally:
        is_over = True
        timer.cancel()
        timer.join()
        bar.stop()


@contextmanager
def spinner(activity: str) -> Generator[None]:
    """After `DELAY` seconds, show a spinner with the elapsed time. Without a terminal, print nothing."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    bar = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), console=console, transient=True
    )
    bar.add_task(f"{activity} …", total=None)
    timer = threading.Timer(DELAY, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
