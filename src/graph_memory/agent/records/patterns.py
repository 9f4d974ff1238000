"""Matches and ranks patterns. Does no I/O."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, cast, get_args

from graph_memory.agent.kinds import ConditionType
from graph_memory.agent.records.writing import build_with_defaults, fits_reply, parsed_json
from graph_memory.agent.results import Condition, Pattern, PatternMatch, Step
from graph_memory.memory.search.text.analysers import ENGLISH
from graph_memory.model.results import NodeSummary
from graph_memory.model.text.wording import quote, suggestion
from graph_memory.model.values.arguments import invalid_argument

CONDITION_TYPES: tuple[str, ...] = get_args(ConditionType)
MAX_CONDITIONS = 50
MAX_STEPS = 100
_Z = 1.96
"""Number of standard deviations that contain 95 % of a normal distribution."""


@dataclass(frozen=True)
class Situation:
    """A situation to which patterns may apply: a query, and the types of entities and errors in it."""

    query: str
    entity_types: Collection[str] = ()
    error_types: Collection[str] = ()

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the words in the query, without duplicates."""
        return frozenset(map(_stem, ENGLISH.words(self.query)))

    def meets(self, condition: Condition) -> bool:
        """Return whether the situation meets the condition. A custom condition that is not registered is never met."""
        match condition.type:
            case "keyword":
                return has_word(self.query, condition.value) or _stem(condition.value.casefold()) in self.stems
            case "custom":
                is_met = CUSTOM_CONDITIONS.get(condition.value)
                return is_met is not None and is_met(self)
            case "entity_type":
                return condition.value.casefold() in map(str.casefold, self.entity_types)
            case "error_type":
                return condition.value.casefold() in map(str.casefold, self.error_types)


@lru_cache(50_000)
def _stem(word: str) -> str:
    return ENGLISH.stem_of(word)


CUSTOM_CONDITIONS: dict[str, Callable[[Situation], bool]] = {}
"""The functions of registered conditions of the type `custom`, by name."""


def register_condition(name: str, holds: Callable[[Situation], bool]) -> None:
    """Register a function as a custom condition. Patterns and MCP clients refer to the condition by its name."""
    CUSTOM_CONDITIONS[name] = holds


def has_word(text: str, word: str) -> bool:
    """Return whether the text contains the word or phrase as whole words. Ignores case."""
    folded, folded_word = text.casefold(), word.casefold()
    position = folded.find(folded_word)
    while position >= 0:
        end = position + len(folded_word)
        before, after = folded[position - 1 : position], folded[end : end + 1]
        if not (_is_word_character(before) and _is_word_character(folded_word[:1])) and not (
            _is_word_character(after) and _is_word_character(folded_word[-1:])
        ):
            return True
        position = folded.find(folded_word, position + 1)
    return False


def _is_word_character(character: str) -> bool:
    """Return whether the character continues a word.

    Scripts without capital letters often have no spaces between words, so their characters never continue a word.
    """
    return character.isdigit() or character == "_" or character.lower() != character.upper()


def wilson_lower_bound(successes: int, applications: int) -> float:
    """Return the lower bound of the success rate with 95 % confidence, or 0 if there are no applications.

    Wilson, E. B. (1927): Probable inference, the law of succession, and statistical inference.
    """
    if applications == 0:
        return 0.0
    rate, square = successes / applications, _Z * _Z / applications
    spread = _Z * math.sqrt((rate * (1 - rate) + square / 4) / applications)
    return (rate + square / 2 - spread) / (1 + square)


def match_patterns(patterns: Iterable[Pattern], situation: Situation, limit: int) -> tuple[PatternMatch, ...]:
    """Return the patterns with at least one condition that the situation meets, best first.

    The score is the confidence times the weight of the met conditions, as a share of the total weight. Equal scores are
    ordered by the lower bound of the success rate.
    """
    results = [match for pattern in patterns if (match := _match_pattern(pattern, situation))]
    results.sort(key=lambda match: (-match.score, -match.pattern.success_bound, match.pattern.name))
    return tuple(results[:limit])


def _match_pattern(pattern: Pattern, situation: Situation) -> PatternMatch | None:
    met_conditions = tuple(condition for condition in pattern.conditions if situation.meets(condition))
    if not met_conditions:
        return None
    total_weight = sum(condition.weight for condition in pattern.conditions)
    share = sum(condition.weight for condition in met_conditions) / total_weight
    is_warning = pattern.pattern_type == "anti_pattern"
    warning = f"Avoid this: {pattern.description or pattern.name}" if is_warning else None
    return PatternMatch(
        pattern=pattern, score=round(share * pattern.confidence, 4), held=met_conditions, warning=warning
    )


def conditions_of(arguments: Sequence[Mapping[str, object]]) -> tuple[Condition, ...]:
    """Validate and return conditions. Raises INVALID_ARGUMENT if one is invalid, or there are none or too many."""
    if not 1 <= len(arguments) <= MAX_CONDITIONS:
        hint = 'Pass conditions such as {"type": "keyword", "value": "timeout", "weight": 1}.'
        raise invalid_argument(
            "conditions", f"A pattern needs 1 to {MAX_CONDITIONS} conditions, not {len(arguments)}", hint
        )
    return tuple(_parse_condition(condition, f"conditions[{number}]") for number, condition in enumerate(arguments))


def _parse_condition(arguments: Mapping[str, object], argument: str) -> Condition:
    kind, value, weight = arguments.get("type", "keyword"), arguments.get("value"), arguments.get("weight", 1)
    if kind not in CONDITION_TYPES:
        hint = suggestion(str(kind), CONDITION_TYPES, f"Use {', '.join(CONDITION_TYPES)}.")
        raise invalid_argument(argument, f"{quote(str(kind))} is not a type of condition", hint)
    if not isinstance(value, str) or not value.strip():
        raise invalid_argument(
            argument, f"{argument} has no value", "Pass value as text, such as a word from the situation."
        )
    if kind == "custom" and value not in CUSTOM_CONDITIONS:
        hint = suggestion(value, CUSTOM_CONDITIONS, "An archetype registers custom conditions with register_condition.")
        raise invalid_argument(argument, f"No custom condition {quote(value)} is registered", hint)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight <= 1000:
        raise invalid_argument(
            argument, f"The weight of {argument} is {quote(str(weight))}", "Pass a number above 0 and up to 1,000."
        )
    return Condition(type=cast("Any", kind), value=value.strip(), weight=float(weight))


def steps_of(arguments: Sequence[str | Mapping[str, object]]) -> tuple[Step, ...]:
    """Validate and return steps: strings, or objects with `action`, `tool`, `parameters`.

    Raises INVALID_ARGUMENT if a step is invalid or nested too deeply, or there are too many.
    """
    if len(arguments) > MAX_STEPS:
        raise invalid_argument("steps", f"{len(arguments):,} steps are too many", f"Pass at most {MAX_STEPS}.")
    steps: list[Step] = []
    for number, step in enumerate(arguments):
        fields = {"action": step} if isinstance(step, str) else dict(step)
        if not isinstance(fields.get("action"), str) or fields.keys() - Step.model_fields:
            hint = "Pass a string, or an object with action and optionally tool and parameters."
            raise invalid_argument("steps", f"steps[{number}] is neither a string nor a valid step object", hint)
        if not fits_reply(fields):
            message = f"steps[{number}] is nested too deeply"
            raise invalid_argument("steps", message, "Reduce the nesting of the parameters.")
        steps.append(Step.model_validate(fields))
    return tuple(steps)


def stored_trigger(conditions: Sequence[Condition], confidence: float) -> str:
    """Encode the conditions and the confidence as JSON for storage."""
    return _json({"conditions": [condition.to_dict() for condition in conditions], "confidence": confidence})


def stored_procedure(steps: Sequence[Step], tools: Sequence[str], expected_outcome: str) -> str:
    """Encode the steps, the tools and the expected outcome as JSON for storage."""
    return _json({"steps": [step.to_dict() for step in steps], "tools": [*tools], "expected_outcome": expected_outcome})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pattern_of(node: NodeSummary) -> Pattern:
    """Return the pattern that the node stores. Fields that manual edits made invalid get their defaults."""
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
    return build_with_defaults(Pattern, fields, {"name": node.title, "pattern_type": "solution"})


def _parse_object(value: object) -> dict[str, Any]:
    """Parse the JSON object in a property. Returns an empty object if it is missing or invalid."""
    parsed = parsed_json(value)
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}
