"""Recall in a filled memory: its depths, what it begins with, times, the past, and what it says of what is missing."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import get_args
from uuid import uuid4

import pytest

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.domains.lineage import BEFORE_ALL
from graph_memory.memory.recall import recall_queries
from graph_memory.memory.recall.recall import SUMMARIES
from graph_memory.memory.recall.recall_queries import MAX_CONNECTIONS_READ
from graph_memory.memory.recall.results import Depth, Form
from graph_memory.memory.search.request import Filters
from graph_memory.memory.search.search import scope_of
from graph_memory.memory.search.token_budget import load_counter
from graph_memory.memory.traversal import frontier
from graph_memory.model.text.wording import format_day
from graph_memory.storage.log.writing import utc_now
from integration.search.fakes import Fake, with_embedder
from support import last, observe
from tables import for_rows

pytestmark = pytest.mark.anyio

ONTOLOGY = {
    "node_types": ["Note", "Person", "Company", "Question", "Tag"],
    "connection_types": [
        {"name": "WorksAt", "from": ["Person"], "to": ["Company"]},
        {"name": "About", "from": ["*"], "to": ["*"]},
    ],
}


@dataclass(frozen=True)
class House:
    """A memory of a house, and a number of its log before the terrace became dearer and the fence was dropped."""

    memory: Memory
    before: int


@pytest.fixture(scope="module")
async def house(shared_memory: Memory) -> House:
    memory = shared_memory.in_domain(f"house-{uuid4().hex}")
    await memory.create_ontology(ontology_from(ONTOLOGY))
    await memory.create_node("Person", "She plays the cello.", id="anna", title="Anna Lee", properties={"age": 41})
    await memory.create_node("Company", "It makes rockets.", id="acme", title="Acme")
    await memory.create_node("Note", "# Terrace\n\nLarch. It costs 5k.", id="terrace", path="/garden", tags=["wood"])
    await memory.create_node("Note", "We could paint the fence.", id="fence", path="/garden")
    await memory.create_node("Question", "Who pays for the larch?", id="open")
    await memory.create_node("Question", "Who is the carpenter?", id="closed", properties={"status": "answered"})
    await memory.create_node("Note", "We moved into the house.", id="move", title="The move")
    await memory.set_validity("move", valid_from="2020-05-01")
    await memory.create_node("Note", "The stove was bought second-hand.", id="stove")
    await memory.set_validity("stove", valid_from="2019-02-01")
    await memory.create_node("Note", "A new boiler was fitted for the stove pipe.", id="boiler")
    await memory.set_validity("boiler", valid_from="2021-02-01")
    await memory.create_connection("About", "terrace", "anna")
    works = await memory.create_connection("WorksAt", "anna", "acme")
    await memory.set_validity(works.connection_id, valid_to="2023-12-31")
    await observe(memory, memory._domain(None), "anna")
    before = await last(memory)
    await memory.update_node("terrace", content="# Terrace\n\nLarch. It costs 9k.", encoding="utf-8")
    await memory.delete_node("fence")
    await memory.upkeep.reindex(anew=False)
    return House(memory, before)


async def recall_text(house: House, query: str | None = None, **arguments: object) -> str:
    result = await house.memory.recall.recall(query, **arguments)  # pyright: ignore[reportArgumentType]
    assert isinstance(result.content, str)
    assert result.tokens_used == load_counter()(result.content)
    return result.content


async def test_a_connection_can_be_named_to_begin_with_it_and_its_ends(house: House):
    [link] = (await house.memory.query_connections(from_node_id="anna")).connection_ids
    text = await recall_text(house, focus=[link])
    assert "Anna Lee" in text
    assert "Acme" in text
    assert text.count("works at") == 1
    with pytest.raises(GraphError) as refused:
        await house.memory.recall.recall(focus=["con_nothing"])
    assert refused.value.code is Code.NODE_NOT_FOUND


async def test_a_node_without_a_title_is_called_by_a_property(house: House):
    memory = house.memory
    text = (await memory.create_node("Tag", "", properties={"code": "x-17", "count": 3})).node_id
    await memory.create_connection("About", text, "move")
    assert "x-17" in await recall_text(house, focus=["move"])
    walk = await memory.recall.traverse_memories("move", edge_filter={"types": ["About"]})
    assert [node.title for node in walk.nodes] == ["The move", "x-17"]
    neighbors = await memory.recall.get_neighbors(text)
    assert neighbors.node.title == "x-17"
    await memory.delete_node(text)


@pytest.mark.parametrize(
    ("weight", "text"),
    [
        ("nosuch", "nosuch"),
        ("weight + properties.nosuch", "nosuch"),
        ("1 / 0", "weight is 0 for every connection"),
        ("weight", ""),
    ],
)
async def test_a_weight_that_says_nothing_is_warned_of(house: House, weight: str, text: str):
    walk = await house.memory.recall.traverse_memories("anna", weight=weight)
    assert len(walk.nodes) > 1
    assert bool(walk.warnings) == bool(text)
    assert text in str(walk.warnings)


async def test_before_the_first_write_there_is_nothing(house: House):
    recall = house.memory.recall
    for point in (0, "2001-01-01"):
        for result in (
            await recall.recall("terrace today", as_of=point),
            await recall.recall(depth="shallow", as_of=point),
        ):
            assert result.warnings == (BEFORE_ALL,)
        searched = await recall.search_memories("terrace", as_of=point)
        assert (searched.hits, searched.warnings) == ((), (BEFORE_ALL,))
        for read in (
            (await house.memory.history.as_of(point)).get_node("anna"),
            recall.traverse_memories("anna", as_of=point),
            recall.find_path("anna", "acme", as_of=point),
            recall.get_neighbors("anna", as_of=point),
            recall.recall(focus=["anna"], as_of=point),
        ):
            with pytest.raises(GraphError) as refused:
                await read
            assert refused.value.code is Code.NODE_NOT_FOUND
            assert BEFORE_ALL in str(refused.value.details["hint"])


async def test_medium_tells_what_is_found_and_what_it_is_connected_to(house: House):
    result = await house.memory.recall.recall("How much is the terrace?", limit=1)
    assert result.depth == "medium"
    assert str(result.content).splitlines()[1:6] == [
        'In "/garden" (Note, today):',
        '- "Terrace" (tags "wood"): "Larch. It costs 9k."',
        f'  about "Anna Lee" (Person) (since {format_day(utc_now())})',
        "Elsewhere:",
        '- "Anna Lee" (Person, today, age 41): "She plays the cello."',
    ]
    assert 'works at "Acme" (Company) (until 31 December 2023)' in await recall_text(house, focus=["anna"])


async def test_deep_follows_connections_and_medium_does_not(house: House):
    assert "rockets" in await recall_text(house, "terrace", limit=1, depth="deep")
    assert "rockets" not in await recall_text(house, "terrace", limit=1)


async def test_shallow_tells_what_there_is_what_is_new_and_what_is_open(house: House):
    lines = (await recall_text(house, depth="shallow")).splitlines()
    assert lines[1] == "This memory holds: 4 Note, 2 Question, 1 Company, 1 Person."
    assert lines[2:4] == ["Changed last:", '- "Terrace" (Note, today)']
    assert lines[-2:] == ["Open questions:", '- "Who pays for the larch?" (Question, today)']
    assert '- "Terrace" (Note, today)' in (await recall_text(house, "larch", depth="shallow")).split("Found:")[1]


async def test_without_a_query_it_begins_with_what_changed_last(house: House):
    result = await house.memory.recall.memory_context("medium")
    assert '- "Terrace": "Larch. It costs 9k."' in str(result.content).replace(' (tags "wood")', "")
    assert result.mode is None


async def test_deep_without_a_query_tells_the_whole_memory_within_the_tokens(shared_memory: Memory):
    memory = shared_memory.in_domain(f"whole-{uuid4().hex}")
    await memory.create_ontology(ontology_from(ONTOLOGY))
    nodes = [f"n{number:03}" for number in range(150)]
    await memory.execute_batch([{"op": "create_node", "type": "Tag", "content": node, "id": node} for node in nodes])
    await memory.execute_batch(
        [
            {"op": "create_connection", "type": "About", "from_node_id": earlier, "to_node_id": other}
            for earlier, other in pairwise(nodes[:10])
        ]
    )
    full = await last(memory)
    await memory.execute_batch([{"op": "delete_node", "node_id": node} for node in nodes[20:]])
    tokens = load_counter()(str((await memory.recall.recall(depth="deep", max_tokens=5_000, as_of=full)).content))
    assert 100 < tokens <= 5_000
    for as_of, current in ((full, nodes), (None, nodes[:20])):
        for as_ in ("prose", "structured"):
            result = await memory.recall.recall(depth="deep", max_tokens=20_000, as_of=as_of, as_=as_)
            text = str(result.content)
            assert [name for name in current if name not in text] == []
            assert (result.left_out, result.warnings) == (None, None)
            assert text.count("about" if as_ == "prose" else "'About'") >= 9
    few = await memory.recall.recall(depth="deep", max_tokens=400, as_of=full)
    assert few.tokens_used <= 400
    [warning] = few.warnings or ()
    assert warning.startswith("Only 50 nodes were read, ")


async def test_focus_takes_names_titles_and_ids(house: House):
    for name in ("Anna Lee", "anna lee", "anna"):
        assert (await recall_text(house, focus=[name])).splitlines()[1].startswith('- "Anna Lee" (Person')
    assert (
        (await recall_text(house, focus=["We moved into the house.", "The move"]))
        .splitlines()[1]
        .startswith('- "The move"')
    )
    result = await house.memory.recall.recall(focus=["anna", "Nobody"])
    assert result.warnings == ('No node is named "Nobody".',)
    with pytest.raises(GraphError) as caught:
        await house.memory.recall.recall(focus=["Nobody"])
    assert caught.value.code is Code.NODE_NOT_FOUND


async def test_a_structured_recall_has_ids_and_connections_within_its_tokens(house: House):
    result = await house.memory.recall.recall("terrace", as_="structured", limit=1)
    assert isinstance(result.content, dict)
    assert [item["id"] for item in result.content["things"]] == ["terrace", "anna"]
    about = next(connection for connection in result.content["connections"] if connection["type"] == "About")
    assert (about["from_id"], about["to"]) == ("terrace", "Anna Lee")
    assert result.tokens_used <= 2_000


async def test_what_was_observed_is_told_with_its_time(house: House):
    content = await recall_text(house, focus=["anna"], query="Anna")
    assert "observed" in content


async def test_what_was_observed_and_holds_is_told_where_nothing_is_asked(memory: Memory):
    entities = memory.entities
    await entities.remember(name="Ben", observations=[f"owns thing {number}" for number in range(9)])
    await entities.remember(name="Ben", observations=["lives in Leeds"])
    result = await entities.remember(name="Ben", observations=["lives in York"], replaces="lives in Leeds")
    for content in (
        (await memory.recall.recall(focus=["Ben"])).content,
        (await memory.recall.recall(depth="deep")).content,
        (await memory.recall.recall()).content,
        (await memory.recall.recall(as_="structured")).content,
    ):
        assert "lives in York" in str(content)
        assert "Leeds" not in str(content)
        assert str(content).count("owns thing") == 9
    before = (await memory.recall.recall(focus=["Ben"], as_of=(result.since or 0) - 1)).content
    assert '"lives in Leeds"' in str(before)
    assert "York" not in str(before)
    assert "observed" not in str((await memory.recall.recall(depth="shallow")).content)


TOPICS = ("old clocks", "tea", "maps", "boots", "lamps")
HOME = "She moved to Lindau in June."
HABITS = [
    f"She {verb} {text}." for verb in ("likes", "collects", "avoids", "mends", "sells", "paints") for text in TOPICS
]


class Homes(Fake):
    """An embedder to which living somewhere means what moving there does, and nothing else anything."""

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.1, 0.0] if re.search("live|moved", text) else [0.0, 0.1, 1.0] for text in texts]

    async def query(self, text: str) -> list[float]:
        return (await self.passages([text]))[0]


@pytest.fixture(scope="module")
async def vera(shared_memory: Memory) -> Memory:
    """A memory of a person with 31 observations, and of people related to her."""
    memory = with_embedder(shared_memory.in_domain(f"vera-{uuid4().hex}"), Homes())
    facts = [*HABITS[:15], HOME, *HABITS[15:]]
    await memory.entities.remember(name="Vera Lang", type="person", aliases=["Vera"], observations=facts)
    for number in range(12):
        name, results = f"Shop {number}", [f"Vera bought thing {number}-{index} there." for index in range(4)]
        await memory.entities.remember(name=name, type="shop", observations=results)
        await memory.acting_as("agent", f"session {number}").entities.session_end(f"Vera talked about shop {number}.")
    await memory.upkeep.reindex(anew=False)
    return memory


@pytest.mark.parametrize("as_", ["prose", "structured"])
async def test_of_whom_a_question_names_what_fits_comes_first_and_then_the_rest(vera: Memory, as_: Form):
    result = await vera.recall.recall("Where does Vera live?", as_=as_)
    content = str(result.content)
    places = [content.find(text) for text in (HOME, *HABITS)]
    assert min(places) > 0
    assert places[0] == min(places)
    assert content.find("Vera talked") not in range(max(places))
    assert result.tokens_used <= 2_000


@pytest.mark.parametrize("as_", ["prose", "structured"])
async def test_what_there_is_no_room_for_is_told_with_a_call_that_gets_it(vera: Memory, as_: Form):
    result = await vera.recall.recall("Where does Vera live?", max_tokens=300, as_=as_)
    content = str(result.content)
    assert result.tokens_used <= 300
    assert HOME in content
    count = sum(habit in content for habit in HABITS)
    assert count < 30
    assert re.search(rf"\b{30 - count} more observations|'more_observations': {30 - count}\b", content)
    assert result.shortened
    [names, tokens] = re.findall(r"focus (\[.*?\]) and max_tokens (\d+)", result.how_to_get or "")[0]
    rest = await vera.recall.recall(focus=json.loads(names), max_tokens=int(tokens), as_=as_)
    assert all(text in str(rest.content) for text in (HOME, *HABITS))
    assert rest.tokens_used <= int(tokens)


async def test_an_overview_names_no_sessions_but_the_last_ones(vera: Memory):
    content = str((await vera.recall.recall(depth="shallow", max_tokens=2_000)).content)
    assert content.count("SessionSummary") == SUMMARIES
    assert f'"Session session 11" (SessionSummary, as of {format_day(utc_now())}' in content
    counts = next(line for line in content.splitlines() if line.startswith("This memory holds:"))
    assert counts == "This memory holds: 12 shop, 1 person."


@pytest.mark.parametrize(
    ("query", "has", "lacks"),
    [
        ("What did we do with the stove before the move?", "second-hand", "boiler"),
        ("What was fitted for the stove after the move?", "boiler", "second-hand"),
        ("stove in 2019", "second-hand", "boiler"),
    ],
)
async def test_a_time_in_the_query_narrows_it(house: House, query: str, has: str, lacks: str):
    result = await house.memory.recall.recall(query, max_tokens=90)
    assert has in str(result.content)
    first = str(result.content).splitlines()[1]
    assert has in first
    assert lacks not in first
    assert result.period


@pytest.fixture(scope="module")
async def garden(shared_memory: Memory) -> Memory:
    """A memory of twelve notes of May 2023 and one of March 2025, all about the garden and written today."""
    memory = shared_memory.in_domain(f"garden-{uuid4().hex}")
    await memory.create_ontology(ontology_from(ONTOLOGY))
    await memory.create_node("Tag", "The garden behind the house.", id="garden", title="Garden")
    for number in range(13):
        text = f"We planted bed {number} of the garden." if number < 12 else "We drained a corner of the garden."
        await memory.create_node("Note", text, id=f"bed{number}")
        await memory.set_validity(f"bed{number}", valid_from="2023-05-02" if number < 12 else "2025-03-05")
        await memory.create_connection("About", f"bed{number}", "garden")
    await memory.upkeep.reindex(anew=False)
    return memory


@for_rows("depth", ["shallow", "medium", "deep"])
@for_rows(
    "query",
    [
        "garden in March 2025",
        "garden between January and July 2025",
        "what was I working on in March 2025",
        "garden since 2024 before 2026",
    ],
)
async def test_what_is_of_the_time_comes_alone(garden: Memory, query: str, depth: Depth):
    result = await garden.recall.recall(query, depth=depth)
    assert "drained" in str(result.content)
    assert "planted" not in str(result.content)
    assert (result.period is None, result.warnings, result.left_out) == (False, None, None)


async def test_a_connection_belongs_to_a_time_as_a_node_does(shared_memory: Memory):
    memory = shared_memory.in_domain(f"linked-{uuid4().hex}")
    await memory.create_ontology(ontology_from(ONTOLOGY))
    for node in ("a", "b"):
        await memory.create_node("Note", f"This is {node} of the garden.", id=node)
        await memory.set_validity(node, valid_from="2020-01-01")
    link = await memory.create_connection("About", "a", "b", content="The path through the garden.")
    await memory.set_validity(link.connection_id, valid_from="2025-03-05")
    await memory.upkeep.reindex(anew=False)
    content = str((await memory.recall.recall("garden in March 2025")).content)
    assert "The path through" in content
    assert len(content.splitlines()) == 2


async def test_a_time_alone_lists_what_changed_then(house: House):
    result = await house.memory.recall.recall("what was I working on today?")
    assert '- "Terrace"' in str(result.content)
    assert '"Anna Lee"' in str(result.content)
    none = await house.memory.recall.recall("what was I working on in 2001?")
    assert none.warnings


async def test_a_time_of_which_nothing_is_found_is_said_and_passed_over(house: House):
    result = await house.memory.recall.recall("the terrace in 1999")
    assert '"Terrace"' in str(result.content)
    assert result.period == "from 1999-01-01 00:00 until 2000-01-01 00:00 (UTC)"
    assert result.warnings == ("No result is from that time, so results from all times are shown.",)


async def test_a_context_puts_first_what_is_like_it(house: House):
    plain = (await recall_text(house, "house")).splitlines()
    assert not plain[1].startswith('In "/garden"')
    lines = (
        await recall_text(house, "house", context={"tags": ["wood"], "path": "/garden", "types": ["Note"]})
    ).splitlines()
    assert any('"Terrace"' in line for line in lines)
    with pytest.raises(GraphError) as caught:
        await house.memory.recall.recall("house", context={"txt": "x"})
    assert caught.value.code is Code.INVALID_ARGUMENT
    await recall_text(house, "house", context={"text": '"unclosed AND ( title:*', "session": "none"})


async def test_a_context_without_a_query_puts_first_what_is_like_it(memory: Memory):
    await memory.create_ontology(ontology_from(ONTOLOGY))
    await memory.create_node(
        "Person", "She plays the cello.", id="anna", title="Anna Lee", tags=["wood"], path="/garden"
    )
    for number in range(4):
        await memory.create_node("Note", f"This is note {number}.")
    contexts = [{"tags": ["wood"]}, {"path": "/garden"}, {"types": ["Person"]}, {"text": "who plays the cello"}]
    for depth in get_args(Depth):
        plain = str((await memory.recall.recall(depth=depth)).content)
        assert plain.index("note 3") < plain.index("Anna Lee")
        for context in contexts:
            favoured = str((await memory.recall.recall(depth=depth, context=context)).content)
            assert favoured.index("Anna Lee") < favoured.index("note 3"), (depth, context)


async def test_a_title_is_named_in_either_form_of_unicode(shared_memory: Memory):
    memory = shared_memory.in_domain(f"forms-{uuid4().hex}")
    await memory.create_ontology(ontology_from(ONTOLOGY))
    for form in ("NFC", "NFD"):
        title = unicodedata.normalize(form, f"Café Zürich {form}")
        await memory.create_node("Company", form, title=title)
        for text in ("NFC", "NFD"):
            result = await memory.recall.recall(focus=[unicodedata.normalize(text, title)])
            assert (result.warnings, form in str(result.content).splitlines()[1]) == (None, True)


@for_rows("arguments", [{}, {"focus": ["Anna"]}, {"as_of": "yesterday"}, {"as_": "structured"}])
@for_rows("max_tokens", [50, 1_000])
async def test_a_domain_that_does_not_exist_gives_the_guide_or_a_sentence(
    shared_memory: Memory, arguments: dict[str, object], max_tokens: int
):
    memory = shared_memory.in_domain(f"none-{uuid4().hex}")
    result = await memory.recall.recall("terrace", max_tokens=max_tokens, **arguments)  # pyright: ignore[reportArgumentType]
    assert str(result.content).removeprefix("{'guide': '").startswith("This memory is empty")
    assert 10 < result.tokens_used <= max_tokens
    assert "does not exist" in str(result.warnings)


async def test_the_past_is_told_as_it_was(house: House):
    content = await recall_text(house, "terrace fence", as_of=house.before)
    assert "It costs 5k." in content
    assert "paint the fence" in content
    assert 'about "Anna Lee" (Person)' in content
    assert "paint the fence" not in await recall_text(house, "terrace fence")
    assert "paint the fence" in await recall_text(house, as_of=house.before, depth="shallow")


async def test_what_is_left_out_is_counted_with_how_to_get_it(house: House):
    result = await house.memory.recall.recall("terrace", max_tokens=50)
    assert result.left_out
    assert "max_tokens" in (result.how_to_get or "")


@pytest.mark.parametrize("as_", ["prose", "structured"])
async def test_an_overview_counts_what_it_has_no_room_to_name(house: House, as_: Form):
    result = await house.memory.recall.recall(depth="shallow", max_tokens=70, as_=as_)
    assert result.left_out
    assert "max_tokens" in (result.how_to_get or "")
    assert (await house.memory.recall.recall(depth="shallow", max_tokens=5_000, as_=as_)).left_out is None


@pytest.mark.parametrize("depth", ["shallow", "medium", "deep"])
async def test_the_first_year_is_a_time_like_any_other(house: House, depth: Depth):
    result = await house.memory.recall.recall("What happened since 0001?", depth=depth)
    assert "Terrace" in str(result.content)


async def test_an_erased_connection_is_not_told_of_as_changed(shared_memory: Memory):
    memory = shared_memory.in_domain(f"erased-{uuid4().hex}")
    await memory.create_ontology(ontology_from(ONTOLOGY))
    for node in ("a", "b"):
        await memory.create_node("Note", f"This is {node}.", id=node)
    made = await memory.create_connection("About", "a", "b")
    await memory.delete_connection(made.connection_id)
    await memory.history.erase(made.connection_id)
    for _ in range(2):
        await memory.get_node("a")
    assert await recall_queries.read_recently_changed(
        await scope_of(memory._core, memory._domain(None), Filters(), None), 10
    ) == [
        "b",
        "a",
    ]
    assert "This is a." in str((await memory.recall.recall(depth="shallow")).content)


async def test_what_changed_after_a_compaction_is_not_told_of_a_time_before_it(shared_memory: Memory, tmp_path: Path):
    memory = shared_memory.in_domain(f"compacted-{uuid4().hex}")
    await memory.create_ontology(ontology_from(ONTOLOGY))
    await memory.create_node("Note", "It is new.", id="a")
    await memory.history.compact(await last(memory), archive=tmp_path / "a.gz")
    await memory.update_node("a", title="It is newer")
    await memory.upkeep.reindex(anew=False)
    result = await memory.recall.recall("What happened yesterday?")
    assert result.period
    assert result.warnings == ("No result is from that time, so results from all times are shown.",)


async def test_a_node_of_many_connections_is_told_of_with_a_few(house: House, monkeypatch: pytest.MonkeyPatch):
    memory = house.memory
    nodes = [
        {"op": "create_node", "type": "Tag", "content": f"tag {n}", "id": f"tag{n}"}
        for n in range(MAX_CONNECTIONS_READ + 9)
    ]
    await memory.execute_batch([*nodes, {"op": "create_node", "type": "Tag", "content": "hub", "id": "hub"}])
    made = {"op": "create_connection", "type": "About", "from_node_id": "hub"}
    await memory.execute_batch([{**made, "to_node_id": f"tag{n}"} for n in range(MAX_CONNECTIONS_READ + 9)])
    content = await recall_text(house, focus=["hub"], max_tokens=200)
    assert content.count("about") >= 3
    assert (await memory.recall.get_neighbors("hub", limit=5)).warnings is None
    monkeypatch.setattr(frontier, "MAX_WEIGHED", MAX_CONNECTIONS_READ)
    monkeypatch.setattr(frontier, "MAX_CHANGES", MAX_CONNECTIONS_READ)
    [warning] = (await memory.recall.get_neighbors("hub", limit=5)).warnings or ()
    assert warning.startswith("hub has very many connections")
    monkeypatch.undo()
    whole = await memory.recall.recall(focus=["hub"], depth="deep")
    assert [n for n in range(MAX_CONNECTIONS_READ + 9) if f'tag {n}"' not in str(whole.content)] == []
    assert whole.warnings is None
    part = await memory.recall.recall(focus=["hub"], depth="deep", max_tokens=488)
    assert part.left_out
    assert part.warnings == (
        f'Of about {MAX_CONNECTIONS_READ + 9} connections of "hub", only the 61 strongest were read. '
        "List others with get_neighbors or query_connections.",
    )


@for_rows(
    ("arguments", "argument"),
    [
        ({"depth": "deeper"}, "depth"),
        ({"as_": "verse"}, "as"),
        ({"max_tokens": 49}, "max_tokens"),
        ({"max_tokens": True}, "max_tokens"),
        ({"limit": 0}, "limit"),
        ({"query": " "}, "query"),
        ({"focus": "anna"}, "focus"),
        ({"focus": [""]}, "focus"),
        ({"focus": ["one"] * 51}, "focus"),
        ({"context": {"types": "Note"}}, "context.types"),
        ({"context": {"text": "x" * 200_000}}, "context.text"),
        ({"context": {"path": 5}}, "context.path"),
        ({"query": "half \ud83d"}, "query"),
        ({"focus": ["half \ud83d"]}, "focus"),
        ({"valid_at": "someday"}, "valid_at"),
    ],
)
async def test_what_is_no_recall_is_refused(house: House, arguments: dict[str, object], argument: str):
    with pytest.raises(GraphError) as caught:
        await house.memory.recall.recall(**arguments)  # pyright: ignore[reportArgumentType]
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert caught.value.details["argument"] == argument
    if argument.startswith(("focus", "context")):
        assert argument in caught.value.message


async def test_a_question_is_answered_as_deep_as_it_asks_for(house: House):
    result = await house.memory.recall.memory_query("How are Anna and Acme connected?", max_tokens=300)
    assert result.depth == "deep"
    assert result.why.startswith("deep")
    assert result.tokens_used <= 300
