"""What changed last, for the start of a session: since the last one, and before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.entities.sessions.primer import Primer
from graph_memory.memory.history.last_session import last_session
from graph_memory.memory.recall.tiers.changed_things import MOST_PARTS, Change, changed_things

LAST_TIME, LAST, BEFORE = "Changed since last time", "Who changed what last", "Changed before"


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed since the last session, and before it; without an earlier session all of it is `before`."""

    since: Sequence[Change]
    before: Sequence[Change]

    def put(self, primer: Primer, room: int) -> set[str]:
        """Put the newest changes into a primer within so many tokens, and return the subjects that it tells whole."""
        told: set[str] = set()
        end = primer.tokens + room
        for head, changes in ((LAST_TIME, self.since), (BEFORE if self.since else LAST, self.before)):
            parts = [change.parts(primer.text, only_new=head != LAST_TIME) for change in changes]
            lines = [change.line(some) for change, some in zip(changes, parts, strict=True)]
            number = primer.section(head, lines, end - primer.tokens)
            for change, some in zip(changes[:number], parts, strict=False):
                told |= {part.subject for part in some[:MOST_PARTS] if part.text}
                if change.thing.state == "new" and len(some) <= MOST_PARTS and not change.has_content:
                    told.add(change.thing.id)
        return told


async def read_changes(core: Core, domain: str, project: str | None) -> Changes:
    """Return the newest changes of a domain, apart since the last session of the project or of whoever asks."""
    last = await last_session(core, domain, of=project) if project else None
    last = last or await last_session(core, domain)
    if last is None:
        return Changes((), await changed_things(core, domain))
    since = await changed_things(core, domain, after=last.first_seq - 1)
    return Changes(since, await changed_things(core, domain, before=last.first_seq))
