"""The log: lines on stderr, and not more of one kind than somebody would read."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from types import TracebackType

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
MOST = 5
"""Warnings and errors of one kind in a period."""
PERIOD = 60.0
"""Seconds."""

Kind = tuple[object, ...]


def log_to_stderr(level: str) -> None:
    """Send the log to stderr: stdout carries results and the protocol only."""
    logging.basicConfig(stream=sys.stderr, level=level, format=FORMAT)
    for handler in logging.getLogger().handlers:
        handler.addFilter(Rate())
    if level != "DEBUG":  # a lost connection is an error of ours, or is mended; the driver's own lines say neither
        logging.getLogger("neo4j").setLevel(logging.CRITICAL)


@dataclass
class Period:
    """What was logged of one kind since the first of it."""

    began: float
    count: int = 0


class Rate(logging.Filter):
    """Lets warnings and errors of one kind pass so many times in a period, then counts them.

    A kind is a place in the code, and for failures also where they come from: texts may hold what a stranger sent.
    The first of the next period tells how many were left out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._periods: dict[Kind, Period] = {}
        self._lock = Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether a line is to be written."""
        if record.levelno < logging.WARNING:
            return True
        left_out = self._left_out(_kind(record))
        if left_out:
            record.msg = f"{record.msg} ({left_out} more like it were left out)"
        return left_out is not None

    def _left_out(self, kind: Kind) -> int | None:
        """Return how many were left out before this one; None when it is to be left out too."""
        now = self._clock()
        with self._lock:
            before = self._periods.get(kind)
            if before is None or now - before.began >= PERIOD:
                self._periods[kind] = Period(now, 1)
                return max(before.count - MOST, 0) if before else 0
            before.count += 1
            return 0 if before.count <= MOST else None


def _kind(record: logging.LogRecord) -> Kind:
    failure = record.exc_info
    if not failure or failure[0] is None:
        return (record.pathname, record.lineno)
    return (record.pathname, record.lineno, failure[0], _origin(failure[2]))


def _origin(trace: TracebackType | None) -> Kind:
    """Return where a failure was raised."""
    if trace is None:
        return ()
    while trace.tb_next is not None:
        trace = trace.tb_next
    return (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
