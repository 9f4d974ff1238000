"""`remember` of a text whose sentences are preferences, goals or patterns. `routes` recognises them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from graph_memory.agent.episodic import Episodic
from graph_memory.agent.procedural import Procedural
from graph_memory.agent.prospective import Prospective
from graph_memory.agent.results import Event
from graph_memory.agent.roles import roles_in, roles_of
from graph_memory.agent.routes import Route, RouteKind, keywords_of, route_of
from graph_memory.agent.user import UserMemory
from graph_memory.agent.writing import one_line
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.entities.facts import sentences
from graph_memory.memory.entities.finding import NEW
from graph_memory.memory.entities.remembered import About, Decision, Receipt, Remembered
from graph_memory.model.errors import Code, GraphError

_KEPT_AS: Mapping[RouteKind, str] = {
    "preference": "Kept as a preference of the user: get_user_profile lists it.",
    "goal": "Kept as a goal: list_goals lists it, and update_goal completes it.",
    "anti_pattern": "Kept as a pattern to avoid: match_patterns and query_memory warn of it.",
    "workflow": "Kept as a pattern: match_patterns and query_memory return it.",
    "solution": "Kept as a pattern: match_patterns and query_memory return it.",
}
_OTHERWISE = "To keep the sentence as an observation, name the entity that it is about."


@dataclass(frozen=True, slots=True)
class Router:
    """Stores sentences as preferences, goals and patterns."""

    memory: Memory
    episodic: Episodic
    procedural: Procedural
    prospective: Prospective
    user: UserMemory
    users_domain: str

    async def remember(self, text: str, *, dry_run: bool) -> Remembered:
        """Remember a text, sentence by sentence. See `Agent.remember`."""
        said = [(sentence, route_of(sentence)) for sentence in sentences(text)]
        if not any(route for _, route in said) or await self._is_closed():
            return await self.memory.entities.remember(text, dry_run=dry_run)
        routes = [route for _, route in said if route is not None]
        told: Remembered | None = None
        if rest := [sentence for sentence, route in said if route is None]:
            told = await self.memory.entities.remember("\n".join(rest), dry_run=dry_run)
        stored: list[About] = []
        for route in routes:
            try:
                stored.append(await self._store(route, dry_run=dry_run))
            except GraphError as error:
                if told is None and not stored:
                    raise
                stored.append(_refused(route, error))
        if told is None:
            fields = dict(stored[0]) | {"others": tuple(stored[1:]) or None, "dry_run": dry_run or None}
            return Remembered.model_validate(fields)
        return told.model_copy(update={"others": (*(told.others or ()), *stored)})

    async def _is_closed(self) -> bool:
        """Return whether the domain has a closed ontology without the types of the layer. Rules add no types to it."""
        try:
            ontology = await self.memory.get_ontology()
        except GraphError as error:
            if error.code is not Code.ONTOLOGY_NOT_FOUND:
                raise
            return False
        return not ontology.open and not roles_in(ontology).is_whole

    async def _store(self, route: Route, *, dry_run: bool) -> About:
        """Store a sentence, unless it is stored already."""
        match kind := route.kind:
            case "preference":
                told = await self.user.remember(route.sentence, dry_run=dry_run)
                receipt = told.facts[0].model_copy(update={"evidence": told.facts[0].evidence or _KEPT_AS[route.kind]})
                facts = (receipt, *told.facts[1:])
                return told.about.model_copy(update={"facts": facts, "domain": self.users_domain})
            case "goal":
                return await self._goal(route, dry_run=dry_run)
            case _:
                return await self._pattern(route, kind, dry_run=dry_run)

    async def _goal(self, route: Route, *, dry_run: bool) -> About:
        for goal in (await self.prospective.list(limit=1_000)).goals:
            if goal.description == route.text:
                return await self._about(route, "Goal", goal.id, Decision.NOOP)
        if dry_run:
            return await self._about(route, "Goal", None, Decision.ADD)
        made = await self.prospective.create(route.text, deadline=route.deadline)
        return await self._about(route, "Goal", made.goal.id, Decision.ADD)

    async def _pattern(
        self, route: Route, kind: Literal["anti_pattern", "workflow", "solution"], *, dry_run: bool
    ) -> About:
        name = one_line(route.text)
        if known := await self.procedural.find(name, kind):
            return await self._about(route, "Pattern", known.id, Decision.NOOP)
        if dry_run:
            return await self._about(route, "Pattern", None, Decision.ADD)
        failure = await self._failure() if kind == "solution" else None
        words = [*route.keywords, *(keywords_of(failure.title) if failure else ())]
        made = await self.procedural.record(
            name,
            route.text if len(route.text) > len(name) else "",
            conditions=[{"type": "keyword", "value": word} for word in dict.fromkeys(words)],
            pattern_type=kind,
            steps=() if kind == "anti_pattern" else [route.text],
            learned_from=[failure.id] if failure else (),
        )
        return await self._about(route, "Pattern", made.id, Decision.ADD)

    async def _failure(self) -> Event | None:
        """Return the last failure among the latest events of the session: what "this fixed it" is about."""
        events = (await self.episodic.get_recent()).events
        return next((event for event in events if event.outcome == "failure"), None)

    async def _about(self, route: Route, role: str, node_id: str | None, decision: Decision) -> About:
        """Return the receipt of a sentence."""
        roles = await roles_of(self.memory)
        evidence = _KEPT_AS[route.kind] if decision is Decision.NOOP else f"{_KEPT_AS[route.kind]} {_OTHERWISE}"
        is_new = decision is Decision.ADD
        return About(
            entity=one_line(route.text),
            id=node_id,
            type=roles[role] if roles else role,
            created=is_new,
            found_by=NEW if is_new else "text",
            facts=(Receipt(decision=decision, fact=route.sentence, rule=route.kind, evidence=evidence, id=node_id),),
        )


def _refused(route: Route, error: GraphError) -> About:
    """Return the receipt of a sentence that could not be stored, while others of the text are."""
    evidence = f"{error.message}. {error.details.get('hint', '')}".strip()
    receipt = Receipt(decision=Decision.REFUSED, fact=route.sentence, rule=route.kind, evidence=evidence)
    return About(entity=one_line(route.text), type=route.kind, created=False, found_by=NEW, facts=(receipt,))
