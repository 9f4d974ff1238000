"""Sets up logging to stderr, and limits repeated warnings and errors."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from types import TracebackType

AUDIT = "graph_memory.audit"
"""The logger name of `graph_memory.audit`, which is not imported here because the import is slow."""
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
MAX_RECORDS = 5
"""Maximum number of warnings and errors of the same kind that are logged per period."""
PERIOD = 60.0
"""Length of a period in seconds."""

RecordKind = tuple[object, ...]


def log_to_stderr(level: str) -> None:
    """Log records of at least this level to stderr, because stdout is reserved for results and the protocol."""
    handler = logging.StreamHandler()
    handler.addFilter(RateFilter())
    handler.setFormatter(_Formatter(FORMAT))
    logging.basicConfig(handlers=[handler], level=level)
    if level != "DEBUG":  # graph-memory reports a lost connection or reconnects; the driver's own lines would confuse
        logging.getLogger("neo4j").setLevel(logging.CRITICAL)


class _Formatter(logging.Formatter):
    """A formatter that leaves the lines of the audit log unchanged, because they are JSON."""

    def format(self, record: logging.LogRecord) -> str:
        is_audit = record.name == AUDIT and record.levelno == logging.INFO
        return record.getMessage() if is_audit else super().format(record)


@dataclass
class Period:
    """A count of log records of one kind, and its start time in seconds of the filter's clock."""

    start: float
    count: int = 0


class RateFilter(logging.Filter):
    """A filter that passes at most `MAX_RECORDS` warnings and errors of each kind per period, and counts the others.

    Records are of the same kind if they come from the same line and, for exceptions, have the same type and origin. The
    kind does not depend on the text, because clients could vary it. The first record of the next period says how many
    records were dropped.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._periods: dict[RecordKind, Period] = {}
        self._lock = Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write the record. If earlier records were dropped, adds their number to the message."""
        if record.levelno < logging.WARNING:
            return True
        dropped = self._count_dropped(_kind(record))
        if dropped:
            record.msg = f"{record.msg} ({dropped} more like it were left out)"
        return dropped is not None

    def _count_dropped(self, kind: RecordKind) -> int | None:
        """Count a record. Return the number of records dropped in the last period, or None if this one is dropped."""
        now = self._clock()
        with self._lock:
            period = self._periods.get(kind)
            if period is None or now - period.start >= PERIOD:
                self._periods[kind] = Period(now, 1)
                return max(period.count - MAX_RECORDS, 0) if period else 0
            period.count += 1
            return 0 if period.count <= MAX_RECORDS else None


def _kind(record: logging.LogRecord) -> RecordKind:
    failure = record.exc_info
    if not failure or failure[0] is None:
        return (record.pathname, record.lineno)
    return (record.pathname, record.lineno, failure[0], _origin(failure[2]))


def _origin(trace: TracebackType | None) -> RecordKind:
    """Return the file and line that raised the traceback's exception."""
    if trace is None:
        return ()
    while trace.tb_next is not None:
        trace = trace.tb_next
    return (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
