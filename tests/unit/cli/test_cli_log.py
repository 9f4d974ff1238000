"""The log says what is wrong, and does not say it without end."""

from __future__ import annotations

import logging

from graph_memory.cli.log import MAX_RECORDS, PERIOD, RateFilter


class RecordingHandler(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.now = 0.0
        self.addFilter(RateFilter(lambda: self.now))

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def logger_to(handler: RecordingHandler) -> logging.Logger:
    logger = logging.Logger("test")
    logger.addHandler(handler)
    return logger


def fail(way: int) -> None:
    if way == 0:
        raise KeyError
    if way == 1:
        raise ValueError
    raise ValueError


def test_lines_of_one_place_are_told_some_times_and_then_counted():
    result = RecordingHandler()
    logger = logger_to(result)

    def warn(number: int) -> None:
        logger.warning("100%% of %s", number)

    for number in range(100):
        warn(number)
    assert result.lines == [f"100% of {number}" for number in range(MAX_RECORDS)]
    logger.warning("another")
    assert result.lines[-1] == "another"
    result.now += PERIOD
    warn(7)
    warn(8)
    assert result.lines[-2:] == [f"100% of 7 ({100 - MAX_RECORDS} more like it were left out)", "100% of 8"]


def test_failures_are_told_apart_by_where_they_come_from():
    result = RecordingHandler()
    logger = logger_to(result)
    for number in range(300):
        try:
            fail(number % 3)
        except (KeyError, ValueError):
            logger.exception("Unexpected")
    assert len(result.lines) == 3 * MAX_RECORDS


def test_what_is_not_a_warning_is_never_left_out():
    result = RecordingHandler()
    logger = logger_to(result)
    for _ in range(100):
        logger.info("request")
    assert len(result.lines) == 100
