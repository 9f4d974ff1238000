"""Answers a question by a recall whose depth is chosen from the words of the question.

No model chooses the depth, so that the reply can state the reason.
"""

from __future__ import annotations

import re
from dataclasses import replace

from graph_memory.memory.core import Core
from graph_memory.memory.recall.questions.phrases import MONTH, WEEKDAY, parse_time
from graph_memory.memory.recall.recall import recall_with_guide
from graph_memory.memory.recall.rendering.recall_input import RecallInput
from graph_memory.memory.recall.request import RecallRequest
from graph_memory.memory.recall.results import Depth, QueryResult
from graph_memory.memory.recall.synthesis import FEWEST_WORDS, material_from, write_text
from graph_memory.memory.search.text.bm25 import parse_query
from graph_memory.memory.search.token_budget import fit_whole, tokens_of, tokens_of_text
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.storage.log.writing import utc_now

ENOUGH = 12
"""Number of recalled items above which a language model writes the answer, if one is configured."""
WORDS = 200
_OVER_TOKENS = 5
"""Number of tokens that the field `over` takes in a reply."""
_REASON_TOKENS = 16
"""Number of tokens that the field `why` takes in addition to the reason."""
TOKENS_OF_A_WORD = 2
_OVERVIEW = re.compile(r"\b(?:overview|summary of (?:everything|all)|open questions)\b", re.IGNORECASE)
_ASKS_WHAT_IS_KNOWN = re.compile(
    r"\b(?:what do (?:you|we|i) (?:know|have|remember)|what(?:['’]s| is) (?:in|there)|"
    r"what does (?:this|the|my) memory)\b",
    re.IGNORECASE,
)
"""Questions that ask for an overview unless a topic follows."""
_NO_TOPIC = re.compile(r"about|all|already|everything|far|graph|here|hold|knows?|memory|now|remember|so|stored?", re.I)
"""A word that does not name a topic."""
_CONNECTED = re.compile(
    r"\b(?:connect(?:ed|ion|ions|s)?|relat(?:ed|ion|ions|ionship|es?)|between|link(?:ed|s)?|why|because|led to|lead to|"
    r"compare[ds]?|comparison|both|in common|everything|all about|explain|impact|depend(?:s|ed|ency|encies)?|"
    r"affect(?:s|ed)?|how (?:does|do|did|are|is) .+ (?:and|with|to))\b",
    re.IGNORECASE,
)
_MODES = {"hybrid": "words and meaning", "lexical": "words", "semantic": "meaning"}
_SEVERAL_NAMES = 2
_NAME = re.compile(r"(?<!^)(?<![.?!] )\b[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")
_FIRST_NAME = re.compile(r"^[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*(?=(?:,| and| or| &) [A-Z])")
"""The first of two names at the beginning of a question."""
_NO_NAME = re.compile(rf"{MONTH}|{WEEKDAY}|I['’]\w+", re.IGNORECASE)


def choose_depth(question: str) -> tuple[Depth, str]:
    """Return the depth of recall for a question, and the reason for the choice."""
    timed = parse_time(question, utc_now())
    has_words = bool(parse_query(timed.text).terms)
    if (match := _OVERVIEW.search(question)) is None and (match := _ASKS_WHAT_IS_KNOWN.search(question)) is not None:
        following_words = parse_query(question[match.end() :]).words
        match = match if all(_NO_TOPIC.fullmatch(word) for word in following_words) else None
    if match is not None and not _NAME.search(question[match.end() :]):
        return "shallow", f'"{match[0]}" asks for an overview'
    if timed.period is not None and timed.is_empty:
        return "medium", "it asks about a time"
    if (match := _CONNECTED.search(question)) is not None:
        return "deep", f'"{match[0]}" asks how things are connected'
    names = {
        match
        for pattern in (_FIRST_NAME, _NAME)
        for match in pattern.findall(timed.text)
        if not _NO_NAME.fullmatch(match)
    }
    if len(names) >= _SEVERAL_NAMES:
        return "deep", "it names several things that may be connected"
    if not has_words:
        return "medium", "it has no words that suggest a depth"
    return "medium", "the results and their neighbours answer most questions"


async def memory_query(core: Core, domain: str, request: RecallRequest) -> QueryResult:
    """Return the answer to a question. See `Recall.memory_query`."""
    query = request.query or ""
    depth, why = choose_depth(query)
    request = replace(request, reserved_tokens=tokens_of_text(why) + _REASON_TOKENS)
    result, material = await recall_with_guide(core, domain, request)
    mode = "" if result.mode is None else f", searched by {_MODES[result.mode]}"
    answer = QueryResult(**result.model_dump(), why=f"{depth}{mode}: {why}.")
    if core.chat is None or len(material.items) <= ENOUGH:
        return answer
    return fit_citations(await _write_answer(core, query, answer, material, request.max_tokens), request.max_tokens)


def fit_citations(answer: QueryResult, most: int) -> QueryResult:
    """Return an answer with as many citations as fit into `most` tokens."""
    all_citations = answer.citations or ()

    def with_citations(_: int, citation_count: int) -> QueryResult:
        shortened_answer = answer.model_copy(update={"citations": all_citations[:citation_count] or None, "over": None})
        if (omitted_count := len(all_citations) - citation_count) == 0:
            return shortened_answer
        are = "citation is" if omitted_count == 1 else "citations are"
        return _with_warning(
            shortened_answer, Hint("{left} {are} left out for {max_tokens}.", left=omitted_count, are=are)
        )

    shortened_answer = fit_whole(with_citations, 1, len(all_citations), most, lambda result: tokens_of([result]))
    over = tokens_of([shortened_answer]) - most
    return shortened_answer.model_copy(update={"over": over + _OVER_TOKENS}) if over > 0 else shortened_answer


async def _write_answer(
    core: Core, query: str, answer: QueryResult, recall_input: RecallInput, max_tokens: int
) -> QueryResult:
    """Let a model write the answer from the recall. If no model answers, return the recall with a warning."""
    words = max(min(WORDS, max_tokens // TOKENS_OF_A_WORD), FEWEST_WORDS)
    material = await material_from(recall_input, parse_query(query))
    try:
        synthesis = await write_text(core, query, material, style="summary", max_words=words)
    except GraphError as error:
        if error.code is not Code.NO_MODEL:
            raise
        return _with_warning(answer, f"No model wrote the answer, so this is the stored material. {error.message}")
    text = synthesis.text or ""
    if (tokens := tokens_of_text(text)) > max_tokens:
        return _with_warning(answer, Hint("The model wrote more than {max_tokens}, so this is the stored material."))
    return answer.model_copy(
        update={
            "content": text,
            "tokens_used": tokens,
            "written_by": synthesis.model,
            "citations": synthesis.citations,
            "warnings": (*(answer.warnings or ()), *(synthesis.warnings or ())) or None,
            "shortened": None,
            "left_out": None,
            "how_to_get": None,
        }
    )


def _with_warning(answer: QueryResult, warning: str) -> QueryResult:
    return answer.model_copy(update={"warnings": (*(answer.warnings or ()), warning)})
