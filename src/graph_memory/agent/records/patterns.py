"""Matching and ranking of patterns. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, cast, get_args

from graph_memory.agent.kinds import ConditionType
from graph_memory.agent.records.writing import fits_reply, lenient, parsed_json
from graph_memory.agent.results import Condition, Pattern, PatternMatch, Step
from graph_memory.memory.search.text.analysers import ENGLISH
from graph_memory.model.results import NodeSummary
from graph_memory.model.text.wording import quote, suggestion
from graph_memory.model.values.arguments import invalid_argument

CONDITION_TYPES: tuple[str, ...] = get_args(ConditionType)
MOST_CONDITIONS = 50
MOST_STEPS = 100
_Z = 1.96
"""Number of standard deviations that contain 95 % of a normal distribution."""


@dataclass(frozen=True)
class Situation:
    """A situation to which patterns may apply: a query, with entity types and error types."""

    query: str
    entity_types: Collection[str] = ()
    error_types: Collection[str] = ()

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the words in the query."""
        return frozenset(map(_stem, ENGLISH.words(self.query)))

    def meets(self, condition: Condition) -> bool:
        """Return whether the situation meets the condition. Custom conditions that are not registered are never met."""
        match condition.type:
            case "keyword":
                return has_word(self.query, condition.value) or _stem(condition.value.casefold()) in self.stems
            case "custom":
                holds = CUSTOM_CONDITIONS.get(condition.value)
                return holds is not None and holds(self)
            case "entity_type":
                return condition.value.casefold() in map(str.casefold, self.entity_types)
            case "error_type":
                return condition.value.casefold() in map(str.casefold, self.error_types)


@lru_cache(50_000)
def _stem(word: str) -> str:
    return ENGLISH.stem_of(word)


CUSTOM_CONDITIONS: dict[str, Callable[[Situation], bool]] = {}
"""Registered conditions of the type `custom`, by name."""


def register_condition(name: str, holds: Callable[[Situation], bool]) -> None:
    """Register a function as a custom condition. Patterns and MCP clients refer to the condition by its name."""
    CUSTOM_CONDITIONS[name] = holds


def has_word(text: str, word: str) -> bool:
    """Return whether the text contains the word or phrase as whole words, ignoring case."""
    folded, needle = text.casefold(), word.casefold()
    at = folded.find(needle)
    while at >= 0:
        before, after = folded[at - 1 : at], folded[at + len(needle) : at + len(needle) + 1]
        if not (_in_word(before) and _in_word(needle[:1])) and not (_in_word(after) and _in_word(needle[-1:])):
            return True
        at = folded.find(needle, at + 1)
    return False


def _in_word(character: str) -> bool:
    """Return whether the character continues a word.

    Scripts without capital letters often have no spaces. So their characters never continue a word.
    """
    return character.isdigit() or character == "_" or character.lower() != character.upper()


def wilson_lower_bound(successes: int, applications: int) -> float:
    """Return the lower bound of the success rate with 95 % confidence, or 0 without applications.

    Wilson, E. B. (1927): Probable inference, the law of succession, and statistical inference.
    """
    if applications == 0:
        return 0.0
    rate, square = successes / applications, _Z * _Z / applications
    spread = _Z * math.sqrt((rate * (1 - rate) + square / 4) / applications)
    return (rate + square / 2 - spread) / (1 + square)


def match_patterns(patterns: Iterable[Pattern], situation: Situation, limit: int) -> tuple[PatternMatch, ...]:
    """Return the patterns with at least one condition that is met, best first.

    The score is the confidence times the share of the conditions that are met, by weight. Equal scores are ordered by
    the lower bound of the success rate.
    """
    results = [match for pattern in patterns if (match := _match_pattern(pattern, situation))]
    results.sort(key=lambda match: (-match.score, -match.pattern.success_bound, match.pattern.name))
    return tuple(results[:limit])


def _match_pattern(pattern: Pattern, situation: Situation) -> PatternMatch | None:
    held = tuple(condition for condition in pattern.conditions if situation.meets(condition))
    if not held:
        return None
    share = sum(condition.weight for condition in held) / sum(condition.weight for condition in pattern.conditions)
    is_warning = pattern.pattern_type == "anti_pattern"
    warning = f"Avoid this: {pattern.description or pattern.name}" if is_warning else None
    return PatternMatch(pattern=pattern, score=round(share * pattern.confidence, 4), held=held, warning=warning)


def conditions_of(arguments: Sequence[Mapping[str, object]]) -> tuple[Condition, ...]:
    """Validate and return the conditions. Raises INVALID_ARGUMENT if there are none, too many, or invalid ones."""
    if not 1 <= len(arguments) <= MOST_CONDITIONS:
        hint = 'Give conditions such as {"type": "keyword", "value": "timeout", "weight": 1}.'
        raise invalid_argument(
            "conditions", f"A pattern needs 1 to {MOST_CONDITIONS} conditions, not {len(arguments)}", hint
        )
    return tuple(_parse_condition(condition, f"conditions[{number}]") for number, condition in enumerate(arguments))


def _parse_condition(arguments: Mapping[str, object], place: str) -> Condition:
    kind, value, weight = arguments.get("type", "keyword"), arguments.get("value"), arguments.get("weight", 1)
    if kind not in CONDITION_TYPES:
        hint = suggestion(str(kind), CONDITION_TYPES, f"Use {', '.join(CONDITION_TYPES)}.")
        raise invalid_argument(place, f"{quote(str(kind))} is not a type of condition", hint)
    if not isinstance(value, str) or not value.strip():
        raise invalid_argument(place, f"{place} has no value", "Pass value as text, such as a word of the situation.")
    if kind == "custom" and value not in CUSTOM_CONDITIONS:
        hint = suggestion(value, CUSTOM_CONDITIONS, "An archetype registers custom conditions with register_condition.")
        raise invalid_argument(place, f"No custom condition {quote(value)} is registered", hint)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight <= 1000:
        raise invalid_argument(
            place, f"The weight of {place} is {quote(str(weight))}", "Pass a number above 0, up to 1,000."
        )
    return Condition(type=cast("Any", kind), value=value.strip(), weight=float(weight))


def steps_of(arguments: Sequence[str | Mapping[str, object]]) -> tuple[Step, ...]:
    """Validate and return steps: strings, or objects with `action`, `tool`, `parameters`. Raises INVALID_ARGUMENT."""
    if len(arguments) > MOST_STEPS:
        raise invalid_argument("steps", f"{len(arguments):,} steps are too many", f"Pass at most {MOST_STEPS}.")
    steps: list[Step] = []
    for number, step in enumerate(arguments):
        fields = {"action": step} if isinstance(step, str) else dict(step)
        if not isinstance(fields.get("action"), str) or fields.keys() - Step.model_fields:
            raise invalid_argument(
                "steps", f"steps[{number}] is not a step", "Pass text, or action, tool and parameters."
            )
        if not fits_reply(fields):
            raise invalid_argument("steps", f"steps[{number}] is nested too deeply", "Nest the parameters less deeply.")
        steps.append(Step.model_validate(fields))
    return tuple(steps)


def stored_trigger(conditions: Sequence[Condition], confidence: float) -> str:
    """Return the conditions and the confidence as they are stored, as JSON."""
    return _json({"conditions": [condition.to_dict() for condition in conditions], "confidence": confidence})


def stored_procedure(steps: Sequence[Step], tools: Sequence[str], expected_outcome: str) -> str:
    """Return the steps, the tools and the expected outcome as they are stored, as JSON."""
    return _json({"steps": [step.to_dict() for step in steps], "tools": [*tools], "expected_outcome": expected_outcome})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pattern_of(node: NodeSummary) -> Pattern:
    """Return the pattern stored in the node. Fields that manual edits made invalid get their defaults."""
    properties = {name: value for name, value in node.properties.items() if name in Pattern.model_fields}
    trigger, procedure = (_parse_object(node.properties.get(name)) for name in ("trigger", "procedure"))
    successes, failures = (
        count if isinstance(count := properties.get(name), int) else 0 for name in ("successes", "failures")
    )
    fields = {
        **properties,
        **{name: procedure[name] for name in ("steps", "tools", "expected_outcome") if name in procedure},
        "id": node.id,
        "conditions": trigger.get("conditions", ()),
        "confidence": trigger.get("confidence", 0.5),
        "applications": successes + failures,
        "success_bound": round(wilson_lower_bound(successes, successes + failures), 4),
    }
    return lenient(Pattern, fields, {"name": node.title, "pattern_type": "solution"})


def _parse_object(value: object) -> dict[str, Any]:
    """Return the JSON object in a stored value, or an empty object."""
    parsed = parsed_json(value)
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}
