"""Progress of long operations."""

from __future__ import annotations

import logging
from collections.abc import Callable

Progress = Callable[[str, float | None], None]
"""Called with the name of the stage, and the share of it that is done (0 to 1), or None if unknown."""

_log = logging.getLogger(__name__)


def silent(stage: str, done: float | None) -> None:
    """Report progress only to the log."""
    _log.debug("%s %s", stage, done)
