"""Events of clients, as a hook stores them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graph_memory.hooks.clients import CLIENTS
from graph_memory.hooks.events import HookEvent, event_of, is_captured


def read_event(
    client: str, name: str, payload: Mapping[str, Any], *, capture: str = "all", domain: str = "default"
) -> HookEvent | None:
    """Return the event that a hook stores, or None if it stores nothing."""
    kind = CLIENTS[client].events[name]
    return event_of(client, kind, payload, domain=domain) if is_captured(kind, capture) else None
