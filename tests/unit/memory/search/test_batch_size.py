"""The batch size for indexing after failures, and rows that are written in parts."""

from __future__ import annotations

import itertools

from graph_memory.memory.domains.lineage import END
from graph_memory.memory.search.index.batch_size import FEWEST_ROWS, BatchSize, choose_batch_size
from graph_memory.memory.search.index.coverage import Coverage
from graph_memory.memory.search.index.rows import Changes
from tables import for_rows


@for_rows("events", [1, 2, 3, 250, 256])
def test_each_failure_gives_less_until_one_event_in_small_parts_is_given_up(events: int) -> None:
    sizes = [choose_batch_size(failures, events=events, rows=1_000) for failures in range(40)]
    tries = [size for size in sizes if size is not None]
    assert sizes == [*tries, *[None] * (40 - len(tries))]
    assert tries[0] == BatchSize(events, 1_000)
    assert [size.rows for size in tries if size.events == 1] == [1_000, 250, 62]
    assert all(
        after.events <= before.events // 2 or after.rows < before.rows for before, after in itertools.pairwise(tries)
    )
    assert all(size.rows >= FEWEST_ROWS for size in tries)


def changes() -> Changes:
    made = Changes()
    made.closed = {"a": {"x": {"until": 2}, "y": {"until": 2}}, "b": {"z": {"until": 3}}}
    made.closed_names = [{"words": " a ", "until": 2}]
    made.created = [
        {"passage": {"_place": str(place), "_until": END if place % 2 else 3}, "waits": True} for place in range(5)
    ]
    made.created_names = [{"_words": " b "}, {"_words": " c "}]
    return made


@for_rows("most", [1, 2, 3, 4, 7, 10, 11, 12, 1_000])
def test_parts_are_all_rows_each_once_and_rows_end_before_others_begin(most: int) -> None:
    whole = changes()
    parts = list(whole.split(most))
    assert [part.size for part in parts[:-1]] == [most] * (len(parts) - 1)
    assert sum(part.size for part in parts) == whole.size == 11
    closed = [(owner, place) for part in parts for owner, ended in part.closed.items() for place in ended]
    assert closed == [("a", "x"), ("a", "y"), ("b", "z")]
    assert [row for part in parts for row in part.closed_names] == whole.closed_names
    assert [row for part in parts for row in part.created] == whole.created
    assert [row for part in parts for row in part.created_names] == whole.created_names
    assert sum(part.growth for part in parts) == whole.growth == 2 - 3


def test_a_page_that_changes_nothing_has_one_empty_part() -> None:
    assert [part.size for part in Changes().split(10)] == [0]


def test_what_is_not_covered_is_counted_and_explained() -> None:
    arguments = {"seq": 7, "behind": 2, "without_vectors": 0, "model": None, "open": 1, "analyser": "english"}
    covered = Coverage(**arguments, skipped=(3, 5), problem="Neo4j is full")  # type: ignore[arg-type]
    assert covered.not_covered == 4
    assert covered.warnings == (
        "The latest 2 changes are not searched, because indexing failed: Neo4j is full.",
        "2 changes are not searched, because indexing failed: event 3, 5. Run `graph-memory reindex` to try again.",
    )
    assert Coverage(**arguments).warnings == ()  # type: ignore[arg-type]
