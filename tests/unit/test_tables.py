"""A test over a table fails if any row fails, and names the row."""

from __future__ import annotations

import pytest

from tables import for_rows


def test_every_row_runs_and_each_that_fails_is_named() -> None:
    ran: list[int] = []

    @for_rows("number", range(4))
    def is_small(number: int, ran: list[int]) -> None:
        ran.append(number)
        assert number != 1
        if number == 3:
            pytest.fail("a failure that is no Exception")

    with pytest.raises(BaseExceptionGroup, match="2 rows fail: 1, 3") as caught:
        is_small(ran=ran)
    assert ran == [0, 1, 2, 3]
    assert [error.__notes__ for error in caught.value.exceptions] == [["Row: 1"], ["Row: 3"]]


def test_tables_can_be_multiplied() -> None:
    ran: list[str] = []

    @for_rows(("text", "two"), [("a", "b"), ("c", "d")])
    @for_rows("three", ["e", "f"])
    def joins(text: str, two: str, three: str) -> None:
        ran.append(text + two + three)

    joins()
    assert ran == ["abe", "abf", "cde", "cdf"]


@pytest.mark.anyio
async def test_a_table_of_an_asynchronous_test_runs_every_row() -> None:
    @for_rows("number", [1, 2])
    async def is_even(number: int) -> None:
        assert number % 2 == 0

    with pytest.raises(BaseExceptionGroup, match="1 rows fail: 1"):
        await is_even()


def test_a_table_without_a_row_is_refused() -> None:
    with pytest.raises(AssertionError):
        for_rows("number", [])
