"""How many calls a key may make in a minute."""

from __future__ import annotations

import time

import pytest

from graph_memory.mcp_server.rate_limits import RateLimits
from graph_memory.model.errors import Code, GraphError


def count(limits: RateLimits, key: str) -> GraphError | None:
    try:
        limits.count(key)
    except GraphError as error:
        return error
    return None


def test_each_key_has_its_own_calls_and_gets_them_back_after_a_minute(monkeypatch: pytest.MonkeyPatch):
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    limits = RateLimits(3)
    assert [count(limits, "ann") for _ in range(2)] == [None, None]
    now += 20.5
    assert count(limits, "ann") is None
    error = count(limits, "ann")
    assert error is not None
    assert (error.code, error.details["limit"], error.details["retry_after"]) == (Code.RATE_LIMITED, 3, 40)
    assert "Try again in 40 s" in str(error.hint)
    assert count(limits, "bob") is None
    now += 40  # rejected calls do not count, so the first two places are free again
    assert [count(limits, "ann") for _ in range(2)] == [None, None]
    assert count(limits, "ann") is not None


def test_a_key_that_has_sent_or_received_too_much_waits_until_the_minute_is_over(monkeypatch: pytest.MonkeyPatch):
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    limits = RateLimits(0, sent_bytes=1_000, returned_tokens=50)
    limits.count("ann", 999)
    limits.count("ann", 5_000)
    with pytest.raises(GraphError, match='"ann" has sent 1,000 bytes in the last minute'):
        limits.count("ann", 1)
    limits.count("bob", 1)
    limits.count_tokens("bob", 80)
    with pytest.raises(GraphError, match='"bob" has received 50 tokens'):
        limits.count("bob", 1)
    now += 61
    limits.count("ann", 1)
    limits.count("bob", 1)
