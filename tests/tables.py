"""Tests over a table: one test for all rows, which names every row that fails."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., Any]


def for_rows(names: str | Sequence[str], rows: Iterable[Any] | Callable[[], Iterable[Any]]) -> Callable[[Test], Test]:
    """Run a test once for each row, as a single item, because pytest spends more on an item than most rows take.

    The rows share the fixtures of the test: use it only if a row leaves them as they were. Pass a function if the rows
    take long to make, because each worker of a run collects all tests.
    """
    columns = [names] if isinstance(names, str) else list(names)
    assert callable(rows) or rows

    def table() -> Iterator[tuple[Any, dict[str, Any]]]:
        for row in rows() if callable(rows) else rows:
            yield row, dict(zip(columns, [row] if isinstance(names, str) else row, strict=True))

    def decorate(test: Test) -> Test:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            failures = _Failures()
            for row, arguments in table():
                with failures.caught_in(row):
                    test(**arguments, **fixtures)
            failures.raise_all()

        @wraps(test)
        async def run_async(**fixtures: Any) -> None:
            failures = _Failures()
            for row, arguments in table():
                with failures.caught_in(row):
                    await test(**arguments, **fixtures)
            failures.raise_all()

        chosen: Any = run_async if inspect.iscoroutinefunction(test) else run
        signature = inspect.signature(test)
        fixtures = [parameter for name, parameter in signature.parameters.items() if name not in columns]
        chosen.__signature__ = signature.replace(parameters=fixtures)
        return chosen

    return decorate


class _Failures:
    """The failures of some rows."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self.errors: list[BaseException] = []

    @contextmanager
    def caught_in(self, row: object) -> Iterator[None]:
        """Keep the failure of a row, so that the next row runs."""
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - of any row, and all are raised
            self.rows.append(repr(row)[:200])
            self.errors.append(error)
            error.add_note(f"Row: {self.rows[-1]}")

    def raise_all(self) -> None:
        """Raise the failures of all rows as one."""
        if self.errors:
            raise BaseExceptionGroup(f"{len(self.rows)} rows fail: {', '.join(self.rows[:5])}", self.errors)
