"""`graph-memory synthesize`: having a language model write from what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.output.printing import counted, note, plain
from graph_memory.memory.recall.results import Style, Synthesis

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


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

    call.answer(use, _show, "Writing")


def _show(found: Synthesis) -> None:
    for line in (found.text or "").splitlines():
        typer.echo(plain(line))
    if found.citations:
        typer.echo()
    for one in found.citations:
        typer.echo(f"[{plain(one.id)}] {plain(one.title)}  {plain(one.type)}")
    if found.model:
        note(f"Written by {plain(found.model)} from {counted(found.material, 'node')}.")
