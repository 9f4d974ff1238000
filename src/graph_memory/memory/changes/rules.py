"""The rules of connection types about other connections: only the graph can say whether one is broken.

One connection is asked about before it is made. Of many it is asked once they are projected, before they are committed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar, cast

from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.rules import BrokenLink, link_rules
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class BrokenRow:
    """A connection that breaks a rule of its type."""

    id: str
    rule: str
    other: str | None
    nodes: list[tuple[str, str]]
    """Ids and titles: of both ends and those of the other connection, or of a cycle from the target to the source."""


BROKEN_RULES = query("changes/broken_rules", BrokenRow)


class RulesBroken(Exception):  # noqa: N818 - it is no error yet: the write is tried without these
    """Connections that would break a rule of their type, each with the rule."""

    def __init__(self, rules: Mapping[str, BrokenLink]) -> None:
        super().__init__()
        self.rules = rules

    @property
    def reasons(self) -> Mapping[str, str]:
        """The violated rule as a sentence, by connection."""
        return {subject: broken.reason for subject, broken in self.rules.items()}


def ruled(draft: Draft, ontology: Ontology | None, also: Sequence[str] = ()) -> dict[str, object] | None:
    """Return what to check of a connection that came to be, or holds again; None when its type has no rules about that.

    `also` are rules that are asked besides those of the type.
    """
    if draft.kind is not Kind.CONNECTION or draft.op not in (Op.CREATE, Op.UPDATE):
        return None
    declared = ontology.find_connection_type(draft.type or "") if ontology else None
    is_new = draft.op is Op.CREATE
    own = [rule.name for rule in link_rules(declared) if is_new or (rule.name == "inverse" and _holds(draft))]
    rules = {*also, *own}
    if not rules:
        return None
    names = {"type": draft.type, "other_name": declared.other_name if declared else ""}
    ends = {"from": draft.from_id, "to": draft.to_id}
    return {"id": draft.subject, **names, **ends, "rules": sorted(rules), "before": None if is_new else draft.previous}


def _holds(draft: Draft) -> bool:
    ends = cast("datetime | None", (draft.state or {}).get("_valid_to"))
    return ends is None or ends > utc_now()


async def broken_rules(
    reader: Reader,
    domain: str,
    drafts: Iterable[Draft],
    ontology: Ontology | None,
    *,
    in_turn: bool = False,
    also: Sequence[str] = (),
) -> Mapping[str, BrokenLink]:
    """Return which new connections break which rule of their type; of two together, in turn, the later."""
    rows = [row for draft in drafts if (row := ruled(draft, ontology, also))]
    turns = {row["id"]: turn for turn, row in enumerate(rows, start=1)} if in_turn else {}
    results = await reader.read(BROKEN_RULES, domain=domain, rows=rows, turns=turns) if rows else []
    return {
        row.id: BrokenLink(row.rule, row.other, tuple((node, title) for node, title in row.nodes)) for row in results
    }


async def check_rules(
    reader: Reader, domain: str, events: Sequence[Event], ontology: Ontology | None, *, in_turn: bool
) -> None:
    """Raise RulesBroken for new connections, written by now, that break a rule of their type."""
    drafts = (event.draft for event in events)
    if broken := await broken_rules(reader, domain, drafts, ontology, in_turn=in_turn):
        raise RulesBroken(broken)


async def until_rules_hold(attempt: Callable[[Mapping[str, BrokenLink]], Awaitable[R]]) -> R:
    """Return what a write gives, which is tried anew with the rules that it was found to break, by its connections."""
    broken: Mapping[str, BrokenLink] = {}
    while True:
        try:
            return await attempt(broken)
        except RulesBroken as more:
            broken = {**broken, **more.rules}
