"""Judges hits and recall replies by the labels of a question set, without a language model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from graph_memory.agent.records.statistics import percentile
from graph_memory.evaluation.cases import Question
from graph_memory.evaluation.results import KindResult, Times, Updates
from graph_memory.memory.recall.rendering.wording import flatten

ALL = "all"
"""The kind under which the results of all questions are listed."""
_ENDED = "' (until "
"""The text after a quoted statement that has ended. `flatten` has changed the reply's quotation marks."""


@dataclass(frozen=True, slots=True)
class UpdateScore:
    """How a reply about an updated fact was judged."""

    is_new_stated: bool
    is_old_present: bool
    is_old_stated: bool
    """Whether an old fact occurs without a mark that it has ended."""
    was_asked: bool


@dataclass(frozen=True, slots=True)
class Score:
    """The measurements of one question. Shares are None if the question has no labels."""

    kind: str
    tokens: int
    recall_ms: float
    search_ms: float
    session_share: float | None = None
    turn_share: float | None = None
    evidence: float | None = None
    update: UpdateScore | None = None


def share_of(wanted: Iterable[str], results: Iterable[str]) -> float | None:
    """Return the share of the wanted values that occur in the results, or None if there are no wanted values."""
    values = {*wanted}
    return len(values.intersection(results)) / len(values) if values else None


def evidence_share(evidence: Sequence[str], reply: str) -> float | None:
    """Return the share of the texts that the reply contains word for word, or None if there are no texts.

    White space, quotation marks and structural characters are compared in the form that recall writes. Texts without
    visible characters are ignored.
    """
    flat_reply, texts = flatten(reply), _flat_texts(evidence)
    return mean(_whole_word_pattern(text).search(flat_reply) is not None for text in texts) if texts else None


def judge_update(question: Question, reply: str, *, was_asked: bool) -> UpdateScore:
    """Judge a reply about an updated fact by the texts of the new and the old facts.

    An old fact counts as marked if each occurrence is a quotation followed by `(until …)`. Occurrences of a text within
    a longer text do not count.
    """
    flat_reply = flatten(reply)
    new_texts = _flat_texts(question.evidence)
    old_texts = [text for text in _flat_texts(question.outdated) if text not in new_texts]
    present, stated = set[str](), set[str]()
    for text in sorted({*new_texts, *old_texts}, key=len, reverse=True):
        ends = [match.end() for match in _whole_word_pattern(text).finditer(flat_reply)]
        present.update([text] if ends else [])
        stated.update([text] if any(not flat_reply.startswith(_ENDED, end) for end in ends) else [])
        flat_reply = _whole_word_pattern(text).sub("\0", flat_reply)
    return UpdateScore(
        is_new_stated=present.issuperset(new_texts),
        is_old_present=not present.isdisjoint(old_texts),
        is_old_stated=not stated.isdisjoint(old_texts),
        was_asked=was_asked,
    )


def _flat_texts(texts: Sequence[str]) -> list[str]:
    return [text for text in map(flatten, texts) if text]


def _whole_word_pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")


def summarise(scores: Sequence[Score]) -> tuple[KindResult, ...]:
    """Return the measurements for each kind of question, followed by those for all questions."""
    groups: dict[str, list[Score]] = {}
    for score in scores:
        groups.setdefault(score.kind, []).append(score)
    by_kind: Mapping[str, Sequence[Score]] = {**dict(sorted(groups.items())), ALL: scores}
    return tuple(_summarise_kind(kind, group) for kind, group in by_kind.items() if group)


def _summarise_kind(kind: str, scores: Sequence[Score]) -> KindResult:
    tokens = [score.tokens for score in scores]
    return KindResult(
        kind=kind,
        questions=len(scores),
        labelled=sum(score.evidence is not None for score in scores),
        session_recall=_mean(scores, lambda score: score.session_share),
        session_hit=_mean(
            scores, lambda score: None if score.session_share is None else float(score.session_share > 0)
        ),
        turn_recall=_mean(scores, lambda score: score.turn_share),
        evidence=_mean(scores, lambda score: score.evidence),
        evidence_complete=_mean(scores, lambda score: None if score.evidence is None else float(score.evidence == 1)),
        tokens_mean=round(mean(tokens), 1),
        tokens_p95=int(percentile(tokens, 0.95)),
        recall_ms=_times([score.recall_ms for score in scores]),
        search_ms=_times([score.search_ms for score in scores]),
    )


def summarise_updates(scores: Sequence[Score]) -> Updates | None:
    """Return the summary of the judged updates, or None if no question is about an update."""
    updates = [score.update for score in scores if score.update is not None]
    if not updates:
        return None
    return Updates(
        updates=len(updates),
        new_stated=_share(update.is_new_stated for update in updates),
        old_omitted=_share(not update.is_old_present for update in updates),
        old_marked=_share(update.is_old_present and not update.is_old_stated for update in updates),
        old_stated=_share(update.is_old_stated for update in updates),
        correct=_share(update.is_new_stated and not update.is_old_stated for update in updates),
        asked_about=_share(update.was_asked for update in updates),
    )


def _times(values: Sequence[float]) -> Times:
    return Times(p50=round(median(values), 1), p95=round(percentile(values, 0.95), 1))


def _mean(scores: Sequence[Score], value_of: Callable[[Score], float | None]) -> float | None:
    values = [value for score in scores if (value := value_of(score)) is not None]
    return round(mean(values), 4) if values else None


def _share(values: Iterable[bool]) -> float:
    return round(mean(map(float, values)), 4)
