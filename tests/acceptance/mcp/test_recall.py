"""Searching by words and meaning, as an agent does: what a reply says, what it costs, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acceptance.agents import Agent
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio

KITCHEN = "# Kitchen Renovation\n\nModern farmhouse style. Budget: $50k, to be ready in Q1 2026."
CIRCUIT = "# Ask the electrician\n\nThe oven needs a circuit of its own."


@pytest.fixture
async def ids(gtd: Agent) -> dict[str, str]:
    agent = gtd
    kitchen = await agent.node("Project", KITCHEN, tags=["home"], properties={"status": "active"})
    circuit = await agent.node("Action", CIRCUIT, properties={"status": "next"})
    garden = await agent.node("Project", "# Garden\n\nSomething that flowers in spring.")
    anna = await agent.node("Person", "# Anna Anderson\n\nRecommended by the neighbours.")
    await agent.call("create_connection", type="NextAction", from_node_id=kitchen, to_node_id=circuit)
    return {"kitchen": kitchen, "circuit": circuit, "garden": garden, "anna": anna}


async def hits(agent: Agent, query: str, **more: Any) -> list[dict[str, Any]]:
    return (await agent.call("search_memories", query=query, **more))["hits"]


async def test_what_was_just_written_is_found_by_other_words(agent: Agent, ids: dict[str, str]):
    best = (await hits(agent, "Who could rewire my cooker?"))[0]
    assert best["id"] == ids["circuit"]
    assert (best["title"], best["type"], best["kind"]) == ("Ask the electrician", "Action", "node")
    assert best["passage"] == CIRCUIT
    assert best["range"] == [0, len(CIRCUIT)]
    assert best["place"] == "content"
    assert "close in meaning" in best["why"]
    assert best["age_days"] == 0
    assert "modified" not in best


async def test_a_hit_that_its_tag_brought_in_shows_its_content(agent: Agent, ids: dict[str, str]):
    [best] = await hits(agent, "kitchen", max_results=1)
    assert (best["id"], best["place"], best["passage"]) == (ids["kitchen"], "content", KITCHEN)


async def test_the_tag_itself_is_shown_where_it_has_the_word(agent: Agent, ids: dict[str, str]):
    [best] = await hits(agent, "home", max_results=1, search_mode="lexical")
    assert (best["id"], best["place"], best["passage"]) == (ids["kitchen"], "tags", "home")


async def test_what_follows_a_hit_names_it_by_its_title(agent: Agent, ids: dict[str, str]):
    results = await hits(agent, "kitchen", filters={"node_types": ["Project"]}, traversal_depth=1, max_results=1)
    assert [hit["id"] for hit in results] == [ids["kitchen"], ids["circuit"]]
    assert results[1]["why"] == 'connected to "Kitchen Renovation" by NextAction'


async def test_the_parts_of_a_score_add_up_to_it(agent: Agent, ids: dict[str, str]):
    for hit in await hits(agent, "kitchen budget", include_relevance_explanation=True):
        assert hit["score"] == pytest.approx(sum(part["value"] for part in hit["explanation"]), abs=1e-9)
    assert all("score" not in hit for hit in await hits(agent, "kitchen", include_relevance_scores=False))


async def test_a_search_as_of_a_moment_finds_what_was_true_then(agent: Agent, ids: dict[str, str]):
    dearer = KITCHEN.replace("50k", "65k")
    changed = await agent.call("update_node", node_id=ids["kitchen"], content=dearer, encoding="utf-8")
    await agent.call("delete_node", node_id=ids["garden"])
    before = changed["version"] - 1
    assert "65k" in (await hits(agent, "kitchen budget"))[0]["passage"]
    assert "50k" in (await hits(agent, "kitchen budget", as_of=before))[0]["passage"]
    assert ids["garden"] not in [hit["id"] for hit in await hits(agent, "spring flowers")]
    assert (await hits(agent, "spring flowers", as_of=before))[0]["id"] == ids["garden"]


async def test_pages_follow_one_another_and_tokens_are_kept_to(agent: Agent, ids: dict[str, str]):
    first = await agent.call("search_memories", query="kitchen", max_results=2)
    second = await agent.call("search_memories", query="kitchen", max_results=2, cursor=first["next_cursor"])
    everything = await hits(agent, "kitchen")
    assert [hit["id"] for hit in (*first["hits"], *second["hits"])] == [hit["id"] for hit in everything]
    bounded = await agent.call("search_memories", query="kitchen", max_tokens=200)
    assert bounded["tokens"] <= 200
    assert bounded["left_out"] + len(bounded["hits"]) == len(everything)


@pytest.mark.filterwarnings("ignore:open_binary is deprecated:DeprecationWarning")  # the tokenizer loads its words so
async def test_a_hit_costs_an_agent_few_tokens(agent: Agent, ids: dict[str, str]):
    import bpe_openai

    answer = await agent.call("search_memories", query="kitchen")
    text = json.dumps(answer, separators=(",", ":"), ensure_ascii=False)
    assert len(bpe_openai.get_encoding("o200k_base").encode(text)) < 150 * len(answer["hits"])


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"filters": {"tag": ["x"]}}, "tags"),
        ({"weightings": {"titleWeight": 2}}, "title_weight"),
        ({"search_mode": "fuzzy"}, "hybrid"),
        ({"max_results": 101}, "max_results"),
        ({"cursor": "after:x"}, "cursor"),
    ],
)
async def test_what_cannot_be_asked_is_refused_with_what_can(agent: Agent, ids: dict[str, str], wrong: Any, text: str):
    error = await agent.error_of("search_memories", **{"query": "kitchen", **wrong})
    assert error.code is Code.INVALID_ARGUMENT
    assert text in f"{error.message} {error.details}"


async def test_a_type_that_does_not_exist_is_named(agent: Agent, ids: dict[str, str]):
    answer = await agent.call("search_memories", query="kitchen", filters={"node_types": ["Projekt"]})
    assert answer["hits"] == []
    assert "Projekt" in answer["warnings"][0]


async def test_a_memory_without_types_says_how_to_begin(agent: Agent):
    assert (await agent.error_of("search_memories", query="kitchen")).code is Code.ONTOLOGY_NOT_FOUND
