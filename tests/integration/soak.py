"""How many examples Hypothesis runs: few and always the same in `make test`, many and random with SOAK=N."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

SOAK = int(os.environ.get("SOAK") or 0)
"""Examples of each property in a soak; 0 outside of one."""


def profile(*, examples: int, steps: int = 25) -> settings:
    """Return the settings for a property that talks to a real Neo4j; only a soak takes the time to shrink a failure."""
    return settings(
        max_examples=SOAK or examples,
        stateful_step_count=steps * 2 if SOAK else steps,
        derandomize=not SOAK,
        phases=[Phase.explicit, Phase.generate, *([Phase.shrink] if SOAK else [])],
        database=None,
        deadline=None,
        print_blob=bool(SOAK),
        suppress_health_check=list(HealthCheck),
    )
