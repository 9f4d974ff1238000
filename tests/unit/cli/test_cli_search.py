"""Texts for people about a search."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from graph_memory.cli.output.hits import highlight
from graph_memory.memory.search.results import Hit, ScorePart, SearchResult, Statement, Superseded
from graph_memory.memory.search.text.bm25 import parse_query
from graph_memory.model.results import NodeBrief
from unit.cli.test_cli_commands import memory, run
from unit.mcp_server.mcp_fakes import HIT, RecordingMemory

__all__ = ["memory"]
SURE = HIT.model_copy(
    update={
        "explanation": (
            ScorePart(
                name="lexical",
                value=0.5,
                detail={"of_best": 0.98765, "score": 12, "passage": {"tile": 0.9}, "around": {}},
            ),
            ScorePart(name="name", value=0.25, detail={"name": "Kitchen"}),
        ),
        "contradicted_by": (NodeBrief(id="mem_2", type="Note", title="Tiles are late"),),
    }
)


def search_result(*hits: Hit, **more: Any) -> SearchResult:
    return SearchResult(hits=hits, mode="hybrid", found=25, **more)


def test_a_hit_is_its_title_the_passage_why_and_the_id(memory: RecordingMemory):
    memory.answers["search_memories"] = search_result(HIT)
    assert run("search", "When do the tiles come?").stdout.splitlines() == [
        "1   Kitchen  Project  0.75  3 days ago",
        "    The tiles come in May.",
        "    content: has tiles",
        "    mem_1",
    ]


def test_contradictions_are_shown_and_scores_explained(memory: RecordingMemory):
    memory.answers["search_memories"] = search_result(SURE)
    lines = run("search", "tiles", "--explain").stdout.splitlines()
    assert lines[3:6] == [
        "    Contradicted by Tiles are late  mem_2",
        "    +0.500  lexical   of_best 0.988, score 12, passage (tile 0.9)",
        "    +0.250  name      name Kitchen",
    ]


def test_what_holds_no_more_says_since_when_and_what_holds_instead(memory: RecordingMemory):
    over = Superseded(
        since=datetime(2025, 5, 3, tzinfo=UTC), replaced_by=(Statement(id="obs_2", text="The tiles are here."),)
    )
    memory.answers["search_memories"] = search_result(HIT.model_copy(update={"over": over}))
    lines = run("search", "tiles").stdout.splitlines()
    assert lines[3:5] == ["    No longer valid since 2025-05-03T00:00:00Z", "    Now: The tiles are here.  obs_2"]


def test_what_was_not_searched_or_is_left_out_goes_to_stderr(memory: RecordingMemory):
    memory.answers["search_memories"] = search_result(
        HIT, not_covered=3, without_vectors=1, left_out=2, next_cursor="search:1:2:3", warnings=("Words alone.",)
    )
    done = run("search", "tiles")
    assert done.stderr.splitlines() == [
        "Warning: Words alone.",
        "1 of 25 results, searched by words and meaning. 3 changes could not be searched yet: search again "
        "soon. 1 passage can be found by words only, until their vectors exist. 2 left out for --max-tokens. There are "
        "more: use --limit N or --cursor search:1:2:3",
    ]


def test_nothing_found_says_so(memory: RecordingMemory):
    memory.answers["search_memories"] = SearchResult(hits=(), mode="lexical", found=0)
    done = run("search", "tiles")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "0 of 0 results, searched by words.\n"


def test_what_a_terminal_would_obey_is_shown_instead(memory: RecordingMemory):
    evil = "\x1b[2J\u202e"
    hit = HIT.model_copy(update={"title": evil, "passage": evil, "why": evil, "place": evil})
    memory.answers["search_memories"] = search_result(hit)
    shown = run("search", "tiles").stdout
    assert "\x1b" not in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("When do the tiles arrive?", ["Tile", "tile", "arriving"]),
        ("Anna's", ["Anna"]),
        ("when", []),
        ("", []),
    ],
)
def test_the_words_that_were_asked_for_stand_out_in_any_form(query: str, marked: list[str]):
    text = highlight("Tile by tile? No: Anna’s are arriving.", parse_query(query))
    assert [text.plain[span.start : span.end] for span in text.spans] == marked


@pytest.mark.parametrize("text", ["title", "title=much", "title=1 --weight title=2"])
def test_a_weight_is_a_name_and_a_number_once(memory: RecordingMemory, text: str):
    done = run("search", "tiles", "--weight", *text.split())
    assert done.exception.code == "INVALID_ARGUMENT"
    assert memory.calls == []
