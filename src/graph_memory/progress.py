"""How what takes long tells what it does."""

from __future__ import annotations

import logging
from collections.abc import Callable

Progress = Callable[[str, float | None], None]
"""Called with the stage in words and how much of it is done, 0 to 1, or None where nobody can tell."""

_log = logging.getLogger(__name__)


def silent(stage: str, done: float | None) -> None:
    """Tell nobody but the log."""
    _log.debug("%s %s", stage, done)
