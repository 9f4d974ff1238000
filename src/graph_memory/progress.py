"""How the slow parts of a start tell what they do."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, float | None], None]
"""Called with the stage in words and how much of it is done, 0 to 1, or None where nobody can tell."""


def silent(stage: str, done: float | None) -> None:
    """Tell nobody."""
