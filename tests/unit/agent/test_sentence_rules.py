"""Which sentences are preferences, goals and patterns, and which stay observations."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.agent.sentences import sentence_rules
from tables import for_rows

TUESDAY = datetime(2026, 11, 24, 16, tzinfo=UTC)


def classify_sentence(sentence: str) -> sentence_rules.ClassifiedSentence | None:
    return sentence_rules.classify_sentence(sentence, TUESDAY)


@for_rows(
    ("sentence", "kind", "text"),
    [
        ("The user prefers short answers.", "preference", "The user prefers short answers."),
        ("The user doesn't like emojis", "preference", "The user doesn't like emojis"),
        ("user prefers tabs", "preference", "user prefers tabs"),
        ("Goal: ship version 1.0", "goal", "ship version 1.0"),
        ("Our next goal is to halve the start-up time.", "goal", "halve the start-up time"),
        ("Never run the migrations by hand.", "anti_pattern", "run the migrations by hand"),
        ("Never pass tokens in URLs", "anti_pattern", "pass tokens in URLs"),
        ("**Never** use npm", "anti_pattern", "use npm"),
        ("Never again use npm.", "anti_pattern", "use npm"),
        ("Never, ever commit secrets.", "anti_pattern", "commit secrets"),
        ("Never deploy when the cluster is busy.", "anti_pattern", "deploy when the cluster is busy"),
        ("Never focus the window", "anti_pattern", "focus the window"),
        ("Do not ever commit secrets!", "anti_pattern", "commit secrets!"),
        ("Don't use npm here.", "anti_pattern", "use npm here"),
        ("Avoid using global state.", "anti_pattern", "using global state"),
        ("Next time, run make lint first.", "workflow", "run make lint first"),
        ("Next time the tests fail, run make clean.", "workflow", "run make clean"),
        ("Next time the tests fail, run them with -x first.", "workflow", "run them with -x first"),
        ("From now on, answer in German.", "workflow", "answer in German"),
        ("Always run make lint before a commit.", "workflow", "run make lint before a commit"),
        ("This fixed it: clearing the cache.", "solution", "clearing the cache"),
        ("What finally solved the timeout: a larger pool.", "solution", "a larger pool"),
    ],
)
def test_a_sentence_is_routed_by_its_beginning(sentence: str, kind: str, text: str):
    route = classify_sentence(sentence)
    assert route
    assert (route.kind, route.text, route.sentence) == (kind, text, sentence)


@for_rows(
    "sentence",
    [
        "Ann prefers tea.",
        "Users prefer dark mode.",
        "User likes are stored in Redis.",
        "The user likes table has a foreign key to posts.",
        "It resolved redis.local to 10.0.0.1:6379.",
        "This fixed the clock at 12: 30",
        "Avoid list is in Redis.",
        "Don't know why Redis fails.",
        "Don't have access to production.",
        "Do not disturb mode is on.",
        "Never ran on Windows.",
        "Never more than 5 connections are open.",
        "Never use it in CI.",
        "Always null on the first request.",
        "Always process exits with 1.",
        "Always build is red on Monday.",
        "Next time slot is at 14:00.",
        "Next time zone change is in March.",
        "Next time I see Ann, I owe her 5 euros.",
        "From now on, production uses Postgres 16.",
        "Goal: none",
        "The next goal: 45th minute by Messi",
        "The user wants to move the database by Friday.",
        "The goal is ambitious.",
        "The goal of the project is speed.",
        "Goal:",
        "Never Summer is a brand.",
        "Never mind.",
        "Never did it work.",
        "Never worked on Safari.",
        "Never sleeps.",
        "Never have I seen it.",
        "Always on mode drains the battery.",
        "Always available.",
        "Next time",
        "That fixed it.",
        "This fixed the build.",
        "The deploy never runs on Friday.",
        f"Never run {'x' * 2_000}",
        "",
    ],
)
def test_a_sentence_that_may_be_a_fact_stays_an_observation(sentence: str):
    assert classify_sentence(sentence) is None


@pytest.mark.parametrize(
    ("sentence", "keywords"),
    [
        ("Next time the tests fail, run make clean.", ("tests", "fail")),
        ("This fixed the timeout of the pool: more connections.", ("timeout", "pool")),
        ("This fixed it: clearing the cache.", ("clearing", "cache")),
        ("Never use npm here.", ("npm", "here")),
    ],
)
def test_the_situation_gives_the_keywords_of_a_pattern_or_else_what_is_to_be_done(
    sentence: str, keywords: tuple[str, ...]
):
    route = classify_sentence(sentence)
    assert route
    assert route.keywords == keywords


@pytest.mark.parametrize(
    ("goal", "text", "deadline"),
    [
        ("ship version 1.0 by 2026-12-12.", "ship version 1.0", "2026-12-12"),
        ("ship version 1.0 by Friday.", "ship version 1.0", "2026-11-27"),
        ("ship version 1.0, until next week", "ship version 1.0", "2026-12-06"),
        ("ship version 1.0 by yesterday.", "ship version 1.0", "2026-11-23"),
        ("ship version 1.0 before 3 December.", "ship version 1.0", "2026-12-02"),
        ("ship version 1.0 by March", "ship version 1.0", "2027-03-31"),
        ("ship version 1.0 by 2026-02-30.", "ship version 1.0 by 2026-02-30", None),
        ("ship version 1.0 by hand.", "ship version 1.0 by hand", None),
        ("ship version 1.0 by Friday if possible.", "ship version 1.0 by Friday if possible", None),
        ("cut the requests by 2000.", "cut the requests by 2000", None),
    ],
)
def test_a_goal_has_the_day_by_which_it_is_due_and_not_the_words(goal: str, text: str, deadline: str | None):
    route = classify_sentence(f"Goal: {goal}")
    assert route
    assert (route.text, route.deadline) == (text, deadline)


@given(st.text(max_size=50), st.sampled_from(["Goal: ", "Never ", "This fixed ", "Next time ", ""]))
def test_any_text_has_a_route_with_words_or_none(rest: str, beginning: str):
    route = classify_sentence(beginning + rest)
    assert route is None or (route.text.strip() and all(word.strip() for word in route.keywords))


@for_rows("part", ["never ", "the my our ", "next time a, ", "this fixed a:", "user really ", " by 2026"])
def test_hostile_text_is_recognised_in_linear_time(part: str):
    began = time.process_time()
    for _ in range(100):
        classify_sentence((part * 2_000)[:2_000])
    assert time.process_time() - began < 5
