"""Patterns: what must hold for one to fit, and how well it has worked. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from graph_memory.agent.results import Condition, Pattern, PatternMatch, Step
from graph_memory.agent.writing import lenient
from graph_memory.model.arguments import fault
from graph_memory.model.results import NodeSummary
from graph_memory.model.wording import quoted, suggestion

CONDITION_TYPES = ("keyword", "entity_type", "error_type", "custom")
MOST_CONDITIONS = 50
MOST_STEPS = 100
_Z = 1.96
"""Standard deviations of the normal distribution within which 95 % lie."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What patterns are compared with."""

    query: str
    entity_types: Collection[str] = ()
    error_types: Collection[str] = ()
    _names: Mapping[str, Collection[str]] = field(init=False)

    def __post_init__(self) -> None:
        names = {
            kind: {one.casefold() for one in given}
            for kind, given in (("entity_type", self.entity_types), ("error_type", self.error_types))
        }
        object.__setattr__(self, "_names", names)

    def meets(self, condition: Condition) -> bool:
        """Say whether a condition holds; a custom one that nobody has registered does not."""
        if condition.type == "keyword":
            return has_word(self.query, condition.value)
        if condition.type == "custom":
            holds = CUSTOM.get(condition.value)
            return holds is not None and holds(self)
        return condition.value.casefold() in self._names[condition.type]


CUSTOM: dict[str, Callable[[Situation], bool]] = {}
"""The conditions of the type `custom`, by name."""


def register_condition(name: str, holds: Callable[[Situation], bool]) -> None:
    """Give patterns a condition that is decided by a function; over MCP it is used by its name."""
    CUSTOM[name] = holds


def has_word(text: str, word: str) -> bool:
    """Say whether a text has a word or words, in any case, and not only as a part of another word."""
    folded, wanted = text.casefold(), word.casefold()
    at = folded.find(wanted)
    while at >= 0:
        before, after = folded[at - 1 : at], folded[at + len(wanted) : at + len(wanted) + 1]
        if not (_joins(before) and _joins(wanted[:1])) and not (_joins(after) and _joins(wanted[-1:])):
            return True
        at = folded.find(wanted, at + 1)
    return False


def _joins(character: str) -> bool:
    """Say whether a character goes on a word beside it: scripts without capitals are often written without spaces."""
    return character.isdigit() or character == "_" or character.lower() != character.upper()


def wilson_lower_bound(successes: int, applications: int) -> float:
    """Return the lower bound of a success rate at 95 %, 0 without applications.

    Wilson, E. B. (1927): Probable inference, the law of succession, and statistical inference.
    """
    if applications == 0:
        return 0.0
    rate, square = successes / applications, _Z * _Z / applications
    spread = _Z * math.sqrt((rate * (1 - rate) + square / 4) / applications)
    return (rate + square / 2 - spread) / (1 + square)


def matches(patterns: Iterable[Pattern], situation: Situation, limit: int) -> tuple[PatternMatch, ...]:
    """Return the patterns of which a condition holds, the best first.

    The score is the share of the weights of the conditions that hold, times the confidence; of equal scores, the one
    with the higher lower bound of its success rate comes first.
    """
    found: list[PatternMatch] = []
    for one in patterns:
        held = tuple(condition for condition in one.conditions if situation.meets(condition))
        if held:
            share = sum(each.weight for each in held) / sum(each.weight for each in one.conditions)
            warning = f"Avoid this: {one.description or one.name}" if one.pattern_type == "anti_pattern" else None
            score = round(share * one.confidence, 4)
            found.append(PatternMatch(pattern=one, score=score, held=held, warning=warning))
    found.sort(key=lambda match: (-match.score, -match.pattern.success_bound, match.pattern.name))
    return tuple(found[:limit])


def conditions_of(given: Sequence[Mapping[str, object]]) -> tuple[Condition, ...]:
    """Return checked conditions. Raises INVALID_ARGUMENT for none, too many, or one that is at fault."""
    if not 1 <= len(given) <= MOST_CONDITIONS:
        hint = 'Such as {"type": "keyword", "value": "timeout", "weight": 1}.'
        raise fault("conditions", f"A pattern needs 1 to {MOST_CONDITIONS} conditions, not {len(given)}", hint)
    return tuple(_condition(one, f"conditions[{number}]") for number, one in enumerate(given))


def _condition(given: Mapping[str, object], at: str) -> Condition:
    kind, value, weight = given.get("type", "keyword"), given.get("value"), given.get("weight", 1)
    if kind not in CONDITION_TYPES:
        raise fault(at, f"{quoted(str(kind))} is not a type of condition", suggestion(str(kind), CONDITION_TYPES, ""))
    if not isinstance(value, str) or not value.strip():
        raise fault(at, f"{at} has no value", "Give value as text, such as a word of the situation.")
    if kind == "custom" and value not in CUSTOM:
        hint = suggestion(value, CUSTOM, "An archetype registers custom conditions with register_condition.")
        raise fault(at, f"No custom condition {quoted(value)} is registered", hint)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight <= 1000:
        raise fault(at, f"The weight of {at} is {quoted(str(weight))}", "Give a number above 0, up to 1,000.")
    return Condition(type=cast("Any", kind), value=value.strip(), weight=float(weight))


def steps_of(given: Sequence[str | Mapping[str, object]]) -> tuple[Step, ...]:
    """Return checked steps: text, or `action` with `tool` and `parameters`. Raises INVALID_ARGUMENT."""
    if len(given) > MOST_STEPS:
        raise fault("steps", f"{len(given):,} steps are too many", f"Give at most {MOST_STEPS}.")
    steps: list[Step] = []
    for number, one in enumerate(given):
        data = {"action": one} if isinstance(one, str) else dict(one)
        if not isinstance(data.get("action"), str) or data.keys() - Step.model_fields:
            raise fault("steps", f"steps[{number}] is not a step", "Give text, or action, tool and parameters.")
        steps.append(Step.model_validate(data))
    return tuple(steps)


def stored_trigger(conditions: Sequence[Condition], confidence: float) -> str:
    """Return what must hold, as it is stored."""
    return _json({"conditions": [one.to_dict() for one in conditions], "confidence": confidence})


def stored_procedure(steps: Sequence[Step], tools: Sequence[str], expected_outcome: str) -> str:
    """Return what is to be done, as it is stored."""
    return _json({"steps": [one.to_dict() for one in steps], "tools": [*tools], "expected_outcome": expected_outcome})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pattern_of(node: NodeSummary) -> Pattern:
    """Return a node as the pattern that it is, without what a person has changed into something that it cannot be."""
    own = {name: value for name, value in node.properties.items() if name in Pattern.model_fields}
    trigger, procedure = (_parsed(node.properties.get(name)) for name in ("trigger", "procedure"))
    successes, failures = (
        count if isinstance(count := own.get(name), int) else 0 for name in ("successes", "failures")
    )
    given = {
        **own,
        **{name: procedure[name] for name in ("steps", "tools", "expected_outcome") if name in procedure},
        "id": node.id,
        "conditions": trigger.get("conditions", ()),
        "confidence": trigger.get("confidence", 0.5),
        "applications": successes + failures,
        "success_bound": round(wilson_lower_bound(successes, successes + failures), 4),
    }
    return lenient(Pattern, given, {"name": node.title, "pattern_type": "solution"})


def _parsed(value: object) -> dict[str, Any]:
    """Return what is stored as JSON; nothing of what is no object."""
    try:
        found: object = json.loads(value) if isinstance(value, str) else {}
    except ValueError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
