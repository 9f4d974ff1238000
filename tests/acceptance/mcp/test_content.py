"""Content of nodes: any text and any bytes, small or large, come back as they were given, or the call says why not."""

from __future__ import annotations

import base64
import random
from pathlib import Path

import pytest

from acceptance.agents import Agent, serve_agent, verify
from graph_memory import Settings
from graph_memory.model.errors import Code
from tables import for_rows

pytestmark = pytest.mark.anyio

MIB = 1024 * 1024
TEXTS = {
    "empty": "",
    "white space": " \n\t \r\n",
    "line ends": "unix\nwindows\r\nold\rnel\u0085ls\u2028ps\u2029end",
    "composed": "\u00e9 e\u0301 \ufb01 \u1e9e",
    "emoji": "🏠👨‍👩‍👧🏳️‍🌈",
    "control": "\0\x01\x1b\x7f\ufeff\ufffd\uffff",
    "quotes": "\"'`\\\\n $param {{x}} /* c */ // MATCH (n) DETACH DELETE n",
    "json": '{"a": [1, null, "\\u0000"]}',
    "like base64": "QUJD",
    "16 kB": "x" * 16_384,
    "16 kB in bytes": "é" * 8_193,
    "large": "Zoë 🏠\r\n" * 20_000,
}


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def blobs_of(settings: Settings, domain: str) -> list[Path]:
    """The files that hold a domain's large and binary content."""
    return [path for path in (settings.home / "blobs" / domain).rglob("*") if path.is_file()]


@for_rows("text", TEXTS.values())
async def test_text_comes_back_unchanged(gtd: Agent, text: str):
    created = await gtd.node("Project", text)
    updated = await gtd.node("Project", "other")
    await gtd.call("update_node", node_id=updated, content=text, encoding="utf-8")
    for node in (created, updated):
        answer = await gtd.call("get_node_content", node_id=node)
        assert answer["content"] == text
        assert answer["encoding"] == "utf-8"


@pytest.mark.parametrize("size", [0, 1, 2, 3, 1_000, 300_000])
async def test_binary_content_comes_back_as_the_same_base64(gtd: Agent, size: int):
    content = base64_of(random.Random(size).randbytes(size))
    node = await gtd.node("Project", content, encoding="base64", format="pdf")
    answer = await gtd.call("get_node_content", node_id=node)
    assert (answer["content"], answer["encoding"]) == (content, "base64")
    assert (await gtd.call("get_node", node_id=node))["content_format"] == "pdf"


async def test_the_encoding_changes_with_the_content(gtd: Agent):
    node = await gtd.node("Project", "text")
    for content, encoding in (("AAEC", "base64"), ("AAEC", "utf-8"), ("AAEC", "base64")):
        await gtd.call("update_node", node_id=node, content=content, encoding=encoding)
        answer = await gtd.call("get_node_content", node_id=node)
        assert (answer["content"], answer["encoding"]) == (content, encoding)


async def test_content_without_its_encoding_is_utf_8_and_without_its_format_text(gtd: Agent):
    node = (await gtd.call("create_node", type="Project", content="QUJD"))["node_id"]
    arguments = await gtd.call("get_node_content", id=node)
    assert (arguments["encoding"], arguments["format"]) == ("utf-8", "text")
    await gtd.call("update_node", node_id=node, content="new", format="markdown")
    await gtd.call("update_node", node_id=node, content="newer", encoding=None)
    arguments = await gtd.call("get_node_content", node_id=node)
    assert (arguments["content"], arguments["encoding"], arguments["format"]) == ("newer", "utf-8", "markdown")
    await gtd.call("update_node", node_id=node, content="QUJD", encoding="base64", format="pdf")
    await gtd.call("update_node", node_id=node, content="newest")
    arguments = await gtd.call("get_node_content", node_id=node)
    assert (arguments["content"], arguments["encoding"], arguments["format"]) == ("newest", "utf-8", "text")


@pytest.mark.parametrize("content", ["#", "QUJ", "QUJD=", "Q\nUJD", "QUJD ", "QU-_", "é", "===="])
async def test_what_is_not_base64_is_refused(gtd: Agent, content: str):
    arguments = {"content": content, "encoding": "base64"}
    error = await gtd.error_of("create_node", type="Project", format="pdf", **arguments)
    assert error.code is Code.INVALID_ENCODING
    node = await gtd.node("Project", "text")
    assert (await gtd.error_of("update_node", node_id=node, **arguments)).code is Code.INVALID_ENCODING
    assert await gtd.content(node) == "text"
    assert await gtd.ids_of("query_nodes") == [node]


@pytest.mark.long
async def test_content_up_to_8_mb_is_taken_and_given_and_no_more(gtd: Agent):
    largest = base64_of(bytes(8 * MIB))
    node = await gtd.node("Project", largest, encoding="base64")
    assert await gtd.content(node) == largest
    too_large = {"content": base64_of(bytes(8 * MIB + 1)), "encoding": "base64"}
    error = await gtd.error_of("create_node", type="Project", format="bin", **too_large)
    assert error.code is Code.CONTENT_TOO_LARGE
    assert error.details["limit"] == 8 * MIB
    assert "hint" in error.details
    assert await gtd.ids_of("query_nodes") == [node]


@pytest.mark.long
async def test_the_limit_counts_bytes_of_text_and_can_be_set(environment: dict[str, str], gtd: Agent):
    project, action, long = await gtd.node("Project"), await gtd.node("Action"), await gtd.node("Project", "x" * 101)
    async with serve_agent({**environment, "GRAPH_MEMORY_MCP_CONTENT_BYTES": "100"}, domain=gtd.domain) as agent:
        await agent.node("Project", "é" * 50)
        over = {"content": "é" * 50 + "x"}
        error = await agent.error_of("create_node", type="Project", format="text", **over)
        assert error.code is Code.CONTENT_TOO_LARGE
        error = await agent.error_of("update_node", node_id=project, encoding="utf-8", **over)
        assert error.code is Code.CONTENT_TOO_LARGE
        ends = {"from_node_id": project, "to_node_id": action}
        error = await agent.error_of("create_connection", type="NextAction", **ends, **over)
        assert error.code is Code.CONTENT_TOO_LARGE
        assert (await agent.error_of("get_node_content", node_id=long)).code is Code.CONTENT_TOO_LARGE
    assert await gtd.ids_of("query_connections") == []


@pytest.mark.parametrize("damage", ["missing", "damaged", "cut"])
@pytest.mark.parametrize("kind", ["text", "binary"])
async def test_content_that_was_lost_or_damaged_is_not_read_as_if_it_were_whole(
    gtd: Agent, settings: Settings, domain: str, damage: str, kind: str
):
    if kind == "text":
        node = await gtd.node("Project", "large text " * 5_000)
    else:
        node = await gtd.node("Project", base64_of(b"binary" * 100), encoding="base64")
    [blob] = blobs_of(settings, domain)
    data = blob.read_bytes()
    if damage == "missing":
        blob.unlink()
    else:
        blob.write_bytes(data[:-1] + (b"" if damage == "cut" else b"\xff"))

    error = await gtd.error_of("get_node_content", node_id=node)

    assert error.code is Code.CONTENT_READ_FAILED
    assert "hint" in error.details
    assert (await gtd.call("get_node", node_id=node))["type"] == "Project"
    other = await gtd.node("Project", "unharmed")
    assert await gtd.content(other) == "unharmed"


async def test_a_node_whose_content_was_lost_can_be_given_new_content_or_deleted(
    gtd: Agent, settings: Settings, domain: str
):
    first, second = await gtd.node("Project", "1" * 20_000), await gtd.node("Project", "2" * 20_000)
    for blob in blobs_of(settings, domain):
        blob.unlink()
    await gtd.call("update_node", node_id=first, content="new", encoding="utf-8")
    assert await gtd.content(first) == "new"
    await gtd.call("delete_node", node_id=second)
    assert await gtd.ids_of("query_nodes") == [first]


@pytest.mark.long
async def test_content_that_cannot_be_stored_leaves_no_trace_of_the_call(
    environment: dict[str, str], gtd: Agent, tmp_path: Path
):
    project, action = await gtd.node("Project", "before"), await gtd.node("Action")
    shown = await gtd.call("get_node", node_id=project)
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    large = {"content": "x" * 20_000}
    async with serve_agent(
        {**environment, "GRAPH_MEMORY_BLOB_URL": str(blocked / "blobs")}, domain=gtd.domain
    ) as agent:
        ends = {"from_node_id": project, "to_node_id": action}
        for tool, arguments in (
            ("create_node", {"type": "Project", "format": "text", **large}),
            ("create_node", {"type": "Project", "format": "bin", "content": "AAEC", "encoding": "base64"}),
            ("update_node", {"node_id": project, "encoding": "utf-8", "properties": {"a": 1}, **large}),
            ("create_connection", {"type": "NextAction", **ends, **large}),
        ):
            error = await agent.error_of(tool, **arguments)
            assert error.code is Code.FILE_CREATION_FAILED
            assert "hint" in error.details
        small = await agent.node("Project", "small text needs no file")
    assert await gtd.ids_of("query_nodes") == sorted([project, action, small])
    assert await gtd.ids_of("query_connections") == []
    assert await gtd.call("get_node", node_id=project) == shown
    assert await gtd.content(project) == "before"
    verify(environment, str(gtd.domain))
