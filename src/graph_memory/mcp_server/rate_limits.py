"""Limits the calls, sent bytes and returned tokens of each key per minute. Each process counts separately."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter, MovingWindowRateLimiter, RateLimiter

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import quote


@dataclass(frozen=True, slots=True)
class _Limit:
    """A limit on calls, bytes or tokens per minute."""

    item: RateLimitItem | None
    """The limit per minute, or None for no limit."""
    limiter: RateLimiter
    message: str
    """The part of the error message about the key's use. `{}` stands for the limit."""

    @classmethod
    def of(cls, amount: int, limiter: RateLimiter, message: str) -> _Limit:
        return cls(RateLimitItemPerMinute(amount, namespace=message) if amount else None, limiter, message)

    def check(self, key: str) -> None:
        if self.item is not None and not self.limiter.test(self.item, key):
            reset_time = self.limiter.get_window_stats(self.item, key).reset_time
            seconds = max(1, math.ceil(reset_time - time.time()))
            hint = f"Nothing was changed. Try again in {seconds} s, or ask the operator for a higher limit."
            details = {"limit": self.item.amount, "retry_after": seconds, "hint": hint}
            message = self.message.format(f"{self.item.amount:,}")
            raise GraphError(Code.RATE_LIMITED, f"The key {quote(key)} has {message} in the last minute", details)

    def add(self, key: str, amount: int = 1) -> None:
        if self.item is not None and amount:
            self.limiter.hit(self.item, key, cost=amount)


class RateLimits:
    """Counts the calls, bytes and tokens of each key per minute. 0 means no limit.

    A call may exceed the limits of bytes and tokens. The key is then blocked until a minute after its first counted
    call.
    """

    def __init__(self, calls: int, sent_bytes: int = 0, returned_tokens: int = 0) -> None:
        storage = MemoryStorage()
        fixed_window = FixedWindowRateLimiter(storage)
        self._calls = _Limit.of(calls, MovingWindowRateLimiter(storage), "made {} calls")
        self._bytes = _Limit.of(sent_bytes, fixed_window, "sent {} bytes")
        self._tokens = _Limit.of(returned_tokens, fixed_window, "received {} tokens")

    @property
    def needs_tokens(self) -> bool:
        """Whether the tokens in results are counted."""
        return self._tokens.item is not None

    def count(self, key: str, sent_bytes: int = 0) -> None:
        """Count a call of the key. If the key has reached a limit, raise RATE_LIMITED without counting the call."""
        for limit in (self._calls, self._bytes, self._tokens):
            limit.check(key)
        self._calls.add(key)
        self._bytes.add(key, sent_bytes)

    def count_tokens(self, key: str, tokens: int) -> None:
        """Count the tokens of a result towards the limit of the key."""
        self._tokens.add(key, tokens)
