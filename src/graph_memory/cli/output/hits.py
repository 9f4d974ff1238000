"""Prints search hits for people: the passage with the query's words highlighted, the reason, and the age."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast

import typer

from graph_memory.cli.output.printing import escape_line, format_count, note, output_console
from graph_memory.model.text.analysers import ENGLISH
from graph_memory.model.time.clock import rfc3339

if TYPE_CHECKING:
    from rich.text import Text

    from graph_memory.memory.search.results import Hit, ScorePart, SearchResult
    from graph_memory.memory.search.text.bm25 import Query

_INDENT = 4
_MIN_WIDTH = 20
_WORD = re.compile(r"\w+")


def show_hits(result: SearchResult, query: str) -> None:
    """Print the hits of a search. Print the numbers of omitted hits and of unsearched changes to stderr."""
    from rich.text import Text

    from graph_memory.memory.search.text.analysers import ANALYSERS
    from graph_memory.memory.search.text.bm25 import parse_query

    parsed = parse_query(query, ANALYSERS[result.analyser or ENGLISH])
    console = output_console()
    width = max(console.width - _INDENT, _MIN_WIDTH)
    with console.capture() as printed:
        for number, hit in enumerate(result.hits, start=1):
            console.print(_headline(number, hit), soft_wrap=True)
            for line in _hit_lines(hit, parsed):
                for part in line.wrap(console, width) if console.is_terminal else [line]:
                    console.print(Text(" " * _INDENT), part, sep="", soft_wrap=True)
    if result.hits:
        typer.echo("\n".join(line.rstrip() for line in printed.get().splitlines()))
    _note_counts_and_cursor(result)


def _headline(number: int, hit: Hit) -> Text:
    from rich.text import Text

    score = "" if hit.score is None else f"  {hit.score:.2f}"
    title = Text(f"{number:<{_INDENT}}") + Text(escape_line(hit.title), "bold")
    domain = f"  in {escape_line(hit.domain)}" if hit.domain else ""
    return title + Text(f"  {escape_line(hit.type)}{score}{_age(hit)}{domain}", "dim")


def _age(hit: Hit) -> str:
    match hit.age_days:
        case None:
            return ""
        case 0:
            return "  today"
        case days:
            return f"  {format_count(days, 'day')} ago"


def _hit_lines(hit: Hit, query: Query) -> Iterator[Text]:
    from rich.text import Text

    if hit.passage:
        yield highlight(escape_line(hit.passage), query)
    place = f"{escape_line(hit.place)}: " if hit.place else ""
    yield Text(f"{place}{escape_line(hit.why)}", "dim")
    if hit.over is not None:
        yield Text(f"No longer valid since {rfc3339(hit.over.since)}", "red")
        for replacement in hit.over.replaced_by or ():
            yield Text(f"Now: {escape_line(replacement.text)}  {escape_line(replacement.id)}", "red")
    for node in hit.contradicted_by or ():
        yield Text(f"Contradicted by {escape_line(node.title)}  {escape_line(node.id)}", "red")
    for part in hit.explanation or ():
        yield Text(_part_line(part), "dim")
    yield Text(escape_line(hit.id), "dim")


def highlight(passage: str, query: Query) -> Text:
    """Return the passage as styled text. Words of the query are highlighted in any inflection."""
    from rich.text import Text

    text = Text(passage)
    for word in _WORD.finditer(passage):
        if not set(query.analyser.terms(word.group())).isdisjoint(query.terms):
            text.stylize("bold yellow", *word.span())
    return text


def _part_line(part: ScorePart) -> str:
    detail = ", ".join(
        f"{name} {_format_detail(value)}" for name, value in part.detail.items() if value not in (None, {})
    )
    return f"{part.value:+.3f}  {part.name:<9} {escape_line(detail)}".rstrip()


def _format_detail(value: object) -> object:
    if isinstance(value, Mapping):
        details = cast("Mapping[str, object]", value)
        return "(" + ", ".join(f"{name} {_format_detail(number)}" for name, number in details.items()) + ")"
    return f"{value:.3g}" if isinstance(value, float) else value


def _note_counts_and_cursor(result: SearchResult) -> None:
    lines = [f"{len(result.hits):,} of {format_count(result.found, 'result')}, searched by {_MODES[result.mode]}."]
    if result.not_covered:
        lines += [f"{format_count(result.not_covered, 'change')} could not be searched yet: search again soon."]
    if result.without_vectors:
        lines += [
            f"{format_count(result.without_vectors, 'passage')} can be found by words only, until their vectors exist."
        ]
    if result.left_out:
        lines += [f"{result.left_out:,} left out for --max-tokens."]
    if result.next_cursor:
        lines += [f"There are more: use --limit N or --cursor {result.next_cursor}"]
    note(" ".join(lines))


_MODES = {"hybrid": "words and meaning", "lexical": "words", "semantic": "meaning"}
