"""Statements that name the earlier value of a property."""

from __future__ import annotations

import pytest

from graph_memory.memory.entities.outdated import outdated
from graph_memory.memory.entities.weighing import Known
from graph_memory.model.properties import PropertyValue


@pytest.mark.parametrize(
    ("text", "was", "now", "is_asked"),
    [
        ("Works at KESTREL health.", "Kestrel Health", "Fernblick", True),
        ("Was at Kestrel Health, is at Fernblick.", "Kestrel Health", "Fernblick", False),
        ("Works at Kestrel.", "Kestrel Health", "Fernblick", False),
        ("Lives in Kestrelton.", "Kestrel", "Fernblick", False),
        ("Wohnt in Köln.", "koln", "Bonn", True),
        ("Has the cat A B.", "A B", "Tom", True),
        ("Plays go.", "go", "chess", False),
        ("Has 1000 books.", 1000, 2000, False),
        ("Is true to her word.", True, False, False),
        ("她在阿里巴巴工作。", "阿里巴巴", "腾讯公司", True),
        ("Works at Kestrel Health. " + "x" * 2_000, "Kestrel Health", "Fernblick", False),
    ],
)
def test_whole_words_of_a_telling_text_are_looked_for(
    text: str, was: PropertyValue, now: PropertyValue, is_asked: bool
) -> None:
    found = outdated({"k": was, "same": was}, {"k": now, "same": was, "new": now}, [Known("1", text)])
    assert [doubt.known.id for doubts in found.values() for doubt in doubts] == ["1"] * is_asked
