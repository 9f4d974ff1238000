"""Finds facts that may be stored with the wrong entity.

Earlier versions compared names without symbols, so a fact about `C++` could be stored with `C`. The names passed to
`remember` were not stored. Therefore a fact is found only if its text contains the other name.
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
from graph_memory.memory.entities.names.similar_names import differ_in_signs, parts, split_letters
from graph_memory.memory.entities.names.spans import find_spans, strip_punctuation
from graph_memory.model.results import ReadyCall
from graph_memory.model.text.name_key import name_key
from graph_memory.model.text.wording import quote
from graph_memory.storage.queries import query

MAX_OBSERVATIONS = 20_000
"""Maximum number of observations per domain that are checked for another name."""
_STEP = 14
"""The schema step that introduced the comparison of names with their symbols."""
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
        """The name and the aliases of the entity."""
        return (self.name, *(aliases_of({ALIASES: self.aliases}) if self.aliases else ()))


COMPARED_SINCE = query("entities/compared_since", datetime)
OBSERVED_BEFORE = query("entities/observed_before", NamedObservationRow)


async def find_misplaced_facts(core: Core, domain: str) -> list[Finding]:
    """Return a finding for each observation that may be about another entity with a similar name.

    Only observations from before schema step 14 are checked.
    """
    [since] = await core.store.of(domain).read(COMPARED_SINCE, step=_STEP)
    before = f"obs_{ULID.from_datetime(since)}"
    rows = await core.store.read(OBSERVED_BEFORE, domain=domain, before=before, limit=MAX_OBSERVATIONS)
    return [_finding(row, other) for row in rows if (other := other_name(row.text, row.names)) is not None]


def _finding(row: NamedObservationRow, other: str) -> Finding:
    reason = (
        f"{quote(row.text)} ({row.id}) names {quote(other)}, which was once confused with {quote(row.name)}: "
        f"if it is about {quote(other)}, add it there and delete it here"
    )
    call = ReadyCall(tool="open_nodes", arguments={"names": [row.name, other]})
    return Finding(kind="misplaced_fact", about=(row.name, other), reason=reason, call=call)


def other_name(text: str, names: Sequence[str]) -> str | None:
    """Return the shortest name in a text that the old comparison treated as equal to one of `names`, or None.

    Also returns None if the text contains one of `names`.
    """
    old = {old_key(name) for name in names}
    if not any(key in old_key(text) for key in old):
        return None
    keys, longest = {name_key(name) for name in names}, max(len(name.split()) for name in names)
    spans = [span for span in find_spans(text, longest) if old_key(span) in old]
    if any(name_key(span) in keys for span in spans):
        return None
    return min(_find_different_spans(spans, names), key=len, default=None)


def _find_different_spans(spans: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield the spans that differ from every name in a letter or symbol."""
    for span in spans:
        if span == strip_punctuation(span) and all(
            differ_in_signs(span, name) or split_letters(parts(span)) != split_letters(parts(name)) for name in names
        ):
            yield span


def old_key(name: str) -> str:
    """Return the key that earlier versions used to compare names: the words without symbols and combining marks."""
    words = _OLD_WORD.findall(unicodedata.normalize("NFKC", name).casefold())
    return " ".join(words) or name
