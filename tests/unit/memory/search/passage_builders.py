"""Subjects with the texts that passages are made of, and documents of random sentences."""

from __future__ import annotations

import random
from datetime import UTC, datetime

from graph_memory.memory.search.passages.packing import pack_units
from graph_memory.memory.search.passages.text_kinds import split_text
from graph_memory.model.subjects.subjects import ConnectionState, NodeState
from graph_memory.model.values.content import ContentRef
from graph_memory.model.values.fields import NodeFields
from graph_memory.model.values.properties import PropertyValue

_NOW = datetime(2026, 1, 1, tzinfo=UTC)


def ref(content_format: str = "markdown", *, is_text: bool = True) -> ContentRef:
    return ContentRef(format=content_format, encoding="utf-8" if is_text else "base64", size=1, sha256="0" * 64)


def node(
    content: ContentRef | None = None,
    *,
    title: str | None = None,
    summary: str | None = None,
    tags: tuple[str, ...] = (),
    **properties: PropertyValue,
) -> NodeState:
    return NodeState(
        id="n",
        type="Person",
        created=_NOW,
        modified=_NOW,
        title="derived",
        content=content or ref(),
        properties=properties,
        tags=tags,
        fields=NodeFields(title=title, content_summary=summary),
    )


def connection(content: ContentRef | None = None, **properties: PropertyValue) -> ConnectionState:
    return ConnectionState(
        id="c",
        type="KNOWS",
        from_node_id="a",
        to_node_id="b",
        created=_NOW,
        modified=_NOW,
        content=content,
        properties=properties,
    )


def ranges(text: str, content_format: str) -> list[tuple[int, int]]:
    """Where the passages of a text begin and end."""
    document = split_text(text, content_format)
    return [pair for section in document.sections for pair in pack_units(document.text, section.units)]


def passages(text: str, content_format: str = "markdown") -> list[str]:
    """The passages of a text, without their heads."""
    document = split_text(text, content_format)
    return [document.text[start:end] for start, end in ranges(text, content_format)]


def sentence(rng: random.Random) -> str:
    words = [f"w{rng.randrange(3_000)}" for _ in range(max(3, min(40, int(rng.gauss(rng.choice([8, 15, 18]), 6)))))]
    return " ".join(words).capitalize() + "."


def sentences_of(rng: random.Random, count: int) -> list[tuple[str, str]]:
    """Sentences, each with what stands before it: a blank, a paragraph's end, or now and then a heading."""
    in_paragraph = rng.choice([2, 4, 8, 500])
    in_section = rng.choice([15, 60, 1_000])
    pairs: list[tuple[str, str]] = []
    for number in range(count):
        before = " " if rng.random() > 1 / in_paragraph else "\n\n"
        if rng.random() < 1 / in_section:
            before = f"\n\n## Heading {number}\n\n"
        pairs.append((before if pairs else "", sentence(rng)))
    return pairs


def join(pairs: list[tuple[str, str]]) -> str:
    return "".join(before + text for before, text in pairs)
