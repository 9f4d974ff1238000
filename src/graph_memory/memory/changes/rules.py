"""Checks the rules of connection types that involve several connections. The checks read the graph.

A single connection is checked before it is written. Several connections are checked after they are projected and before
the commit.
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
    """Ids and titles of the endpoints of both connections, or of a cycle's nodes from the target to the source."""


BROKEN_RULES = query("changes/broken_rules", BrokenRow)


class RulesBroken(Exception):  # noqa: N818 - not an error yet: the write is repeated without these
    """Raised for connections that break a rule of their type. `rules` has the broken rules, keyed by connection id."""

    def __init__(self, rules: Mapping[str, BrokenRule]) -> None:
        super().__init__()
        self.rules = rules

    @property
    def reasons(self) -> Mapping[str, str]:
        """The reason why each connection breaks its rule, as a phrase, keyed by connection id."""
        return {subject: broken.reason for subject, broken in self.rules.items()}


def rule_check_row(draft: Draft, ontology: Ontology | None, extra: Sequence[str] = ()) -> dict[str, object] | None:
    """Return the parameters for checking a connection that is new or valid again, or None if no rule applies.

    `extra` contains the names of further rules to check.
    """
    if draft.kind is not Kind.CONNECTION or draft.op not in (Op.CREATE, Op.UPDATE):
        return None
    connection_type = ontology.find_connection_type(draft.type or "") if ontology else None
    is_new = draft.op is Op.CREATE
    rule_names = [
        rule.name
        for rule in connection_rules(connection_type)
        if is_new or (rule.name == "inverse" and _is_valid_now(draft))
    ]
    rules = {*extra, *rule_names}
    if not rules:
        return None
    names = {"type": draft.type, "other_name": connection_type.other_name if connection_type else ""}
    ends = {"from": draft.from_id, "to": draft.to_id}
    return {"id": draft.subject, **names, **ends, "rules": sorted(rules), "before": None if is_new else draft.previous}


def _is_valid_now(draft: Draft) -> bool:
    valid_to = cast("datetime | None", (draft.state or {}).get("_valid_to"))
    return valid_to is None or valid_to > utc_now()


async def find_broken_rules(
    reader: Reader,
    domain: str,
    drafts: Iterable[Draft],
    ontology: Ontology | None,
    *,
    in_turn: bool = False,
    extra: Sequence[str] = (),
) -> Mapping[str, BrokenRule]:
    """Return the rules that new connections break, keyed by connection id.

    With `in_turn`, the earlier of two conflicting connections counts as valid.
    """
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


async def retry_until_rules_hold(attempt: Callable[[Mapping[str, BrokenRule]], Awaitable[R]]) -> R:
    """Repeat a write until it breaks no rule, and return its result. Each attempt gets all rules broken so far."""
    broken: Mapping[str, BrokenRule] = {}
    while True:
        try:
            return await attempt(broken)
        except RulesBroken as error:
            broken = {**broken, **error.rules}
