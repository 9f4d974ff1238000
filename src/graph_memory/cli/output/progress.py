"""Shows the progress of long operations on stderr, if stderr is a terminal."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from graph_memory.progress import Progress as Listener

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

DELAY = 1.0
"""Time in seconds after which progress is shown."""


class _ProgressBar:
    """A progress display on stderr. It imports `rich`, which is slow, only when a stage is shown."""

    def __init__(self, *, with_bar: bool) -> None:
        self._with_bar = with_bar
        self._lock = threading.Lock()
        self._tasks: dict[str, TaskID] = {}
        self._progress: Progress | None = None
        self._is_stopped = False
        self._timer: threading.Timer | None = None

    def show_later(self, stage: str) -> None:
        """Show a stage after `DELAY` seconds, unless another stage is shown first."""
        self._timer = threading.Timer(DELAY, lambda: self._tasks or self.show(stage, None))
        self._timer.daemon = True
        self._timer.start()

    def show(self, stage: str, done: float | None) -> None:
        """Show a stage. `done` is the completed fraction, from 0 to 1, or None if it is unknown."""
        with self._lock:
            if self._is_stopped or not sys.stderr.isatty():
                return
            if self._progress is None:
                self._progress = _start_progress(with_bar=self._with_bar)
            if stage not in self._tasks:
                self._tasks[stage] = self._progress.add_task(stage, total=None if done is None else 1.0)
            self._progress.update(self._tasks[stage], completed=done or 0.0)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._is_stopped = True
            if self._progress is not None:
                self._progress.stop()


def _start_progress(*, with_bar: bool) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = (BarColumn(),) if with_bar else ()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), *bar, TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    progress.start()
    return progress


@contextmanager
def progress_bar(first_stage: str | None = None) -> Generator[Listener]:
    """Yield a listener that draws a progress bar on stderr when a stage begins, if stderr is a terminal.

    `first_stage` is shown if no stage begins within `DELAY` seconds, for example during slow imports.
    """
    bar = _ProgressBar(with_bar=True)
    if first_stage is not None:
        bar.show_later(first_stage)
    try:
        yield bar.show
    finally:
        bar.stop()


@contextmanager
def spinner(activity: str) -> Generator[None]:
    """Show a spinner with the elapsed time on stderr if the `with` block takes longer than `DELAY` seconds."""
    bar = _ProgressBar(with_bar=False)
    bar.show_later(f"{activity} …")
    try:
        yield
    finally:
        bar.stop()
