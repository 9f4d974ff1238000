"""Rights by domain: patterns, what each right includes, and the decision about a call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from graph_memory.memory.background import Background
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import (
    CALLER,
    Caller,
    Grant,
    Principal,
    Right,
    can_read,
    hash_of,
    names_for_caller,
    new_secret,
    qualified_name,
    readable,
    require,
    require_for_operation,
    run_as,
)
from tables import for_rows

ANN = Principal("ann", (Grant("team-*", Right.WRITE), Grant("archive", Right.READ)))


def refusal_of(call: Callable[[], object]) -> GraphError:
    """Return the error of a call that the caller has no right to."""
    with pytest.raises(GraphError) as caught:
        call()
    assert caught.value.code is Code.INSUFFICIENT_RIGHTS
    return caught.value


@for_rows(
    ["pattern", "covered", "others"],
    [
        ("team", ("team",), ("team-a", "a-team", "Team", "")),
        ("team-*", ("team-", "team-a", "team-a/b"), ("team", "my-team-a", "team_a")),
        ("*", ("x", "a/b"), ()),
        ("a*z", ("az", "a-z"), ("a", "z", "az2")),
        ("a.b", ("a.b",), ("axb",)),
        ("a+", (), ("aa", "a")),
    ],
)
def test_a_pattern_covers_whole_names(pattern: str, covered: tuple[str, ...], others: tuple[str, ...]):
    grant = Grant(pattern, Right.READ)
    assert all(map(grant.covers, covered))
    assert not any(map(grant.covers, others))


def test_a_right_includes_the_ones_before_it():
    included = {right: [other for other in Right if right.includes(other)] for right in Right}
    assert included == {
        Right.READ: [Right.READ],
        Right.WRITE: [Right.READ, Right.WRITE],
        Right.ADMIN: [Right.READ, Right.WRITE, Right.ADMIN],
    }


@for_rows(["text", "pattern", "right"], [("a-*", "a-*", "read"), ("a=admin", "a", "admin"), ("*=write", "*", "write")])
def test_a_grant_is_read_from_its_text(text: str, pattern: str, right: str):
    assert Grant.parse(text, Right.READ) == Grant(pattern, Right(right))


@for_rows("text", ["", "a b", "a=all", "=read", "a=", "-a"])
def test_text_that_is_no_grant_is_refusal_of(text: str):
    with pytest.raises(GraphError) as caught:
        Grant.parse(text, Right.READ)
    assert caught.value.code is Code.INVALID_ARGUMENT


def test_without_a_caller_everything_is_allowed():
    assert require("anything", Right.ADMIN) == require_for_operation("anything") == "anything"
    assert can_read("anything")
    assert qualified_name("session") == "session"


def test_a_caller_has_only_its_rights_and_is_not_told_names():
    with run_as(Caller(ANN)):
        assert (require("team-a", Right.WRITE), require("archive")) == ("team-a", "archive")
        errors = [
            refusal_of(lambda: require("team-a", Right.ADMIN)),
            refusal_of(lambda: require("archive", Right.WRITE)),
            refusal_of(lambda: require("secret")),
        ]
    assert not any("secret" in f"{error.message} {error.details}" for error in errors)
    assert errors[2].details["rights"] == ["team-* (write)", "archive (read)"]


def test_what_a_call_omits_and_changes_is_recorded():
    with run_as(Caller(ANN)) as caller:
        assert readable(["team-a", "x", "archive", "y", "x"]) == ["team-a", "archive"]
        assert names_for_caller(["team-a", "z"]) == ["team-a", "1 that this key may not read"]
        assert not can_read("users", counts=False)
        require("team-b", Right.WRITE)
    assert caller is not None
    assert (caller.omitted, caller.written) == ({"x", "y", "z"}, {"team-b"})


def test_an_operation_that_administers_needs_that_right_in_its_domain():
    with run_as(Caller(ANN, Right.ADMIN)):
        refusal_of(lambda: require_for_operation("team-a"))
    with run_as(Caller(ANN, Right.WRITE)):
        assert require_for_operation("team-a") == "team-a"
        assert qualified_name("session") != "session"


def test_background_work_has_no_caller():
    seen: list[Caller | None] = []

    async def work() -> None:
        seen.append(CALLER.get())

    async def run() -> None:
        background = Background()
        with run_as(Caller(ANN)):
            background.start("work", work())
            assert CALLER.get() is not None
        await background.close()

    asyncio.run(run())
    assert seen == [None]


def test_a_secret_is_random_and_its_hash_is_that_of_a_secret_only():
    secrets = {new_secret() for _ in range(20)}
    assert len(secrets) == 20
    assert all(len(secret) == 46 and hash_of(secret) for secret in secrets)
    for text in ("", "gm_", "gm_" + "x" * 42, "gm_" + "x" * 44, "xx_" + "x" * 43, "gm_" + "é" * 43):
        assert hash_of(text) is None
