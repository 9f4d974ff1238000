"""Checks the sizes of texts in the transaction of each write, except when a log is replayed."""

from __future__ import annotations

from collections.abc import Sequence

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import printable
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.store import Reader

MOST_TEXT = 8 * 1024 * 1024
"""Default maximum size of a text in bytes."""
_BYTES_OF_A_CHARACTER = 4


async def check_sizes(reader: Reader, domain: str, drafts: Sequence[Draft], limit: int) -> None:
    """Raise CONTENT_TOO_LARGE if an observation, name or property has more than `limit` bytes.

    Larger texts that the subject already has are allowed.
    """
    large_texts = [
        (draft, name, value)
        for draft in drafts
        for name, value in (draft.state or {}).items()
        if isinstance(value, str) and _is_large(value, limit)
    ]
    if not large_texts:
        return
    stored = await reader.read(LAST_EVENTS, domain=domain, subjects=[draft.subject for draft, _, _ in large_texts])
    last_events = {event["_subject"]: event for event in stored}
    for draft, name, text in large_texts:
        if last_events.get(draft.subject, {}).get(name) != text:
            raise _too_large_error(draft, name, len(text.encode(errors="surrogatepass")), limit)


def _is_large(text: str, limit: int) -> bool:
    return len(text) * _BYTES_OF_A_CHARACTER > limit and len(text.encode(errors="surrogatepass")) > limit


def _too_large_error(draft: Draft, name: str, size: int, limit: int) -> GraphError:
    label = (
        "An observation"
        if draft.kind is Kind.OBSERVATION
        else f"The {printable(name.removeprefix('_'))} of a {draft.kind}"
    )
    message = f"{label} of {size:,} bytes is over the limit of {limit:,} bytes"
    hint = "Shorten it, split it into several observations, or store it as node content."
    return GraphError(Code.CONTENT_TOO_LARGE, message, {"size": size, "limit": limit, "hint": hint})
