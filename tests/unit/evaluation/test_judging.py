"""The judgement of hits and replies by labels."""

from __future__ import annotations

from graph_memory.agent.records.statistics import percentile
from graph_memory.evaluation.cases import Question
from graph_memory.evaluation.judging import (
    Score,
    evidence_share,
    judge_update,
    share_of,
    summarise,
    summarise_updates,
)
from tables import for_rows

UPDATE = Question("update", "New.", evidence=("Mia lives in Graz.",), outdated=("Mia lives in Linz.",))


@for_rows(
    ("reply", "new", "present", "stated"),
    [
        ('also: "Mia lives in Graz."', True, False, False),
        ('"Mia lives in Linz." (until 2 January 2026, then "Mia lives in Graz.")', True, True, False),
        ('also: "Mia lives in\n Linz."', False, True, True),
        ('"Mia lives in Linz." (until 2 May 2026), also: "Mia lives in Linz."', False, True, True),
        ("", False, False, False),
    ],
)
def test_an_old_fact_is_stated_unless_each_occurrence_is_marked_as_ended(
    reply: str, new: bool, present: bool, stated: bool
) -> None:
    judged = judge_update(UPDATE, reply, was_asked=True)
    assert (judged.is_new_stated, judged.is_old_present, judged.is_old_stated) == (new, present, stated)


def test_an_old_fact_within_the_new_one_does_not_count() -> None:
    update = Question("update", "?", evidence=("Mia lives in Linz. And sings.",), outdated=("Mia lives in Linz.",))
    assert not judge_update(update, 'also: "Mia lives in Linz. And sings."', was_asked=False).is_old_present


def test_a_new_fact_within_an_old_one_is_not_stated() -> None:
    update = Question("update", "?", evidence=("Mia likes tea",), outdated=("Mia likes tea and coffee",))
    judged = judge_update(update, 'also: "Mia likes tea and coffee"', was_asked=False)
    assert (judged.is_new_stated, judged.is_old_stated) == (False, True)
    assert judge_update(update, '"Mia likes teapots" "Mia likes tea"', was_asked=False).is_new_stated


def test_evidence_is_compared_word_for_word_as_recall_writes_it() -> None:
    texts = ('She said "yes".', "Two\n lines.")
    assert evidence_share(texts, '"She said \'yes\'." "Two lines."') == 1
    assert evidence_share(texts, "Two lines.") == 0.5
    assert evidence_share(("Yes",), "Yesterday") == 0
    assert evidence_share(("\u200b", "Yes"), "Yes.") == 1
    assert evidence_share((), "Two lines.") is evidence_share((" ",), "Two lines.") is None


def test_shares_and_percentiles() -> None:
    assert share_of(["a", "b"], ["b", "b", "c"]) == 0.5
    assert share_of([], ["b"]) is None
    assert [percentile([4, 1, 3, 2], share) for share in (0.5, 0.95, 1)] == [2, 4, 4]
    assert percentile(range(1, 101), 0.95) == 95


def test_results_are_by_kind_and_questions_without_labels_count_for_tokens_alone() -> None:
    first = Score("b", 100, 10, 1, session_share=0.5, turn_share=0, evidence=1)
    other = Score("b", 300, 30, 3, session_share=0, turn_share=1, evidence=0.5)
    unlabelled = Score("a", 200, 20, 2)
    a, b, total = summarise([first, other, unlabelled])
    assert (a.kind, a.labelled, a.session_recall, a.evidence_complete) == ("a", 0, None, None)
    assert (b.session_recall, b.session_hit, b.turn_recall) == (0.25, 0.5, 0.5)
    assert (b.evidence, b.evidence_complete, b.tokens_mean, b.tokens_p95) == (0.75, 0.5, 200, 300)
    assert (total.kind, total.questions, total.labelled, total.recall_ms.p50) == ("all", 3, 2, 20)
    assert summarise([first, other])[-1].recall_ms.p50 == 20
    assert summarise_updates([first, other]) is None
    replies = ('"Mia lives in Graz."', '"Mia lives in Graz." "Mia lives in Linz."')
    scores = [
        Score("update", 1, 1, 1, update=judge_update(UPDATE, reply, was_asked=number == 0))
        for number, reply in enumerate(replies)
    ]
    updates = summarise_updates(scores)
    assert updates is not None
    assert (updates.new_stated, updates.old_omitted, updates.old_stated, updates.correct) == (1, 0.5, 0.5, 0.5)
    assert (updates.old_marked, updates.asked_about) == (0, 0.5)
