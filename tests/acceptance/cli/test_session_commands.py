"""Sessions and blocks on the command line, as a person uses them."""

from __future__ import annotations

import json

import pytest

from acceptance.agents import run

pytestmark = pytest.mark.long


def test_a_session_starts_with_a_guide_then_with_what_was_kept(environment: dict[str, str], domain: str) -> None:
    values = ("--domain", domain)
    assert "This memory is empty." in run(environment, "session", "start", *values).stdout
    edited = run(environment, "call", "edit_block", "label=human", "text=Ada, a pilot.", *values)
    assert edited.returncode == 0, edited.stderr
    assert run(environment, "block", "show", "human", *values).stdout == "Ada, a pilot.\n"
    ended = run(environment, "call", "session_end", "summary=Set up.", "session_id=s", *values)
    assert json.loads(ended.stdout)["summary_id"].startswith("mem_"), ended.stderr
    started = json.loads(run(environment, "session", "start", "--session", "s", *values, "--json").stdout)
    assert (started["session_id"], started["empty"]) == ("s", False)
    assert "> Ada, a pilot." in started["text"]
    assert "> Set up." in started["text"]
