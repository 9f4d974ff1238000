"""Checks of the rules of connection types about other connections, which need the graph.

A single connection is checked before it is written. Many are checked after they are projected and before the commit.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar, cast

from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.rules import BrokenRule, connection_rules
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class BrokenRow:
    """A connection that violates a rule of its type."""

    id: str
    rule: str
    other: str | None
    nodes: list[tuple[str, str]]
    """Ids and titles of the ends of both connections, or of the nodes of a cycle from the target to the source."""


BROKEN_RULES = query("changes/broken_rules", BrokenRow)


class RulesBroken(Exception):  # noqa: N818 - not an error yet: the write is repeated without these
    """Connections that would violate a rule of their type, each with the rule."""

    def __init__(self, rules: Mapping[str, BrokenRule]) -> None:
        super().__init__()
        self.rules = rules

    @property
    def reasons(self) -> Mapping[str, str]:
        """The violated rule as a sentence, by connection."""
        return {subject: broken.reason for subject, broken in self.rules.items()}


def rule_check_row(draft: Draft, ontology: Ontology | None, extra: Sequence[str] = ()) -> dict[str, object] | None:
    """Return the row to check for a connection that is new or valid again, or None if no rule applies.

    `extra` lists further rules to check.
    """
    if draft.kind is not Kind.CONNECTION or draft.op not in (Op.CREATE, Op.UPDATE):
        return None
    declared = ontology.find_connection_type(draft.type or "") if ontology else None
    is_new = draft.op is Op.CREATE
    rule_names = [
        rule.name for rule in connection_rules(declared) if is_new or (rule.name == "inverse" and _holds(draft))
    ]
    rules = {*extra, *rule_names}
    if not rules:
        return None
    names = {"type": draft.type, "other_name": declared.other_name if declared else ""}
    ends = {"from": draft.from_id, "to": draft.to_id}
    return {"id": draft.subject, **names, **ends, "rules": sorted(rules), "before": None if is_new else draft.previous}


def _holds(draft: Draft) -> bool:
    ends = cast("datetime | None", (draft.state or {}).get("_valid_to"))
    return ends is None or ends > utc_now()


async def find_broken_rules(
    reader: Reader,
    domain: str,
    drafts: Iterable[Draft],
    ontology: Ontology | None,
    *,
    in_turn: bool = False,
    extra: Sequence[str] = (),
) -> Mapping[str, BrokenRule]:
    """Return the rules that new connections violate. With `in_turn`, only the later of two conflicting ones counts."""
    rows = [row for draft in drafts if (row := rule_check_row(draft, ontology, extra))]
    turns = {row["id"]: turn for turn, row in enumerate(rows, start=1)} if in_turn else {}
    results = await reader.read(BROKEN_RULES, domain=domain, rows=rows, turns=turns) if rows else []
    return {
        row.id: BrokenRule(row.rule, row.other, tuple((node, title) for node, title in row.nodes)) for row in results
    }


async def check_rules(
    reader: Reader, domain: str, events: Sequence[Event], ontology: Ontology | None, *, in_turn: bool
) -> None:
    """Raise RulesBroken if new, already written connections violate a rule of their type."""
    drafts = (event.draft for event in events)
    if broken := await find_broken_rules(reader, domain, drafts, ontology, in_turn=in_turn):
        raise RulesBroken(broken)


async def until_rules_hold(attempt: Callable[[Mapping[str, BrokenRule]], Awaitable[R]]) -> R:
    """Return the result of a write, repeated with the violated rules by connection until none is violated."""
    broken: Mapping[str, BrokenRule] = {}
    while True:
        try:
            return await attempt(broken)
        except RulesBroken as error:
            broken = {**broken, **error.rules}
