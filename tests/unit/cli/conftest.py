"""Fixtures that the tests of the command line share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graph_memory.cli.errors import CALLED_BY_NAME
from graph_memory.cli.output.printing import CALLED_DOMAIN


@pytest.fixture(autouse=True)
def _new_process() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """Forget what a command of another test noted, as a new process does."""
    CALLED_BY_NAME.set(False)
    CALLED_DOMAIN.set(None)
    yield
    CALLED_BY_NAME.set(False)
    CALLED_DOMAIN.set(None)
