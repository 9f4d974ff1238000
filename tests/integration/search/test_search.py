"""Searching: modes, reasons, passages, moments, pages, and what is refused."""

from __future__ import annotations

from functools import partial
from math import fsum
from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.embedding import EmbeddingUnavailable
from graph_memory.memory.search.index.index import catch_up, index_words
from graph_memory.memory.search.request import Filters
from graph_memory.memory.search.results import Hit, SearchResult
from graph_memory.memory.search.retrieval import node_filter as members
from graph_memory.memory.search.retrieval.retrieval import Scope, find_names
from graph_memory.memory.search.token_budget import tokens_of
from profiles import some
from support import last
from tables import for_rows

pytestmark = pytest.mark.anyio

ONTOLOGY = {
    "node_types": ["Note", "Person"],
    "connection_types": [
        {"name": "About", "from": ["*"], "to": ["*"]},
        {"name": "contradicts", "from": ["*"], "to": ["*"], "symmetric": True},
    ],
}
MODES = ("lexical", "semantic", "hybrid")


@pytest.fixture
async def fill(memory: Memory) -> Memory:
    await memory.create_ontology(ontology_from(ONTOLOGY))
    await memory.create_node("Note", "The committee met in Oslo and chose Ann Lee as its chair.", id="meeting")
    await memory.create_node("Person", "She plays the cello and lives by the sea.", id="ann", title="Ann Lee")
    await memory.create_node("Note", "Bread needs flour, water, salt and time.", id="bread", tags=["food"])
    await memory.create_node("Note", "A puppy wants to be fed three times a day.", id="puppy")
    return memory


def ids(result: SearchResult) -> list[str]:
    return [hit.id for hit in result.hits]


def hit_of(result: SearchResult, name: str) -> Hit:
    return next(hit for hit in result.hits if hit.id == name)


async def error_of(memory: Memory, query: str = "bread", **arguments: Any) -> GraphError:
    with pytest.raises(GraphError) as caught:
        await memory.recall.search_memories(**{"query": query, **arguments})
    assert caught.value.code is Code.INVALID_ARGUMENT
    return caught.value


async def test_what_was_just_written_is_found_by_its_words(fill: Memory) -> None:
    result = await fill.recall.search_memories("flour and salt", search_mode="lexical")
    assert (ids(result)[0], result.mode, result.not_covered) == ("bread", "lexical", None)
    assert "flour" in result.hits[0].why
    assert result.hits[0].type == "Note"


async def test_meaning_is_found_without_a_word_in_common(fill: Memory) -> None:
    result = await fill.recall.search_semantic("looking after a young dog")
    assert (ids(result)[0], result.mode) == ("puppy", "semantic")
    distances = [hit.distance for hit in result.hits if hit.distance is not None]
    assert len(distances) == len(result.hits)
    assert distances == sorted(distances)
    assert result.hits[0].score == pytest.approx(1 - distances[0], abs=1e-5)


async def test_a_vector_finds_what_its_text_finds(fill: Memory) -> None:
    embedder = fill._core.embedder
    assert embedder is not None
    vector = await embedder.query("looking after a young dog")
    by_text = await fill.recall.search_semantic("looking after a young dog", types=["Note"])
    by_vector = await fill.recall.search_by_vector(vector, types=["Note"])
    assert ids(by_vector) == ids(by_text)
    assert "ann" not in ids(by_vector)
    with pytest.raises(GraphError) as caught:
        await fill.recall.search_by_vector([1.0, 2.0])
    assert caught.value.code is Code.INVALID_ARGUMENT


async def test_a_hit_brings_in_whom_its_text_mentions(fill: Memory) -> None:
    result = await fill.recall.hybrid_search(
        "Who was chosen at the meeting in Oslo?", include_relevance_explanation=True
    )
    assert set(ids(result)[:2]) == {"meeting", "ann"}
    assert "mentions it" in hit_of(result, "ann").why
    hop = next(part for part in hit_of(result, "ann").explanation or () if part.name == "hop")
    assert hop.detail["from"] == "meeting"


async def test_a_name_in_the_question_counts(fill: Memory) -> None:
    result = await fill.recall.search_memories("What does Ann Lee do?", include_relevance_explanation=True)
    assert ids(result)[0] == "ann"
    assert any(part.name == "name" for part in result.hits[0].explanation or ())


@pytest.mark.parametrize("mode", MODES)
async def test_the_parts_of_a_score_add_up_to_it(fill: Memory, mode: Any) -> None:
    weights = {"title": 2, "tag_weight": 0.5, "edge": 0.3}
    await fill.create_connection("About", "meeting", "ann")
    result = await fill.recall.search_memories(
        "Ann Lee and bread in Oslo", search_mode=mode, weightings=weights, include_relevance_explanation=True
    )
    assert result.hits
    for hit in result.hits:
        assert hit.explanation
        assert hit.score == pytest.approx(fsum(part.value for part in hit.explanation), abs=1e-9)


async def test_the_passage_is_cut_around_the_match_and_its_range_leads_to_it(fill: Memory) -> None:
    text = "# Journal\n\n" + " ".join(f"On day {day} nothing much happened." for day in range(60))
    text += " Then a walrus came ashore. " + " ".join(f"On night {day} it was quiet." for day in range(60))
    await fill.create_node("Note", text, id="journal")
    result = await fill.recall.search_memories("walrus", search_mode="lexical")
    hit = result.hits[0]
    assert hit.id == "journal"
    assert hit.passage
    assert hit.range
    assert "walrus" in hit.passage
    assert len(hit.passage) < 420
    assert text[slice(*hit.range)] == hit.passage.strip("…")


@pytest.mark.long
async def test_a_hit_says_what_contradicts_it(fill: Memory) -> None:
    await fill.create_node("Note", "Bread needs no salt at all.", id="saltless")
    link = await fill.create_connection("contradicts", "saltless", "bread")
    now = (await fill.recall.search_memories("bread salt")).hits
    await fill.set_validity(link.connection_id, valid_to="2026-01-01T00:00:00Z")
    for hits in (now, (await fill.recall.search_memories("bread salt", valid_at="2025-06-01")).hits):
        rendered = {hit.id: [other.id for other in hit.contradicted_by or ()] for hit in hits}
        assert (rendered["bread"], rendered["saltless"]) == (["saltless"], ["bread"])
    assert not any(hit.contradicted_by for hit in (await fill.recall.search_memories("bread salt")).hits)


@pytest.mark.long
async def test_connected_nodes_follow_on_request(fill: Memory) -> None:
    await fill.create_node("Note", "Unrelated words entirely.", id="far")
    await fill.create_connection("About", "bread", "puppy")
    await fill.create_connection("About", "puppy", "far")
    result = await fill.recall.search_memories("flour", search_mode="lexical", traversal_depth=1)
    two = await fill.recall.search_memories("flour", search_mode="lexical", traversal_depth=2)
    assert (ids(result), ids(two)) == (["bread", "puppy"], ["bread", "puppy", "far"])
    assert "connected to" in result.hits[1].why
    assert "2 steps away" in two.hits[2].why


async def test_what_several_properties_say_together_is_found(fill: Memory) -> None:
    for name, kind, outcome in (
        ("a", "drugs", "closed"),
        ("b", "drugs", "under investigation"),
        ("c", "theft", "under investigation"),
    ):
        await fill.create_node("Note", "A case.", id=name, properties={"kind": kind, "last_outcome": outcome})
    result = await fill.recall.search_memories("drugs under investigation", search_mode="lexical")
    assert (ids(result)[0], result.hits[0].place) == ("b", "properties")
    assert result.hits[0].passage == "kind: drugs\nlast outcome: under investigation"


async def test_a_connection_is_found_by_its_content(fill: Memory) -> None:
    made = await fill.create_connection("About", "bread", "puppy", content="Crumbs are a treat for a hungry whelp.")
    result = await fill.recall.search_memories("crumbs for a whelp")
    hit = hit_of(result, made.connection_id)
    assert (hit.kind, hit.type) == ("connection", "About")
    assert "→" in hit.title


@pytest.mark.parametrize("mode", some(MODES))
async def test_a_search_as_of_a_moment_finds_what_was_and_not_what_came(fill: Memory, mode: Any) -> None:
    before = await last(fill)
    await catch_up(fill._core, fill._domain(None))
    await fill.update_node("bread", content="Stone soup needs a stone.", encoding="utf-8", title="Soup")
    await fill.delete_node("puppy")
    then = await fill.recall.search_memories("flour or a puppy", search_mode=mode, as_of=before)
    now = await fill.recall.search_memories("flour or a puppy", search_mode=mode)
    assert {"bread", "puppy"} <= set(ids(then))
    assert "puppy" not in ids(now)
    assert hit_of(then, "bread").passage == "Bread needs flour, water, salt and time."
    assert "Soup" not in hit_of(then, "bread").title
    assert all("flour" not in (hit.passage or "") for hit in now.hits)


@pytest.mark.long
async def test_a_branch_is_searched_from_before_its_fork_and_after_it(fill: Memory) -> None:
    before = await last(fill)
    await fill.create_node("Note", "A kite flew over the harbour.", id="kite")
    branch = f"{fill._domain(None)}-b"
    await fill.history.branch(branch)
    await fill.create_node("Note", "A second kite, in the source only.", id="kite2")
    memory = fill.in_domain(branch)
    assert ids(await memory.recall.search_memories("kite", search_mode="lexical")) == ["kite"]
    assert ids(await memory.recall.search_memories("kite", search_mode="lexical", as_of=before)) == []
    assert ids(await memory.recall.search_memories("flour", search_mode="lexical", as_of=before)) == ["bread"]
    [warning] = (await memory.recall.search_memories("kite", as_of=0)).warnings or ()
    assert "before the first write" in warning
    assert (await memory.upkeep.verify()).differences == ()
    await fill.delete_domain(branch)


@pytest.mark.parametrize("mode", some(MODES))
async def test_domains_do_not_see_each_other(fill: Memory, mode: Any) -> None:
    other = fill.in_domain(f"{fill._domain(None)}-o")
    await other.create_ontology(ontology_from(ONTOLOGY))
    await other.create_node("Note", "Bread needs flour, water, salt and time.", id="theirs")
    assert "theirs" not in ids(await fill.recall.search_memories("bread flour", search_mode=mode, max_results=100))
    assert ids(await other.recall.search_memories("bread flour Ann Lee", search_mode=mode)) == ["theirs"]
    lucene = await other.recall.search_memories("*) OR (_text:*", search_mode="lexical", syntax="lucene")
    assert ids(lucene) == ["theirs"]
    await fill.delete_domain(other._domain(None))


async def test_text_of_the_user_is_never_syntax(fill: Memory) -> None:
    operators = ('"', "AND", "NOT", "* ?", "a*", "(", "[a TO b]", "/re/", "\\", "~", "&& || !", "' OR 1=1")
    for query in (*operators, "foo:bar", "_filter:*", "flour^9", "😀"):
        result = await fill.recall.search_memories(query, search_mode="lexical")
        assert set(ids(result)) <= {"meeting", "ann", "bread", "puppy"}, query


async def test_lucene_syntax_is_taken_on_request_and_refused_where_it_is_none(fill: Memory) -> None:
    result = await fill.recall.search_memories("_text:flo* AND NOT puppy", syntax="lucene", search_mode="lexical")
    assert ids(result) == ["bread"]
    for query in (
        "(flour",
        '"flour',
        "flour AND",
        "*:[",
        "a^x",
        ")",
        " OR ".join(f"w{n}" for n in range(1500)),
        "(a " * 3000,
    ):
        assert (await error_of(fill, query, syntax="lucene")).details["argument"] == "query"


async def test_of_very_many_names_in_a_text_the_longest_count(fill: Memory) -> None:
    names = [f"Place {'long ' * (number % 3)}{number}" for number in range(240)]
    await fill.execute_batch(
        [
            {"op": "create_node", "type": "Note", "content": "", "format": "text", "encoding": "utf-8", "title": name}
            for name in names
        ]
    )
    await index_words(fill._core, fill._domain(None))
    domain = fill._domain(None)
    scope = Scope(fill._core, domain, None, await fill.upkeep.index_status(), Filters(), domain)
    results = [row.name for row in await find_names(scope, ", ".join(names))]
    assert len(results) == 200
    assert sorted(results) == sorted(sorted(names, key=lambda name: (-len(name), name.lower()))[:200])


@pytest.mark.parametrize("numbers", [[10**400] * 384, [float("inf")] * 384, [0.0] * 384, [1e-320] * 384])
async def test_a_vector_without_a_direction_is_refused(fill: Memory, numbers: list[float]) -> None:
    with pytest.raises(GraphError) as caught:
        await fill.recall.search_by_vector(numbers)
    assert caught.value.code is Code.INVALID_ARGUMENT


async def test_a_very_long_vector_finds_what_a_short_one_finds(fill: Memory) -> None:
    await fill.recall.search_memories("bread")
    short, long = [await fill.recall.search_by_vector([value] * 384) for value in (1.0, 1e200)]
    assert ids(short) == ids(long) != []


@pytest.mark.long
async def test_a_node_of_very_many_passages_has_them_counted_up_to_where_it_makes_a_difference(fill: Memory) -> None:
    paragraphs = (
        f"Paragraph {number} of the diary. " + f"It rained on day {number} again. " * 18 for number in range(230)
    )
    await fill.create_node("Note", "\n\n".join(paragraphs), id="diary")
    await index_words(fill._core, fill._domain(None))
    result = await fill.recall.search_memories("rained", search_mode="lexical", include_relevance_explanation=True)
    [length] = [part for part in hit_of(result, "diary").explanation or () if part.name == "length"]
    assert length.detail == {"passages": 200}


@for_rows(
    ("arguments", "named"),
    [
        ({"search_mode": "fuzzy"}, "search_mode"),
        ({"syntax": "sql"}, "syntax"),
        ({"weightings": {"boost": 1}}, "weightings"),
        ({"weightings": {"title": -1}}, "weightings"),
        ({"weightings": {"title": True}}, "weightings"),
        ({"weightings": {"title": 1, "title_weight": 2}}, "weightings"),
        ({"filters": {"colour": "red"}}, "filters"),
        ({"filters": {"tags": "red"}}, "tags"),
        ({"filters": {"node_types": [1]}}, "node_types"),
        ({"filters": {"min_edge_count": -1}}, "min_edge_count"),
        ({"filters": {"min_strength": 2}}, "min_strength"),
        ({"filters": {"created_after": "someday"}}, "created_after"),
        ({"filters": {"created_after": "2026-02-01", "created_before": "2026-01-01"}}, "filters"),
        ({"filters": {"path_prefix": 3}}, "filters"),
        ({"filters": {"properties": []}}, "filters"),
        ({"max_results": 0}, "max_results"),
        ({"max_results": 101}, "max_results"),
        ({"max_tokens": 1}, "max_tokens"),
        ({"filters": {"min_edge_count": 10**30}}, "min_edge_count"),
        ({"weightings": {"title": 10**400}}, "weightings"),
        ({"query": "x" * 100_001}, "query"),
        ({"traversal_depth": 4}, "traversal_depth"),
        ({"cursor": "after:x"}, "cursor"),
        ({"cursor": 5}, "cursor"),
        ({"valid_at": "someday"}, "valid_at"),
        ({"as_of": "someday"}, "as_of"),
    ],
)
async def test_what_a_search_cannot_mean_is_refused_by_name(
    fill: Memory, arguments: dict[str, Any], named: str
) -> None:
    error = await error_of(fill, **arguments)
    assert error.details["argument"] == named
    assert error.hint


async def test_a_domain_without_an_ontology_and_an_empty_query_are_refused(memory: Memory) -> None:
    with pytest.raises(GraphError) as caught:
        await memory.recall.search_memories("bread")
    assert caught.value.code is Code.ONTOLOGY_NOT_FOUND
    for blank in ("", " \n", 5):
        await error_of(memory, blank)


async def test_a_type_that_does_not_exist_says_so(fill: Memory) -> None:
    result = await fill.recall.search_memories("bread", filters={"node_types": ["Nota"]})
    assert result.hits == ()
    assert result.warnings
    assert "Nota" in result.warnings[0]


@pytest.mark.long
async def test_pages_give_each_hit_once_while_others_write(fill: Memory) -> None:
    for number in range(30):
        await fill.create_node("Note", f"Apple number {number} is round.", id=f"apple{number:02}")
    await catch_up(fill._core, fill._domain(None), within=120)  # vectors that come meanwhile change the order
    whole = await fill.recall.search_memories("round apple", max_results=100)
    seen: list[str] = []
    cursor = None
    while True:
        page = await fill.recall.search_memories("round apple", max_results=7, cursor=cursor)
        seen += ids(page)
        if (cursor := page.next_cursor) is None:
            break
        await fill.create_node("Note", "Another round apple.")
    assert len(seen) == len(set(seen))
    assert {f"apple{number:02}" for number in range(30)} <= set(seen) == set(ids(whole))


async def test_a_cursor_of_before_everything_or_beyond_it_leads_nowhere(fill: Memory) -> None:
    assert ids(await fill.recall.search_memories("bread", cursor="search:0:100:0")) == []
    assert ids(await fill.recall.search_memories("bread", cursor="search:9999999999999999:9999999:5")) == []


@pytest.mark.long
async def test_a_reply_fits_into_its_tokens_and_leads_to_what_is_left_out(fill: Memory) -> None:
    for number in range(12):
        await fill.create_node(
            "Note", f"Apple {number}. " + "It is red and sweet and grows on trees. " * 8, id=f"a{number:02}"
        )
    search = partial(fill.recall.search_memories, "sweet apple", search_mode="lexical", max_results=12)
    whole, small = await search(), await search(max_tokens=500)
    assert small.tokens is not None
    assert small.tokens <= 500
    assert small.left_out
    assert small.next_cursor
    assert len(small.hits) + small.left_out == len(whole.hits) == 12
    assert len(small.hits[0].passage or "") < len(whole.hits[0].passage or "")
    rest = await fill.recall.search_memories(
        "sweet apple", search_mode="lexical", cursor=small.next_cursor, max_results=12
    )
    assert ids(small) + ids(rest) == ids(whole)


async def test_no_reply_is_longer_than_was_asked_for(fill: Memory) -> None:
    await fill.create_node("Note", "The pie of apples.", id="pie", title="Pie " + "xyzzy " * 40)
    for number in range(5):
        await fill.create_node("Note", f"Apple {number} " + "is sweet and red. " * 20, id=f"a{number}")
        await fill.create_connection("About", "pie", f"a{number}")
    for counts in ({}, {"traversal_depth": 1}, {"include_relevance_explanation": True}):
        search = partial(fill.recall.search_memories, "apple pie", search_mode="lexical", max_results=4, **counts)
        whole = await search()
        for most in (100, 150, 300, 1_000):
            result = await search(max_tokens=most)
            assert result.tokens is not None
            assert tokens_of([result]) <= result.tokens <= most
            assert len(result.hits) + (result.left_out or 0) == len(whole.hits)
            assert result.hits or any("Use at least" in warning for warning in result.warnings or ())
        rest = await search(max_tokens=1_000, cursor=(await search(max_tokens=100)).next_cursor)
        assert ids(rest)[0] == ids(whole)[0]


async def test_the_end_of_a_ranking_that_was_cut_off_says_so(fill: Memory) -> None:
    many = [{"op": "create_node", "type": "Note", "content": f"Pear number {number}."} for number in range(120)]
    await fill.execute_batch(many)
    page = await fill.recall.search_memories("pear", search_mode="lexical", max_results=70)
    assert (page.found, len(page.hits), page.warnings) == (100, 70, None)
    last = await fill.recall.search_memories("pear", search_mode="lexical", max_results=70, cursor=page.next_cursor)
    assert (len(last.hits), last.next_cursor) == (30, None)
    assert "There may be more" in str(last.warnings)


async def test_scores_can_be_left_out(fill: Memory) -> None:
    result = await fill.recall.search_memories("bread", include_relevance_scores=False)
    assert all(hit.score is None and hit.explanation is None for hit in result.hits)


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
async def test_a_model_that_is_down_leaves_words(fill: Memory, mode: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    await fill.recall.search_memories("bread")

    async def down(*_: object) -> list[float]:
        raise EmbeddingUnavailable("The model is asleep", "Wake it.")

    monkeypatch.setattr(type(fill._core.embedder), "query", down)
    result = await fill.recall.search_memories("flour", search_mode=mode)
    assert (ids(result), result.mode) == (["bread"], "lexical")
    assert result.warnings
    assert "The model is asleep" in result.warnings[0]


async def test_weights_change_what_counts(fill: Memory) -> None:
    await fill.create_node("Note", "Nothing to see.", id="titled", title="Turnip")
    await fill.create_node("Note", "A turnip is a root.", id="texted")
    titles = await fill.recall.search_memories("turnip", search_mode="lexical", weightings={"title": 3, "content": 0.1})
    texts = await fill.recall.search_memories("turnip", search_mode="lexical", weightings={"title": 0.1, "content": 3})
    assert ids(titles)[0] == "titled"
    assert ids(texts)[0] == "texted"


@pytest.mark.long
async def test_a_filter_that_few_meet_still_fills_the_page(fill: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    rare = {"tags": ["rare", "all"], "path": "/rare", "namespace": "rare", "properties": {"kind": "rare", "all": 1}}
    often = {"tags": ["often", "all"], "path": "/often", "properties": {"kind": "often", "all": 1}}
    many = [
        {"op": "create_node", "type": "Note", "content": f"Apple pie number {number}.", "id": f"p{number}"}
        | (rare if number % 100 == 7 else often)
        for number in range(400)
    ]
    await fill.execute_batch(many)
    for number in (7, 207):
        await fill.create_connection("About", f"p{number}", f"p{number + 100}")
    await catch_up(fill._core, fill._domain(None), within=120)
    requests = ({"tags": ["rare"]}, {"path_prefix": "/rare"}, {"namespace": "rare"}, {"properties": {"kind": "rare"}})
    for request in (*requests, {"min_edge_count": 1}, {"min_strength": 0.1}):
        for mode in MODES:
            result = await fill.recall.search_memories("apple pie", search_mode=mode, filters=request, max_results=4)
            assert set(ids(result)) == {"p7", "p107", "p207", "p307"}, (request, mode)
    monkeypatch.setattr(members, "MAX_EXACT", 50)
    for arguments in ({"tags": ["rare"]}, {"min_edge_count": 1}, {"min_strength": 0.1}):
        for often in ({"properties": {"all": 1}}, {"path_prefix": "/"}, {"created_after": "2020-01-01"}):
            result = await fill.recall.search_memories("apple pie", filters={**arguments, **often}, max_results=4)
            assert set(ids(result)) == {"p7", "p107", "p207", "p307"}, (arguments, often)
    for fields in ({"path_prefix": "/rare"}, {"namespace": "rare"}, {"properties": {"kind": "rare"}}):
        result = await fill.recall.search_memories("apple pie", filters={**fields, "tags": ["all"]}, max_results=4)
        assert set(ids(result)) == {"p7", "p107", "p207", "p307"}, fields


async def test_a_hit_found_by_its_name_shows_what_was_observed_that_answers(memory: Memory) -> None:
    others = [{"name": f"Anton {number}", "entityType": "person", "observations": ["lives"]} for number in range(120)]
    await memory.entities.create_entities(others)
    name, before, now = (
        "Valeria Silva",
        "lives in Porto, in a house by the river",
        "lives in Faro, in a flat of two rooms",
    )
    await memory.entities.remember(name=name, observations=[before, "is a baker"])
    await memory.entities.remember(name=name, observations=[now], replaces=before)

    async def first(query: str, **arguments: Any) -> tuple[str, str | None, str | None]:
        hit = (await memory.recall.search_memories(query, search_mode="lexical", **arguments)).hits[0]
        return hit.title, hit.place, hit.passage

    assert await first("Where does Valeria Silva live?") == (name, "text", now)
    assert await first("Valeria Silva") == (name, "title", name)
    assert await first('+_text:"valeria silva" -kayak', syntax="lucene") == (name, "title", name)
