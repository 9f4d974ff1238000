"""`session_start` and `session_end`: what to know at the start of a conversation, and what is kept of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.entities.cleaning.health import contradictions, open_questions
from graph_memory.memory.entities.cleaning.looking import CHANGED, OF_TYPE
from graph_memory.memory.entities.cleaning.reading import surveyed
from graph_memory.memory.entities.cleaning.results import Finding
from graph_memory.memory.entities.sessions.blocks import blocks_of
from graph_memory.memory.entities.sessions.notes import Kept, Note, Wanted, notes_of, write_note
from graph_memory.memory.entities.sessions.primer import Primer
from graph_memory.memory.entities.sessions.results import Block, SessionEnded, SessionStarted
from graph_memory.memory.knowledge.reading import states_of
from graph_memory.memory.recall.fitting import counter
from graph_memory.memory.recall.request import FEWEST_TOKENS
from graph_memory.memory.recall.tiers.guide import GUIDE
from graph_memory.memory.recall.tiers.reading import is_empty
from graph_memory.memory.recall.tiers.recalling import recall
from graph_memory.memory.recall.tiers.request import MOST_TOKENS, asked
from graph_memory.model.arguments import fault, is_encodable
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.subjects import NodeState
from graph_memory.model.wording import quoted, shown

SUMMARY = Kept("SessionSummary", "session", "What was done in a session, and what is open")
TOKENS = 1_500
"""How much a primer takes at most, unless it is said."""
LEAST_TOKENS = 400
_LISTED = 5
_LOOKED_AT = 2_000
_GOALS = frozenset({"goal", "goals", "objective", "milestone", "todo", "task"})
_REACHED = frozenset({"answered", "abandoned", "cancelled", "closed", "completed", "done", "reached", "resolved"})
_STATES = ("status", "state")
_PART = 0.5
"""The part of what is left after the blocks that the overview may take."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for at the start of a session. Raises INVALID_ARGUMENT."""

    session_id: str | None
    project: str | None
    max_tokens: int = TOKENS

    def __post_init__(self) -> None:
        for name, given in (("session_id", self.session_id), ("project", self.project)):
            if given is not None and not (isinstance(given, str) and given.strip() and is_encodable(given)):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
                raise fault(name, f"{name} is {quoted(given)}", "Give a text, or leave it out.")
        if type(self.max_tokens) is not int or not LEAST_TOKENS <= self.max_tokens <= MOST_TOKENS:
            hint = f"Give a whole number from {LEAST_TOKENS} to {MOST_TOKENS:,}."
            raise fault("max_tokens", f"max_tokens is {self.max_tokens!r}", hint)


async def session_start(core: Core, domain: str, given: Asked) -> SessionStarted:
    """Return what to know at the start of a session. `Entities.session_start` tells the rest."""
    count = await anyio.to_thread.run_sync(counter)
    session = given.session_id or core.origin.session
    if await is_empty(core, domain):
        return SessionStarted(session_id=session, empty=True, text=GUIDE, tokens=count(GUIDE))
    ontology = await core.log.ontology(domain) or Ontology()
    primer = Primer(given.max_tokens, count)
    blocks, last = _ordered(await blocks_of(core, domain), given.project), await _last_summary(core, domain, given)
    for block in blocks:
        primer.block(block.label, block.text)
    primer.section("Last time", _last_time(last))
    told = frozenset([*(block.id for block in blocks if block.id), *([last.node.id] if last else [])])
    warnings = await _overview(core, domain, given, primer, told)
    primer.section("Who changed what last", await _changes(core, domain))
    asking = await open_questions(core, domain, _LISTED)
    primer.section("Open questions: answer with decide", [_line(one) for one in asking])
    primer.section("Goals", await _goals(core, domain, ontology))
    against = (await contradictions(core, domain, ontology))[:_LISTED]
    primer.section("Contradictions to settle", [_line(one) for one in against])
    return SessionStarted(
        session_id=session,
        empty=False,
        text=primer.text,
        tokens=count(primer.text),
        left_out=primer.left_out or None,
        questions=(*asking, *against) or None,
        warnings=warnings,
    )


def _ordered(blocks: Sequence[Block], project: str | None) -> list[Block]:
    """Return the blocks with texts; that of the project comes first of those that are not standard."""
    told = [block for block in blocks if block.text]
    return sorted(told, key=lambda block: block.label not in ("persona", "human", "project", project))


def _line(one: Finding) -> str:
    if one.kind == "contradiction":
        return f"- {quoted(one.about[0])} and {quoted(one.about[1])}"
    arguments = one.call.arguments
    return f"- {quoted(one.about[0])}: {one.reason} (new {arguments['new']}, known {arguments['known']})"


async def _last_summary(core: Core, domain: str, given: Asked) -> Note | None:
    """Return the last summary of this session, or of the project, or of any."""
    own = await notes_of(core, core.store, domain, SUMMARY, key=given.session_id, limit=1) if given.session_id else []
    notes = own or await notes_of(core, core.store, domain, SUMMARY, limit=20)
    of_project = [note for note in notes if given.project and note.properties.get("project") == given.project]
    return next(iter(of_project or notes), None)


def _last_time(last: Note | None) -> list[str]:
    if last is None:
        return []
    when = last.node.modified.date().isoformat()
    return [f"{when}:", *(f"> {line}" for line in last.text.splitlines() if line.strip())]


async def _overview(
    core: Core, domain: str, given: Asked, primer: Primer, told: frozenset[str]
) -> tuple[str, ...] | None:
    """Put what the memory holds, as a shallow recall tells it, without what was told above."""
    room = int(primer.left * _PART)
    if room < FEWEST_TOKENS:
        primer.left_out += 1
        return None
    request = asked("shallow", given.project, None, room, "prose", None, None, None, None)
    found = await recall(core, domain, replace(request, told=told))
    primer.section("What this memory holds", [line for line in str(found.content).splitlines() if line.strip()])
    return found.warnings


async def _changes(core: Core, domain: str) -> list[str]:
    """Return which entities changed last, when, and by whom."""
    rows = await core.store.read(CHANGED, domain=domain, looked=_LOOKED_AT)
    by = {row.id: row for row in rows}
    found = (await surveyed(core.store, domain, list(by)))[:_LISTED]
    return [f"- {shown(row.name)}: {by[row.id].by or 'somebody'}, {by[row.id].at:%Y-%m-%d %H:%M}" for row in found]


async def _goals(core: Core, domain: str, ontology: Ontology) -> list[str]:
    """Return the goals that nothing says to be reached, by their types."""
    names = [one.name for one in ontology.node_types if one.name.casefold() in _GOALS]
    ids = [
        each
        for name in names
        for each in await core.store.read(OF_TYPE, domain=domain, type=name, stored=[name], limit=100)
    ]
    states = await states_of(core.store, domain, ids)
    return [f"- {shown(name)}" for name, node in states.items() if not _is_reached(node)][:_LISTED]


def _is_reached(node: NodeState) -> bool:
    return any(str(node.properties.get(key)).casefold() in _REACHED for key in _STATES)


async def session_end(
    core: Core, domain: str, summary: str, session_id: str | None, project: str | None
) -> SessionEnded:
    """Keep what was done in a session. `Entities.session_end` tells the rest."""
    given = Asked(session_id, project)
    if not isinstance(summary, str) or not summary.strip() or not is_encodable(summary):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise fault("summary", "There is no summary", "Say in a few lines what was done, decided, and is open.")
    session = given.session_id or core.origin.session

    def decide(_: Note | None) -> Wanted:
        told = {SUMMARY.key: session, "project": project}
        title = f"Session {session}" if session else "Session"
        return Wanted(summary.strip(), title, {key: value for key, value in told.items() if value is not None})

    done = await write_note(core, domain, "session_end", SUMMARY, session, decide)
    asking = await open_questions(core, domain, _LISTED)
    return SessionEnded(session_id=session, id=done.id, changed=done.changed, questions=tuple(asking) or None)
