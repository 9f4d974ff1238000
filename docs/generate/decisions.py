"""The list of decisions, by the titles of their pages."""

from __future__ import annotations

from pathlib import Path

from .tables import Lines, text

DECISIONS = """
Decisions that a change could undo by mistake, each with its reason and its measurement, if there is one.
"""


def decisions_page() -> Lines:
    """Yield the list of decisions."""
    yield from text("Decisions", DECISIONS)
    for page in sorted((Path(__file__).parents[1] / "decisions").glob("0*.md")):
        title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        yield f"- [{title}]({page.name})"
    yield ""
