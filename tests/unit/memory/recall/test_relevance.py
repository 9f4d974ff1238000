"""Whether anything stored fits a question, what is close to it, and questions about open work."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from graph_memory.embedding.local_models import DEFAULT, MODELS
from graph_memory.memory.recall.questions.open_sentences import is_about_open_matter
from graph_memory.memory.recall.questions.open_work import (
    OpenWork,
    asks_for_open_work,
    asks_for_overdue_work,
    due_period,
    is_closed,
    mentions_open_work,
    select_by_due_date,
)
from graph_memory.memory.recall.questions.phrases import Period, parse_time
from graph_memory.memory.recall.questions.relevance import (
    MOST_REPETITIONS,
    has_relevant_passage,
    highest_values,
    select_relevant_units,
    units_repeating_question,
    units_without_news,
    values_near_best,
)
from graph_memory.memory.recall.recall_queries import RecallRow
from graph_memory.memory.search.candidate_ranking import Ranking
from graph_memory.memory.search.ranking.ranking import RankedUnit, ScoreComponent
from graph_memory.memory.search.ranking.scoring import ScoredPassage, TermScores, coverage
from graph_memory.memory.search.retrieval.superseded import newest_first
from graph_memory.memory.search.text.bm25 import EMPTY_QUERY
from tables import for_rows
from unit.memory.search.test_scoring import passage, question


def ranking(
    cosine: float | None, covered: float, *, asked_about: tuple[str, ...] = (), has_vector: bool = True
) -> Ranking:
    scored = {"a": ScoredPassage(passage("a", "text", cosine=cosine), TermScores({}, {}))}
    vector = [1.0] if has_vector else None
    return Ranking((), scored, EMPTY_QUERY, vector, "hybrid", 100, True, (), asked_about, covered)


@for_rows(
    ("result", "expected"),
    [
        (ranking(0.6, 0.0), True),
        (ranking(0.3, 0.1), False),
        (ranking(0.3, 0.6), True),
        (ranking(0.3, 0.4), False),
        (ranking(None, 0.4), True),
        (ranking(None, 0.1, has_vector=False), False),
        (ranking(0.1, 0.0, asked_about=("a",)), True),
    ],
)
def test_a_question_fits_by_its_meaning_its_words_or_a_name(result: Ranking, expected: bool) -> None:
    assert has_relevant_passage(result, MODELS[DEFAULT].id) is expected


def test_the_cosines_of_models_that_are_not_measured_are_not_judged() -> None:
    assert has_relevant_passage(ranking(0.1, 0.0), "ollama/other")


def ranking_of(text: str, cosine: float | None, place: str = "content/1", **more: Any) -> Ranking:
    """Return a ranking of one passage, for a query of the rare word `larch` and the frequent word `terrace`."""
    sample = question("the larch terrace", texts=100, larch=1, terrac=60)
    own = {term: 1.0 for term in ("larch", "terrac") if term in text}
    stored = passage("a", text, cosine=cosine, place=place)
    base = Ranking(
        (), {"a": ScoredPassage(stored, TermScores(own, {}))}, EMPTY_QUERY, [1.0], "hybrid", 100, True, (), ()
    )
    return replace(base, sample=sample, **more)


@for_rows(
    ("result", "expected"),
    [
        (ranking_of("the larch is old", 0.3), True),
        (ranking_of("the terrace is wet", 0.5), False),
        (ranking_of("a tree is old", 0.81), True),
        (ranking_of("the larch is old", None), True),
        (ranking_of("the terrace is wet", None), False),
        (ranking_of("the larch is old", 0.9, place="properties"), False),
        (ranking_of("nothing of it", 0.1, mentioned_owners=("a",)), True),
    ],
)
def test_without_a_question_only_text_that_clearly_fits_is_added(result: Ranking, expected: bool) -> None:
    assert (select_relevant_units(result, MODELS[DEFAULT].id, (), ()) == {"a"}) is expected
    assert not select_relevant_units(result, MODELS[DEFAULT].id, {"a"}, ())


def test_beside_a_text_that_clearly_fits_others_are_added_that_nearly_fit() -> None:
    best, near, far = (ranking_of("a tree is old", cosine) for cosine in (0.81, 0.5, 0.4))
    both = {name: result.scored["a"] for name, result in (("a", best), ("b", near), ("c", far))}
    units = {name: replace(scored, passage=replace(scored.passage, unit=name)) for name, scored in both.items()}
    assert select_relevant_units(replace(best, scored=units), MODELS[DEFAULT].id, (), ()) == {"a", "b"}
    assert not select_relevant_units(replace(best, scored=units), MODELS[DEFAULT].id, {"a"}, ())


@for_rows(
    ("text", "query", "hidden"),
    [
        ("Where is the larch?", "where is the LARCH?", 2),
        ("Where is the larch?", "where is the larch", 0),
        ("Where is the larch? Here.", "Where is the larch?", 0),
    ],
)
def test_of_texts_that_only_repeat_the_question_a_few_are_kept(text: str, query: str, hidden: int) -> None:
    result = ranking_of(text, 1.0)
    stored = result.scored["a"]
    names = [f"n{number}" for number in range(MOST_REPETITIONS + 2)]
    alike = {name: replace(stored, passage=replace(stored.passage, unit=name)) for name in names}
    ranked = [RankedUnit(name, 1.0, None, ()) for name in names]
    assert units_repeating_question(replace(result, scored=alike, ranked=ranked), query) == {
        *names[len(names) - hidden :]
    }


@for_rows(
    ("text", "has_news"),
    [("The larch terrace?", False), ("Done.", False), ("The larch terrace is closed.", True), ("Go on", False)],
)
def test_a_text_without_news_repeats_the_prompt_or_says_hardly_anything(text: str, has_news: bool) -> None:
    result = ranking_of(text, 1.0)
    assert (units_without_news(result, "The larch terrace") == frozenset()) is has_news


def test_the_output_of_a_tool_is_never_news() -> None:
    result = ranking_of("The larch terrace is closed.", 1.0)
    output = RankedUnit("a", 0.4, None, (ScoreComponent("source", -0.6),))
    assert units_without_news(replace(result, ranked=(output,)), "The larch") == {"a"}


def test_coverage_weighs_words_by_their_rarity() -> None:
    sample = question("the larch terrace", texts=100, larch=1, terrac=60)
    [rare, common] = [ScoredPassage(passage(word, word), TermScores({word: 1.0}, {})) for word in ("larch", "terrac")]
    assert coverage(sample, [common]) < 0.3 < 0.7 < coverage(sample, [common, rare])
    assert coverage(sample, []) == 0.0


def test_results_far_below_the_best_are_left_out_unless_the_question_names_them() -> None:
    values = {"best": 1.0, "close": 0.5, "far": 0.3, "named": 0.1}
    assert values_near_best(values, {"named"}).keys() == {"best", "close", "named"}
    assert highest_values(values).keys() == {"best", "close", "far"}


@pytest.mark.parametrize(
    "text",
    ["What is open, what is next?", "Which tasks are due?", "what's still to do", "What is open, and until when?"],
)
def test_a_question_may_ask_for_open_work(text: str) -> None:
    assert asks_for_open_work(text)


@pytest.mark.parametrize("text", ["Is the shop open on Sundays?", "Who lives next door?", "What is the goal?"])
def test_a_question_that_names_something_else_is_searched_for(text: str) -> None:
    assert not asks_for_open_work(text)


@for_rows(
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


@for_rows(
    "text",
    [
        "The venue is not decided yet",
        "still waiting for a reply from the printer",
        "The contract hasn't been signed yet.",
        "The speaker of the second day is undecided",
        "The budget is to be confirmed",
        "The price remains open",
        "No price is fixed. The budget is pending.",
        "Nothing has been decided yet",
        "The vote, with no date so far, is pending",
        "Knowing this, the budget is unclear",
        "Der Ort steht noch aus",
        "Die Finanzierung ist noch nicht bestätigt",
        "Le lieu n'est pas encore choisi",
        "La fecha está por confirmar",
        "La sede non è ancora decisa",
    ],
)
def test_a_sentence_may_say_that_something_is_open(text: str) -> None:
    assert is_about_open_matter(text)


@for_rows(
    "text",
    [
        "The shop is open on Sundays",
        "The venue was decided in May",
        "is no longer waiting for a reply",
        "The budget was confirmed",
        "decided not to renew the lease",
        "No tickets are pending.",
        "Nothing is unclear.",
        "None of the invoices is unresolved",
        "Nobody is waiting for a reply",
        "Es sind keine Rechnungen ausstehend",
        "Nichts ist unklar",
        "Rien n'est en attente",
        "No hay nada pendiente",
        "Niente è in sospeso",
        "Der Laden ist sonntags offen",
    ],
)
def test_a_sentence_about_opening_hours_or_a_decision_is_not_open(text: str) -> None:
    assert not is_about_open_matter(text)


def test_work_is_overdue_once_its_due_day_is_over() -> None:
    dues = ("2026-11-26", "2026-11-27", "2026-11-27T08:00:00Z", "Friday", "soon", "2026-99-99", "")
    overdue = select_by_due_date(OpenWork([task(due, due) for due in dues]), None, NOW, overdue=True)
    assert [row.title for row in overdue.rows] == ["2026-11-26", "2026-11-27T08:00:00Z"]
    assert asks_for_overdue_work("What is overdue?")
    assert not asks_for_overdue_work("What is due?")
    assert asks_for_open_work("Was ist noch offen?")


def task(title: str, due: str | None) -> RecallRow:
    nothing = dict.fromkeys(
        ("created", "modified", "valid_from", "valid_to", "from_id", "to_id", "session", "has_content")
    )
    texts = dict.fromkeys(("path", "summary", "from_title", "to_title"), "")
    row = {"id": title, "type": "task", "title": title, "tags": [], "facts": [["due", due]] if due else []}
    return RecallRow(**row, **texts, **nothing)  # pyright: ignore[reportArgumentType] - rows of a test need no times


NOW = datetime(2026, 11, 27, 9, tzinfo=UTC)


def test_overdue_work_excludes_what_is_due_later_and_names_due_dates_that_cannot_be_read() -> None:
    late, later, unreadable, undated = (
        task(title, due)
        for title, due in (("Late", "2026-11-01"), ("Later", "2027-01-01"), ("Bad", "01.10.2026"), ("No", None))
    )
    selection = select_by_due_date(OpenWork([late, later, undated]), None, NOW, overdue=True)
    assert (selection.rows, selection.excluded, selection.notes) == ([late], {"Later", "No"}, ())
    nothing = select_by_due_date(OpenWork([later], [late]), None, NOW, overdue=True)
    assert (nothing.rows, nothing.excluded) == ([], {"Late", "Later"})
    assert nothing.notes == ("No open task or goal is overdue.",)
    [none, unread] = select_by_due_date(OpenWork([unreadable]), None, NOW, overdue=True).notes
    assert none == "No open task or goal with a readable due date is overdue."
    assert 'these open tasks or goals cannot be read: "Bad" ("01.10.2026")' in unread
    [partly] = select_by_due_date(OpenWork([later], is_all=False), None, NOW, overdue=True).notes
    assert partly == "None of the 1 open tasks and goals that were found is overdue. There may be others."


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is due before 1 December?", ["Near"]),
        ("What is due next week?", ["Near"]),
        ("What is due tomorrow?", []),
        ("What is due in May?", ["Far"]),
    ],
)
def test_work_that_is_due_in_a_period_excludes_other_work(question: str, expected: list[str]) -> None:
    period = due_period(question, parse_time(question, NOW).period, NOW)
    work = OpenWork([task("Near", "2026-11-30"), task("Far", "2027-05-01"), task("Undated", None)])
    selection = select_by_due_date(work, period, NOW, overdue=False)
    assert [row.title for row in selection.rows] == expected
    assert selection.excluded == {"Near", "Far", "Undated"}.difference(expected)
    assert selection.notes == (() if expected else ("No open task or goal is due in that time.",))


def test_a_past_period_is_one_of_due_dates_only_if_the_question_says_so() -> None:
    last_week = Period(datetime(2026, 11, 16, tzinfo=UTC), datetime(2026, 11, 23, tzinfo=UTC))
    assert due_period("Which tasks were open last week?", last_week, NOW) is None
    assert due_period("What was due last week?", last_week, NOW) == last_week
    assert due_period("What is due?", None, NOW) is None
