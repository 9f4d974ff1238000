"""Stores the sentences of a remembered text as preferences, goals, patterns or observations."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from graph_memory.agent.episodic import Episodic
from graph_memory.agent.procedural import Procedural
from graph_memory.agent.prospective import Prospective
from graph_memory.agent.records.roles import roles_in, roles_of
from graph_memory.agent.records.writing import title_from_text
from graph_memory.agent.results import Event, GoalResult, Pattern
from graph_memory.agent.sentences.sentence_rules import ClassifiedSentence, SentenceKind, classify_sentence, keywords_of
from graph_memory.agent.user import UserMemory
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.entities.names.find_entities import NEW
from graph_memory.memory.entities.remember_results import Outcome, Receipt, RememberResult
from graph_memory.memory.remember.facts import sentences
from graph_memory.memory.remember.remember import STORE_ERRORS
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import quote

_EVIDENCE: Mapping[SentenceKind, str] = {
    "preference": "Stored as a preference of the user: recall and session_start return it.",
    "goal": "Stored as a goal: list_goals returns it, and update_goal completes it.",
    "anti_pattern": "Stored as a pattern to avoid: recall returns it.",
    "workflow": "Stored as a pattern: recall returns it.",
    "solution": "Stored as a pattern: recall returns it.",
}
_FENCE = "```"
_NOT_LEARNED = Hint("The solution is not linked to a failure.", " First record the failure with {record_event}.")
_OBSERVATION_HINT = "To keep the sentence as an observation, mention the entity that it is about."


@dataclass(frozen=True, slots=True)
class SentenceRouter:
    """Stores each sentence of a text in the memory type that the first words of the sentence imply."""

    memory: Memory
    episodic: Episodic
    procedural: Procedural
    prospective: Prospective
    user: UserMemory
    users_domain: str
    session: str | None = None
    """The session of new goals. A solution refers to the last failure in this session."""

    async def remember(self, text: str, *, dry_run: bool) -> RememberResult:
        """Store a text, sentence by sentence. See `Agent.remember`."""
        now = datetime.now(UTC)
        classified = (
            [] if _FENCE in text else [(sentence, classify_sentence(sentence, now)) for sentence in sentences(text)]
        )
        routes = [route for _, route in classified if route is not None]
        if not routes or await self._lacks_types():
            return await self.memory.entities.remember(text, dry_run=dry_run)
        unrouted = "\n".join(sentence for sentence, route in classified if route is None)
        results: list[RememberResult] = []
        errors: list[GraphError] = []
        if unrouted:
            call = self.memory.entities.remember(unrouted, dry_run=dry_run)
            await self._attempt(call, results, errors, unrouted, "text")
        for route in routes:
            await self._attempt(self._store(route, dry_run=dry_run), results, errors, route.sentence, route.kind)
        if len(errors) == len(results):
            raise errors[0]
        first, *other_results = results
        warnings = tuple(warning for result in results for warning in result.warnings or ())
        update = {"others": (*(first.others or ()), *(result.about for result in other_results)) or None}
        return first.model_copy(update={**update, "warnings": warnings or None, "dry_run": dry_run or None})

    async def _attempt(
        self,
        call: Awaitable[RememberResult],
        results: list[RememberResult],
        errors: list[GraphError],
        text: str,
        rule: str,
    ) -> None:
        """Await `call` and append its result. If it fails, append a receipt with the reason."""
        try:
            results.append(await call)
        except GraphError as error:
            if error.code in STORE_ERRORS:
                raise
            errors.append(error)
            evidence = f"{error.message}. {error.details.get('hint', '')}".strip()
            receipt = Receipt(decision=Outcome.REFUSED, fact=text, rule=rule, evidence=evidence)
            fields = {
                "entity": title_from_text(text),
                "type": rule,
                "created": False,
                "found_by": NEW,
                "facts": (receipt,),
            }
            results.append(RememberResult.model_validate(fields))

    async def _lacks_types(self) -> bool:
        """Return whether the domain's ontology is closed and lacks the types of `ontologies/agent.yaml`."""
        try:
            ontology = await self.memory.get_ontology()
        except GraphError as error:
            if error.code is not Code.ONTOLOGY_NOT_FOUND:
                raise
            return False
        return not ontology.open and not roles_in(ontology).has_all_types

    async def _store(self, route: ClassifiedSentence, *, dry_run: bool) -> RememberResult:
        """Store the sentence as a preference, goal or pattern, unless it is already stored."""
        match kind := route.kind:
            case "preference":
                result = await self.user.remember(route.sentence, dry_run=dry_run)
                receipt = result.facts[0].model_copy(update={"evidence": result.facts[0].evidence or _EVIDENCE[kind]})
                receipt = receipt.model_copy(update={"rule": kind}) if receipt.rule == NEW else receipt
                facts = (receipt, *result.facts[1:])
                return result.model_copy(update={"facts": facts, "domain": self.users_domain})
            case "goal":
                return await self._store_goal(route, dry_run=dry_run)
            case _:
                return await self._store_pattern(route, kind, dry_run=dry_run)

    async def _store_goal(self, route: ClassifiedSentence, *, dry_run: bool) -> RememberResult:
        if goal := await self.prospective.find(route.text, self.session):
            if route.deadline in (None, (goal.deadline or "")[:10]):
                return await self._result(route, "Goal", goal.id, Outcome.NOOP)
            changed = None if dry_run else await self.prospective.update(goal.id, deadline=route.deadline)
            return await self._result(route, "Goal", goal.id, Outcome.UPDATE, changed)
        if dry_run:
            return await self._result(route, "Goal", None, Outcome.ADD)
        created = await self.prospective.create(route.text, deadline=route.deadline, session=self.session, once=True)
        decision = Outcome.NOOP if created.since is None else Outcome.ADD
        return await self._result(route, "Goal", created.goal.id, decision, created)

    async def _store_pattern(
        self, route: ClassifiedSentence, kind: Literal["anti_pattern", "workflow", "solution"], *, dry_run: bool
    ) -> RememberResult:
        existing = await self.procedural.find(kind, route.text, route.keywords)
        if existing or dry_run:
            decision = Outcome.NOOP if existing else Outcome.ADD
            return await self._result(route, "Pattern", existing.id if existing else None, decision)
        failure = await self._last_failure() if kind == "solution" else None
        words = [*route.keywords, *(keywords_of(failure.title) if failure else ())]
        pattern = await self.procedural.record(
            title_from_text(route.sentence),
            route.text,
            conditions=[{"type": "keyword", "value": word} for word in dict.fromkeys(words)],
            pattern_type=kind,
            steps=() if kind == "anti_pattern" else [route.text],
            learned_from=[failure.id] if failure else (),
            once=True,
        )
        if pattern.since is None:
            return await self._result(route, "Pattern", pattern.id, Outcome.NOOP)
        result = await self._result(route, "Pattern", pattern.id, Outcome.ADD, pattern)
        if kind != "solution":
            return result
        if failure is None:
            return result.model_copy(update={"warnings": (*(pattern.warnings or ()), _NOT_LEARNED)})
        [receipt] = result.facts
        evidence = f"{receipt.evidence} It is learned from {quote(failure.title)}."
        return result.model_copy(update={"facts": (receipt.model_copy(update={"evidence": evidence}),)})

    async def _last_failure(self) -> Event | None:
        """Return the last failure of the session, to which "This fixed it" refers.

        Returns None if there is none, or if a pattern was already learned from it.
        """
        events = (await self.episodic.get_recent(self.session)).events
        failure = next((event for event in events if event.outcome == "failure"), None)
        roles = await roles_of(self.memory)
        if failure is None or roles is None:
            return None
        kind = roles["LearnedFrom"]
        learned = await self.memory.get_connected_nodes_of([failure.id], direction="in", connection_type=kind)
        return None if learned.get(failure.id) else failure

    async def _result(
        self,
        route: ClassifiedSentence,
        role: str,
        node_id: str | None,
        decision: Outcome,
        stored: GoalResult | Pattern | None = None,
    ) -> RememberResult:
        """Return the result for a sentence that was stored as a goal or a pattern."""
        roles = await roles_of(self.memory)
        is_new = decision is Outcome.ADD
        due = f"Its deadline is {route.deadline}." if route.deadline else ""
        evidence = " ".join(filter(None, (_EVIDENCE[route.kind], due, _OBSERVATION_HINT if is_new else "")))
        return RememberResult(
            entity=title_from_text(route.text),
            id=node_id,
            type=roles[role] if roles else role,
            created=is_new,
            found_by=NEW if is_new else "text",
            facts=(Receipt(decision=decision, fact=route.sentence, rule=route.kind, evidence=evidence, id=node_id),),
            warnings=stored and stored.warnings,
            since=stored and stored.since,
            until=stored and stored.until,
        )
