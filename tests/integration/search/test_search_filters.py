"""Filters of searches: each mode finds exactly what a plain reading of the nodes leaves, now and at any moment."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integration.search.searched_world import NAMESPACES, PATHS, STATES, TAGS, TYPES, World, made_world
from profiles import profile
from support import Conversation

MODES = ("lexical", "semantic", "hybrid")


@pytest.fixture(scope="module")
def world(talk: Conversation) -> Iterator[World]:
    yield from made_world(talk)


def filters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "node_types": st.lists(st.sampled_from(TYPES), min_size=1, max_size=2, unique=True),
            "tags": st.lists(st.sampled_from(TAGS), max_size=2, unique=True),
            "path_prefix": st.sampled_from(PATHS),
            "namespace": st.sampled_from(NAMESPACES),
            "properties": st.fixed_dictionaries({"status": st.sampled_from(STATES)}),
            "min_edge_count": st.integers(1, 4),
            "min_strength": st.sampled_from((0.1, 0.5)),
            "created": st.tuples(st.booleans(), st.integers(0, 200)),
        },
    )


@given(
    filter_fields=filters(),
    mode=st.sampled_from(MODES),
    moment=st.sampled_from((0, 1, 2, None)),
    day=st.none() | st.integers(0, 25),
    limit=st.sampled_from((3, 100)),
)
@profile(examples=80)
def test_a_filtered_search_finds_exactly_the_nodes_that_a_plain_reading_leaves(
    world: World, filter_fields: dict[str, Any], mode: str, moment: int | None, day: int | None, limit: int
) -> None:
    filter_fields = dict(filter_fields)
    if (created := filter_fields.pop("created", None)) is not None:
        times = sorted(node.created for node in world.nodes[2].values())
        filter_fields["created_after" if created[0] else "created_before"] = times[created[1] % len(times)]
    valid_at = None if day is None else datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=day)
    at = None if moment is None else world.seqs[moment]
    result = world.call(
        world.talk.memory.recall.search_memories,
        "apple",
        search_mode=mode,
        filters=filter_fields,
        valid_at=valid_at,
        as_of=at,
        max_results=limit,
    )
    ids = [hit.id for hit in result.hits]
    meant = world.matching(2 if moment is None else moment, filter_fields, valid_at)
    assert result.mode == mode
    assert len(ids) == len(set(ids)) == min(limit, len(meant))
    assert set(ids) <= meant
