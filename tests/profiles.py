"""How many examples Hypothesis takes: few in `make test`, more in `make test-all`, as many as one says in a soak."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import HealthCheck, Phase, settings

EXAMPLES = os.environ.get("EXAMPLES") or "few"
"""`few`, `all`, or the number for each property in a soak; only a soak takes other ones each time."""
SOAK = int(EXAMPLES) if EXAMPLES.isdigit() else 0

T = TypeVar("T")


def some(cases: Sequence[T]) -> Sequence[T]:
    """Return the seeds or places that a test is repeated for; `make test` takes every third."""
    return cases[::3] if EXAMPLES == "few" else cases


def examples(number: int) -> int:
    """Return the number of examples of a property without a database, of which `make test` takes a quarter."""
    return number // 4 if EXAMPLES == "few" else number


def profile(*, examples: int, steps: int = 25) -> settings:
    """Return the settings for a property that talks to a real Neo4j.

    Of its examples `make test` takes a quarter, and `make test-all` half. Only a soak takes the time to shrink a
    failure.
    """
    return settings(
        max_examples=SOAK or max(examples // (2 if EXAMPLES == "all" else 4), 3),
        stateful_step_count=steps * 2 if SOAK else steps,
        derandomize=not SOAK,
        phases=[Phase.explicit, Phase.generate, *([Phase.shrink] if SOAK else [])],
        database=None,
        deadline=None,
        print_blob=bool(SOAK),
        suppress_health_check=list(HealthCheck),
    )
