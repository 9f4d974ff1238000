"""Whether anything stored fits a question, what is close to it, and questions about open work."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graph_memory.embedding.local import MODEL
from graph_memory.memory.recall.bm25 import NOTHING_ASKED
from graph_memory.memory.recall.finding import Ranking
from graph_memory.memory.recall.over import newest_first
from graph_memory.memory.recall.scoring import Points, Scored, coverage
from graph_memory.memory.recall.tiers.open_sentences import says_open
from graph_memory.memory.recall.tiers.open_work import (
    asks_for_open_work,
    asks_for_overdue_work,
    is_closed,
    is_overdue,
    mentions_open_work,
)
from graph_memory.memory.recall.tiers.relevance import close_values, fits, nearest_values
from unit.memory.recall.test_scoring import passage, question


def ranking(
    cosine: float | None, covered: float, *, asked_about: tuple[str, ...] = (), has_vector: bool = True
) -> Ranking:
    scored = {"a": Scored(passage("a", "text", cosine=cosine), Points({}, {}))}
    vector = [1.0] if has_vector else None
    return Ranking((), scored, NOTHING_ASKED, vector, "hybrid", 100, True, (), asked_about, covered)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (ranking(0.6, 0.0), True),
        (ranking(0.3, 0.1), False),
        (ranking(0.3, 0.6), True),
        (ranking(0.3, 0.4), False),
        (ranking(None, 0.4), True),
        (ranking(None, 0.1, has_vector=False), False),
        (ranking(0.1, 0.0, asked_about=("a",)), True),
    ],
    ids=["similar", "neither", "same words", "few words", "few words without a vector", "no vectors", "a name"],
)
def test_a_question_fits_by_its_meaning_its_words_or_a_name(found: Ranking, expected: bool) -> None:
    assert fits(found, MODEL) is expected


def test_the_cosines_of_models_that_are_not_measured_are_not_judged() -> None:
    assert fits(ranking(0.1, 0.0), "ollama/other")


def test_coverage_weighs_words_by_their_rarity() -> None:
    asked = question("the larch terrace", texts=100, larch=1, terrac=60)
    [rare, common] = [Scored(passage(word, word), Points({word: 1.0}, {})) for word in ("larch", "terrac")]
    assert coverage(asked, [common]) < 0.3 < 0.7 < coverage(asked, [common, rare])
    assert coverage(asked, []) == 0.0


def test_results_far_below_the_best_are_left_out_unless_the_question_names_them() -> None:
    values = {"best": 1.0, "close": 0.5, "far": 0.3, "named": 0.1}
    assert close_values(values, {"named"}).keys() == {"best", "close", "named"}
    assert nearest_values(values).keys() == {"best", "close", "far"}


@pytest.mark.parametrize(
    "text",
    ["What is open, what is next?", "Which tasks are due?", "what's still to do", "What is open, and until when?"],
)
def test_a_question_may_ask_for_open_work(text: str) -> None:
    assert asks_for_open_work(text)


@pytest.mark.parametrize("text", ["Is the shop open on Sundays?", "Who lives next door?", "What is the goal?"])
def test_a_question_that_names_something_else_is_searched_for(text: str) -> None:
    assert not asks_for_open_work(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is still to do before the concert?", True),
        ("Which tasks are open and who has to do them?", True),
        ("What is open for the concert?", True),
        ("What should Ines do next?", True),
        ("Which shop is next to the station?", False),
        ("Is the shop open on Sundays?", False),
        ("What does Ines do?", False),
    ],
)
def test_a_question_may_ask_for_open_work_of_somebody_or_for_something(text: str, expected: bool) -> None:
    assert mentions_open_work(text) is expected


def test_a_status_of_a_closed_task_is_read_in_any_case() -> None:
    assert is_closed([["status", "Done"]])
    assert not is_closed([["status", "open"], ["title", "done"]])


def test_an_observation_with_an_open_question_comes_before_the_one_it_asks_about() -> None:
    old, other, new = (passage(name, name) for name in ("old", "other", "new"))
    assert newest_first([old, other, new], {"new": ["old"]}) == [new, old, other]
    assert newest_first([new, old], {"new": ["old"]}) == [new, old]
    assert newest_first([old, other], {"new": ["old"]}) == [old, other]


@pytest.mark.parametrize(
    "text",
    [
        "The venue is not decided yet",
        "still waiting for a reply from the printer",
        "The contract hasn't been signed yet.",
        "The speaker of the second day is undecided",
        "The budget is to be confirmed",
        "The price remains open",
        "Der Ort steht noch aus",
        "Die Finanzierung ist noch nicht bestätigt",
        "Le lieu n'est pas encore choisi",
        "La fecha está por confirmar",
        "La sede non è ancora decisa",
    ],
)
def test_a_sentence_may_say_that_something_is_open(text: str) -> None:
    assert says_open(text)


@pytest.mark.parametrize(
    "text",
    [
        "The shop is open on Sundays",
        "The venue was decided in May",
        "is no longer waiting for a reply",
        "The budget was confirmed",
        "decided not to renew the lease",
        "Der Laden ist sonntags offen",
    ],
)
def test_a_sentence_about_opening_hours_or_a_decision_is_not_open(text: str) -> None:
    assert not says_open(text)


def test_work_is_overdue_once_its_due_day_is_over() -> None:
    now = datetime(2026, 11, 27, 9, tzinfo=UTC)
    overdue = {due: is_overdue([["due", due]], now) for due in ("2026-11-26", "2026-11-27", "2026-11-27T08:00:00Z")}
    assert overdue == {"2026-11-26": True, "2026-11-27": False, "2026-11-27T08:00:00Z": True}
    assert not any(is_overdue([["due", due]], now) for due in ("Friday", "soon", "2026-99-99", ""))
    assert asks_for_overdue_work("What is overdue?")
    assert not asks_for_overdue_work("What is due?")
    assert asks_for_open_work("Was ist noch offen?")
