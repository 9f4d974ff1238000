"""`graph-memory reindex`: making the index of search anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.output.printing import counted
from graph_memory.cli.session import with_progress
from graph_memory.model.analysers import ANALYSERS, ENGLISH
from graph_memory.model.arguments import fault

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.recall.coverage import Coverage
    from graph_memory.progress import Progress


AnalyserOption = Annotated[
    str | None,
    typer.Option(
        "--analyser",
        metavar="NAME",
        help=f"Only the words, read by another analyser of Neo4j from now on: {', '.join(ANALYSERS)}.",
        autocompletion=lambda: list(ANALYSERS),
    ),
]


@command()
def reindex(
    call: Call,
    model: Annotated[
        bool, typer.Option("--model", help="Only the vectors, by the model that the settings name now.")
    ] = False,
    analyser: AnalyserOption = None,
    missing: Annotated[bool, typer.Option("--missing", help="Only what is not indexed yet.")] = False,
) -> None:
    """Make the index of search anew from the log of a domain.

    Searches go on meanwhile. Repeat the command to resume it where it was interrupted.
    """
    if sum((model, missing, analyser is not None)) > 1:
        raise fault("missing", "--missing, --model and --analyser exclude each other", "Give one of them.")

    async def use(memory: Memory, tell: Progress) -> Coverage:
        return await call.of(memory).upkeep.reindex(anew=not missing, model=model, analyser=analyser, progress=tell)

    covered = with_progress(use)
    told = {
        "passages": covered.open,
        "model": covered.model,
        "analyser": covered.analyser,
        "not_indexed": covered.behind,
        "without_vectors": covered.without_vectors,
        "reason": covered.reason,
        "skipped": list(covered.skipped) or None,
    }
    call.give({name: value for name, value in told.items() if value is not None}, lambda _: _show(covered))


def _show(covered: Coverage) -> None:
    vectors = f"vectors by {covered.model}" if covered.model else "no vectors"
    words = "" if covered.analyser == ENGLISH else f", words read as {covered.analyser}"
    typer.echo(f"{counted(covered.open, 'passage')}, {vectors}{words}.")
    if covered.behind:
        typer.echo(f"{counted(covered.behind, 'change')} not indexed yet: run it again.")
    for warning in covered.warnings:
        typer.echo(warning)
    if covered.without_vectors:
        why = f": {covered.reason}" if covered.reason else ""
        typer.echo(f"{counted(covered.without_vectors, 'passage')} without vectors{why}.")
