"""Which ids and limits can be given."""

from __future__ import annotations

import pytest

from graph_memory import Code, GraphError
from graph_memory.model.events import Origin
from graph_memory.model.values.arguments import (
    UNLIMITED,
    check_domain,
    check_limit,
    check_new_id,
    file_name_part,
    is_domain,
)
from tables import for_rows


@for_rows("text", ["a", "7", "mem_1", "work:kitchen@home.2026-03", "x" * 128, "domains"])
def test_an_id_can_be_chosen(text: str) -> None:
    assert check_new_id("id", text) == text


@for_rows("text", ["", "x" * 129, "_mine", "a b", "a/b", "é", "a\n", "domain", "ontology"])
def test_an_id_that_the_log_could_not_tell_from_others_is_refused(text: str) -> None:
    with pytest.raises(GraphError) as caught:
        check_new_id("id", text)
    assert (caught.value.code, caught.value.details["argument"]) == (Code.INVALID_ARGUMENT, "id")


@pytest.mark.parametrize(("count", "limit"), [(None, UNLIMITED), (1, 1), (2**60, UNLIMITED)])
def test_a_limit_is_at_least_one_and_none_is_no_limit(count: int | None, limit: int) -> None:
    assert check_limit(count) == limit


@for_rows("count", [0, -1, True, 1.0, "1"])
def test_a_limit_that_is_no_positive_integer_is_refused(count: int) -> None:
    with pytest.raises(GraphError) as caught:
        check_limit(count)
    assert caught.value.code is Code.INVALID_ARGUMENT


@for_rows(
    "name", ["default", "a", "my-work_2.0", "experiment/new-approach", "a/b/c", "Auto", "autos", "a/auto", "x" * 64]
)
def test_a_domain_can_have_that_name(name: str) -> None:
    assert check_domain(name) == name


@for_rows(
    "name",
    [
        "", ".", "..", "/", "/a", "a/", "a//b", "../a", "a/../b", "a/..", "a/.b", "a\\b", "a=b", "a b", "a\n", "é", "~",
        "C:/a", "a/" * 32 + "a", "x" * 65, "%2e%2e", "a/%2F",
    ],
)  # fmt: skip
def test_a_name_that_could_lead_elsewhere_is_refused_with_what_is_allowed(name: str) -> None:
    with pytest.raises(GraphError) as caught:
        check_domain(name)
    assert (caught.value.code, caught.value.details["argument"]) == (Code.INVALID_ARGUMENT, "domain")
    assert "as in experiment/new-approach" in str(caught.value.hint)


def test_auto_names_no_domain() -> None:
    with pytest.raises(GraphError, match="auto is reserved and cannot be the name of a domain"):
        check_domain("auto")


def test_no_two_domains_have_the_same_file_name() -> None:
    assert file_name_part("experiment/new-approach") == "experiment=new-approach"
    assert not is_domain("experiment=new-approach")


@pytest.mark.parametrize("argument", ["session", "actor"])
def test_a_name_that_nothing_can_keep_is_refused_before_anything_is_written_in_it(argument: str) -> None:
    with pytest.raises(GraphError) as caught:
        Origin(**{argument: "Ann\ud83d"})  # pyright: ignore[reportArgumentType] - one of its two texts
    assert caught.value.code == "INVALID_ARGUMENT"
