"""Counts of reads of each node, held in memory."""

from __future__ import annotations

from graph_memory.memory.access_counter import Access, AccessCounter


def counts(taken: dict[str, dict[str, Access]]) -> dict[str, dict[str, int]]:
    return {domain: {name: access.count for name, access in accesses.items()} for domain, accesses in taken.items()}


def test_a_node_counts_once_for_each_reply_in_its_domain():
    tally = AccessCounter(10)
    tally.record("one", ["a", "b", "a"])
    tally.record("one", ["a"])
    tally.record("two", ["a"])
    assert counts(tally.take()) == {"one": {"a": 2, "b": 1}, "two": {"a": 1}}
    assert (tally.take(), len(tally)) == ({}, 0)


def test_a_full_tally_counts_on_what_it_knows_and_leaves_out_others():
    tally = AccessCounter(2)
    tally.record("one", ["a", "b", "c"])
    tally.record("two", ["d"])
    tally.record("one", ["b"])
    assert counts(tally.take()) == {"one": {"a": 1, "b": 2}}


def test_what_is_put_back_adds_up_with_what_came_meanwhile():
    tally = AccessCounter(2)
    tally.record("one", ["a"])
    taken = tally.take()
    tally.record("one", ["a", "b"])
    last = tally._accesses["one"]["a"].last
    tally.add("one", {**taken["one"], "c": taken["one"]["a"]})
    results = tally.take()
    assert counts(results) == {"one": {"a": 2, "b": 1}}
    assert results["one"]["a"].last == last


def test_a_tally_of_none_counts_nothing():
    tally = AccessCounter()
    tally.record("one", ["a"])
    assert (tally.take(), tally.is_on) == ({}, False)
