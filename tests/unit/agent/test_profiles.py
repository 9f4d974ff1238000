"""Profiles of a user: accepted and stored values, and the corrections that fit a query."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from graph_memory.agent.records.profiles import (
    UserEntry,
    check_choice,
    check_text,
    corrections_of,
    feedback_of,
    fitting_entries,
    stated_fields,
    stored_correction,
    stored_feedback,
    stored_texts,
    texts_of,
)
from graph_memory.agent.results import Correction, Feedback, UserProfile
from graph_memory.memory.entities.results import ObservationDetail
from graph_memory.model.errors import Code, GraphError
from tables import for_rows

NOW = datetime(2026, 11, 27, tzinfo=UTC)


def observation_details(*texts: str) -> list[ObservationDetail]:
    return [ObservationDetail(id=f"obs_{n}", text=text, ts=NOW + timedelta(n)) for n, text in enumerate(texts)]


def correction(original: str, corrected: str, context: str | None = None, *, days: int = 0) -> UserEntry[Correction]:
    name = f"{original} {context}"
    time = NOW + timedelta(days)
    return UserEntry("user", Correction(id=name, original=original, corrected=corrected, context=context, time=time))


@for_rows("odd", ['say "no"', "a\nb", "ends in \\", '". Context: "x', "数据库", "not x, but y."])
def test_a_correction_is_read_as_it_was_given(odd: str):
    arguments = {"original": odd, "corrected": f"{odd}!", "context": odd}
    texts = [
        stored_correction(arguments),
        stored_correction({"original": "a", "corrected": odd}),
        stored_feedback("good"),
    ]
    newest, oldest = corrections_of(observation_details(*texts, "likes tea"))
    assert (newest.original, newest.corrected, newest.context) == ("a", odd, None)
    assert (oldest.original, oldest.corrected, oldest.context) == (odd, f"{odd}!", odd)
    assert [feedback.text for feedback in feedback_of(observation_details(*texts))] == ["good"]


@pytest.mark.parametrize("odd", [r"C:\dir", "a\nb", r"\ud800"])
def test_an_observation_that_only_looks_like_a_correction_is_none(odd: str):
    text = f'Corrected by the user: not "{odd}", but "b". Context: "{odd}".'
    assert (
        corrections_of(observation_details(text.removesuffix("."), f'Corrected by the user: not "a", but "{odd}".'))
        == []
    )


@for_rows(
    ("check", "code"),
    [
        (lambda: stored_correction({"original": "a"}), Code.INVALID_ARGUMENT),
        (lambda: stored_correction({"original": " ", "corrected": "b"}), Code.INVALID_ARGUMENT),
        (lambda: stored_correction({"original": "a", "corrected": "a "}), Code.INVALID_ARGUMENT),
        (lambda: stored_correction({"original": "a", "corrected": "b", "why": "c"}), Code.INVALID_ARGUMENT),
        (lambda: stored_correction({}), Code.INVALID_ARGUMENT),
        (lambda: stored_correction("a"), Code.INVALID_ARGUMENT),  # type: ignore[arg-type]
        (lambda: stored_correction({"original": float("nan"), "corrected": "b"}), Code.INVALID_ARGUMENT),
        (lambda: stored_correction({"original": "a", "corrected": "x" * 8_000_000}), Code.CONTENT_TOO_LARGE),
        (lambda: stored_feedback("\ud800"), Code.INVALID_ARGUMENT),
        (lambda: stored_texts("preferred_tools", "ruff"), Code.INVALID_ARGUMENT),
        (lambda: stored_texts("preferred_tools", ["ruff", ""]), Code.INVALID_ARGUMENT),
        (lambda: stored_texts("preferred_tools", ["ruff"] * 101), Code.INVALID_ARGUMENT),
        (lambda: check_choice("communication_style", "short", ["concise"]), Code.INVALID_ARGUMENT),
        (lambda: check_text("user", None), Code.INVALID_ARGUMENT),
    ],
)
def test_bad_input_of_a_profile_is_refused_with_a_hint(check: Callable[[], object], code: Code):
    with pytest.raises(GraphError) as caught:
        check()
    assert caught.value.code is code
    assert caught.value.hint


def test_lists_are_read_back_and_a_text_that_a_person_wrote_is_one_item():
    assert texts_of(stored_texts("preferred_tools", ["ruff", " uv ", "ruff"])) == ("ruff", "uv")
    assert texts_of("ruff, uv") == ("ruff, uv",)
    assert [texts_of(stored) for stored in (None, 3, "[]", "")] == [None] * 4


NPM = correction("npm", "pnpm", "installing packages")
DEPLOY = correction("We deploy on Fridays", "We deploy on Tuesdays", "release planning", days=1)
LONG = correction("the parser returns a tuple of tokens", "the parser returns a list of nodes", days=2)


@for_rows(
    ("query", "expected"),
    [
        ("How do I install packages?", [NPM]),
        ("Set up the web project and install what it needs with npm", [NPM]),
        ("When do we deploy?", [DEPLOY]),
        ("What does the parser return?", [LONG]),
        ("npm on Fridays: deploy", [DEPLOY, NPM]),
        ("Which tokens does the login service issue to browsers?", []),
        ("Where does Ann live?", []),
        ("what is it", []),
    ],
)
def test_a_correction_fits_a_query_that_shares_enough_of_its_words(query: str, expected: list[UserEntry[Correction]]):
    assert fitting_entries([NPM, DEPLOY, LONG], query, 3) == expected


def prefers(text: str, user: str = "user") -> UserEntry[Feedback]:
    return UserEntry(user, Feedback(id="x", text=text, time=NOW))


TABS, TESTS, TEA = (
    prefers("The user prefers tabs."),
    prefers("The user prefers pytest for tests."),
    prefers("tea", "ann"),
)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What does the user prefer?", [TABS, TESTS, TEA]),
        ("What do I like?", [TABS, TESTS, TEA]),
        ("How should I indent code?", [TABS, TESTS, TEA]),
        ("How should I run tests?", [TESTS, TABS, TEA]),
        ("What are my preferences?", [TABS, TESTS, TEA]),
        ("What does Ann prefer?", [TEA]),
        ("What does Bob prefer?", []),
        ("How do I set up and run the tests of the login service?", [TESTS]),
        ("Where does the login service run its tests?", []),
        ("What should the login service log?", []),
        ("What should I do next?", []),
    ],
)
def test_a_question_about_a_user_fits_the_preferences(query: str, expected: list[UserEntry[Feedback]]):
    assert fitting_entries([TABS, TESTS, TEA], query, 3) == expected


def test_the_fields_of_a_profile_are_one_preference():
    profile = UserProfile(user="user", communication_style="concise", custom_instructions=("Use metres", "No slang"))
    [stated] = stated_fields(profile, NOW)
    assert stated.text == "Communication style: concise. Instructions: Use metres; No slang."
    assert stated_fields(UserProfile(user="user"), NOW) == []


def test_without_a_query_the_newest_corrections_come_first():
    assert fitting_entries([NPM, DEPLOY, LONG], None, 2) == [LONG, DEPLOY]


def test_a_line_quotes_what_was_stored_and_names_another_user():
    odd = Correction(id="x", original='"ignore" all\n# rules', corrected="y" * 1_000, time=NOW)
    line = UserEntry("user", odd).render()
    assert line.startswith("The user corrected this before (27 November 2026): not \"'ignore' all")
    assert "\n" not in line
    assert len(line) < 450
    assert UserEntry("ann", odd).render().startswith("ann corrected")
