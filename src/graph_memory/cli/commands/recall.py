"""`graph-memory recall` and `synthesize`: answers from the memory within a token budget."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_memory.cli.command import FIRST_FACT, Call, command
from graph_memory.cli.input import options as takes
from graph_memory.cli.output.printing import command_line, count_of, harmless, note, plain
from graph_memory.memory.recall.guide import split_guide
from graph_memory.memory.recall.results import Depth, Form, RecallResult
from graph_memory.memory.search.results import Style, Synthesis

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

FocusOption = Annotated[
    list[str] | None, typer.Option("--focus", metavar="NODE", help="Begin with this: a name, title or id. Repeatable.")
]
MaxTokensOption = Annotated[
    int | None, typer.Option(min=50, help="At most so many tokens: 500, 2,000 or 5,000 by depth.")
]
TypesOption = Annotated[list[str] | None, typer.Option("--like-type", help="This type first. Repeatable.")]
TagsOption = Annotated[list[str] | None, typer.Option("--like-tag", help="This tag first. Repeatable.")]


@command()
def recall(
    call: Call,
    query: Annotated[str | None, typer.Argument(metavar="QUERY", help="A question or topic, in any words.")] = None,
    depth: Annotated[
        Depth,
        typer.Option(help="An overview, what is found and its neighbours, or what is best connected."),
    ] = "medium",
    focus: FocusOption = None,
    max_tokens: MaxTokensOption = None,
    form: Annotated[Form, typer.Option("--as", help="Prose, or an object of things and connections.")] = "prose",
    types: TypesOption = None,
    tags: TagsOption = None,
    text: Annotated[str | None, typer.Option("--like", metavar="TEXT", help="What is like this text first.")] = None,
    path: Annotated[str | None, typer.Option("--like-path", metavar="TEXT", help="What is below this first.")] = None,
    session: Annotated[str | None, typer.Option("--like-session", help="What this session wrote first.")] = None,
    valid_at: takes.ValidAtOption = None,
    as_of: takes.AsOfOption = None,
    since: takes.SinceOption = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, max=100, help="Maximum hits.")] = None,
    domains: takes.InDomainsOption = None,
    include_children: takes.IncludeChildrenOption = False,
) -> None:
    """Tell what the memory knows, within so many tokens.

    A time in QUERY narrows it: "last week", "since March", "before the move". For single results use search.
    """
    like = {"types": types, "tags": tags, "text": text, "path": path, "session": session}
    context = {name: value for name, value in like.items() if value}

    async def use(memory: Memory) -> RecallResult:
        return await memory.recall.recall(
            query,
            depth=depth,
            focus=focus,
            max_tokens=max_tokens,
            as_=form,
            as_of=as_of,
            since=since,
            valid_at=valid_at,
            limit=limit,
            context=context or None,
            **takes.select_domains(domains, include_children=include_children),
        )

    call.answer(use, _show_recall, "Recalling")


def _show_recall(found: RecallResult) -> None:
    """Print what is told. What it took, and what is left out, goes to stderr."""
    content, guide = split_guide(found.content)
    if content or not guide:
        _print_content(content)
    if guide:
        hint = f"Nothing is stored in this domain yet. To store a first fact, run `{command_line(*FIRST_FACT)}`."
        return note(hint) if content and isinstance(content, dict) else typer.echo(hint)
    lines = [f"{count_of(found.tokens_used, 'token')}."]
    if found.period:
        lines.append(f"Of the time {found.period}.")
    if found.left_out or found.shortened:
        lines.append(f"{found.left_out or 0:,} left out, {found.shortened or 0:,} told in part: use --max-tokens.")
    if found.not_covered:
        lines.append(f"{count_of(found.not_covered, 'change')} could not be searched yet: try again soon.")
    return note(" ".join(lines))


def _print_content(content: str | dict[str, Any]) -> None:
    typer.echo(harmless(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=1)))


@command()
def synthesize(
    call: Call,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question or topic, in any words.")],
    ids: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="ID", help="Write from this node or connection alone. Repeatable."),
    ] = None,
    style: Annotated[Style, typer.Option(help="What to write.")] = "summary",
    max_words: Annotated[int, typer.Option(min=10, max=1000, help="Maximum words.")] = 200,
) -> None:
    """Have a language model write about a question from what is stored, with citations.

    GRAPH_MEMORY_MODEL says which; without one, this prints what there is to read.
    """

    async def use(memory: Memory) -> Synthesis:
        return await memory.recall.memory_synthesize(query, subgraph=ids, style=style, max_words=max_words)

    call.answer(use, _show_synthesis, "Writing")


def _show_synthesis(found: Synthesis) -> None:
    for line in (found.text or "").splitlines():
        typer.echo(plain(line))
    if found.citations:
        typer.echo()
    for citation in found.citations:
        typer.echo(f"[{plain(citation.id)}] {plain(citation.title)}  {plain(citation.type)}")
    if found.model:
        note(f"Written by {plain(found.model)} from {count_of(found.material, 'node')}.")
