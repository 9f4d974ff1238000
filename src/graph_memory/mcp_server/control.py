"""Observes and limits the calls of a server. Over stdio, which has one client, calls are not limited."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from graph_memory.model.errors import GraphError

OK = "ok"
CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class FinishedCall:
    """A call that has ended."""

    operation: str
    outcome: str
    """`ok`, the code of the error, or `cancelled`."""
    seconds: float
    """Duration in seconds, including the time that the call waited."""


class CallControl:
    """Counts the running calls, and reports finished calls to observers."""

    def __init__(self) -> None:
        self.observers: list[Callable[[FinishedCall], None]] = []
        self.in_progress = 0
        """Number of calls that have begun and not ended, including the ones that wait."""

    @contextmanager
    def observing(self, operation: str) -> Generator[None]:
        """Report the outcome and the duration of the block."""
        began = perf_counter()
        outcome = CANCELLED
        self.in_progress += 1
        try:
            yield
            outcome = OK
        except GraphError as error:
            outcome = str(error.code)
            raise
        finally:
            self.in_progress -= 1
            call = FinishedCall(operation, outcome, perf_counter() - began)
            for observe in self.observers:
                observe(call)
