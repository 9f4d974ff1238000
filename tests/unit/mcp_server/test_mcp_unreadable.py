"""A line that is no message is answered with an error, under the id of the request where that can be told."""

from __future__ import annotations

from mcp import types

from graph_memory.mcp_server.transport.stdio import parse_error_response
from tables import for_rows

CALL = '"method":"tools/call","params":{"name":"create_node","arguments":{"id":7,"properties":{"a":%s}}}'
DEEP = "[" * 1_000 + "]" * 1_000


@for_rows(
    "line",
    [
        "",
        " \r\n",
        '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":"a","result":{}}',
        '{"jsonrpc":"2.0","id":1,%s}' % (CALL % "NaN"),
    ],
)
def test_messages_and_empty_lines_are_left_alone(line: str):
    assert parse_error_response(line) is None


@for_rows("value", [DEEP, '{"k":' * 1_000 + "1" + "}" * 1_000, "9" * 5_000, "{{", '"\n"', ""])
@for_rows(
    ("line", "request_id"),
    [
        ('{"jsonrpc":"2.0","id":3,%s}\n', 3),
        ('{"jsonrpc": "2.0", "id": "a\\"b", %s}', 'a"b'),
        ('{"id":-3,"jsonrpc":"2.0",%s}', -3),
        ('{%s,"jsonrpc":"2.0","id":3}\r\n', 3),
        ('{%s,"id":"x","jsonrpc":"2.0"}', "x"),
        ("{%s}", None),
        ('{"jsonrpc":"2.0","id":1.5,%s}', None),
        ('{"jsonrpc":"2.0","id":"\\q",%s}', None),
        ('{"jsonrpc":"2.0","id":null,%s}', None),
    ],
)
def test_what_cannot_be_read_is_answered_under_its_id(line: str, request_id: str | int | None, value: str):
    refused = parse_error_response(line % (CALL % value))
    assert refused is not None
    assert (refused.id, refused.error.code) == (request_id, types.PARSE_ERROR)
    assert "cannot be read as JSON" in refused.error.message
    assert len(refused.error.message) < 200


@for_rows("line", ["[]", "1", '"x"', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', '{"id":1}', "{}"])
def test_json_that_is_no_message_is_an_invalid_request(line: str):
    refused = parse_error_response(line)
    assert refused is not None
    assert (refused.id, refused.error.code) == (None, types.INVALID_REQUEST)
