"""The analysers of Neo4j by which a domain's words can be read, and what is named after each."""

from __future__ import annotations

from typing import LiteralString

ENGLISH = "english"
ANALYSERS: tuple[LiteralString, ...] = (
    *("english", "standard-folding", "cjk"),
    *("danish", "dutch", "finnish", "french", "german", "italian", "norwegian", "portuguese"),
    *("russian", "spanish", "swedish"),
)


def index_of(analyser: LiteralString) -> LiteralString:
    """Return the name of the full-text index that has an analyser."""
    return "_passages_" + analyser.replace("-", "_")


def label_of(analyser: LiteralString) -> LiteralString:
    """Return the label of the passages in that index."""
    return "_" + analyser.replace("-", " ").title().replace(" ", "")


LABELS: dict[str, LiteralString] = {label_of(each): each for each in ANALYSERS}
"""The analysers by their labels."""


def labelled(label: str | None) -> LiteralString:
    """Return the analyser of passages with a label; the English one where none was chosen."""
    return LABELS.get(label or "", ENGLISH)
