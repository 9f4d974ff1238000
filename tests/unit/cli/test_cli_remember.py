"""Texts for people about remembered facts, and about the decisions of a language model."""

from __future__ import annotations

from graph_memory.memory.entities.cleaning.results import Finding, GraphHealth
from graph_memory.memory.entities.remember_results import (
    EntityRememberResult,
    Outcome,
    Question,
    Receipt,
    RememberResult,
)
from graph_memory.memory.entities.results import ForgetResult, ForgottenRecord
from graph_memory.model.results import ReadyCall
from unit.cli.test_cli_commands import memory, run
from unit.mcp_server.mcp_fakes import RecordingMemory

__all__ = ["memory"]
EVIL = "\x1b[2J\u202e"


def test_what_a_model_decided_is_told_with_its_reason_and_what_was_said_of_others(memory: RecordingMemory):
    closed = Receipt(
        decision=Outcome.UPDATE,
        fact="left Merrow",
        rule="model: close",
        evidence=f"works at Merrow: he left {EVIL}",
        id="obs_2",
        replaced=("obs_1",),
        model="ollama/m",
    )
    again = Receipt(decision=Outcome.ADD, fact="plays chess", rule="new", evidence=f"said before {EVIL}", id="obs_5")
    question = Question(
        id="obs_2:obs_3",
        known_text=f"likes tea {EVIL}",
        new_text="left Merrow",
        reason="left",
        score=0.8,
        choices={"close": "the known observation ends now", "keep": "both are true"},
    )
    other = EntityRememberResult(
        entity=f"Merrow {EVIL}",
        type="company",
        created=False,
        found_by="name",
        facts=(Receipt(decision=Outcome.NOOP, fact="insures ships", rule="equal text", id="obs_4"),),
    )
    memory.answers["remember"] = RememberResult(
        entity="Ben",
        type="person",
        created=True,
        found_by="new",
        facts=(closed, again),
        questions=(question,),
        others=(other,),
        model="ollama/m",
        warnings=("It was slow.",),
    )
    shown = run("remember", "Ben left Merrow. It insures ships.", "--name", "Ben")
    assert [line.split()[0] for line in shown.stdout.splitlines()] == ["decision", "UPDATE", "ADD", "decision", "NOOP"]
    result = shown.stderr.splitlines()
    assert result[0] == "Warning: It was slow."
    assert result[1] == "Ben is a new person."
    assert result[2].startswith("ollama/m decided: works at Merrow: he left")
    assert result[3].startswith("plays chess: said before")
    assert result[4].startswith("Out of date? likes tea")
    assert result[5:9] == [
        "close: the known observation ends now",
        "  graph-memory decide obs_2:obs_3 close",
        "keep: both are true",
        "  graph-memory decide obs_2:obs_3 keep",
    ]
    assert result[9].startswith("About Merrow")
    assert result[10] == "ollama/m split the text into facts."
    assert "\x1b" not in shown.stderr
    assert "\u202e" not in shown.stderr


def test_a_printed_command_names_the_domain_that_the_call_named_or_that_has_the_fact(memory: RecordingMemory):
    ended = ForgottenRecord(id="obs_1", kind="observation", text="user: prefers tabs")
    forgotten = ForgetResult(forgotten=(ended,), entities=0, observations=1, relations=0, since=4, until=5)
    memory.answers["forget"] = forgotten
    undo = "Undo it: graph-memory revert --since 4 --until 5"
    assert run("forget", "user", "--domain", "my users").stderr.splitlines()[-1] == f"{undo} --domain 'my users'"
    assert run("forget", "user").stderr.splitlines()[-1] == undo
    call = ReadyCall(tool="find_similar", arguments={"name": "Ben B"})
    finding = Finding(kind="orphan", about=("Ben B",), reason="It has no relations.", call=call)
    memory.answers["graph_health"] = GraphHealth(
        entities=1, observations=0, relations=0, healthy=False, counts={"orphan": 1}, findings=(finding,), left_out=0
    )
    shown = run("entity", "health", "--domain", "team")
    assert "graph-memory call find_similar 'name=Ben B' --domain team" in shown.stdout
