"""Arguments are read strictly: whatever is at fault is named, nothing is coerced, and the memory is not asked."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_memory.model.errors import GraphError
from graph_memory.operations.arguments import MAX_INTEGER
from graph_memory.operations.parsing import Arguments
from graph_memory.operations.table import OPERATIONS, TOOLSETS
from graph_memory.operations.toolsets.remember import Remember
from tables import for_rows
from unit.mcp_server.mcp_fakes import ARGUMENTS, RecordingMemory, client_of, error_of, opens, text_of

pytestmark = pytest.mark.anyio

SERVED = ("graph", "recall")
SCHEMAS = {toolset.name: toolset.input_schema for name in SERVED for toolset in TOOLSETS[name] if not toolset.by_name}
NAMES = list(SCHEMAS)
EVERY_ARGUMENT = [(name, argument) for name, schema in SCHEMAS.items() for argument in schema["properties"]]
REQUIRED = [(name, argument) for name, schema in SCHEMAS.items() for argument in schema.get("required", [])]

SAMPLES = [1.5, ["", 1], {"": True}, "", "1", 0, True, [{}]]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


async def refusal_of(name: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the structured error and the text of a call that must be refused before it reaches the memory."""
    memory = RecordingMemory()
    async with client_of(opens(memory)) as client:
        result = await client.call_tool(name, arguments)
    assert memory.calls == []
    error = error_of(result)
    assert error["code"] == "INVALID_ARGUMENT"
    return error, text_of(result)


def fits(schema: dict[str, Any], value: object) -> bool:
    """Say by JSON Schema's rules, written a second time, whether a value is allowed."""
    if "anyOf" in schema:
        return any(fits(choice, value) for choice in schema["anyOf"])
    match schema["type"]:
        case "string":
            within = value in schema.get("enum", [value])
            return isinstance(value, str) and within and len(value) >= schema.get("minLength", 0)
        case "integer":
            bounds = (
                schema.get("minimum", -math.inf),
                schema.get("maximum", MAX_INTEGER if "minimum" in schema else math.inf),
            )
            is_whole = type(value) is int or (type(value) is float and value.is_integer() and abs(value) <= MAX_INTEGER)
            return is_whole and bounds[0] <= value <= bounds[1]  # pyright: ignore[reportOperatorIssue]
        case "number":
            return type(value) in (int, float) and schema["minimum"] <= value <= schema["maximum"]  # pyright: ignore[reportOperatorIssue]
        case "boolean":
            return isinstance(value, bool)
        case "array":
            item = schema["items"]
            return isinstance(value, list) and (
                item.get("type") != "string" or all(fits(item, element) for element in value)
            )
        case "object":
            return isinstance(value, dict)
    raise AssertionError(schema)


def is_omitted(name: str, argument: str, value: object) -> bool:
    """Return whether a value of an optional argument counts as omitted."""
    return argument not in SCHEMAS[name].get("required", []) and value in (None, "")


@for_rows("name", NAMES)
async def test_every_tool_refuses_an_argument_that_it_does_not_know(name: str):
    error, _ = await refusal_of(name, {**ARGUMENTS[name], "colour": "red"})
    assert error["details"]["argument"] == "colour"
    assert error["details"]["allowed"] == list(SCHEMAS[name]["properties"])


@for_rows(("name", "argument"), REQUIRED)
async def test_every_required_argument_is_missed(name: str, argument: str):
    left = {key: value for key, value in ARGUMENTS[name].items() if key != argument}
    assert (await refusal_of(name, left))[0]["details"]["argument"] == argument
    error, text = await refusal_of(name, {**left, argument: None})
    assert error["details"]["argument"] == argument
    assert "null" in text


@for_rows(("name", "argument"), EVERY_ARGUMENT)
def test_every_argument_refuses_values_of_another_type(name: str, argument: str):
    schema = SCHEMAS[name]["properties"][argument]
    for wrong in (value for value in SAMPLES if not fits(schema, value) and not is_omitted(name, argument, value)):
        with pytest.raises(GraphError) as caught:
            OPERATIONS[name].bind({**ARGUMENTS[name], argument: wrong})
        assert caught.value.details["argument"] == argument
        assert str(caught.value.details["expected"]) in caught.value.message


@settings(max_examples=150, deadline=None)
@given(case=st.sampled_from(EVERY_ARGUMENT), value=JSON)
def test_the_published_schema_says_exactly_which_values_are_taken(case: tuple[str, str], value: object):
    name, argument = case
    allowed = fits(SCHEMAS[name]["properties"][argument], value) or is_omitted(name, argument, value)
    assert allowed is accepts(name, {**ARGUMENTS[name], argument: value})


def accepts(name: str, arguments: dict[str, Any]) -> bool:
    try:
        OPERATIONS[name].bind(arguments)
    except GraphError as error:
        return "expected" not in error.details  # what is inside of a declaration is the ontology's to judge
    return True


@pytest.mark.parametrize("limit", ["1", True, 1.5, 0, -1, 10**30])
async def test_a_limit_is_a_whole_number_from_1_up(limit: object):
    error, text = await refusal_of("search_content", {"query": "x", "limit": limit})
    assert error["details"]["argument"] == "limit"
    assert "an integer of at least 1" in text


async def test_a_number_that_is_too_large_is_told_with_both_bounds():
    _, text = await refusal_of("search_memories", {"query": "x", "max_results": 1000})
    assert "max_results must be an integer from 1 to 100, not 1000" in text


async def test_an_empty_list_where_there_has_to_be_one_thing_says_so():
    async with client_of(opens(RecordingMemory()), toolsets=("cleanup",)) as client:
        text = text_of(await client.call_tool("merge_entities", {"names": [], "into": "Ann"}))
    assert "names must be a list of strings that is not empty, not an empty list." in text


async def test_a_missing_argument_is_told_with_its_kind_and_its_choices():
    _, text = await refusal_of("create_node", {"type": "Project"})
    assert 'create_node needs the argument "content" (a string).' in text
    _, text = await refusal_of("get_connected_nodes", {"node_id": "mem_1"})
    assert 'get_connected_nodes needs the argument "direction" (one of "out", "in", "both").' in text


async def test_a_near_miss_is_answered_with_the_name_that_was_meant():
    _, text = await refusal_of("get_node", {"nodeId": "mem_1"})
    assert 'has no argument "nodeId"' in text
    assert 'Hint: Did you mean "node_id"?' in text


def test_a_session_given_to_memory_revert_leads_to_the_tool_that_undoes_sessions() -> None:
    with pytest.raises(GraphError) as refusal:
        OPERATIONS["memory_revert"].bind({"session": "default"})
    assert refusal.value.details["hint"] == "memory_revert_session undoes a session."


async def test_a_name_like_no_other_is_answered_with_all_names():
    _, text = await refusal_of("get_node", {"node_id": "mem_1", "zzz": 1})
    assert "Use only: node_id, domain." in text


async def test_all_faults_of_a_call_are_told_at_once():
    _, text = await refusal_of("search_content", {"query": "", "limit": 0, "colour": 1})
    assert all(name in text for name in ("query", "limit", "colour"))


async def test_a_value_outside_an_enum_is_answered_with_the_enum():
    arguments = {"node_id": "mem_1", "direction": "sideways"}
    _, text = await refusal_of("get_connected_nodes", arguments)
    assert 'direction must be one of "out", "in", "both", not "sideways".' in text


async def test_a_fault_inside_a_list_is_located():
    error, text = await refusal_of("create_node", {**ARGUMENTS["create_node"], "tags": ["a", 1]})
    assert "tags[1] must be a string, not 1." in text
    assert error["details"]["argument"] == "tags"


async def test_a_fault_inside_a_declaration_is_located():
    arguments = {"node_types": ["A"], "connection_types": [{"name": "C", "from_types": ["A"], "to": 1}]}
    error, _ = await refusal_of("create_ontology", arguments)
    assert error["details"]["at"].startswith("connection_types[0]")


async def test_a_long_value_is_not_repeated_in_full():
    _, text = await refusal_of("get_node", {"node_id": ["x" * 10_000]})
    assert len(text) < 500
    _, text = await refusal_of("search_content", {"query": "x", "limit": "9" * 10_000})
    assert len(text) < 500


async def test_values_of_properties_are_left_to_the_memory():
    memory = RecordingMemory()
    arguments = {"properties": {"a": None, "b": [1], "c": 10**30}}
    async with client_of(opens(memory)) as client:
        assert not (await client.call_tool("query_nodes", arguments)).is_error
    assert memory.calls == [("query_nodes", (), arguments)]


async def call_arguments(
    name: str, arguments: dict[str, Any], toolsets: str = "graph,recall,remember"
) -> dict[str, Any]:
    """Return the arguments with which a call reaches the memory."""
    memory = RecordingMemory()
    async with client_of(opens(memory), toolsets=tuple(toolsets.split(","))) as client:
        result = await client.call_tool(name, arguments)
    assert memory.calls, text_of(result)
    return memory.calls[0][2]


async def test_short_names_of_ids_are_read_as_the_whole_ones():
    ends = {"type": "Knows", "from": "mem_1", "to": "mem_2"}
    assert await call_arguments("create_connection", ends) == {
        "type": "Knows",
        "from_node_id": "mem_1",
        "to_node_id": "mem_2",
    }
    memory = RecordingMemory()
    async with client_of(opens(memory)) as client:
        await client.call_tool("get_node", {"id": "mem_1"})
        await client.call_tool("delete_connection", {"id": "conn_1"})
    assert [call[2] for call in memory.calls] == [{"node_id": "mem_1"}, {"connection_id": "conn_1"}]
    error, text = await refusal_of("get_node", {"id": "mem_1", "node_id": "mem_2"})
    assert (error["code"], "id and node_id mean the same" in text) == ("INVALID_ARGUMENT", True)


async def test_content_is_text_in_utf_8_unless_it_is_said():
    arguments = {"type": "Note", "content": "Tiles"}
    assert await call_arguments("create_node", arguments) == {**arguments, "format": "text"}
    arguments = {"node_id": "mem_1", "content": "Tiles"}
    assert await call_arguments("update_node", arguments) == arguments


async def test_a_number_is_whole_however_json_writes_it():
    arguments = {"properties": {"price": 2.0}, "limit": 5.0}
    results = await call_arguments("query_nodes", arguments)
    assert type(results["limit"]) is int
    assert type(results["properties"]["price"]) is float  # a value of the user's, which comes back as it was given
    filters = {"min_edge_count": 2.0, "min_strength": 1.0}
    results = await call_arguments("search_memories", {"query": "x", "filters": filters})
    assert [type(value) for value in results["filters"].values()] == [int, float]


async def test_an_empty_string_counts_as_omitted_where_it_means_nothing():
    empty = {"limit": "", "cursor": "", "type": "", "created_after": "", "properties": "", "domains": ""}
    assert await call_arguments("query_nodes", empty) == {}
    assert await call_arguments("recall", {"query": "", "depth": "shallow", "as_of": ""}) == {"depth": "shallow"}


async def test_an_empty_string_stays_where_it_means_something():
    arguments = {"node_id": "mem_1", "content": "", "encoding": "utf-8", "title": "", "path": ""}
    assert await call_arguments("update_node", arguments) == arguments


@pytest.mark.parametrize("spaces", ["", " \n"])
async def test_an_object_written_as_a_string_is_an_object_where_both_are_allowed(spaces: str):
    memory = RecordingMemory()
    arguments = {"node_types": [spaces + '{"name": "Person", "colour": "red"}'], "connection_types": []}
    async with client_of(opens(memory)) as client:
        result = await client.call_tool("create_ontology", arguments)
    assert memory.calls == []
    assert error_of(result)["details"]["at"] == "node_types[0].colour"


@pytest.mark.parametrize("text", ['{"text": 1', '["text"]', "{not json}", '{"text": "a", "text": "b"}'])
def test_a_text_that_is_no_object_in_json_stays_text(text: str):
    arguments = Arguments("remember", Remember)
    assert arguments.parse({"observations": [text]}) == {"observations": [text]}
    assert arguments.parse({"observations": ['{"text": "a"}', '{"city": "Malmö"}']}) == {
        "observations": [{"text": "a"}, {"city": "Malmö"}]
    }


def test_an_empty_string_in_an_object_counts_as_omitted_unless_it_means_something():
    arguments = {"observations": [{"text": "", "confidence": "", "valid_to": "", "other": ""}]}
    assert Arguments("remember", Remember).parse(arguments) == {"observations": [{"text": "", "other": ""}]}
