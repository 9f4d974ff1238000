"""Edits of texts, without a database."""

from __future__ import annotations

import pytest

from graph_memory.file_memory.lines import replace_text
from graph_memory.model.errors import GraphError


@pytest.mark.timeout(20)
@pytest.mark.parametrize("old", ["", "\n", "a"])
def test_an_error_names_the_first_lines_of_a_large_text_with_many_occurrences(old: str) -> None:
    text = "a\n" * 2_000_000
    with pytest.raises(GraphError, match="Multiple occurrences") as error:
        replace_text("/memories/a.md", text, old, "b")
    assert len(str(error.value)) < 2_000


def test_an_error_names_every_line_with_the_text() -> None:
    with pytest.raises(GraphError, match=r"in lines: 1, 1, 3\."):
        replace_text("/memories/a.md", "red red\nblue\nred", "red", "green")
