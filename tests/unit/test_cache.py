"""The cache keeps a number of values for a time, and lets go of those used least recently."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.cache import LruCache


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def cache(clock: Clock, *, most: int = 2, ttl: float = 10, update_age_on_get: bool = False) -> LruCache[str, int]:
    return LruCache(max=most, ttl=ttl, update_age_on_get=update_age_on_get, clock=clock)


def test_what_was_set_is_found_as_long_as_it_is_young():
    clock = Clock()
    kept = cache(clock)
    kept.set("a", 1)
    clock.now += 10
    assert (kept.get("a"), kept.get("b")) == (1, None)
    clock.now += 0.001
    assert not kept.has("a")
    assert kept.get("a") is None
    assert len(kept) == 0


def test_reading_makes_a_value_young_again_only_if_that_is_wanted():
    for update_age_on_get, number in ((True, 1), (False, None)):
        clock = Clock()
        kept = cache(clock, update_age_on_get=update_age_on_get)
        kept.set("a", 1)
        clock.now += 8
        kept.get("a")
        clock.now += 8
        assert kept.get("a") == number


def test_asking_whether_there_is_a_value_is_no_use_of_it():
    clock = Clock()
    kept = cache(clock, update_age_on_get=True)
    kept.set("a", 1)
    kept.set("b", 2)
    assert kept.has("a")
    kept.set("c", 3)
    assert [kept.has(key) for key in "abc"] == [False, True, True]


def test_the_least_recently_read_goes_first_at_one_time_too():
    kept = cache(Clock())
    kept.set("a", 1)
    kept.set("b", 2)
    kept.get("a")
    kept.set("c", 3)
    assert [kept.get(key) for key in "abc"] == [1, None, 3]


def test_setting_a_key_again_moves_nothing_out_and_makes_it_young():
    clock = Clock()
    kept = cache(clock)
    kept.set("a", 1)
    kept.set("b", 2)
    clock.now += 8
    kept.set("a", 3)
    clock.now += 8
    assert [kept.get(key) for key in "ab"] == [3, None]


@pytest.mark.parametrize(("most", "ttl"), [(0, 1), (-1, 1), (1, -1), (1, float("nan"))])
def test_a_cache_that_could_keep_nothing_is_a_mistake(most: int, ttl: float):
    with pytest.raises(ValueError, match="at least 1"):
        cache(Clock(), most=most, ttl=ttl)


class Naive:
    """The same, as a list from the least to the most recently used."""

    def __init__(self, most: int, ttl: float, *, update_age_on_get: bool, clock: Clock) -> None:
        self.most, self.ttl, self.updates, self.clock = most, ttl, update_age_on_get, clock
        self.entries: list[tuple[str, int, float]] = []

    def get(self, key: str) -> int | None:
        for entry in [entry for entry in self.entries if entry[0] == key]:
            self.entries.remove(entry)
            if self.clock.now - entry[2] <= self.ttl:
                self.entries.append((key, entry[1], self.clock.now if self.updates else entry[2]))
                return entry[1]
        return None

    def set(self, key: str, value: int) -> None:
        rest = [entry for entry in self.entries if entry[0] != key]
        if len(rest) == len(self.entries) == self.most:
            rest = rest[1:]
        self.entries = [*rest, (key, value, self.clock.now)]

    def has(self, key: str) -> bool:
        return any(entry[0] == key and self.clock.now - entry[2] <= self.ttl for entry in self.entries)


steps = st.tuples(st.sampled_from(["get", "set", "has", "wait"]), st.sampled_from("abcd"), st.integers(0, 5))


@given(st.integers(1, 3), st.integers(0, 8), st.booleans(), st.lists(steps, max_size=60))
def test_it_does_what_a_naive_one_does(most: int, ttl: int, updates: bool, done: list[tuple[str, str, int]]):
    clock = Clock()
    kept = cache(clock, most=most, ttl=ttl, update_age_on_get=updates)
    naive = Naive(most, ttl, update_age_on_get=updates, clock=clock)
    for step, key, number in done:
        match step:
            case "get":
                assert kept.get(key) == naive.get(key)
            case "has":
                assert kept.has(key) == naive.has(key)
            case "set":
                kept.set(key, number)
                naive.set(key, number)
            case _:
                clock.now += number
        assert len(kept) == len(naive.entries) <= most
