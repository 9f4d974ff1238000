"""The readers of question sets: what they read, and what they say of damaged files."""

from __future__ import annotations

import copy
import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graph_memory import Code, GraphError
from graph_memory.evaluation.cases import Fact, Haystack, parse_time
from graph_memory.evaluation.readers.recognise import hash_of, read_haystacks, recognise
from question_sets import BEAM_CHAT, BEAM_QUESTIONS, HALUMEM, LOCOMO, LONGMEMEVAL
from tables import for_rows

BEAM_ROW: dict[str, Any] = {"conversation_id": 7, "chat": [batch["turns"][0] for batch in BEAM_CHAT]}


def read(path: Path, form: str | None = None) -> list[Haystack]:
    return list(read_haystacks(path, recognise(path, form)))


def write_json(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), "utf-8")
    return path


def turns_of(haystack: Haystack) -> list[tuple[str, str, str, bool]]:
    return [(session.id, turn.id, turn.text, turn.is_agent) for session in haystack.sessions for turn in session.turns]


def test_locomo_has_named_speakers_captions_and_labelled_turns(tmp_path: Path) -> None:
    [haystack] = read(write_json(tmp_path / "locomo.json", [LOCOMO]))
    assert turns_of(haystack)[1] == ("session_1", "D1:2", "Look at this. (a photo of a lighthouse)", False)
    first, second, last = haystack.questions
    assert (first.kind, first.turns, first.sessions) == ("single-hop", {"D1:1"}, {"session_1"})
    assert first.evidence == ("I bought a green kayak at the harbour market.",)
    assert (second.kind, second.turns, len(second.evidence)) == ("multi-hop", {"D2:1", "D9:9"}, 1)
    assert (last.kind, last.turns, last.evidence) == ("adversarial", frozenset(), ())
    assert haystack.sessions[0].turns[0].at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def test_longmemeval_is_ordered_by_time_and_does_not_label_abstention(tmp_path: Path) -> None:
    abstaining = {**LONGMEMEVAL, "question_id": "q2_abs"}
    haystack, other = read(write_json(tmp_path / "s.json", [LONGMEMEVAL, abstaining]))
    assert [session.id for session in haystack.sessions] == ["s-early", "s-late"]
    [question] = haystack.questions
    assert question.evidence == ("I parked the van on level 3.",)
    assert (question.sessions, [turn.id in question.turns for turn in haystack.sessions[0].turns]) == (
        {"s-early"},
        [True, False],
    )
    assert [(unlabelled.kind, unlabelled.turns, unlabelled.sessions) for unlabelled in other.questions] == [
        ("abstention", set(), set())
    ]


def test_beam_is_read_from_its_repository_and_from_rows_alike(tmp_path: Path) -> None:
    folder = tmp_path / "chats" / "7"
    (folder / "probing_questions").mkdir(parents=True)
    write_json(folder / "chat.json", BEAM_CHAT)
    write_json(folder / "probing_questions" / "probing_questions.json", BEAM_QUESTIONS)
    row = {**BEAM_ROW, "probing_questions": repr(BEAM_QUESTIONS)}
    [by_folder] = read(folder.parent)
    hash_ = hash_of(folder.parent, "beam")
    write_json(folder / "unrelated.json", 1)
    assert hash_of(folder.parent, "beam") == hash_
    assert read(folder) == read(write_json(tmp_path / "rows.json", [row])) == [by_folder]
    assert turns_of(by_folder)[0] == ("session 1", "0", "The API takes 300 ms.", False)
    assert [turn.date for session in by_folder.sessions for turn in session.turns] == ["March-15-2024"] * 3
    unanswerable, updated = by_folder.questions
    assert (unanswerable.kind, unanswerable.evidence) == ("abstention", ())
    assert (updated.turns, updated.sessions) == ({"0", "2"}, {"session 1", "session 2"})
    write_json(folder / "chat_trunecated.json", BEAM_CHAT[:1])
    assert len(read(folder)[0].sessions) == 1
    assert hash_of(folder.parent, "beam") != hash_


def test_halumem_has_facts_and_updates_without_interference_and_noise(tmp_path: Path) -> None:
    file = tmp_path / "halumem.jsonl.gz"
    file.write_bytes(gzip.compress(f"{json.dumps(HALUMEM)}\n\n{json.dumps(HALUMEM)}\n".encode()))
    haystack, _ = read(file)
    new = "Mia Roth no longer lives in Linz, she lives in Graz."
    old = "Mia Roth lives in Linz."
    assert haystack.user == "Mia Roth"
    assert [list(session.facts) for session in haystack.sessions] == [[Fact(old)], [], [Fact(new, (old,))]]
    fact, update = haystack.questions
    assert (fact.kind, fact.evidence, fact.outdated) == ("Basic Fact Recall", (old,), ())
    assert (update.kind, update.text, update.evidence, update.outdated) == ("update", new, (new,), (old,))
    assert [len(haystack.select(some).sessions) for some in ({0}, {1}, set[int]())] == [1, 3, 0]
    assert list(haystack.select({1}).questions) == [update]


def with_fields(record: dict[str, Any], **fields: object) -> dict[str, Any]:
    return {**copy.deepcopy(record), **fields}


@for_rows(
    ("text", "code", "message"),
    [
        ("[{", Code.INVALID_SOURCE, "damaged.json, element 1: The file ends early or is not valid JSON"),
        (
            f"[{json.dumps(LOCOMO)} {json.dumps(LOCOMO)}]",
            Code.INVALID_SOURCE,
            "element 1: The file ends early or is not valid JSON",
        ),
        ('[{"a": NaN}]', Code.INVALID_SOURCE, "element 1: The element is not valid JSON: NaN is not a JSON number"),
        (json.dumps([LOCOMO]) + "x", Code.INVALID_SOURCE, "Text follows the end of the list"),
        ('{\n"a": 1}', Code.INVALID_SOURCE, "damaged.json:1: The line is not valid JSON"),
        (
            json.dumps([with_fields(LOCOMO, conversation={})]),
            Code.INVALID_SOURCE,
            "element 1: A question comes before the first message",
        ),
        (
            json.dumps([with_fields(LOCOMO, qa=[{"question": "a" * 100_001}])]),
            Code.INVALID_SOURCE,
            "element 1: A question is longer than 100,000 characters",
        ),
        *(
            (
                json.dumps([{**BEAM_ROW, "probing_questions": text}]),
                Code.INVALID_SOURCE,
                "probing_questions: The text is not a JSON object",
            )
            for text in ("{{}: 1}", "{'a': {1}}", f"{{'a': 0x{'f' * 5_000}}}", f'{{"a": {"1" * 5_000}}}')
        ),
        ("[1]", Code.INVALID_SOURCE, "damaged.json, element 1: The value is a number, not an object"),
        ('{"a": 1}\n', Code.INVALID_ARGUMENT, "is not a known question set"),
        ("", Code.INVALID_ARGUMENT, "is not a known question set"),
        ("[]", Code.INVALID_ARGUMENT, "is not a known question set"),
        (json.dumps(HALUMEM) + "\n{", Code.INVALID_SOURCE, "damaged.json:2: The line is not valid JSON"),
        (
            json.dumps([LOCOMO, with_fields(LOCOMO, qa=[{"question": " "}])]),
            Code.INVALID_SOURCE,
            "damaged.json, element 2: qa 1: question: The text is empty",
        ),
        (
            json.dumps(
                [with_fields(LOCOMO, conversation={"session_1_date_time": "x", "session_1": [{"text": "\ud800"}]})]
            ),
            Code.INVALID_SOURCE,
            "element 1: conversation: session_1 1: text: The text has a lone surrogate",
        ),
        (
            json.dumps([with_fields(LONGMEMEVAL, haystack_dates=[])]),
            Code.INVALID_SOURCE,
            "2 sessions have 2 ids and 0 dates",
        ),
        (
            json.dumps([with_fields(LONGMEMEVAL, haystack_sessions=[[{"role": "user"}], []])]),
            Code.INVALID_SOURCE,
            "element 1: session 1, turn 1: content: The value is null, not text",
        ),
        (
            json.dumps([{**BEAM_ROW, "chat": [{"plan-1": []}], "probing_questions": {}}]),
            Code.INVALID_SOURCE,
            "session 1, message: The session has no turns",
        ),
        (
            json.dumps([{**BEAM_ROW, "chat": [BEAM_ROW["chat"][0]] * 2, "probing_questions": {}}]),
            Code.INVALID_SOURCE,
            "Two messages have the id 0",
        ),
        (
            json.dumps([{**BEAM_ROW, "probing_questions": "{'a': __import__('os')}"}]),
            Code.INVALID_SOURCE,
            "probing_questions: The text is not a JSON object",
        ),
        (
            json.dumps([{**BEAM_ROW, "probing_questions": "[" * 100_000}]),
            Code.INVALID_SOURCE,
            "probing_questions: The text is not a JSON object",
        ),
    ],
)
def test_a_damaged_file_is_refused_with_the_place(text: str, code: Code, message: str, tmp_path: Path) -> None:
    path = tmp_path / "damaged.json"
    path.write_text(text, "utf-8")
    with pytest.raises(GraphError) as error:
        read(path)
    assert error.value.code is code
    assert message in error.value.message
    assert error.value.hint


def test_a_path_or_format_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    file = write_json(tmp_path / "locomo.json", [LOCOMO])
    for path, form, message in (
        (tmp_path / "missing", None, "No file or folder exists"),
        (tmp_path / "missing", "locomo", "No file or folder exists"),
        (tmp_path / ("a" * 5_000), "locomo", "No file or folder exists"),
        (tmp_path / "a\0b", "locomo", "No file or folder exists"),
        (file, "squad", '"squad" is not a format'),
        (tmp_path, None, "has no BEAM chats"),
        (file, "halumem", "persona_info: The value is null"),
    ):
        with pytest.raises(GraphError) as error:
            read(path, form)
        assert message in error.value.message


def test_times_of_all_formats_are_read_and_others_left_out() -> None:
    assert parse_time("2023/05/20 (Sat) 02:21") == datetime(2023, 5, 20, 2, 21, tzinfo=UTC)
    assert parse_time("Dec 15, 2025, 08:41:23") == datetime(2025, 12, 15, 8, 41, 23, tzinfo=UTC)
    assert parse_time("March-15-2024") == datetime(2024, 3, 15, tzinfo=UTC)
    assert [parse_time(text) for text in ("", "soon", "1" * 1_000_000)] == [None] * 3
