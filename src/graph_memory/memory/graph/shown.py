"""What a caller is shown of what nodes and connections have in common."""

from __future__ import annotations

from datetime import datetime

from graph_memory.model.protection import Protection
from graph_memory.model.results import ProtectionInfo


def protection_info(protection: Protection | None, now: datetime) -> ProtectionInfo | None:
    """Return how something is protected, None when it is not; what has expired says so."""
    if protection is None:
        return None
    return ProtectionInfo(
        is_read_only=protection.holds(now),
        locked_by=protection.locked_by,
        locked_at=protection.locked_at,
        reason=protection.reason,
        expires_at=protection.expires_at,
        can_be_unprotected_by=protection.can_be_unprotected_by or None,
    )
