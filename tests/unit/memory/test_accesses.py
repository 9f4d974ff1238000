"""Counts of reads of each node, held in memory."""

from __future__ import annotations

from graph_memory.memory.access_counter import Access, AccessTally


def counts(taken: dict[str, dict[str, Access]]) -> dict[str, dict[str, int]]:
    return {domain: {name: access.count for name, access in accesses.items()} for domain, accesses in taken.items()}


def test_a_node_counts_once_for_each_reply_in_its_domain():
    tally = AccessTally(10)
    tally.note("one", ["a", "b", "a"])
    tally.note("one", ["a"])
    tally.note("two", ["a"])
    assert counts(tally.take()) == {"one": {"a": 2, "b": 1}, "two": {"a": 1}}
    assert (tally.take(), len(tally)) == ({}, 0)


def test_a_full_tally_counts_on_what_it_knows_and_leaves_out_others():
    tally = AccessTally(2)
    tally.note("one", ["a", "b", "c"])
    tally.note("two", ["d"])
    tally.note("one", ["b"])
    assert counts(tally.take()) == {"one": {"a": 1, "b": 2}}


def test_what_is_put_back_adds_up_with_what_came_meanwhile():
    tally = AccessTally(2)
    tally.note("one", ["a"])
    taken = tally.take()
    tally.note("one", ["a", "b"])
    last = tally._accesses["one"]["a"].last
    tally.add("one", {**taken["one"], "c": taken["one"]["a"]})
    results = tally.take()
    assert counts(results) == {"one": {"a": 2, "b": 1}}
    assert results["one"]["a"].last == last


def test_a_tally_of_none_counts_nothing():
    tally = AccessTally()
    tally.note("one", ["a"])
    assert (tally.take(), tally.is_on) == ({}, False)
