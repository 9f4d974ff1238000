"""Progress of long operations."""

from __future__ import annotations

import logging
from collections.abc import Callable

Progress = Callable[[str, float | None], None]
"""A listener. It is called with a stage's name and its completed fraction (from 0 to 1, or None if unknown)."""

_log = logging.getLogger(__name__)


def log_progress(stage: str, done: float | None) -> None:
    """Report progress only to the log."""
    _log.debug("%s %s", stage, done)
