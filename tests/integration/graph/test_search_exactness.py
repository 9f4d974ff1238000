"""Search finds exactly the nodes whose text holds the needle: compared with a naive scan of the same texts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from uuid import uuid4

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory
from graph_memory.model.text.search_windows import OVERLAP, PROBE_CHARACTERS, WINDOW
from integration.reference_model import is_in
from profiles import profile
from support import index
from tables import for_rows

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(600)]

ONTOLOGY = ontology_from({"node_types": ["Note", "Person"]})
STEP = WINDOW - OVERLAP
BLOB = 16 * 1024 + 1

LUCENE = [
    "AND",
    "OR",
    "NOT",
    " && ",
    " || ",
    *'+-!(){}[]^"~*?:\\/',
    '\\"',
    "\\u0041",
    "[a TO z]",
    "field:x",
    "_grams:abc",
]
WHITE = [*" \t\n\r\x0b\x0c\x1c\x85\xa0\u1680\u2003\u2007\u2028\u2029\u202f\u3000", "\u200b", "\ufeff", "\r\n"]
SCRIPTS = [*"aAbBßẞſﬁﬀİıiIΣσςÅéŉǰ漢字かな한글אבعر", "e\u0301", "\u0301", "क्षि", "İstanbul", "straße", "STRASSE"]
PICTURES = [
    "🧠",
    "👩‍👩‍👧",
    "🏳️‍🌈",
    "\U0010ffff",
    "\ue000",
    "\ue001",
    "\ufffe",
    "\x00",
    "\x01",
    "\x7f",
    "%",
    "_",
    "'",
    "`",
    "$",
]
characters = st.characters(exclude_categories=["Cs"])
words = st.lists(st.sampled_from([*LUCENE, *WHITE, *SCRIPTS, *PICTURES]) | characters, min_size=1, max_size=12).map(
    "".join
)


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """A few texts, some of several windows, some too large for Neo4j; and needles, most of them cut from the texts."""
    texts: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        size = draw(st.sampled_from([0, 0, STEP, WINDOW, 2 * STEP, BLOB]))
        filling = draw(words)
        texts.append(draw(words) + (filling * (size // len(filling) + 1))[:size] + draw(words))
    needles = draw(st.lists(words, max_size=2))
    for _ in range(8):
        text = draw(st.sampled_from(texts))
        length = draw(
            st.sampled_from([1, 2, 3, 4, 40, OVERLAP, PROBE_CHARACTERS, PROBE_CHARACTERS + 1, 600]) | st.integers(1, 12)
        )
        border = draw(st.sampled_from([0, STEP, WINDOW, 2 * STEP, STEP + WINDOW, len(text)]))
        start = max(0, min(border - draw(st.integers(0, length)), len(text) - length))
        needles.append(text[start : start + length])
    return texts, [change(needle) for needle, change in zip(needles, [str, str.upper, str.swapcase] * 4, strict=False)]


@pytest.fixture(scope="module")
async def others(shared_memory: Memory) -> Memory:
    """A domain that holds what the tests look for elsewhere; none of it must ever be found."""
    other = shared_memory.in_domain(f"others-{uuid4().hex[:12]}")
    await other.create_ontology(ONTOLOGY)
    for text in ("needle AND straße 漢字 🧠 zq", "".join([*LUCENE, *WHITE, *SCRIPTS, *PICTURES])):
        await other.create_node("Note", text)
    return other


async def begin_domain(shared_memory: Memory) -> Memory:
    """A fresh domain, for a test that needs several."""
    memory = shared_memory.in_domain(f"search-{uuid4().hex[:16]}")
    await memory.create_ontology(ONTOLOGY)
    return memory


async def write_texts(memory: Memory, texts: Sequence[str], node_type: str = "Note") -> dict[str, str]:
    return {(await memory.create_node(node_type, text)).node_id: text for text in texts}


async def find(memory: Memory, needle: str, node_type: str | None = None) -> list[str]:
    """Return the results now. Asserts that they stay the same when all is indexed."""
    ids = (await memory.search_content(needle, node_type=node_type)).node_ids
    await index(memory)
    assert (await memory.search_content(needle, node_type=node_type)).node_ids == ids
    return list(ids)


def holding(texts: Mapping[str, str], needle: str) -> list[str]:
    return sorted(name for name, text in texts.items() if is_in(needle, text))


@pytest.mark.long
@profile(examples=30)
@given(corpus=corpora())
async def test_search_finds_what_a_scan_of_all_texts_finds(
    shared_memory: Memory, others: Memory, corpus: tuple[list[str], list[str]]
) -> None:
    memory = await begin_domain(shared_memory)
    texts = await write_texts(memory, corpus[0])
    for needle in corpus[1]:
        assert await find(memory, needle) == holding(texts, needle), needle
    assert await find(others, "zq") != []


@pytest.fixture
async def fresh(memory: Memory) -> Memory:
    """A fresh domain with an ontology."""
    await memory.create_ontology(ONTOLOGY)
    return memory


@pytest.mark.long
@pytest.mark.parametrize("text", ["".join(chr(0x4E00 + i) for i in range(7_000)), "ß" * 1_500 + "Needle" + "ß" * 1_500])
async def test_a_needle_is_found_at_every_border_of_a_window(fresh: Memory, text: str) -> None:
    (answer,) = await write_texts(fresh, [text])
    await write_texts(fresh, ["x" * 5_000])
    for border in (0, STEP, WINDOW, 2 * STEP, STEP + WINDOW, 3 * STEP, len(text)):
        for length in (1, 2, 3, PROBE_CHARACTERS - 1, PROBE_CHARACTERS, PROBE_CHARACTERS + 1, WINDOW + 1):
            for start in {max(0, border - length), max(0, border - length // 2), max(0, border - 1)}:
                if needle := text[start : start + length]:
                    assert await find(fresh, needle) == [answer], (border, length, start)
    assert await find(fresh, text) == [answer]
    assert await find(fresh, text + "!") == []


async def test_each_of_lucenes_operators_is_only_text(fresh: Memory) -> None:
    texts = await write_texts(fresh, [f"abc{operator}xyz" for operator in LUCENE] + LUCENE + ["plain words, abc xyz"])
    for operator in LUCENE:
        for needle in (operator, f"c{operator}x", f"abc{operator}xyz"):
            assert await find(fresh, needle) == holding(texts, needle), needle


async def test_case_is_folded_and_nothing_else(fresh: Memory) -> None:
    texts = await write_texts(
        fresh,
        [
            "Straße",
            "STRASSE",
            "ﬁne",
            "fine",
            "İstanbul",
            "istanbul",
            "ıstanbul",
            "ΣΊΣΥΦΟΣ",
            "é",
            "e\u0301",
            "a\u00a0b",
            "a b",
        ],
    )
    needles = [
        "strasse",
        "ß",
        "SS",
        "FINE",
        "ﬁ",
        "i̇s",
        "ist",
        "ıst",
        "IST",
        "σίσυφος",
        "ΣΊΣΥΦΟς",
        "é",
        "e",
        "\u0301",
        "a b",
        "A\u00a0B",
    ]
    for needle in needles:
        assert await find(fresh, needle) == holding(texts, needle), needle
    assert len(await find(fresh, "STRASSE")) == 2


@pytest.mark.long
async def test_what_was_just_written_is_found_at_once(fresh: Memory) -> None:
    for turn in range(40):
        marker = f"turn{turn:03}zq"
        created = await fresh.create_node("Note", f"words {marker} words")
        assert await find(fresh, marker) == [created.node_id]
        await fresh.update_node(created.node_id, content=f"now {marker[::-1]}", encoding="utf-8")
        assert (await find(fresh, marker), await find(fresh, marker[::-1])) == ([], [created.node_id])


async def test_what_another_process_just_wrote_is_found_at_once(settings: Settings, fresh: Memory, domain: str) -> None:
    async with open_memory(settings) as second:
        other = second.in_domain(domain)
        for turn in range(20):
            writer, reader = (fresh, other) if turn % 2 else (other, fresh)
            created = await writer.create_node("Note", f"turn{turn:03}zq")
            assert await find(reader, f"turn{turn:03}zq") == [created.node_id]


@pytest.mark.long
async def test_what_writers_at_once_wrote_is_all_found(fresh: Memory) -> None:
    made: dict[str, str] = {}

    async def write(number: int) -> None:
        for turn in range(5):
            text = f"writer{number}turn{turn}zq"
            made[text] = (await fresh.create_node("Note", text)).node_id
            assert await find(fresh, text) == [made[text]]

    async with anyio.create_task_group() as tasks:
        for number in range(6):
            tasks.start_soon(write, number)
    assert await find(fresh, "zq") == sorted(made.values())


async def test_text_that_was_replaced_or_deleted_is_not_found(fresh: Memory) -> None:
    large = "old straße " * 2_000
    for before in ("old straße", large):
        text, two, three = await write_texts(fresh, [before] * 3)
        assert len(await find(fresh, "old straße")) == 3
        await fresh.update_node(text, content="new", encoding="utf-8")
        await fresh.update_node(two, content="b2xkIHN0cmHDn2U=", encoding="base64")
        await fresh.delete_node(three)
        assert await find(fresh, "old straße") == []
        assert await find(fresh, "ol") == []
        await fresh.update_node(two, content=before, encoding="utf-8")
        assert await find(fresh, "OLD STRASSE") == [two]
        await fresh.delete_node(two)
        assert await find(fresh, before[:300]) == []


async def test_the_same_bytes_are_found_as_text_and_not_as_binary_content(fresh: Memory) -> None:
    (text,) = await write_texts(fresh, ["hello"])
    binary = await fresh.create_node("Note", "aGVsbG8=", encoding="base64")
    assert await find(fresh, "hello") == [text]
    await fresh.update_node(text, content="aGVsbG8=", encoding="base64")
    await fresh.update_node(binary.node_id, content="hello", encoding="utf-8")
    assert await find(fresh, "hello") == [binary.node_id]
    assert (await fresh.upkeep.verify()).clean


@for_rows("needle", ["needle", "ne", "needle AND straße", "漢字 🧠", "zq"])
async def test_other_domains_are_never_found(others: Memory, fresh: Memory, domain: str, needle: str) -> None:
    assert await find(others, needle) != []
    assert await find(fresh, needle) == []
    assert await find(fresh.in_domain("nowhere"), needle) == []
    assert await find(fresh.in_domain(domain.upper()), needle) == []


async def test_a_type_filter_leaves_only_nodes_of_that_type(fresh: Memory) -> None:
    notes = await write_texts(fresh, ["needle one", "no"], "Note")
    people = await write_texts(fresh, ["needle two " + "x" * BLOB, "needle three"], "Person")
    for needle in ("needle", "ne", "needle two " + "x" * 300):
        assert await find(fresh, needle, "Note") == holding(notes, needle)
        assert await find(fresh, needle, "Person") == holding(people, needle)
        assert await find(fresh, needle, "Nobody") == []


async def pages(memory: Memory, needle: str, limit: int) -> AsyncIterator[tuple[str, ...]]:
    cursor = None
    while True:
        page = await memory.search_content(needle, limit=limit, cursor=cursor)
        yield page.node_ids
        cursor = page.next_cursor
        if cursor is None:
            return


@pytest.mark.parametrize("needle", ["needle", "ne", "needle" + "x" * 300])
async def test_pages_hold_every_match_once_and_in_order(fresh: Memory, needle: str) -> None:
    texts = await write_texts(fresh, [f"{i} needle" + "x" * 2_500 for i in range(5)] + ["needl" + "x" * 300])
    whole = holding(texts, needle)
    for limit in (1, 2, len(whole), len(whole) + 1):
        async with aclosing(pages(fresh, needle, limit)) as found_pages:
            cut = [page async for page in found_pages]
        assert [item for page in cut for item in page] == whole
        assert all(len(page) == limit for page in cut[:-1])
        assert len(cut) == -(-len(whole) // limit)


async def test_an_empty_needle_and_half_a_character_are_refused(fresh: Memory) -> None:
    for needle in ("", "\ud83e"):
        with pytest.raises(GraphError) as caught:
            await fresh.search_content(needle)
        assert caught.value.code is Code.INVALID_ARGUMENT
