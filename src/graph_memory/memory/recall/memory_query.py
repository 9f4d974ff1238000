"""How deep a question goes: chosen by its words alone, so that it can be told why."""

from __future__ import annotations

import re
from dataclasses import replace

from graph_memory.memory.core import Core
from graph_memory.memory.recall.questions.phrases import MONTH, WEEKDAY, timed
from graph_memory.memory.recall.recall import guided
from graph_memory.memory.recall.rendering.recall_input import Material
from graph_memory.memory.recall.request import RecallRequest
from graph_memory.memory.recall.results import Depth, QueryResult
from graph_memory.memory.recall.synthesis import FEWEST_WORDS, material_from, written
from graph_memory.memory.search.text.bm25 import parse_query as worded
from graph_memory.memory.search.token_budget import fit_whole, tokens_of, tokens_of_text
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.storage.log.writing import utc_now

ENOUGH = 12
"""Things beyond which a language model, if one is set, writes the answer."""
WORDS = 200
_OVER = 5
"""Tokens of `over` itself."""
_BESIDE = 16
"""Tokens of a reply about its depth, beside the reason for it."""
TOKENS_OF_A_WORD = 2
_OVERVIEW = re.compile(r"\b(?:overview|summary of (?:everything|all)|open questions)\b", re.IGNORECASE)
_KNOWN = re.compile(
    r"\b(?:what do (?:you|we|i) (?:know|have|remember)|what(?:['’]s| is) (?:in|there)|"
    r"what does (?:this|the|my) memory)\b",
    re.IGNORECASE,
)
"""What asks for an overview if nothing follows that says of what."""
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
"""A name with which a question begins: another follows."""
_NO_NAME = re.compile(rf"{MONTH}|{WEEKDAY}|I['’]\w+", re.IGNORECASE)


def depth_of(question: str) -> tuple[Depth, str]:
    """Return how deep a question goes, and why."""
    told = timed(question, utc_now())
    has_words = bool(worded(told.text).terms)
    if (found := _OVERVIEW.search(question)) is None and (found := _KNOWN.search(question)) is not None:
        rest = worded(question[found.end() :]).words
        found = found if all(_OF_ALL.fullmatch(word) for word in rest) else None
    if found is not None and not _NAME.search(question[found.end() :]):
        return "shallow", f'"{found[0]}" asks for an overview'
    if told.period is not None and told.is_empty:
        return "medium", "it asks what was at a time"
    if (found := _CONNECTED.search(question)) is not None:
        return "deep", f'"{found[0]}" asks how things are connected'
    names = {each for one in (_FIRST_NAME, _NAME) for each in one.findall(told.text) if not _NO_NAME.fullmatch(each)}
    if len(names) >= _SEVERAL_NAMES:
        return "deep", "it names several things, which may be connected"
    if not has_words:
        return "medium", "it has no words to judge by"
    return "medium", "what is found and its neighbours answer most questions"


async def memory_query(core: Core, domain: str, request: RecallRequest) -> QueryResult:
    """Return the answer to a question. See `Recall.memory_query`."""
    query = request.query or ""
    depth, why = depth_of(query)
    request = replace(request, beside=tokens_of_text(why) + _BESIDE)
    found, known = await guided(core, domain, request)
    mode = "" if found.mode is None else f", searched by {_MODES[found.mode]}"
    told = QueryResult(**found.model_dump(), why=f"{depth}{mode}: {why}.")
    if core.chat is None or len(known.things) <= ENOUGH:
        return told
    return fit_citations(await _written(core, query, told, known, request.max_tokens), request.max_tokens)


def fit_citations(told: QueryResult, most: int) -> QueryResult:
    """Return an answer with as many citations as fit in so many tokens; `over` says how much the rest is over."""
    cited = told.citations or ()

    def citing(_: int, number: int) -> QueryResult:
        fits = told.model_copy(update={"citations": cited[:number] or None, "over": None})
        if (left := len(cited) - number) == 0:
            return fits
        are = "citation is" if left == 1 else "citations are"
        return _warned(fits, Hint("{left} {are} left out for {max_tokens}.", left=left, are=are))

    fits = fit_whole(citing, 1, len(cited), most, lambda one: tokens_of([one]))
    over = tokens_of([fits]) - most
    return fits.model_copy(update={"over": over + _OVER}) if over > 0 else fits


async def _written(core: Core, query: str, told: QueryResult, known: Material, max_tokens: int) -> QueryResult:
    """Return the answer that a model writes from so much material; what was told where it does not, with why."""
    words = max(min(WORDS, max_tokens // TOKENS_OF_A_WORD), FEWEST_WORDS)
    material = await material_from(known, worded(query))
    try:
        found = await written(core, query, material, style="summary", max_words=words)
    except GraphError as error:
        if error.code is not Code.NO_MODEL:
            raise
        return _warned(told, f"No model wrote the answer, so this is what it would have read. {error.message}")
    text = found.text or ""
    if (tokens := tokens_of_text(text)) > max_tokens:
        return _warned(told, Hint("The model wrote more than {max_tokens}, so this is what it read."))
    return told.model_copy(
        update={
            "content": text,
            "tokens_used": tokens,
            "written_by": found.model,
            "citations": found.citations,
            "warnings": (*(told.warnings or ()), *(found.warnings or ())) or None,
            "shortened": None,
            "left_out": None,
            "how_to_get": None,
        }
    )


def _warned(told: QueryResult, warning: str) -> QueryResult:
    return told.model_copy(update={"warnings": (*(told.warnings or ()), warning)})


_MODES = {"hybrid": "words and meaning", "lexical": "words", "semantic": "meaning"}
