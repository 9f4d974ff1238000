"""The sets of questions that ranking is judged by. They lie beside the repository, which holds no copy of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from graph_memory.evaluation.cases import Haystack
from graph_memory.evaluation.readers.recognise import read_haystacks

DATA = Path(__file__).parents[2] / "shared" / "data"
LONG_WORDS = 300
"""Number of words after which a long message ends: about 400 tokens."""
MIN_LONG_WORDS = 230
"""Minimum number of words of a message after another of its session. Fewer words are added to that message."""
LONG_EVERY = 3
"""Of the questions about long messages, every third one is asked."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A turn of a conversation, or a document. Entries of a `sequence` stand in order."""

    id: str
    sequence: str
    title: str
    date: str
    text: str
    named: bool = False
    """Whether its title is its name, and not its speaker's."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the ids of the entries that answer it, and what they say that does."""

    text: str
    answers: frozenset[str]
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Store:
    """The entries of one domain, and the questions about it. An answer counts among the first `k` hits."""

    name: str
    set: str
    k: int
    entries: Sequence[Entry]
    questions: Sequence[Question]


def stores(data: Path = DATA) -> list[Store]:
    """Return five conversations of LoCoMo and the passages of 100 questions of HotpotQA.

    Raises SystemExit where they do not lie beside the repository.
    """
    passages = json.loads(_read(data / "multihop" / "hotpotqa_train_corpus.json"))
    result = json.loads(_read(data / "multihop" / "hotpotqa_train.json"))
    return [*_conversations(data), _corpus(passages, result)]


def long_stores(data: Path = DATA) -> list[Store]:
    """Return the conversations of LoCoMo with long messages, all conversations in one domain.

    A message consists of turns of a session, by both speakers or by one. In the third store, every second session is
    left as turns. Raises SystemExit without the data.
    """
    conversations = _conversations(data)
    return [
        _long_messages(Store("long", "Long messages", 5, [], []), conversations),
        _long_messages(Store("speakers", "Of one speaker", 5, [], []), conversations, by_speaker=True),
        _long_messages(Store("mixed", "Long and short", 5, [], []), conversations, long_every=2),
    ]


def _read(path: Path) -> str:
    return _existing(path).read_text("utf-8")


def _existing(path: Path) -> Path:
    if not path.exists():
        raise SystemExit(f"{path} is missing: the questions are not in this repository, see docs/benchmarks.md")
    return path


def _conversations(data: Path) -> list[Store]:
    return [*map(_conversation, read_haystacks(_existing(data / "locomo" / "locomo-dev5.json"), "locomo"))]


def _long_messages(
    empty: Store, conversations: Sequence[Store], *, by_speaker: bool = False, long_every: int = 1
) -> Store:
    """Return conversations in one store, with the turns of a session joined to long messages.

    Only every `long_every`-th session has long messages. A question is answered by the messages that contain the turns
    that answer it.
    """
    entries: list[Entry] = []
    questions: list[Question] = []
    for conversation in conversations:
        message_of: dict[str, str] = {}
        for number, (_, turns) in enumerate(groupby(conversation.entries, key=lambda entry: entry.sequence)):
            session = list(turns)
            for group in [[turn] for turn in session] if number % long_every else _messages(session, by_speaker):
                first, *others = group
                id_, sequence = f"{conversation.name}/{first.id}", f"{conversation.name}/{first.sequence}"
                marks = ["" if by_speaker else f"({turn.title}) " for turn in others]
                text = "\n\n".join([first.text, *(mark + turn.text for mark, turn in zip(marks, others, strict=True))])
                entries.append(replace(first, id=id_, sequence=sequence, text=text))
                message_of |= dict.fromkeys((turn.id for turn in group), id_)
        questions += [
            replace(question, answers=answers)
            for question in conversation.questions
            if (answers := frozenset(message_of[turn] for turn in question.answers if turn in message_of))
        ]
    return replace(empty, entries=entries, questions=questions[::LONG_EVERY])


def _messages(session: Sequence[Entry], by_speaker: bool) -> list[list[Entry]]:
    """Return the turns of each long message of a session."""
    if not by_speaker:
        return _split_session(session, LONG_WORDS)
    return [
        [turn for turn in group if turn.title == speaker]
        for group in _split_session(session, 2 * LONG_WORDS)
        for speaker in dict.fromkeys(turn.title for turn in group)
    ]


def _split_session(session: Sequence[Entry], words: int) -> list[list[Entry]]:
    """Return the turns of a session in groups that end after a number of words, or one group if it is shorter."""
    groups: list[list[Entry]] = [[]]
    for turn in session:
        if _count_words(groups[-1]) >= words:
            groups.append([])
        groups[-1].append(turn)
    if len(groups) > 1 and _count_words(groups[-1]) < MIN_LONG_WORDS:
        rest = groups.pop()
        groups[-1] += rest
    return groups


def _count_words(turns: Sequence[Entry]) -> int:
    return sum(len(turn.text.split()) for turn in turns)


def _conversation(haystack: Haystack) -> Store:
    entries = [
        Entry(turn.id, session.id, turn.speaker, turn.date, turn.text)
        for session in haystack.sessions
        for turn in session.turns
    ]
    questions = [
        Question(question.text, question.turns, question.evidence) for question in haystack.questions if question.turns
    ]
    return Store(haystack.name, "LoCoMo", 10, entries, questions)


def _corpus(passages: dict[str, list[str]], requests: list[dict[str, Any]]) -> Store:
    entries = [Entry(title, title, title, "", "".join(sentences), named=True) for title, sentences in passages.items()]
    questions = [
        Question(
            request["question"],
            frozenset(title for title, _ in request["supporting_facts"]),
            tuple(
                passages[title][number]
                for title, number in request["supporting_facts"]
                if number < len(passages[title])
            ),
        )
        for request in requests
    ]
    return Store("hotpot", "Hotpot", 5, entries, questions)
