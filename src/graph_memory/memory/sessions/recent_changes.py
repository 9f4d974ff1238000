"""Reads the latest changes for the start of a session, split at the last session."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.history.digest import ChangeDescription
from graph_memory.memory.history.last_session import last_session
from graph_memory.memory.recall.questions.changed_things import MAX_PARTS, Change, find_changed_nodes
from graph_memory.memory.sessions.primer import Primer

LAST_TIME, LAST, BEFORE = "Changed since last time", "Who changed what last", "Changed before"


@dataclass(frozen=True, slots=True)
class Changes:
    """Recent changes, split at the last session into `since` and `before`.

    If there is no earlier session, `before` contains all of them.
    """

    since: Sequence[Change]
    before: Sequence[Change]

    @property
    def new(self) -> set[str]:
        """The ids of the records that were created since the last session."""
        return {change.node_changes.id for change in self.since if change.node_changes.state == "new"}

    def add_to(self, primer: Primer, room: int, listed: Collection[str]) -> set[str]:
        """Add the newest changes to a primer within a token budget.

        Returns the subjects whose texts are shown completely. For new records that another section lists, only
        observations and connections are shown.
        """
        shown_subjects: set[str] = set()
        end = primer.left - room
        for head, changes in ((LAST_TIME, self.since), (BEFORE if self.since else LAST, self.before)):
            rows = [(change, _parts(change, primer.text, listed, head)) for change in changes]
            rows = [(change, parts) for change, parts in rows if parts or change.node_changes.id not in listed]
            lines = [change.line(parts) for change, parts in rows]
            number = primer.add_section(head, lines, primer.left - end)
            for change, parts in rows[:number]:
                shown_subjects |= {part.subject for part in parts[:MAX_PARTS] if part.text}
                if change.node_changes.state == "new" and len(parts) <= MAX_PARTS and not change.has_content:
                    shown_subjects.add(change.node_changes.id)
        return shown_subjects


def _parts(change: Change, text: str, listed: Collection[str], head: str) -> Sequence[ChangeDescription]:
    node, parts = change.node_changes, change.parts(text, only_new=head != LAST_TIME)
    is_listed = node.id in listed and node.state == "new"
    return [part for part in parts if part.subject != node.id] if is_listed else parts


async def read_changes(
    core: Core, domain: str, project: str | None, session: str | None, without_types: Collection[str]
) -> Changes:
    """Return the newest changes in a domain, split at the last session of the project or caller.

    `session` is the current session, which does not count. Changes of nodes of the types `without_types` are omitted.
    """
    last = await last_session(core, domain, of=project, or_any=True, excluded=session)
    if last is None:
        return Changes((), await find_changed_nodes(core, domain, without_types=without_types))
    since = await find_changed_nodes(core, domain, after=last.first_seq - 1, without_types=without_types)
    before = await find_changed_nodes(core, domain, before=last.first_seq, without_types=without_types)
    return Changes(since, before)
