"""The sets of questions that ranking is judged by. They lie beside the repository, which holds no copy of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "shared" / "data"


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
    locomo, hotpot = data / "locomo" / "locomo-dev5.json", data / "multihop"
    for path in (locomo, hotpot):
        if not path.exists():
            raise SystemExit(f"{path} is missing: the questions are not in this repository, see docs/benchmarks.md")
    conversations = json.loads(locomo.read_text("utf-8"))
    passages = json.loads((hotpot / "hotpotqa_train_corpus.json").read_text("utf-8"))
    result = json.loads((hotpot / "hotpotqa_train.json").read_text("utf-8"))
    return [*(_conversation(conversation) for conversation in conversations), _corpus(passages, result)]


def _conversation(sample: dict[str, Any]) -> Store:
    entries = list(_turns(sample["conversation"]))
    texts = {entry.id: entry.text for entry in entries}
    questions: list[Question] = []
    for pair in sample["qa"]:
        answers = re.findall(r"D\d+:\d+", " ".join(pair.get("evidence") or ()))
        evidence = tuple(texts[turn] for turn in dict.fromkeys(answers) if turn in texts)
        questions.append(Question(pair["question"], frozenset(answers), evidence))
    return Store(sample["sample_id"], "LoCoMo", 10, entries, [question for question in questions if question.answers])


def _turns(conversation: dict[str, Any]) -> Iterator[Entry]:
    for number in count(1):
        session = f"session_{number}"
        if f"{session}_date_time" not in conversation:
            return
        for turn in conversation.get(session, ()):
            caption = f" ({turn['blip_caption']})" if turn.get("blip_caption") else ""
            date = conversation[f"{session}_date_time"]
            yield Entry(turn["dia_id"], session, turn["speaker"], date, f"{turn['text']}{caption}")


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
