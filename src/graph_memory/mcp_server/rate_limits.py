"""Limits the number of calls that each key may make in a minute. Each process counts separately."""

from __future__ import annotations

import math
import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from graph_memory.model.errors import Code, GraphError


class RateLimits:
    """Counts the calls of each key in the last minute."""

    def __init__(self, calls_per_minute: int) -> None:
        self._limit = RateLimitItemPerMinute(calls_per_minute)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def count(self, key: str) -> None:
        """Count a call of the key. Raises RATE_LIMITED, and does not count it, if the key has made too many calls."""
        if self._limiter.hit(self._limit, key):
            return
        free_at = self._limiter.get_window_stats(self._limit, key).reset_time
        seconds = max(1, math.ceil(free_at - time.time()))
        hint = f"Nothing was changed. Try again in {seconds} s, or ask the operator of the server for a higher limit."
        details = {"limit": self._limit.amount, "retry_after": seconds, "hint": hint}
        raise GraphError(
            Code.RATE_LIMITED, f"The key {key} has made {self._limit.amount:,} calls in the last minute", details
        )
