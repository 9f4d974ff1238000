"""A reply at the start of a session stays within its tokens, whatever warnings it has."""

from __future__ import annotations

from graph_memory.memory.search.token_budget import tokens_of
from graph_memory.memory.sessions.results import SessionStartResult
from graph_memory.memory.sessions.sessions import with_warnings

STARTED = SessionStartResult(empty=False, text="- Ann sings.", tokens=5)


def test_long_warnings_are_cut_and_others_counted_where_there_is_no_room() -> None:
    long = [f"Indexing failed for reason {number}: " + "too many words " * 60 for number in range(6)]
    result = with_warnings(STARTED, ["Short.", "Short.", *long], 300)
    assert tokens_of([result]) <= 300
    assert result.warnings
    assert result.warnings[0] == "Short."
    assert result.warnings[1].startswith("Indexing failed for reason 0:")
    assert result.warnings[-1].endswith("…")
    assert len(result.warnings) - 1 + (result.left_out or 0) == 6


def test_warnings_that_fit_are_whole() -> None:
    result = with_warnings(STARTED, ["One.", "Two."], 400)
    assert (result.warnings, result.left_out) == (("One.", "Two."), None)
