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
from graph_memory.model.values.arguments import invalid_argument

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.search.index.coverage import Coverage
    from graph_memory.progress import Progress

DAY_SECONDS = 24 * 60 * 60.0


@command()
def verify(
    call: Call,
    all_domains: Annotated[bool, typer.Option("--all", help="Verify every domain, and ignore --domain.")] = False,
) -> None:
    """Replay the log of a domain and compare the result with the live graph. Exits with 1 if they differ."""
    if all_domains:
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
    """Repair the live graph of a domain from its log. Exits with 1 if a difference could not be repaired."""
    verification = call.answer(lambda memory: memory.upkeep.rebuild(), _show_rebuilt, "Repairing")
    raise typer.Exit(DIFFERENCES if verification.unmended else 0)


def _show_rebuilt(verification: Verification) -> None:
    unrepaired = verification.unmended or ()
    _show_verification(verification)
    typer.echo(f"{len(verification.differences) - len(unrepaired):,} repaired, {len(unrepaired):,} left.")
    if unrepaired:
        note("The log cannot repair these differences: restore the database or its blobs from a backup.")


@command(domain=False)
def gc(
    call: Call,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")] = False,
    grace: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Keep blobs that were written in the last SECONDS.")
    ] = DAY_SECONDS,
) -> None:
    """Collect garbage: remove blobs (large and binary contents) that no event refers to."""

    def show(collected: BlobsCollected) -> None:
        for blob in collected.blobs:
            typer.echo(f"{blob.domain}/{blob.name}  {blob.bytes:,} bytes")
        typer.echo(f"{count_of(len(collected.blobs), 'blob')} {'would be removed' if dry_run else 'removed'}.")

    call.answer(lambda memory: memory.upkeep.collect_blobs(dry_run=dry_run, grace=grace), show, "Collecting")


def _show_verification(verification: Verification) -> None:
    for difference in verification.differences:
        typer.echo(_line(difference))
    compared = (
        f"{count_of(verification.events, 'event')} replayed, {count_of(verification.subjects, 'subject')} compared"
    )
    typer.echo(f"{verification.domain}: {compared}, {count_of(len(verification.differences), 'difference')}.")


def _line(difference: Difference) -> str:
    states = [("expected", difference.expected), ("found", difference.found)]
    states_text = "; ".join(f"{name} {state}" for name, state in states if state is not None)
    return f"{difference.kind} {difference.subject}: {difference.problem}" + (
        f" ({states_text})" if states_text else ""
    )


AnalyserOption = Annotated[
    str | None,
    typer.Option(
        "--analyser",
        metavar="NAME",
        help=f"Rebuild only the word index, and use this analyser from now on: {', '.join(ANALYSERS)}.",
        autocompletion=lambda: list(ANALYSERS),
    ),
]


@command()
def reindex(
    call: Call,
    model: Annotated[
        bool, typer.Option("--model", help="Rebuild only the vectors, with the model of the current settings.")
    ] = False,
    analyser: AnalyserOption = None,
    missing: Annotated[bool, typer.Option("--missing", help="Index only missing changes.")] = False,
) -> None:
    """Rebuild the search index of a domain from its log.

    Searches continue to work. Repeat the command to resume an interrupted rebuild.
    """
    if sum((model, missing, analyser is not None)) > 1:
        raise invalid_argument("missing", "--missing, --model and --analyser cannot be combined", "Pass only one.")

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
        typer.echo(f"{count_of(covered.behind, 'change')} not indexed yet: run this command again.")
    for warning in covered.warnings:
        typer.echo(warning)
    if covered.without_vectors:
        why = f": {covered.reason}" if covered.reason else ""
        typer.echo(f"{count_of(covered.without_vectors, 'passage')} without vectors{why}.")
