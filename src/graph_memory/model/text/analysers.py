"""The analysers of Neo4j for a domain's text search, with the index and label of each."""

from __future__ import annotations

from typing import LiteralString

ENGLISH = "english"
ANALYSERS: tuple[LiteralString, ...] = (
    *("english", "standard-folding", "cjk"),
    *("danish", "dutch", "finnish", "french", "german", "italian", "norwegian", "portuguese"),
    *("russian", "spanish", "swedish"),
)


def index_of(analyser: LiteralString) -> LiteralString:
    """Return the name of the full-text index with this analyser."""
    return "_passages_" + analyser.replace("-", "_")


def label_of(analyser: LiteralString) -> LiteralString:
    """Return the label of the passages in the index with this analyser."""
    return "_" + analyser.replace("-", " ").title().replace(" ", "")


LABELS: dict[str, LiteralString] = {label_of(analyser): analyser for analyser in ANALYSERS}
"""The analysers by their labels."""


def analyser_of(label: str | None) -> LiteralString:
    """Return the analyser of passages with a label; by default English."""
    return LABELS.get(label or "", ENGLISH)
