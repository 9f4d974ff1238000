"""How deep a question goes, by its words alone."""

from __future__ import annotations

import pytest

from graph_memory.memory.recall.tiers.asking import depth_of


@pytest.mark.parametrize(
    ("question", "depth"),
    [
        ("What do you know?", "shallow"),
        ("What do we know so far?", "shallow"),
        ("What is in this memory?", "shallow"),
        ("Give me an overview.", "shallow"),
        ("What do we know about the terrace?", "medium"),
        ("What is in the shed?", "medium"),
        ("What does the memory say about the stove?", "medium"),
        ("What does the terrace cost?", "medium"),
        ("What did I do yesterday?", "medium"),
        ("Tell me about Anna Lee", "medium"),
        ("What did Anna say in May and June?", "medium"),
        ("How are Anna and Acme connected?", "deep"),
        ("Anna Lee and Bob Ray", "deep"),
        ("Anna, Bob", "deep"),
        ("Tell me about Anna Lee and Bob Ray", "deep"),
    ],
)
def test_a_question_is_as_deep_as_its_words_say(question: str, depth: str):
    assert depth_of(question)[0] == depth
