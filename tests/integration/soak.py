"""How many examples Hypothesis runs: few and always the same in `make test`, many and random with SOAK=N."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

SOAK = int(os.environ.get("SOAK") or 0)
"""Examples of each property in a soak; 0 outside of one."""


def profile(*, examples: int, steps: int = 25) -> settings:
    """Return the settings for a property that talks to a real Neo4j."""
    return settings(
        max_examples=SOAK or examples,
        stateful_step_count=steps * 2 if SOAK else steps,
        derandomize=not SOAK,
        database=None,
        deadline=None,
        print_blob=bool(SOAK),
        suppress_health_check=list(HealthCheck),
    )
