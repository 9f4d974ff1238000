"""Properties that a person has edited: an unusable value is left out, and the rest is returned."""

from __future__ import annotations

import pytest

from graph_memory.agent.records.goals import GoalContext, goal_of
from graph_memory.agent.records.patterns import pattern_of, steps_of
from graph_memory.agent.records.profiles import texts_of
from graph_memory.agent.records.writing import parsed_json
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import NodeSummary
from tables import for_rows

OPEN, NESTED = "[" * 20_000, "[" * 300 + "]" * 300
UNUSABLE = [OPEN, NESTED, r'["\ud800"]', r'{"\udc00": 1}', "9" * 5_000, "{", "", None]


def node(**properties: object) -> NodeSummary:
    return NodeSummary.model_construct(id="mem_x", title="title", properties=properties)


@for_rows("text", UNUSABLE)
def test_an_unusable_value_has_no_parsed_form(text: str | None):
    assert parsed_json(text) is None


def test_other_json_is_parsed():
    assert parsed_json(r'{"a": ["\ud83d\ude00", 1, null]}') == {"a": ["😀", 1, None]}


@for_rows("text", UNUSABLE)
def test_patterns_goals_and_profiles_are_returned_without_it(text: str | None):
    pattern = pattern_of(node(trigger=text, procedure=text, pattern_type="solution"))
    goal = goal_of(node(steps=text, completed_steps=text), GoalContext({}, {}, {}), 0)
    assert (pattern.conditions, pattern.steps, goal.steps) == ((), (), None)
    assert texts_of(text) == ((text,) if text else None)
    assert pattern.model_dump_json()
    assert goal.model_dump_json()


def test_parameters_that_no_reply_can_contain_are_refused():
    parameters: object = "x"
    for _ in range(300):
        parameters = [parameters]
    with pytest.raises(GraphError) as caught:
        steps_of([{"action": "retry", "parameters": {"a": parameters}}])
    assert caught.value.code is Code.INVALID_ARGUMENT
