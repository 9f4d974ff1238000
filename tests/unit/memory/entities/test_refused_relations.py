"""Relations whose ends are unknown: they are refused in the write, and similar names are searched after it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from graph_memory.memory.entities.relations import (
    MAX_SUGGESTIONS,
    RejectedRelation,
    draft_relations,
    relation_receipts,
    with_suggestions,
)
from graph_memory.memory.entity_graph.drafting import DraftCollector
from graph_memory.memory.entity_graph.values.request import NewRelation
from graph_memory.memory.entity_graph.values.rows import EqualRelationsRow
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Head, Origin
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.storage.store import Reader

pytestmark = pytest.mark.anyio

UNKNOWN = [NewRelation(from_name="Ann", to_name=f"Town {number // 2}", type="knows") for number in range(60)]
"""Two relations to each of 30 unknown names."""


@dataclass
class Names:
    """A reader that knows one name, and counts the searches."""

    error: GraphError | None = None
    searched: list[str] = field(default_factory=list[str])

    async def read(self, _query: object, **params: Any) -> list[str]:
        if self.error:
            raise self.error
        self.searched.append(str(params.get("others")))
        return ["Town 77"]


async def test_relations_to_unknown_names_are_refused() -> None:
    head = Head("d", 1, datetime(2026, 11, 27, tzinfo=UTC), Ontology())
    rows = [EqualRelationsRow(place, "mem_1", "Entity", False, None, None, False, []) for place in range(60)]
    drafting = DraftCollector(head, Origin(), 10)
    made, refused = draft_relations(drafting, UNKNOWN, rows, {})
    assert (made, drafting.drafts) == ([], [])
    assert [refusal.name for refusal in refused] == [relation.to_name for relation in UNKNOWN]


async def test_similar_names_are_suggested_for_the_first_unknown_names() -> None:
    reader = Names()
    refused = [RejectedRelation(relation, relation.to_name) for relation in UNKNOWN]
    receipts = relation_receipts(UNKNOWN, [], refused)
    results = await with_suggestions(cast("Reader", reader), "d", receipts, refused)
    assert len(reader.searched) == MAX_SUGGESTIONS
    assert ['Did you mean "Town 77"?' in str(receipt.evidence) for receipt in results] == [True] * 20 + [False] * 40
    assert str(results[-1].evidence).startswith('No entity is named "Town 29". To create it')


async def test_a_search_that_fails_after_the_write_leaves_the_receipts() -> None:
    reader = Names(GraphError(Code.TIMEOUT, "The query took too long", {}))
    refused = [RejectedRelation(UNKNOWN[0], "Town 0")]
    receipts = relation_receipts(UNKNOWN[:1], [], refused)
    assert await with_suggestions(cast("Reader", reader), "d", receipts, refused) == tuple(receipts)
