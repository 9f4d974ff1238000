"""Times in a question: which words are one, what they mean, and what is left of the question."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graph_memory.memory.recall.questions.phrases import Tense, asks_about_past, parse_time, without_last_time
from tables import for_rows

NOW = datetime(2026, 11, 24, 16, tzinfo=UTC)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@for_rows(
    ("question", "since", "until", "left"),
    [
        ("what was I working on last week?", "2026-11-16", "2026-11-23", "what was I working?"),
        ("What changed since March", "2026-03-01", None, "What changed"),
        ("What did Anna say in May 2023?", "2023-05-01", "2023-06-01", "What did Anna say?"),
        ("notes from yesterday", "2026-11-23", "2026-11-24", "notes"),
        ("notes from March on", "2026-03-01", None, "notes"),
        ("between May and July 2025 what broke", "2025-05-01", "2025-08-01", "what broke"),
        ("Which of them were on 27 June, 2023?", "2023-06-27", "2023-06-28", "Which of them were?"),
        ("Who came on the 5th of May 2023?", "2023-05-05", "2023-05-06", "Who came?"),
        ("What happened in 2023?", "2023-01-01", "2024-01-01", "What happened?"),
        ("What did we buy before 2026-02-03?", None, "2026-02-03", "What did we buy?"),
        ("What did we buy until 2026-02-03?", None, "2026-02-04", "What did we buy?"),
        ("What did we buy after last month?", "2026-11-01", None, "What did we buy?"),
        ("the call of last Friday", "2026-11-20", "2026-11-21", "the call"),
        ("What happened on Monday?", "2026-11-23", "2026-11-24", "What happened?"),
        ("plans for this year", "2026-01-01", "2027-01-01", "plans for"),
        ("the tiles of the day before yesterday", "2026-11-22", "2026-11-23", "the tiles"),
        ("What broke since the day before yesterday?", "2026-11-22", None, "What broke?"),
        ("What broke since yesterday before today?", "2026-11-23", "2026-11-24", "What broke?"),
        ("What broke before today and since yesterday?", "2026-11-23", "2026-11-24", "What broke and?"),
        ("What broke since yesterday in March 2025?", "2025-03-01", "2025-04-01", "What broke since yesterday?"),
        ("What cake did he make recently in May 2022?", "2022-05-01", "2022-06-01", "What cake did he make recently?"),
        ("the picture shared on December 1,2023 at sea", "2023-12-01", "2023-12-02", "the picture shared at sea"),
        ("Where was Tim in the week before 16 November 2023?", "2023-11-09", "2023-11-17", "Where was Tim?"),
        ("What did he get two weeks before August 11, 2023?", "2023-07-28", "2023-08-12", "What did he get?"),
        ("a couple of days before August 11, 2023 it rained", "2023-08-09", "2023-08-12", "it rained"),
        ("What was shown on the Sunday before October 25, 2022?", "2022-10-18", "2022-10-26", "What was shown?"),
        ("What ran every day before May 2024?", None, "2024-05-01", "What ran every day?"),
        ("What ran 3,000 days before 2020?", None, "2020-01-01", "What ran 3,000 days?"),
        ("What ran twenty-one days before May 3, 2025?", None, "2025-05-03", "What ran twenty-one days?"),
        ("What broke the month after May 2025?", "2025-05-01", "2025-07-02", "What broke?"),
        ("the picture shared on 1 December,2023 at sea", "2023-12-01", "2023-12-02", "the picture shared at sea"),
        ("What broke last weekend?", "2026-11-21", "2026-11-23", "What broke?"),
        ("What did we sell in Q1 2025?", "2025-01-01", "2025-04-01", "What did we sell?"),
        ("What did we sell since 2025-Q4?", "2025-10-01", None, "What did we sell?"),
        ("the costs of last quarter", "2026-07-01", "2026-10-01", "the costs"),
        ("the costs of this quarter", "2026-10-01", "2027-01-01", "the costs"),
    ],
)
def test_a_time_narrows_a_question(question: str, since: str | None, until: str | None, left: str):
    result = parse_time(question, NOW)
    assert result.period is not None
    assert result.period.since == (since and day(since))
    assert result.period.until == (until and day(until))
    assert result.text == left


@for_rows(
    ("question", "since", "until"),
    [
        ("What is open before 1 December?", None, "2026-12-01"),
        ("What was planned for 1 December?", "2026-12-01", "2026-12-02"),
        ("What was open before 1 December?", None, "2025-12-01"),
        ("Which flight is booked on 24 December?", "2026-12-24", "2026-12-25"),
        ("Who is also invited on 24 December?", "2026-12-24", "2026-12-25"),
        ("What do I need on 3 December?", "2026-12-03", "2026-12-04"),
        ("Is Ahmed here on 3 December?", "2026-12-03", "2026-12-04"),
        ("the speed limit in December", "2026-12-01", "2027-01-01"),
        ("Which rooms are reserved from 20 December to 3 January?", "2026-12-20", "2027-01-04"),
        ("What is needed by 1 December?", None, "2026-12-02"),
        ("What will be released in June?", "2027-06-01", "2027-07-01"),
        ("What needs to be finished by June?", None, "2027-07-01"),
        ("What should we have done in October?", "2026-10-01", "2026-11-01"),
        ("What have we finished in December?", "2025-12-01", "2026-01-01"),
        ("Who left in December?", "2025-12-01", "2026-01-01"),
        ("What is due by Friday?", None, "2026-11-28"),
        ("What did we finish by Friday?", None, "2026-11-21"),
        ("Who moved in January?", "2026-01-01", "2026-02-01"),
        ("Who will move in October?", "2027-10-01", "2027-11-01"),
        ("trips in January", "2027-01-01", "2027-02-01"),
        ("trips in August", "2026-08-01", "2026-09-01"),
        ("plans since December", "2025-12-01", None),
        ("the tasks between 1 April and 1 September", "2026-04-01", "2026-09-02"),
        ("What happens between Monday and Friday?", "2026-11-16", "2026-11-21"),
        ("What must be done next week?", "2026-11-30", "2026-12-07"),
        ("the tasks of tomorrow", "2026-11-25", "2026-11-26"),
    ],
)
def test_the_verb_chooses_the_year_of_a_day_without_one(question: str, since: str | None, until: str | None):
    result = parse_time(question, NOW)
    assert result.period is not None
    assert (result.period.since, result.period.until) == (since and day(since), until and day(until))


@for_rows(
    ("question", "since", "until"),
    [
        ("3 days ago", "2026-11-21T04:00", "2026-11-22T04:00"),
        ("a couple of weeks ago", "2026-11-07T04:00", "2026-11-14T04:00"),
        ("the last 10 days", "2026-11-14T16:00", "2026-11-24T16:00"),
        ("recently", "2026-11-10T16:00", "2026-11-24T16:00"),
        ("the past year", "2025-11-24T16:00", "2026-11-24T16:00"),
        ("this morning", "2026-11-24", "2026-11-25"),
    ],
)
def test_a_time_that_is_said_roughly_is_a_stretch_around_it(question: str, since: str, until: str):
    result = parse_time(question, NOW)
    assert result.period is not None
    assert (result.period.since, result.period.until) == (day(since), day(until))
    assert result.is_empty


@for_rows(
    "question",
    [
        "What may I eat?",
        "Who will march?",
        "room 2023",
        "Sun and moon",
        "the second door",
        "Who is Friday?",
        "",
        "who came 2027 years ago",
        "who came 3 000 days ago",
        "who came 3,000 days ago",
        "who came 1.5 years ago",
        "who came twenty three days ago",
        "who came half a year ago",
        "the 10-12 days ago",
        "last summer",
    ],
)
def test_words_that_are_not_surely_a_time_stay(question: str):
    result = parse_time(question, NOW)
    assert (result.period, result.name, result.text) == (None, "", question)


@pytest.mark.parametrize(
    ("question", "lead", "name"),
    [
        ("What did we decide before the move?", "before", "the move"),
        ("What changed since Anna's birthday", "since", "Anna's birthday"),
    ],
)
def test_something_named_may_stand_for_a_time(question: str, lead: str, name: str):
    result = parse_time(question, NOW)
    assert (result.period, result.lead, result.name) == (None, lead, name)


def test_a_question_with_many_dates_is_read_in_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    of = Tense.of
    monkeypatch.setattr(Tense, "of", lambda question: read.append(question) or of(question))
    assert parse_time("What is on 3 March, " * 500, NOW).period is not None
    assert len(read) <= 2


@pytest.mark.parametrize("question", ["what was I working on last week?", "what's new since March", "anything today"])
def test_a_question_that_asks_for_a_time_alone_has_no_other_words(question: str):
    assert parse_time(question, NOW).is_empty
    assert not parse_time(f"{question} tiles", NOW).is_empty


@pytest.mark.parametrize(
    "text",
    ["Where did Tomas work?", "Where was the shop hosted before?", "Wo wohnte sie früher?", "notes until March 2025"],
)
def test_a_question_may_be_about_the_past(text: str) -> None:
    assert asks_about_past(text, NOW)


@pytest.mark.parametrize(
    "text",
    [
        "Where does Tomas work?",
        "Who leads the shop since March 2025?",
        "notes of today",
        "What is due before 1 December?",
    ],
)
def test_a_question_about_the_present_is_not_about_the_past(text: str) -> None:
    assert not asks_about_past(text, NOW)


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("What changed since last time?", "What changed?"),
        ("Since our last session, what is new with Ben?", ", what is new with Ben?"),
        ("What has changed about the shop since we last spoke?", "What has changed about the shop?"),
        ("What changed since the last release?", None),
    ],
)
def test_words_for_everything_since_the_last_session_are_taken_out(question: str, rest: str | None) -> None:
    assert without_last_time(question) == rest
