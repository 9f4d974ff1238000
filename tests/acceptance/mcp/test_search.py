"""Searching content: every substring is found, compared by Unicode case folding, and nothing else is."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from acceptance.agents import GTD, Agent
from tables import for_rows

pytestmark = pytest.mark.anyio

LARGE = "".join(f"line {number} of a long text\n" for number in range(3_000))
"""About 75 kB: beyond what is kept inside Neo4j."""

TEXTS: Mapping[str, str] = {
    "kitchen": "# Kitchen Renovation\n\nModern farmhouse style",
    "punctuation": 'C:\\dir\\file_1.txt "100%" *bold* ~a~ (b) [c] {d} '
    "a+b -x !y ^z && || a:b /re/ `q` 's' <t>; @u #v $w",
    "wildcards": "fileX1 100 percent bold",
    "straße": "Die Straße heißt Große Gasse",
    "strasse": "DIE STRASSE",
    "composed": "caf\u00e9",
    "decomposed": "cafe\u0301",
    "cjk": "日本語の文章です。東京都に住んでいます",
    "korean": "한국어 문장",
    "emoji": "party 🎉🏠👨‍👩‍👧 and 🏳️‍🌈",
    "turkish": "İstanbul ISPARTA ıspanak",
    "greek": "ὈΔΥΣΣΕΎΣ Σίσυφος ς",
    "ligature": "eﬃcient ﬁle",
    "spaces": "two  spaces\tand a tab",
    "lines": "first line\r\nsecond line\nthird",
    "nul": "before\0after",
    "short": "a",
    "empty": "",
    "large": LARGE[:60_000] + "the Needle that nobody else has" + LARGE[60_000:],
    "edge": "x" * 16_380 + "EdgeOfInline" + "y" * 100,
    "repeated": "ab" * 5_000 + "abc",
}

QUERIES = [
    *("kitchen", "KITCHEN RENOVATION", "farmhouse", "n\n\nm", "# k"),
    *(
        "\\dir\\",
        '"100%"',
        "100%",
        "*bold*",
        "bold",
        "file_1",
        "fileX1",
        "file",
        "_",
        "%",
        "*",
        '"',
        "\\",
        "?",
        "~a~",
        "(b)",
    ),
    *(
        "[c]",
        "{d}",
        "a+b",
        "-x",
        "!y",
        "^z",
        "&&",
        "||",
        "a:b",
        "/re/",
        "`q`",
        "'s'",
        "<t>",
        "@u",
        "#v",
        "$w",
        "AND",
        "OR",
    ),
    *("strasse", "STRASSE", "straße", "SS", "ß", "ẞ", "große gasse", "heisst"),
    *("caf\u00e9", "CAF\u00c9", "cafe\u0301", "cafe", "\u0301", "\u00e9"),
    *("日本語", "本", "東京都に住", "。東京", "한국어", "국어 문", "東京 都"),
    *("🎉", "🏠👨", "👨‍👩‍👧", "\u200d", "🏳️‍🌈", "🏳🌈", "👩"),
    *("istanbul", "i\u0307stanbul", "İ", "isparta", "ıspanak", "I", "ı"),
    *("ὀδυσσεύς", "σίσυφοσ", "ΣΊΣΥΦΟΣ", "σ"),
    *("efficient", "ffi", "ﬃ", "FILE", "ﬁ"),
    *("two  spaces", "two spaces", "\t", "  ", " ", "first line\r\n", "first line\n", "line\nthird", "\n", "\r\n"),
    *("\0", "before\0", "beforeafter", "a", "ab", "abc", "aba", "bc"),
    *(
        "the needle that nobody",
        "line 2999 of a long text\n",
        "text\nline 1500 of",
        LARGE[59_900:60_000] + "the Needle",
    ),
    *(
        LARGE[:5_000],
        LARGE[:5_000] + "!",
        "edgeofinline" + "y" * 100,
        "x" * 16_000 + "EDGE",
        "x" * 16_381,
        "nowhere at all",
    ),
]


@dataclass(frozen=True)
class Library:
    """A domain with the texts, and their names by the ids of their nodes."""

    agent: Agent
    names: Mapping[str, str]


@pytest.fixture(scope="module")
async def library(server: Agent, worker_id: str) -> Library:
    """The texts, written once for each worker."""
    agent = server.within(f"library-{worker_id}")
    if not (await agent.call("query_nodes", limit=1))["node_ids"]:
        await agent.call("create_ontology", **GTD)
        for name, text in TEXTS.items():
            await agent.node("Project" if name < "l" else "Action", text, properties={"text": name})
        binary = base64.b64encode(b"kitchen farmhouse 100% a SS").decode()
        await agent.node("Project", binary, encoding="base64", properties={"text": "binary"})
    ids = (await agent.call("query_nodes"))["node_ids"]
    return Library(agent, {node: (await agent.call("get_node", node_id=node))["properties"]["text"] for node in ids})


@for_rows("query", QUERIES)
async def test_a_search_finds_what_a_naive_scan_finds(library: Library, query: str):
    results = await library.agent.ids_of("search_content", query=query)
    assert sorted(library.names[node] for node in results) == sorted(
        name for name, text in TEXTS.items() if query.casefold() in text.casefold()
    )


async def test_a_search_is_limited_to_a_type_and_a_number(gtd: Agent):
    projects = [await gtd.node("Project", f"The contractor {number}") for number in range(3)]
    action = await gtd.node("Action", "call the CONTRACTOR")
    assert await gtd.ids_of("search_content", query="contractor") == sorted([*projects, action])
    assert await gtd.ids_of("search_content", query="contractor", node_type="Project") == sorted(projects)
    assert await gtd.ids_of("search_content", query="contractor", node_type="Person") == []
    assert len((await gtd.call("search_content", query="contractor", limit=2))["node_ids"]) == 2
    assert await gtd.ids_of("search_content", query="contractor", limit=4) == sorted([*projects, action])
    assert await gtd.call("search_content", query="plumber") == {"node_ids": []}


@pytest.mark.parametrize("padding", ["", LARGE], ids=["small", "large"])
async def test_what_was_just_written_is_found_and_what_was_overwritten_is_not(gtd: Agent, padding: str):
    node = await gtd.node("Project", padding + "before the change")
    assert await gtd.ids_of("search_content", query="BEFORE the") == [node]
    await gtd.call("update_node", node_id=node, content="after the change" + padding, encoding="utf-8")
    assert await gtd.ids_of("search_content", query="before the") == []
    assert await gtd.ids_of("search_content", query="after the") == [node]
    await gtd.call("update_node", node_id=node, properties={"a": 1}, format="text")
    assert await gtd.ids_of("search_content", query="after the") == [node]
    await gtd.call("delete_node", node_id=node)
    assert await gtd.ids_of("search_content", query="after the") == []


async def test_binary_content_properties_and_notes_on_connections_are_not_searched(gtd: Agent):
    project = await gtd.node("Project", base64.b64encode(b"plain needle").decode(), encoding="base64")
    action = await gtd.node("Action", "text", properties={"needle": "needle"}, tags=["needle"], path="needle")
    await gtd.connection("NextAction", project, action, content="needle")
    encoded = base64.b64encode(b"plain needle").decode()
    for query in ("needle", encoded, encoded[:6]):
        assert await gtd.ids_of("search_content", query=query) == []

    await gtd.call("update_node", node_id=project, content="now a needle", encoding="utf-8")
    assert await gtd.ids_of("search_content", query="needle") == [project]
    await gtd.call("update_node", node_id=project, content="AAEC", encoding="base64")
    assert await gtd.ids_of("search_content", query="needle") == []


async def test_a_search_stays_in_its_domain(gtd: Agent, elsewhere: Agent):
    own_node, other_node = await gtd.node("Project", "needle"), await elsewhere.node("Project", "needle")
    assert await gtd.ids_of("search_content", query="needle") == [own_node]
    assert await elsewhere.ids_of("search_content", query="needle") == [other_node]
