"""Finds facts that may be stored at the wrong entity: an earlier name comparison ignored signs, so `C++` led to `C`.

The names that calls of `remember` passed were not stored. So a fact is only found if its text contains the other name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from ulid import ULID

from graph_memory.memory.core import Core
from graph_memory.memory.entities.aliases import ALIASES, aliases_of
from graph_memory.memory.entities.cleaning.results import Finding
from graph_memory.memory.entities.names.similar_names import differ_in_signs, letters, parts
from graph_memory.memory.entities.names.spans import find_spans, strip_punctuation
from graph_memory.model.results import ReadyCall
from graph_memory.model.text.name_key import name_key
from graph_memory.model.text.wording import quote
from graph_memory.storage.queries import query

MAX_OBSERVATIONS = 20_000
"""Maximum number of observations that are checked."""
_STEP = 14
"""The schema step that introduced the comparison of names with all their signs."""
_OLD_WORD = re.compile(r"\w[\w.'’-]*\w|\w")


@dataclass(frozen=True, slots=True)
class NamedObservationRow:
    """An observation with the names of its entity."""

    name: str
    aliases: str | None
    id: str
    text: str

    @property
    def names(self) -> Sequence[str]:
        """All names of the entity."""
        return (self.name, *(aliases_of({ALIASES: self.aliases}) if self.aliases else ()))


COMPARED_SINCE = query("entities/compared_since", datetime)
OBSERVED_BEFORE = query("entities/observed_before", NamedObservationRow)


async def find_misplaced_facts(core: Core, domain: str) -> list[Finding]:
    """Return the observations that mention another entity, which the old name comparison confused with their own.

    Only observations from before schema step 14 are checked.
    """
    [since] = await core.store.read(COMPARED_SINCE, step=_STEP)
    before = f"obs_{ULID.from_datetime(since)}"
    rows = await core.store.read(OBSERVED_BEFORE, domain=domain, before=before, limit=MAX_OBSERVATIONS)
    return [_finding(row, other) for row in rows if (other := other_name(row.text, row.names)) is not None]


def _finding(row: NamedObservationRow, other: str) -> Finding:
    reason = (
        f"{quote(row.text)} ({row.id}) names {quote(other)}, which was confused with {quote(row.name)} before: "
        f"if it is about {quote(other)}, remember it there and delete it here"
    )
    call = ReadyCall(tool="open_nodes", arguments={"names": [row.name, other]})
    return Finding(kind="misplaced_fact", about=(row.name, other), reason=reason, call=call)


def other_name(text: str, names: Sequence[str]) -> str | None:
    """Return the name in a text that was confused with one of these names, or None if one of these occurs in it too."""
    old = {old_key(name) for name in names}
    if not any(key in old_key(text) for key in old):
        return None
    keys, longest = {name_key(name) for name in names}, max(len(name.split()) for name in names)
    spans = [span for span in find_spans(text, longest) if old_key(span) in old]
    if any(name_key(span) in keys for span in spans):
        return None
    return min(_find_different_spans(spans, names), key=len, default=None)


def _find_different_spans(spans: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield the spans that equal none of the names in letters and symbols."""
    for span in spans:
        if span == strip_punctuation(span) and all(
            differ_in_signs(span, name) or letters(parts(span)) != letters(parts(name)) for name in names
        ):
            yield span


def old_key(name: str) -> str:
    """Return the key by which earlier versions compared names: the words without signs and combining marks."""
    words = _OLD_WORD.findall(unicodedata.normalize("NFKC", name).casefold())
    return " ".join(words) or name
