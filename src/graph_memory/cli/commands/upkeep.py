"""`graph-memory verify`, `rebuild`, `gc` and `reindex`: checks and repairs of the stored data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.errors import DIFFERENCES
from graph_memory.cli.output.printing import count_of, note
from graph_memory.cli.session import with_progress
from graph_memory.model.results import BlobsCollected, Difference, Verification
from graph_memory.model.text.analysers import ANALYSERS, ENGLISH
from graph_memory.model.values.arguments import fault

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.search.index.coverage import Coverage
    from graph_memory.progress import Progress

DAY = 24 * 60 * 60.0


@command()
def verify(
    call: Call,
    every: Annotated[bool, typer.Option("--all", help="Every domain, whatever --domain names.")] = False,
) -> None:
    """Replay a domain's log and compare it with the live graph; exits with 1 if they differ."""
    if every:
        _verify_all(call)
    verification = call.answer(lambda memory: memory.upkeep.verify(), _show_verification, "Verifying")
    raise typer.Exit(0 if verification.clean else DIFFERENCES)


def _verify_all(call: Call) -> NoReturn:
    async def use(memory: Memory) -> list[Verification]:
        return [await memory.upkeep.verify(domain=domain.name) for domain in (await memory.list_domains()).domains]

    def show(_: object) -> None:
        for verification in verifications:
            _show_verification(verification)
        if not verifications:
            note("No domain yet.")

    verifications = call.ask(use, "Verifying")
    call.print_answer({"domains": [verification.to_dict() for verification in verifications]}, show)
    raise typer.Exit(0 if all(verification.clean for verification in verifications) else DIFFERENCES)


@command()
def rebuild(call: Call) -> None:
    """Repair the live graph of a domain from its log; exits with 1 if something could not be repaired."""
    verification = call.answer(lambda memory: memory.upkeep.rebuild(), _show_rebuilt, "Mending")
    raise typer.Exit(DIFFERENCES if verification.unmended else 0)


def _show_rebuilt(found: Verification) -> None:
    left = found.unmended or ()
    _show_verification(found)
    typer.echo(f"{len(found.differences) - len(left):,} repaired, {len(left):,} left.")
    if left:
        note("What is left is not in the log either: restore the database or its blobs from a backup.")


@command(domain=False)
def gc(
    call: Call,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")] = False,
    grace: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Keep what was written in the last so many seconds.")
    ] = DAY,
) -> None:
    """Collect garbage: remove the blobs, which hold large and binary content, that nothing in the log refers to."""

    def show(found: BlobsCollected) -> None:
        for blob in found.blobs:
            typer.echo(f"{blob.domain}/{blob.name}  {blob.bytes:,} bytes")
        typer.echo(f"{count_of(len(found.blobs), 'blob')} {'would be removed' if dry_run else 'removed'}.")

    call.answer(lambda memory: memory.upkeep.collect_blobs(dry_run=dry_run, grace=grace), show, "Collecting")


def _show_verification(found: Verification) -> None:
    for difference in found.differences:
        typer.echo(_line(difference))
    compared = f"{count_of(found.events, 'event')} replayed, {count_of(found.subjects, 'subject')} compared"
    typer.echo(f"{found.domain}: {compared}, {count_of(len(found.differences), 'difference')}.")


def _line(difference: Difference) -> str:
    states = [("expected", difference.expected), ("found", difference.found)]
    found = "; ".join(f"{name} {state}" for name, state in states if state is not None)
    return f"{difference.kind} {difference.subject}: {difference.problem}" + (f" ({found})" if found else "")


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
        return await call.in_domain(memory).upkeep.reindex(
            anew=not missing, model=model, analyser=analyser, progress=tell
        )

    covered = with_progress(use)
    coverage = {
        "passages": covered.open,
        "model": covered.model,
        "analyser": covered.analyser,
        "not_indexed": covered.behind,
        "without_vectors": covered.without_vectors,
        "reason": covered.reason,
        "skipped": list(covered.skipped) or None,
    }
    call.print_answer(
        {name: value for name, value in coverage.items() if value is not None}, lambda _: _show_coverage(covered)
    )


def _show_coverage(covered: Coverage) -> None:
    vectors = f"vectors by {covered.model}" if covered.model else "no vectors"
    words = "" if covered.analyser == ENGLISH else f", words read as {covered.analyser}"
    typer.echo(f"{count_of(covered.open, 'passage')}, {vectors}{words}.")
    if covered.behind:
        typer.echo(f"{count_of(covered.behind, 'change')} not indexed yet: run it again.")
    for warning in covered.warnings:
        typer.echo(warning)
    if covered.without_vectors:
        why = f": {covered.reason}" if covered.reason else ""
        typer.echo(f"{count_of(covered.without_vectors, 'passage')} without vectors{why}.")
