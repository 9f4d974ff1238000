"""How archetypes are loaded, what is kept of what they extract, and what `personal_assistant` finds."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from graph_memory.agent.archetypes import Extraction, plugins
from graph_memory.agent.archetypes.personal_assistant import extract
from graph_memory.agent.archetypes.plugins import load_archetype
from graph_memory.agent.pipeline import events_from
from graph_memory.model.errors import Code, GraphError
from tables import for_rows


def test_the_bundled_archetypes_are_entry_points():
    for name in ("coding_agent", "personal_assistant"):
        assert load_archetype(name)("message", "On 2026-11-26 main.py was read.").types


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("coding_agnt", "", 'No archetype "coding_agnt" is installed'),
        (
            "absent",
            "nowhere:extract",
            'The archetype "absent" (nowhere:extract) cannot be imported: ModuleNotFoundError',
        ),
        ("odd", "math:pi", 'The archetype "odd" (math:pi) is not a function'),
    ],
)
def test_an_archetype_that_cannot_be_used_is_named_with_the_reason(
    name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch
):
    own = [EntryPoint(name, value, plugins.GROUP)] if value else []
    known = EntryPoint("coding_agent", "graph_memory.agent.archetypes.coding_agent:extract", plugins.GROUP)

    def entry_points(group: str) -> list[EntryPoint]:
        return [point for point in (known, *own) if point.group == group]

    monkeypatch.setattr(plugins, "entry_points", entry_points)
    with pytest.raises(GraphError) as caught:
        load_archetype(name)
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert caught.value.message.startswith(message)
    assert value or caught.value.hint == 'Did you mean "coding_agent"?'


def test_an_extraction_is_bounded_by_type_and_keeps_only_names_that_can_be_stored():
    extraction = Extraction()
    assert [extraction.add("file", name) for name in ("", "a\x00b", "\ud800", "x" * 201, " a\tb ")] == [
        "",
        "",
        "",
        "",
        "a b",
    ]
    for number in range(80):
        extraction.add("file", f"{number}.py")
        extraction.relate("0.py", "imports", f"{number}.py")
    extraction.add("error", "KeyError", "was raised")
    extraction.add("type", "KeyError", "was fixed", "was raised")
    extraction.relate("KeyError", "is_in", "nowhere.py")
    kept = extraction.truncate()
    assert len(kept.types) == 50
    assert (kept.types["KeyError"], kept.observations) == ("error", {"KeyError": ("was raised", "was fixed")})
    assert {end for _, _, end in kept.relations} < {*kept.types}


@for_rows(
    ("text", "types"),
    [
        ("My wife Anna Lee works at Merrow Ltd.", {"Anna Lee": "person", "Merrow Ltd": "organisation"}),
        ("Ben's trip to New York is on 26 November 2026.", {"New York": "place", "2026-11-26": "date"}),
        ("Meeting with Priya on Dec 3rd, then May 40", {"Priya": "person", "3 December": "date"}),
        (
            "I prefer tea. My favourite colour is blue!",
            {"prefer tea": "preference", "favourite colour: blue": "preference"},
        ),
        ("Remind me to call the bank.\n- [ ] book a table", {"call the bank": "task", "book a table": "task"}),
        ("I may go. The march was long; It works at night.", {}),
    ],
)
def test_the_personal_assistant_finds_names_with_a_word_that_shows_what_they_are(text: str, types: dict[str, str]):
    assert dict(extract("message", text).types) == types


def test_the_personal_assistant_relates_people():
    relations = extract("message", "Anna works at Merrow Ltd. Ben lives in Oslo.").relations
    assert [*relations] == [("Anna", "works_at", "Merrow Ltd"), ("Ben", "lives_in", "Oslo")]


@for_rows(
    ("events", "message"),
    [
        ([], "The call contains 0 events"),
        ([{"content": "x"}], "events[0]"),
        ([{"type": "note", "kind": "x"}], "events[0].kind is not a valid key"),
        ([{"type": "note", "content": 3}], "events[0].content must be text"),
        ([{"type": "note", "timestamp": "soon"}], '"soon" is not a time'),
        ("note", "events must be a list"),
    ],
)
def test_events_of_another_form_are_refused_with_their_place(events: object, message: str):
    with pytest.raises(GraphError) as caught:
        events_from(events, "monday")
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert message in caught.value.message
