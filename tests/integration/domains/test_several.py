"""Reading several domains in one call: what is found, where it is, and that nothing else is read."""

from __future__ import annotations

import json
from collections.abc import Awaitable
from math import fsum
from typing import Any
from uuid import uuid4

import pytest

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.search.token_budget import tokens_of, tokens_of_text
from tables import for_rows

pytestmark = pytest.mark.anyio

TYPES = ontology_from(
    {
        "node_types": ["Note", "Secret"],
        "connection_types": [{"name": "About", "from_types": ["Note"], "to_types": ["Note"]}],
    }
)
SECRET = "xylophone"
TEXTS = {
    "kitchen": "The kitchen gets oak shelves, and the carpenter comes on Monday.",
    "garden": "The garden gets a pond with water lilies.",
    "deep": "Whoever builds the oak bench is a carpenter from Ghent.",
}


class World:
    """A domain with two children and a grandchild, and an unrelated domain that holds secrets."""

    def __init__(self, memory: Memory, domain: str) -> None:
        self.memory = memory
        self.home, self.aside = f"{domain}/home", f"{domain}/aside"
        self.kitchen, self.garden, self.deep = (f"{domain}/{name}" for name in TEXTS)

    async def fill(self) -> World:
        make = self.memory.create_domain
        await self.memory.create_ontology(TYPES, domain=self.home)
        await make(self.kitchen, parent=self.home)
        await make(self.garden, parent=self.home)
        await make(self.deep, parent=self.kitchen)
        for name, text in TEXTS.items():
            domain = getattr(self, name)
            await self.memory.create_node("Note", text, id=name, properties={"rank": 1}, domain=domain)
        await make(self.aside, parent=self.home)
        await self.memory.update_domain(self.aside, parent="")
        await self.memory.create_ontology(TYPES, domain=self.aside)
        for text in (f"The carpenter's {SECRET} is in the kitchen with oak shelves.", "The carpenter of the kitchen"):
            await self.memory.create_node("Secret", text, properties={"rank": 1}, domain=self.aside)
        return self


@pytest.fixture(scope="module")
async def world(shared_memory: Memory) -> World:
    """One for all tests that only read."""
    return await World(shared_memory, f"test-{uuid4().hex[:20]}").fill()


async def error_of(call: Awaitable[object], code: Code = Code.INVALID_ARGUMENT) -> GraphError:
    with pytest.raises(GraphError) as error:
        await call
    assert error.value.code is code
    return error.value


async def test_a_search_of_several_domains_says_where_each_hit_is_best_first(world: World) -> None:
    result = await world.memory.recall.search_memories(
        "Which carpenter comes for the oak shelves?",
        domains=[world.garden, world.deep, world.kitchen],
        include_relevance_explanation=True,
    )
    assert [(hit.id, hit.domain) for hit in result.hits][:2] == [("kitchen", world.kitchen), ("deep", world.deep)]
    assert result.domains == (world.garden, world.deep, world.kitchen)
    scores = [hit.score for hit in result.hits if hit.score is not None]
    assert scores == sorted(scores, reverse=True)
    for hit in result.hits:
        assert hit.score == pytest.approx(fsum(part.value for part in hit.explanation or ()), abs=1e-5)
    plain = await world.memory.recall.search_memories("carpenter", include_children=True, domain=world.home)
    assert plain.hits[0].explanation is None


async def test_the_best_of_a_domain_in_which_nothing_fits_stands_behind(world: World) -> None:
    question = "water lilies in the pond of the garden"
    alone = await world.memory.recall.search_memories(question, domain=world.deep)
    beside = await world.memory.recall.search_memories(question, domains=[world.deep, world.garden])
    assert beside.hits[0].domain == world.garden
    weak = {hit.id: hit.score or 0.0 for hit in beside.hits if hit.domain == world.deep}
    assert all(weak[hit.id] < (hit.score or 0.0) for hit in alone.hits)


async def test_one_domain_by_that_argument_is_as_one_by_the_other(world: World) -> None:
    result = await world.memory.recall.search_memories("oak shelves", domain=world.kitchen)
    named = await world.memory.recall.search_memories("oak shelves", domains=[world.kitchen])
    assert [(hit.id, hit.score, hit.passage) for hit in result.hits] == [
        (hit.id, hit.score, hit.passage) for hit in named.hits
    ]


async def test_include_children_reads_all_below_and_nothing_beside(world: World) -> None:
    page = await world.memory.query_nodes(properties={"rank": 1}, include_children=True, domain=world.home)
    assert {(node.id, node.domain) for node in page.nodes or ()} == {
        ("kitchen", world.kitchen),
        ("garden", world.garden),
        ("deep", world.deep),
    }
    below = await world.memory.query_nodes(include_children=True, domain=world.kitchen)
    assert below.node_ids == ("kitchen", "deep")
    assert (await world.memory.query_nodes(domains=[world.home])).node_ids == ()


@pytest.mark.parametrize(
    ("how", "question"),
    [("children", f"What of the {SECRET}?"), ("named", "Which carpenter has oak shelves in the kitchen?")],
)
async def test_nothing_of_a_domain_that_was_not_named_is_in_any_reply(world: World, question: str, how: str) -> None:
    where: dict[str, Any] = {"include_children": True, "domain": world.home}
    if how == "named":
        where = {"domains": [world.home, world.kitchen, world.garden, world.deep]}
    recall = world.memory.recall
    replies = [
        await recall.search_memories(question, traversal_depth=3, include_relevance_explanation=True, **where),
        await recall.search_memories(question, search_mode="lexical", **where),
        await recall.search_memories(question, search_mode="semantic", **where),
        await recall.hybrid_search(question, max_tokens=300, **where),
        await recall.recall(question, **where),
        await recall.recall(question, depth="deep", as_="structured", **where),
        await recall.recall(depth="shallow", **where),
        await recall.memory_context("deep", **where),
        await recall.memory_query(question, **where),
        await world.memory.query_nodes(**where),
        await world.memory.query_nodes(type="Secret", properties={"rank": 1}, **where),
    ]
    for reply in replies:
        text = json.dumps(reply.to_dict(), ensure_ascii=False)
        assert world.aside not in text
        assert SECRET not in text.replace(question, "")
        assert "Secret" not in text or reply is replies[-1]


async def test_pages_of_a_query_go_from_domain_to_domain(shared_memory: Memory, domain: str) -> None:
    world = await World(shared_memory, domain).fill()
    for number in range(5):
        await world.memory.create_node("Note", "x", id=f"k{number}", domain=world.kitchen)
    requests = [world.garden, world.kitchen, world.home, world.deep]
    pairs = [(node.domain, node.id) for node in (await world.memory.query_nodes(domains=requests)).nodes or ()]
    assert [domain for domain, _ in pairs] == [world.garden, *[world.kitchen] * 6, world.deep]
    for limit in (1, 4, 9):
        pages: list[tuple[str | None, str]] = []
        cursor = None
        while True:
            page = await world.memory.query_nodes(domains=requests, limit=limit, cursor=cursor)
            pages += [(node.domain, node.id) for node in page.nodes or ()]
            assert len(page.node_ids) <= limit
            if (cursor := page.next_cursor) is None:
                break
        assert pages == pairs
    page = await world.memory.query_nodes(domains=requests, limit=3)
    for changed in ([world.kitchen, world.garden, world.home, world.deep], requests[1:], [requests[0], *requests[2:]]):
        await error_of(world.memory.query_nodes(domains=changed, cursor=page.next_cursor))
    rest = await world.memory.query_nodes(domains=[*requests[:2], world.deep, world.home], cursor=page.next_cursor)
    assert [node.id for node in rest.nodes or ()] == [node for _, node in pairs[3:]]
    for wrong in ("after:k1", "in:nowhere::", f"in:{world.aside}::", "in:x", f"in:{world.kitchen}:nonsense"):
        await error_of(world.memory.query_nodes(domains=requests, cursor=wrong))


async def test_a_recall_of_several_domains_fits_its_budget_and_tells_where(world: World) -> None:
    recall = world.memory.recall
    for most, form in ((60, "prose"), (100, "structured"), (500, "prose"), (2_000, "structured")):
        result = await recall.recall(
            "carpenter of the oak shelves", max_tokens=most, as_=form, include_children=True, domain=world.home
        )
        text = result.content if isinstance(result.content, str) else json.dumps(result.content, ensure_ascii=False)
        assert result.tokens_used == (tokens_of_text(text) if result.domains else 0)
        assert result.tokens_used <= most
    result = await recall.recall("carpenter of the oak shelves", include_children=True, domain=world.home)
    assert result.domains is not None
    assert result.domains[0] == world.kitchen
    assert f"In domain {world.kitchen}:\n" in str(result.content)
    answer = await recall.memory_query("Which carpenter?", include_children=True, domain=world.home)
    assert answer.why.startswith("medium")
    focused = await recall.recall(focus=["garden"], domains=[world.kitchen, world.garden])
    assert focused.domains == (world.garden,)
    await error_of(recall.recall(focus=["nobody"], domains=[world.kitchen, world.garden]), Code.NODE_NOT_FOUND)


async def test_a_search_of_several_fits_its_budget(world: World) -> None:
    for most in (100, 150, 300, 1_000):
        result = await world.memory.recall.search_memories(
            "carpenter", max_tokens=most, include_children=True, domain=world.home
        )
        assert result.tokens is not None
        assert tokens_of([result]) <= most


@for_rows(
    ("arguments", "code"),
    [
        ({"domains": []}, Code.INVALID_ARGUMENT),
        ({"domains": "home"}, Code.INVALID_ARGUMENT),
        ({"domains": [3]}, Code.INVALID_ARGUMENT),
        ({"domains": ["not a name"]}, Code.INVALID_ARGUMENT),
        ({"domains": ["a"], "domain": "b"}, Code.INVALID_ARGUMENT),
        ({"domains": [f"d{number}" for number in range(101)]}, Code.INVALID_ARGUMENT),
        ({"domains": ["there-is-no-such-domain"]}, Code.ONTOLOGY_NOT_FOUND),
        ({"domain": "there-is-no-such-domain", "include_children": True}, Code.ONTOLOGY_NOT_FOUND),
    ],
)
async def test_what_names_no_domains_is_refused(shared_memory: Memory, arguments: dict[str, Any], code: Code) -> None:
    await error_of(shared_memory.query_nodes(**arguments), code)
    await error_of(shared_memory.recall.search_memories("x", **arguments), code)
    await error_of(shared_memory.recall.recall("x", **arguments), code)
    await error_of(shared_memory.recall.memory_query("x", **arguments), code)


async def test_what_only_one_domain_can_answer_is_refused_of_several(world: World) -> None:
    recall, both = world.memory.recall, [world.kitchen, world.garden]
    await error_of(recall.search_memories("oak", domains=both, as_of=2))
    await error_of(recall.recall("oak", domains=both, as_of="2"))
    await error_of(recall.search_memories("oak", domains=both, cursor="search:1:100:10"))
    assert (await recall.search_memories("oak", domains=both, as_of="now")).hits
