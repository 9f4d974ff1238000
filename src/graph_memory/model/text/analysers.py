"""Neo4j's analysers for the text search of a domain, each with its index and label."""

from __future__ import annotations

from typing import LiteralString

ENGLISH = "english"
ANALYSERS: tuple[LiteralString, ...] = (
    *("english", "standard-folding", "cjk"),
    *("danish", "dutch", "finnish", "french", "german", "italian", "norwegian", "portuguese"),
    *("russian", "spanish", "swedish"),
)


def index_of(analyser: LiteralString) -> LiteralString:
    """Return the name of the full-text index of passages that uses this analyser."""
    return "_passages_" + analyser.replace("-", "_")


def label_of(analyser: LiteralString) -> LiteralString:
    """Return the label of the passages in the full-text index that uses this analyser."""
    return "_" + analyser.replace("-", " ").title().replace(" ", "")


LABELS: dict[str, LiteralString] = {label_of(analyser): analyser for analyser in ANALYSERS}
"""The analysers, by their passages' labels."""


def analyser_of(label: str | None) -> LiteralString:
    """Return the analyser of passages with this label. For None or an unknown label, return the English analyser."""
    return LABELS.get(label or "", ENGLISH)
