"""Earlier values of properties, from the states of a node."""

from __future__ import annotations

from graph_memory.memory.recall.selection.earlier_values import EarlierValue, NodeStateRow, earlier_values


def test_each_value_that_changed_or_went_is_told_with_its_period_the_last_first() -> None:
    states = [
        NodeStateRow("mem_1", 1, [["launch", "20 Nov"], ["city", "Oslo"], ["aliases", "[]"]]),
        NodeStateRow("mem_1", 2, [["launch", "4 Dec"], ["city", "Oslo"], ["aliases", '["x"]']]),
        NodeStateRow("mem_1", 3, [["launch", "20 Nov"], ["budget", 5]]),
    ]
    assert earlier_values(states) == [
        EarlierValue("launch", "4 Dec", 2, 3, "20 Nov"),
        EarlierValue("city", "Oslo", 1, 3, None),
        EarlierValue("launch", "20 Nov", 1, 2, "4 Dec"),
    ]
    assert earlier_values([]) == []
