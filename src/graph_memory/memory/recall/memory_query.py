"""Chooses the depth of recall for a question by the question's words only, so that the reply can give the reason."""

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
"""Number of items above which a language model, if one is set, writes the answer."""
WORDS = 200
_OVER_TOKENS = 5
"""Tokens of `over` itself."""
_REASON_TOKENS = 16
"""Tokens of a reply about its depth, beside the reason for it."""
TOKENS_OF_A_WORD = 2
_OVERVIEW = re.compile(r"\b(?:overview|summary of (?:everything|all)|open questions)\b", re.IGNORECASE)
_KNOWN = re.compile(
    r"\b(?:what do (?:you|we|i) (?:know|have|remember)|what(?:['’]s| is) (?:in|there)|"
    r"what does (?:this|the|my) memory)\b",
    re.IGNORECASE,
)
"""Questions that ask for an overview unless a topic follows."""
_OF_ALL = re.compile(r"about|all|already|everything|far|graph|here|hold|knows?|memory|now|remember|so|stored?", re.I)
_CONNECTED = re.compile(
    r"\b(?:connect(?:ed|ion|ions|s)?|relat(?:ed|ion|ions|ionship|es?)|between|link(?:ed|s)?|why|because|led to|lead to|"
    r"compare[ds]?|comparison|both|in common|everything|all about|explain|impact|depend(?:s|ed|ency|encies)?|"
    r"affect(?:s|ed)?|how (?:does|do|did|are|is) .+ (?:and|with|to))\b",
    re.IGNORECASE,
)
_SEVERAL_NAMES = 2
_NAME = re.compile(r"(?<!^)(?<![.?!] )\b[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")
_FIRST_NAME = re.compile(r"^[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*(?=(?:,| and| or| &) [A-Z])")
"""A name at the beginning of a question that another name follows."""
_NO_NAME = re.compile(rf"{MONTH}|{WEEKDAY}|I['’]\w+", re.IGNORECASE)


def depth_of(question: str) -> tuple[Depth, str]:
    """Return the depth of recall for a question, and the reason for the choice."""
    timed = parse_time(question, utc_now())
    has_words = bool(parse_query(timed.text).terms)
    if (match := _OVERVIEW.search(question)) is None and (match := _KNOWN.search(question)) is not None:
        rest = parse_query(question[match.end() :]).words
        match = match if all(_OF_ALL.fullmatch(word) for word in rest) else None
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
        return "deep", "it names several things, which may be connected"
    if not has_words:
        return "medium", "it has no words to judge by"
    return "medium", "the results and their neighbours answer most questions"


async def memory_query(core: Core, domain: str, request: RecallRequest) -> QueryResult:
    """Return the answer to a question. See `Recall.memory_query`."""
    query = request.query or ""
    depth, why = depth_of(query)
    request = replace(request, beside=tokens_of_text(why) + _REASON_TOKENS)
    result, known = await recall_with_guide(core, domain, request)
    mode = "" if result.mode is None else f", searched by {_MODES[result.mode]}"
    answer = QueryResult(**result.model_dump(), why=f"{depth}{mode}: {why}.")
    if core.chat is None or len(known.items) <= ENOUGH:
        return answer
    return fit_citations(await _write_answer(core, query, answer, known, request.max_tokens), request.max_tokens)


def fit_citations(answer: QueryResult, most: int) -> QueryResult:
    """Return an answer with as many citations as fit into `most` tokens."""
    cited = answer.citations or ()

    def citing(_: int, number: int) -> QueryResult:
        fits = answer.model_copy(update={"citations": cited[:number] or None, "over": None})
        if (left := len(cited) - number) == 0:
            return fits
        are = "citation is" if left == 1 else "citations are"
        return _with_warning(fits, Hint("{left} {are} left out for {max_tokens}.", left=left, are=are))

    fits = fit_whole(citing, 1, len(cited), most, lambda result: tokens_of([result]))
    over = tokens_of([fits]) - most
    return fits.model_copy(update={"over": over + _OVER_TOKENS}) if over > 0 else fits


async def _write_answer(
    core: Core, query: str, answer: QueryResult, known: RecallInput, max_tokens: int
) -> QueryResult:
    """Let a model write the answer from the recall. If no model answers, return the recall with a warning."""
    words = max(min(WORDS, max_tokens // TOKENS_OF_A_WORD), FEWEST_WORDS)
    material = await material_from(known, parse_query(query))
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


_MODES = {"hybrid": "words and meaning", "lexical": "words", "semantic": "meaning"}
