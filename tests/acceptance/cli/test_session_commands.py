"""Sessions and blocks on the command line, as a person uses them."""

from __future__ import annotations

import json

import pytest

from acceptance.agents import run

pytestmark = pytest.mark.long


def test_a_session_starts_with_a_guide_then_with_what_was_kept(environment: dict[str, str], domain: str) -> None:
    given = ("--domain", domain)
    assert "This memory is empty." in run(environment, "session", "start", *given).stdout
    edited = run(environment, "block", "edit", "human", "Ada, a pilot.", *given)
    assert "human: 13 of 2,000 characters." in edited.stderr, edited.stderr
    run(environment, "block", "edit", "human", "astronaut", "--mode", "replace", "--old", "pilot", *given)
    assert run(environment, "block", "show", "human", *given).stdout == "Ada, a astronaut.\n"
    ended = run(environment, "session", "end", "Set up.", "--session", "s", *given)
    assert ended.stderr.startswith("Kept: mem_"), ended.stderr
    started = json.loads(run(environment, "session", "start", "--session", "s", *given, "--json").stdout)
    assert (started["session_id"], started["empty"]) == ("s", False)
    assert "> Ada, a astronaut." in started["text"]
    assert "> Set up." in started["text"]
