"""The server's own parser reads what is asked of a full-text index, whatever the user wrote."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j import Driver
from neo4j.exceptions import ClientError

from graph_memory.memory.search.text.lexical_query import lexical_query

pytestmark = pytest.mark.usefixtures("talk")  # it makes the index

SYNTAX = ["AND", "OR", "NOT", "TO", "&&", "||", "+", "-", "!", "(", "{", "]", "^", '"', "~", "*", ":", "\\", "/", "a'b"]
TEXTS = st.lists(st.one_of(st.sampled_from(SYNTAX), st.text(max_size=8)), max_size=20).map(" ".join)
ASK = "CALL db.index.fulltext.queryNodes('_window_grams', $query) YIELD node RETURN count(node)"


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS)
def test_the_server_reads_every_query(driver: Driver, text: str) -> None:
    query = lexical_query(f"{text} word", fields={"own": 1, "window": 2.5})
    assert query is not None
    driver.execute_query(ASK, {"query": query})


def test_the_server_refuses_the_text_as_it_was_written(driver: Driver) -> None:
    with pytest.raises(ClientError, match=r"Could not parse|ParseException|Cannot parse"):
        driver.execute_query(ASK, {"query": 'own:(AND "'})
