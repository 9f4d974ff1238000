"""Labelled pairs: unequal statements are kept, contradictions lead to questions, and the heads fit the tables."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from benchmarks import heads
from benchmarks.remembering import PAIRS, UNSEEN, Pair, read_pairs
from graph_memory.memory.statements.pairs.weights import ABOUT_ONE_THING, CONTRADICTS, THRESHOLD
from graph_memory.memory.statements.statement_verdict import CurrentObservation, Rule, Verdict, judge_statement


def verdict_on(pair: Pair) -> Verdict:
    return judge_statement(pair.new, [CurrentObservation("1", pair.known)], pair.entity)


@pytest.mark.parametrize("path", sorted(UNSEEN.rglob("*.jsonl")), ids=lambda path: path.stem)
def test_no_pair_is_taken_for_known(path: Path):
    assert [pair.id for pair in read_pairs(path) if verdict_on(pair).rule is Rule.EQUAL_TEXT] == []


def test_most_contradictions_are_asked_about_and_few_others():
    pairs = list(chain.from_iterable(read_pairs(path) for path in heads.TABLES if path.is_relative_to(UNSEEN)))
    results = {is_wrong: [bool(verdict_on(pair).possible_replacements)
                          for pair in pairs if (pair.label == "contradicted") is is_wrong]
             for is_wrong in (True, False)}  # fmt: skip
    assert sum(results[True]) >= 0.70 * len(results[True])
    assert sum(results[False]) <= 0.25 * len(results[False])


@pytest.mark.long
@pytest.mark.skipif(not PAIRS.is_file(), reason="one of the tables is not in this repository")
def test_the_weights_are_those_that_training_gives():
    result, threshold = heads.train_with_threshold(heads.read_sample())
    assert pytest.approx(result.about, abs=0.01) == ABOUT_ONE_THING
    assert pytest.approx(result.contradicts, abs=0.01) == CONTRADICTS
    assert pytest.approx(threshold, abs=0.01) == THRESHOLD
