"""How deep a question goes, by its words alone."""

from __future__ import annotations

from graph_memory.memory.recall.memory_query import choose_depth, fit_citations
from graph_memory.memory.recall.results import QueryResult
from graph_memory.memory.search.token_budget import tokens_of
from graph_memory.model.results import NodeBrief
from tables import for_rows


@for_rows(
    ("question", "depth"),
    [
        ("What do you know?", "shallow"),
        ("What do we know so far?", "shallow"),
        ("What is in this memory?", "shallow"),
        ("Give me an overview.", "shallow"),
        ("What do we know about the terrace?", "medium"),
        ("What is in the shed?", "medium"),
        ("What does the memory say about the stove?", "medium"),
        ("What does the terrace cost?", "medium"),
        ("What did I do yesterday?", "medium"),
        ("Tell me about Anna Lee", "medium"),
        ("What did Anna say in May and June?", "medium"),
        ("How are Anna and Acme connected?", "deep"),
        ("Anna Lee and Bob Ray", "deep"),
        ("Anna, Bob", "deep"),
        ("Tell me about Anna Lee and Bob Ray", "deep"),
    ],
)
def test_a_question_is_as_deep_as_its_words_say(question: str, depth: str):
    assert choose_depth(question)[0] == depth


def test_citations_that_do_not_fit_are_left_out_and_counted() -> None:
    cited = tuple(NodeBrief(id=f"mem_{number}", type="Note", title=f"Title {number} " * 5) for number in range(20))
    result = QueryResult(depth="medium", tokens_used=5, content="It is so [mem_0].", why="medium", citations=cited)
    fits = fit_citations(result, 300)
    assert tokens_of([fits]) <= 300
    kept = len(fits.citations or ())
    assert fits.citations == cited[:kept]
    assert fits.warnings == (f"{20 - kept} citations are left out for max_tokens.",)
    assert fit_citations(result, 5_000) == result
    single = result.model_copy(update={"citations": cited[:1]})
    assert fit_citations(single, tokens_of([single]) - 1).warnings == ("1 citation is left out for max_tokens.",)
    assert (fit_citations(result, 20).citations, (fit_citations(result, 20).over or 0) > 0) == (None, True)
