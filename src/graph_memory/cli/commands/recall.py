"""`graph-memory recall`, `synthesize` and `eval`: answer from the memory, and measure the quality of answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import FIRST_FACT, Call, command
from graph_memory.cli.input import options as takes
from graph_memory.cli.output.evaluation import show_evaluation
from graph_memory.cli.output.printing import command_line, escape_control_characters, escape_line, format_count, note
from graph_memory.cli.session import exit_on_sigterm, read_settings, with_progress
from graph_memory.memory.recall.guide import split_guide
from graph_memory.memory.recall.results import Depth, Form, RecallResult
from graph_memory.memory.search.results import Style, Synthesis

if TYPE_CHECKING:
    from graph_memory.evaluation.results import Evaluation
    from graph_memory.memory.api.memory import Memory
    from graph_memory.progress import Progress

FocusOption = Annotated[
    list[str] | None,
    typer.Option("--focus", metavar="NODE", help="Start from this node: a name, title or id. Repeatable."),
]
MaxTokensOption = Annotated[
    int | None, typer.Option(min=50, help="Maximum number of tokens. Default: 500, 2,000 or 5,000 by depth.")
]
TypesOption = Annotated[list[str] | None, typer.Option("--like-type", help="Prefer this type. Repeatable.")]
TagsOption = Annotated[list[str] | None, typer.Option("--like-tag", help="Prefer this tag. Repeatable.")]


@command()
def recall(
    call: Call,
    query: Annotated[str | None, typer.Argument(metavar="QUERY", help="A question or topic, in any words.")] = None,
    depth: Annotated[
        Depth,
        typer.Option(help="An overview, the matches with their neighbors, or a larger part of the graph."),
    ] = "medium",
    focus: FocusOption = None,
    max_tokens: MaxTokensOption = None,
    form: Annotated[Form, typer.Option("--as", help="Prose, or a JSON object of items and connections.")] = "prose",
    types: TypesOption = None,
    tags: TagsOption = None,
    text: Annotated[str | None, typer.Option("--like", metavar="TEXT", help="Prefer items like this text.")] = None,
    path: Annotated[str | None, typer.Option("--like-path", metavar="TEXT", help="Prefer items at this path.")] = None,
    session: Annotated[str | None, typer.Option("--like-session", help="Prefer items that this session wrote.")] = None,
    valid_at: takes.ValidAtOption = None,
    as_of: takes.AsOfOption = None,
    since: takes.SinceOption = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, max=100, help="Maximum number of hits.")] = None,
    domains: takes.InDomainsOption = None,
    include_children: takes.IncludeChildrenOption = False,
) -> None:
    """Print what the memory knows about a topic, within a token budget.

    A time in QUERY limits the answer: "last week", "since March", "before the move". For a list of results use search.
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


def _show_recall(result: RecallResult) -> None:
    """Print the recalled content to stdout, and the numbers of its tokens and omitted items to stderr."""
    content, guide = split_guide(result.content)
    if content or not guide:
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=1)
        typer.echo(escape_control_characters(text))
    if guide:
        hint = f"Nothing is stored in this domain yet. To store a first fact, run `{command_line(*FIRST_FACT)}`."
        return note(hint) if content and isinstance(content, dict) else typer.echo(hint)
    lines = [f"{format_count(result.tokens_used, 'token')}."]
    if result.period:
        lines.append(f"Limited to {result.period}.")
    if result.left_out or result.shortened:
        lines.append(f"{result.left_out or 0:,} left out, {result.shortened or 0:,} shortened: raise --max-tokens.")
    if result.not_covered:
        lines.append(f"{format_count(result.not_covered, 'change')} could not be searched yet: try again soon.")
    return note(" ".join(lines))


@command()
def synthesize(
    call: Call,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question or topic, in any words.")],
    ids: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="ID", help="Use only this node or connection. Repeatable."),
    ] = None,
    style: Annotated[Style, typer.Option(help="The form of the answer.")] = "summary",
    max_words: Annotated[int, typer.Option(min=10, max=1000, help="Maximum number of words.")] = 200,
) -> None:
    """Have a language model answer a question from the stored data, with citations.

    GRAPH_MEMORY_MODEL selects the model. If it is not set, this prints the passages that a model would read.
    """
    call.answer(
        lambda memory: memory.recall.memory_synthesize(query, subgraph=ids, style=style, max_words=max_words),
        _show_synthesis,
        "Writing",
    )


def _show_synthesis(synthesis: Synthesis) -> None:
    for line in (synthesis.text or "").splitlines():
        typer.echo(escape_line(line))
    if synthesis.citations:
        typer.echo()
    for citation in synthesis.citations:
        typer.echo(f"[{escape_line(citation.id)}] {escape_line(citation.title)}  {escape_line(citation.type)}")
    if synthesis.model:
        note(f"Written by {escape_line(synthesis.model)} from {format_count(synthesis.material, 'node')}.")


@command(domain=False)
def evaluate(
    call: Call,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|DIR",
            help="A file in the format of LongMemEval, LoCoMo, BEAM or HaluMem, or a folder of BEAM chats.",
        ),
    ],
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="longmemeval|locomo|beam|halumem", help="Its format. Default: detected."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="Maximum number of questions, sampled from all.")
    ] = None,
    k: Annotated[int, typer.Option("--k", min=1, max=100, help="Number of search hits to count.")] = 10,
    max_tokens: Annotated[int, typer.Option(min=50, help="Maximum number of tokens of a recall.")] = 2_000,
    seed: Annotated[int, typer.Option(help="Seed of the sample. The same seed selects the same questions.")] = 0,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the domains for inspection.")] = False,
) -> None:
    """Measure search and recall with a public question set: recall, tokens and times.

    Each conversation is stored in a new domain named eval-…, which is deleted at the end.
    No language model is used: replies are compared with the evidence that FILE labels.
    """
    from graph_memory.app import check_connection
    from graph_memory.evaluation import running

    async def use(memory: Memory, progress: Progress) -> Evaluation:
        server = await check_connection(read_settings())
        options = running.Options(k=k, max_tokens=max_tokens, limit=limit, seed=seed, keep=keep, server=server)
        return await running.evaluate(memory, Path(file), form, options, progress)

    with exit_on_sigterm():
        done = with_progress(use)
    call.print_answer(done, show_evaluation)
