"""Facts kept clean on the command line, as a person uses it."""

from __future__ import annotations

import json

import pytest

from acceptance.agents import run

pytestmark = pytest.mark.long


def test_facts_relations_and_other_names_are_remembered_and_what_is_asked_is_settled(
    environment: dict[str, str], domain: str
) -> None:
    values = ("--domain", domain)
    refused = run(environment, "remember", "Plays the oboe.", "--name", "Ben", "--relation", "knows=Ada", *values)
    assert (refused.returncode, "REFUSED" in refused.stdout) == (0, True)
    assert 'Ben knows Ada: No entity is named "Ada".' in refused.stderr
    unreadable = run(environment, "remember", "Plays the oboe.", "--name", "Ben", "--relation", "knows", *values)
    assert "does not have the form TYPE=NAME" in unreadable.stderr
    words = ["Works at Merrow as an analyst.", "--name", "Ben", "--alias", "Benny", "--relation", "works at=Merrow"]
    words += ["--relation-from", "knows=Ada", "--lenient", "-p", "city=Leeds"]
    made = run(environment, "remember", *words, *values)
    assert made.returncode == 0, made.stderr
    assert "Ben works at Merrow" in made.stdout
    assert "Ada knows Ben" in made.stdout
    result = json.loads(run(environment, "remember", *words, *values, "--json").stdout)
    assert {fact["decision"] for fact in result["facts"]} == {"NOOP"}
    process = run(environment, "remember", "Benny left Merrow.", *values)
    assert "Out of date? Works at Merrow as an analyst." in process.stderr
    call = process.stderr.partition("graph-memory ")[2].split()[:3]
    call[2] = call[2].removesuffix(":")
    assert "close: done." in run(environment, *call, *values).stderr
    shown = run(environment, "entity", "open", "Ben", *values).stdout
    assert "analyst" not in shown
    assert "Ada → knows → Ben" in shown
    assert "  also called Benny\n  city=Leeds\n" in shown
    result = json.loads(run(environment, "entity", "open", "Ben", *values, "--json").stdout)["entities"][0]
    assert result.keys() == {"name", "entityType", "observations"}
    then = run(environment, "search", "analyst", "--mode", "lexical", "--valid-at", "2020-01-01", *values).stdout
    assert "No longer valid since" in then
    assert "Now: Benny left Merrow." in then
    first, second = [run(environment, "forget", "Ben", "Benny left Merrow.", *values).stdout for _ in range(2)]
    assert "Ben: Benny left Merrow." in first
    assert second == ""
