"""Every word of a text is in a passage, no passage is too long, and each is found again where it stands."""

from __future__ import annotations

import json
import random
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_memory.memory.search.passages.packing import MAX_WORDS
from graph_memory.memory.search.passages.passages import locate, split_subject
from graph_memory.memory.search.passages.units import WORD
from profiles import examples
from unit.memory.search.passage_builders import join, node, passages, ranges, ref, sentences_of

FORMATS = ["markdown", "plain", "python", "json", "yaml", "csv", "pdf"]
LINES = ["# Heading", "Title\n===", "```python", "```", "- item one", "| a | b |", "Caroline: hello there", "def f(x):"]
LINES += [
    "    return x",
    "",
    "   ",
    "One sentence. Another one! A third?",
    "你好。世界！",
    "สวัสดีครับ",
    "key: value",
    "[",
    "{",
]
LINES += ["word " * 300, "x" * 5_000, "\r", "a,b,c", "e.g. Mr. J. Smith etc."]
TEXTS = st.one_of(
    st.text(max_size=2_000),
    st.lists(st.sampled_from(LINES), max_size=40).map("\n".join),
    st.integers(0, 2**32).map(lambda seed: join(sentences_of(random.Random(seed), 120))),
)


@settings(max_examples=examples(200), deadline=None)
@given(TEXTS, st.sampled_from(FORMATS))
def test_every_word_is_in_a_passage_or_its_head(text: str, content_format: str) -> None:
    text = text.replace('"', "'")  # of a conversation in JSON, only what was said is told
    results = split_subject(node(ref(content_format)), text)
    rendered = "".join(f"{piece.head}{piece.text}" for piece in results)
    parts = set(re.findall(r"\w{1,16}", rendered)) | set(re.findall(r"\w", rendered))
    for word in re.findall(r"\w+", text):
        assert word in rendered or set(word) <= parts


@settings(max_examples=examples(200), deadline=None)
@given(TEXTS, st.sampled_from(FORMATS))
def test_the_passages_of_a_text_without_speakers_leave_out_blanks_only(text: str, content_format: str) -> None:
    text = re.sub("[:\"']", "", text)
    reached = 0
    for start, end in ranges(text, content_format):
        assert not text[reached:start].strip()
        reached = end
    assert not text[reached:].strip()


@settings(max_examples=examples(200), deadline=None)
@given(TEXTS, st.sampled_from(FORMATS))
def test_no_passage_is_over_the_limit_and_none_is_empty(text: str, content_format: str) -> None:
    for passage in passages(text, content_format):
        assert 0 < len(WORD.findall(passage)) <= MAX_WORDS
        assert len(passage.split()) <= MAX_WORDS
        assert passage == passage.strip()


@settings(max_examples=examples(100), deadline=None)
@given(TEXTS, st.sampled_from(FORMATS))
def test_the_same_text_gives_the_same_passages_with_places_of_their_own(text: str, content_format: str) -> None:
    subject = node(ref(content_format), title="T", about=text)
    results = split_subject(subject, text)
    assert results == split_subject(subject, text)
    assert len({piece.place for piece in results}) == len(results)


@settings(max_examples=examples(100), deadline=None)
@given(TEXTS, st.sampled_from(["markdown", "plain", "python", "yaml", "csv"]))
def test_each_passage_is_found_exactly_in_the_text(text: str, content_format: str) -> None:
    reached = 0
    for piece in split_subject(node(ref(content_format)), text if text[:1] not in ("[", "{") else f"> {text}"):
        given_text = text if text[:1] not in ("[", "{") else f"> {text}"
        if not piece.place.startswith("content/"):
            continue
        results = locate(given_text, piece.text, reached)
        assert results is not None
        assert given_text[slice(*results)] == piece.text
        reached = results[0]


def test_a_passage_that_stands_twice_is_found_near_the_hint() -> None:
    text = "Same words. Other words. Same words."
    assert locate(text, "Same words.", 0) == (0, 11)
    assert locate(text, "Same words.", 30) == (25, 36)
    assert locate(text, "Same words.", 1_000) == (25, 36)
    assert locate(text, "Not there.", 0) is None


@settings(max_examples=examples(50))
@given(st.lists(st.text(min_size=1, max_size=200).filter(str.strip), min_size=2, max_size=6), st.booleans())
def test_what_was_said_is_found_in_json(turns_: list[str], is_ascii: bool) -> None:
    turns = [{"role": "user", "content": text} for text in turns_]
    text = json.dumps(turns, ensure_ascii=is_ascii)
    results = split_subject(node(ref("json")), text)
    assert results
    assert all(piece.head == "user" and locate(text, piece.text, 0) is not None for piece in results)


@pytest.mark.long
@pytest.mark.long
@pytest.mark.parametrize(
    ("part", "content_format"),
    [
        ("a", "markdown"),
        (".", "plain"),
        (". ", "plain"),
        ("a\n", "markdown"),
        ("# a\n", "markdown"),
        ("```\n", "markdown"),
        ("[", "json"),
        ("a(", "python"),
        ("def ", "python"),
        ("*", "markdown"),
        ("你好世界", "plain"),
        ("สวัสดี", "plain"),
        ("a: b\n", "markdown"),
        ("a.\"' ", "plain"),
        ("The same sentence again. ", "plain"),
        ('{"a":1},', "json"),
    ],
)
def test_the_time_grows_with_the_size_and_not_with_its_square(part: str, content_format: str) -> None:
    def seconds(size: int) -> float:
        text = part * (size // len(part))
        begun = time.process_time()
        assert all(len(WORD.findall(passage)) <= MAX_WORDS for passage in passages(text, content_format))
        return time.process_time() - begun

    small = min(seconds(16_000) for _ in range(3))
    assert min(seconds(256_000) for _ in range(2)) <= 16 * max(small, 0.002) * 4
