"""The tokens of filters stand in the full-text index as they are, whatever its analyser does to words."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j import Driver

from graph_memory.memory.domains.lineage import END
from graph_memory.memory.search.index.index_filters import (
    EARLIEST,
    LATEST,
    LEVELS,
    lexical_filter,
    make_filter_tokens,
    microseconds,
)
from profiles import profile

pytestmark = pytest.mark.usefixtures("talk")  # it makes the index

LAST = microseconds(datetime.max.replace(tzinfo=UTC))
NAMES = st.one_of(
    st.text(min_size=1, max_size=40),
    st.sampled_from(
        ["The", "running", "a AND b", "d0", "été", "ＷＩＤＥ", "日本語", "x" * 1_000, "\u0130", "'s", "\ud800"]
    ),
)
SEQS = st.one_of(st.integers(1, 50), st.integers(1, END - 1))
TIMES = st.one_of(st.just(EARLIEST), st.integers(0, LAST))
PASSAGE = st.fixed_dictionaries(
    {
        "domain": NAMES,
        "type_name": NAMES,
        "digest": st.binary(min_size=8, max_size=8).map(lambda data: sha256(data).hexdigest()),
        "since": SEQS,
        "until": st.one_of(st.just(END), SEQS),
        "created": TIMES,
        "valid_from": TIMES,
        "valid_to": st.one_of(st.just(LATEST), TIMES),
    }
)
PUT = (
    "UNWIND $rows AS row CREATE (:_English {_scratch: $run, _text: '', _head: '', _filter: row.filter}) RETURN count(*)"
)
EXACT = (
    "UNWIND $tokens AS token CALL (token) {"
    " CALL db.index.fulltext.queryNodes($index, '+_filter:[' + token + ' TO ' + token + ']') YIELD node"
    " WHERE node._scratch = $run RETURN count(node) AS found } RETURN token, found"
)
FIND = (
    "CALL db.index.fulltext.queryNodes($index, $query) YIELD node WHERE node._scratch = $run "
    "RETURN collect(node._filter) AS found"
)
INDEX = "_passages_english"


@profile(examples=12)
@given(st.lists(PASSAGE, min_size=1, max_size=12))
def test_a_token_is_found_as_it_was_written_and_a_filter_finds_what_it_means(driver: Driver, rows: list[dict]) -> None:
    run = uuid4().hex
    written = [make_filter_tokens(**row) for row in rows]
    driver.execute_query(PUT, rows=[{"filter": text} for text in written], run=run)
    all_items = sorted({token for text in written for token in text.split()})
    records = driver.execute_query(EXACT, tokens=all_items, index=INDEX, run=run).records
    assert {record["token"]: record["found"] for record in records} == {
        token: sum(token in text.split() for text in written) for token in all_items
    }
    results, at = rows[0], rows[0]["since"]
    query = lexical_filter(
        results["domain"],
        at=at,
        types=[results["type_name"]],
        created=(results["created"], LATEST),
        valid_at=results["valid_from"],
    )
    wanted = [
        filters
        for filters, row in zip(written, rows, strict=True)
        if (row["domain"], row["type_name"]) == (results["domain"], results["type_name"])
        and row["since"] <= at < row["until"]
        and results["created"] <= row["created"]
        and row["valid_from"] <= results["valid_from"] < row["valid_to"]
    ]
    [result] = driver.execute_query(FIND, query=query, index=INDEX, run=run).records
    assert sorted(result["found"]) == sorted(wanted)
    driver.execute_query("MATCH (n:_English) WHERE n._scratch = $run DELETE n", run=run)


@given(st.binary(min_size=32, max_size=32))
def test_a_passage_is_in_each_sample_up_to_one(digest: bytes) -> None:
    rendered = {"domain": "d", "type_name": "T", "since": 1, "created": 0}
    results = make_filter_tokens(digest=digest.hex(), **rendered).split()
    levels = [int(token[1:]) for token in results if token.startswith("l")]
    assert levels == list(range(len(levels)))
    assert 1 <= len(levels) <= LEVELS + 1
