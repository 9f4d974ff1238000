"""Operations read from plain data."""

from __future__ import annotations

from typing import Any, cast

import pytest

from graph_memory import GraphError
from graph_memory.memory.batch.operations import MAX_OPERATIONS, Deletion, FailedDependency, Options, ParsedBatch
from graph_memory.memory.batch.parsing import VERBS, options_from, parse_operations
from graph_memory.memory.batch.references import References, check_key, request_of
from graph_memory.memory.contents import Contents
from graph_memory.memory.graph.connections import NewConnection
from graph_memory.memory.graph.nodes import NewNode, NodeEdit
from graph_memory.model.subjects.kinds import Kind
from graph_memory.operations.table import OPERATIONS
from tables import for_rows

pytestmark = pytest.mark.anyio

CONTENTS = Contents(cast("Any", None), cast("Any", None), store="", inline_limit=100, text_limit=1_000)
REQUESTS: list[list[object]] = [[{"a": 1, "b": 2}], [{"b": 2, "a": 1}], [{}]]
NOTE = {"op": "create_node", "type": "Note", "content": "x"}


async def read(*operations: object, key: str | None = None) -> ParsedBatch:
    return await parse_operations(CONTENTS, operations, References(key))


async def fault_of(operation: object) -> GraphError:
    batch = await read(operation)
    assert batch.operations == []
    [fault] = batch.faults
    return fault.error


async def test_a_verb_is_read_with_the_defaults_of_its_method():
    batch = await read({**NOTE, "properties": {"a": 1}, "tags": ["t", "t"], "path": "p", "id": "one"})
    [operation] = batch.operations
    assert (operation.index, operation.verb, operation.subject) == (0, "create_node", "one")
    node = operation.change
    assert isinstance(node, NewNode)
    assert (node.content.format, node.content.encoding) == ("text", "utf-8")
    assert (node.tags, node.windows) == (("t",), ("x",))


async def test_a_name_given_by_a_create_stands_for_its_id_in_later_operations():
    batch = await read(
        {**NOTE, "ref": "kitchen"},
        {"op": "create_connection", "type": "Has", "from_node_id": "$kitchen", "to_node_id": "x", "ref": "$link"},
        {"op": "update_connection", "connection_id": "$link", "content": "c"},
        {"op": "set_validity", "id": "$kitchen", "valid_to": "2026-01-01"},
    )
    kitchen, link, edit, bounds = batch.operations
    assert isinstance(link.change, NewConnection)
    assert (link.change.from_id, edit.subject, bounds.subject) == (kitchen.subject, link.subject, kitchen.subject)
    assert kitchen.subject.startswith("mem_")
    assert link.subject.startswith("conn_")


async def test_an_id_that_begins_with_the_sign_can_be_escaped():
    batch = await read({"op": "delete_node", "node_id": "$$odd"}, {"op": "delete_node", "node_id": "$$$odd"})
    assert [operation.subject for operation in batch.operations] == ["$odd", "$$odd"]


@for_rows(
    ("operation", "message", "hint"),
    [
        (7, "operations[0] must be an object, not a number (7)", ""),
        ({}, "operations[0] needs op or type", "Add op, the name of a tool"),
        (
            {"op": "create_nod"},
            'operations[0].op is "create_nod", which is not an operation',
            'Did you mean "create_node"?',
        ),
        ({"op": "get_node", "node_id": "x"}, 'operations[0].op is "get_node", which is not an operation', ""),
        (
            {"op": "create_node", "type": "Note"},
            'operations[0] needs "content"',
            'Add content, such as "Ann likes tea."',
        ),
        ({**NOTE, "colour": 1}, "operations[0].colour is not an argument of this operation", "Use only: type, content"),
        ({**NOTE, "tags": "t"}, 'operations[0].tags must be a list, not text ("t")', ""),
        ({**NOTE, "properties": ["a"]}, "operations[0].properties must be an object, not a list", ""),
        ({**NOTE, "id": "/"}, '"/" is not a valid id', ""),
        ({**NOTE, "type": 3}, "operations[0].type must be text, not a number (3)", ""),
        (
            {"op": "delete_node", "node_id": "x", "expected_version": True},
            "operations[0].expected_version must be a whole number of at least 0, not true",
            "",
        ),
        (
            {"op": "delete_node", "node_id": "$kitchn"},
            'No earlier operation has the ref "kitchn"',
            "Add this ref to an earlier create",
        ),
        ({"op": "update_node", "node_id": "x"}, "Nothing to update", ""),
        ({**NOTE, "encoding": "latin-1"}, '"latin-1" is not an encoding', ""),
        ({**NOTE, "content": "x" * 1_001}, "Text of 1,001 bytes is over the limit of 1,000 bytes", ""),
        (
            {"type": "creat"},
            'operations[0].type is "creat", which is not a type of operation',
            'Did you mean "create"?',
        ),
        ({"type": "create"}, 'operations[0] needs "node_data.type"', ""),
        ({"type": "update"}, 'operations[0] needs "node_id"', ""),
        ({"type": "update", "node_id": "x"}, "Nothing to update", ""),
        (
            {"type": "delete", "node_id": "x", "edges": []},
            "operations[0] deletes a node, and takes no node_data or edges",
            "",
        ),
        ({"type": "create", "nodeId": "a", "node_id": "b"}, "operations[0] has node_id twice", "Keep one of them."),
    ],
)
async def test_what_is_wrong_with_one_is_told_in_words(operation: object, message: str, hint: str):
    error = await fault_of(operation)
    assert error.message.startswith(message)
    assert (error.hint or "").startswith(hint)


async def test_all_faults_are_found_and_the_others_are_read():
    batch = await read({**NOTE, "properties": {"_a": 1}}, NOTE, {"op": "x"}, {"op": "delete_node", "node_id": "y"})
    assert [(fault.index, str(fault.error.code), fault.verb) for fault in batch.faults] == [
        (0, "INVALID_PROPERTY", "create_node"),
        (2, "INVALID_ARGUMENT", "x"),
    ]
    assert [operation.index for operation in batch.operations] == [1, 3]


async def test_what_needs_a_faulty_create_is_no_cause_of_its_own():
    batch = await read({**NOTE, "tags": 1, "ref": "a", "id": "one"}, {"op": "delete_node", "node_id": "$a"})
    assert [(fault.index, fault.follows) for fault in batch.faults] == [(0, False), (1, True)]
    assert isinstance(batch.faults[1].error, FailedDependency)
    assert batch.failed_ids == {"one": 0}


async def test_a_name_can_be_given_once():
    batch = await read({**NOTE, "ref": "a"}, {**NOTE, "ref": "a"})
    assert [fault.error.message for fault in batch.faults] == ['An earlier operation already has the ref "a"']


async def test_the_shape_of_the_specification_is_read_in_both_spellings():
    batch = await read(
        {
            "type": "create",
            "nodeId": "kitchen",
            "nodeData": {"type": "Project", "content": "c", "contentFormat": "html", "properties": {"camelCase": 1}},
            "edges": [{"relationshipType": "Has", "target": "sink"}, {"type": "PartOf", "source": "house"}],
        },
        {"type": "update", "node_id": "$kitchen2", "node_data": {"content": "new"}},
        {"type": "update", "node_id": "sink", "edges": [{"customType": "Has", "target": "tap", "content": "n"}]},
        {"type": "delete", "nodeId": "old", "expectedVersion": 3},
    )
    assert [(fault.index, fault.error.message) for fault in batch.faults] == [
        (1, 'No earlier operation has the ref "kitchen2"')
    ]
    kitchen, has, part, tap, old = batch.operations
    assert isinstance(kitchen.change, NewNode)
    assert (kitchen.subject, kitchen.change.content.format) == ("kitchen", "html")
    assert kitchen.change.properties == {"camelCase": 1}
    assert [(operation.index, *operation.needs) for operation in (has, part, tap)] == [
        (0, "kitchen", "sink"),
        (0, "house", "kitchen"),
        (2, "sink", "tap"),
    ]
    assert old.change == Deletion(kind=Kind.NODE, expected_version=3)


async def test_text_of_an_update_in_the_shape_of_the_specification_needs_no_encoding():
    batch = await read({"type": "update", "node_id": "a", "node_data": {"content": "new"}})
    [edit] = batch.operations
    assert isinstance(edit.change, NodeEdit)
    assert edit.change.content is not None
    assert edit.change.content.text == "new"


async def test_of_an_operation_with_a_faulty_edge_nothing_is_left():
    batch = await read({"type": "create", "node_data": {"type": "Note", "content": ""}, "edges": [{"type": "Has"}]})
    assert batch.operations == []
    assert batch.faults[0].error.message == 'operations[0].edges[0] needs "to_node_id"'


@pytest.mark.parametrize("value", [{}, None, "text", 1, []])
async def test_what_is_no_list_of_operations_is_refused(value: object):
    with pytest.raises(GraphError, match="operations"):
        await parse_operations(CONTENTS, value, References())


async def test_too_many_operations_are_refused_with_what_works_instead():
    with pytest.raises(GraphError) as refused:
        await parse_operations(CONTENTS, [NOTE] * (MAX_OPERATIONS + 1), References())
    assert refused.value.message == "10,001 operations are too many for one transaction"
    assert "graph-memory load" in (refused.value.hint or "")


@for_rows(
    ("value", "options"),
    [
        (None, Options()),
        ({"atomic": False}, Options(atomic=False)),
        ({"atomic": False, "rollbackOnError": True}, Options()),
        ({"rollback_on_error": False}, Options()),
        ({"validateBeforeCommit": False, "dry_run": True}, Options(validate_before_commit=False, dry_run=True)),
    ],
)
def test_options_are_read_in_both_spellings(value: object, options: Options):
    assert options_from(value) == options


@pytest.mark.parametrize("value", [{"atomic": "yes"}, {"atomc": True}, []])
def test_what_is_no_option_is_refused(value: object):
    with pytest.raises(GraphError, match="options"):
        options_from(value)


async def test_a_key_makes_the_same_ids_in_every_run_and_no_key_makes_others():
    ids = [
        [operation.subject for operation in (await read(NOTE, NOTE, key=key)).operations]
        for key in ("k", "k", "l", None, None)
    ]
    assert ids[0] == ids[1]
    assert len({text for node_id in ids[1:] for text in node_id}) == 8


def test_a_request_is_known_by_its_key_and_told_from_others_by_its_operations():
    request, same, other = (request_of("k", operations) for operations in REQUESTS)
    assert request == same
    assert request is not None
    assert other is not None
    assert request.batch == other.batch
    assert request.hash != other.hash
    assert request_of(None, []) is None


@pytest.mark.parametrize("key", ["", "x" * 1_001, "\ud800"])
def test_what_is_no_key_is_refused(key: str):
    with pytest.raises(GraphError, match="idempotency_key"):
        check_key(key)


async def test_short_names_of_ids_are_read_as_the_whole_ones():
    batch = await read(
        {"op": "create_connection", "type": "Knows", "from": "a", "to": "b", "id": "c"},
        {"op": "update_node", "id": "a", "content": "new"},
        {"op": "delete_connection", "id": "c"},
        {"type": "update", "id": "a", "edges": [{"type": "Knows", "to": "b"}]},
        {"op": "delete_node", "id": "a", "node_id": "b"},
    )
    made, edit, operation, edge = batch.operations
    ends = [
        (operation.change.from_id, operation.change.to_id)
        for operation in (made, edge)
        if isinstance(operation.change, NewConnection)
    ]
    assert ends == [("a", "b"), ("a", "b")]
    assert isinstance(edit.change, NodeEdit)
    assert edit.change.content
    assert edit.change.content.encoding == "utf-8"
    assert [operation_.subject for operation_ in (made, edit, operation)] == ["c", "a", "c"]
    [fault] = batch.faults
    assert "id and node_id, which mean the same" in fault.error.message


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_takes_the_arguments_of_its_operation(verb: str):
    required, optional = VERBS[verb]
    schema = OPERATIONS[verb].input_schema
    assert {*required, *optional} ^ (schema["properties"].keys() - {"domain"}) <= {"id", "ref"}
    assert set(required) == set(schema["required"])
