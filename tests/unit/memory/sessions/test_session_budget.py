"""A reply at the start of a session stays within its tokens, whatever warnings it has."""

from __future__ import annotations

from graph_memory.memory.search.token_budget import tokens_of
from graph_memory.memory.sessions.results import SessionStarted
from graph_memory.memory.sessions.sessions import with_warnings

STARTED = SessionStarted(empty=False, text="- Ann sings.", tokens=5)


def test_long_warnings_are_cut_and_others_counted_where_there_is_no_room() -> None:
    long = [f"Indexing failed for reason {number}: " + "too many words " * 60 for number in range(6)]
    told = with_warnings(STARTED, ["Short.", "Short.", *long], 300)
    assert tokens_of([told]) <= 300
    assert told.warnings
    assert told.warnings[0] == "Short."
    assert told.warnings[1].startswith("Indexing failed for reason 0:")
    assert told.warnings[-1].endswith("…")
    assert len(told.warnings) - 1 + (told.left_out or 0) == 6


def test_warnings_that_fit_are_whole() -> None:
    told = with_warnings(STARTED, ["One.", "Two."], 400)
    assert (told.warnings, told.left_out) == (("One.", "Two."), None)
