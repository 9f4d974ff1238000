"""What a search found, for people: the passage with the words that were asked for, why, and how old it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast

import typer

from graph_memory.cli.output.printing import counted, note, plain
from graph_memory.model.results import rfc3339
from graph_memory.model.text.analysers import ENGLISH

if TYPE_CHECKING:
    from rich.text import Text

    from graph_memory.memory.search.results import Hit, Part, SearchResult
    from graph_memory.memory.search.text.bm25 import Query

_INDENT = 4
_NARROWEST = 20
_WORD = re.compile(r"\w+")


def show_hits(found: SearchResult, query: str) -> None:
    """Print the hits. What was not searched or is left out is told on stderr, with how to go on."""
    from rich.console import Console
    from rich.text import Text

    from graph_memory.memory.search.text.analysers import ANALYSERS
    from graph_memory.memory.search.text.bm25 import asked

    question = asked(query, ANALYSERS[found.analyser or ENGLISH])
    console = Console(highlight=False)
    width = max(console.width - _INDENT, _NARROWEST)
    with console.capture() as printed:
        for number, hit in enumerate(found.hits, start=1):
            console.print(_headline(number, hit), soft_wrap=True)
            for line in _lines(hit, question):
                for part in line.wrap(console, width) if console.is_terminal else [line]:
                    console.print(Text(" " * _INDENT), part, sep="", soft_wrap=True)
    if found.hits:
        typer.echo("\n".join(line.rstrip() for line in printed.get().splitlines()))
    _tell_end(found)


def _headline(number: int, hit: Hit) -> Text:
    from rich.text import Text

    score = "" if hit.score is None else f"  {hit.score:.2f}"
    title = Text(f"{number:<{_INDENT}}") + Text(plain(hit.title), "bold")
    domain = f"  in {plain(hit.domain)}" if hit.domain else ""
    return title + Text(f"  {plain(hit.type)}{score}{_age(hit)}{domain}", "dim")


def _age(hit: Hit) -> str:
    match hit.age_days:
        case None:
            return ""
        case 0:
            return "  today"
        case days:
            return f"  {counted(days, 'day')} ago"


def _lines(hit: Hit, question: Query) -> Iterator[Text]:
    from rich.text import Text

    if hit.passage:
        yield highlighted(plain(hit.passage), question)
    place = f"{plain(hit.place)}: " if hit.place else ""
    yield Text(f"{place}{plain(hit.why)}", "dim")
    if hit.over is not None:
        yield Text(f"Holds no more since {rfc3339(hit.over.since)}", "red")
        for instead in hit.over.replaced_by or ():
            yield Text(f"Now: {plain(instead.text)}  {plain(instead.id)}", "red")
    for node in hit.contradicted_by or ():
        yield Text(f"Contradicted by {plain(node.title)}  {plain(node.id)}", "red")
    for part in hit.explanation or ():
        yield Text(_part(part), "dim")
    yield Text(plain(hit.id), "dim")


def highlighted(passage: str, question: Query) -> Text:
    """Return a passage in which the words that were asked for stand out, in whatever form."""
    from rich.text import Text

    text = Text(passage)
    for word in _WORD.finditer(passage):
        if not set(question.analyser.terms(word.group())).isdisjoint(question.terms):
            text.stylize("bold yellow", *word.span())
    return text


def _part(part: Part) -> str:
    detail = ", ".join(f"{name} {_told(value)}" for name, value in part.detail.items() if value not in (None, {}))
    return f"{part.value:+.3f}  {part.name:<9} {plain(detail)}".rstrip()


def _told(value: object) -> object:
    if isinstance(value, Mapping):
        words = cast("Mapping[str, object]", value)
        return "(" + ", ".join(f"{word} {_told(points)}" for word, points in words.items()) + ")"
    return f"{value:.3g}" if isinstance(value, float) else value


def _tell_end(result: SearchResult) -> None:
    """Say how many there are, what may be missing, and how to go on."""
    lines = [f"{len(result.hits):,} of {counted(result.found, 'result')}, searched by {_MODES[result.mode]}."]
    if result.not_covered:
        lines += [f"{counted(result.not_covered, 'change')} could not be searched yet: search again soon."]
    if result.without_vectors:
        lines += [
            f"{counted(result.without_vectors, 'passage')} can be found by words only, until their vectors exist."
        ]
    if result.left_out:
        lines += [f"{result.left_out:,} left out for --max-tokens."]
    if result.next_cursor:
        lines += [f"There are more: use --limit N or --cursor {result.next_cursor}"]
    note(" ".join(lines))


_MODES = {"hybrid": "words and meaning", "lexical": "words", "semantic": "meaning"}
