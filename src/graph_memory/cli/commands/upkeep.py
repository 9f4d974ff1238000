"""`graph-memory verify`, `rebuild`, `gc` and `reindex`: check and repair the stored data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.errors import DIFFERENCES
from graph_memory.cli.output.printing import format_count, note
from graph_memory.cli.session import with_progress
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import BlobCollectionResult, Difference, Verification
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
    """Replay the log of a domain and compare the result with the live graph. Exits with status 1 if they differ."""
    if all_domains:
        _verify_all(call)
    verification = call.answer(lambda memory: memory.upkeep.verify(), _show_verification, "Verifying")
    raise typer.Exit(0 if verification.clean else DIFFERENCES)


def _verify_all(call: Call) -> NoReturn:
    async def use(memory: Memory) -> list[Verification]:
        listed = await memory.list_domains()
        if listed.unavailable_databases:
            message = f"Database {', '.join(listed.unavailable_databases)} cannot be reached, so nothing was verified"
            hint = "Start it, or verify individual domains without --all."
            raise GraphError(Code.STORE_UNAVAILABLE, message, {"hint": hint})
        return [await memory.upkeep.verify(domain=domain.name) for domain in listed.domains]

    def show(_: object) -> None:
        for verification in verifications:
            _show_verification(verification)
        if not verifications:
            note("No domain yet.")

    verifications = call.use_memory(use, "Verifying")
    call.print_answer({"domains": [verification.to_dict() for verification in verifications]}, show)
    raise typer.Exit(0 if all(verification.clean for verification in verifications) else DIFFERENCES)


@command()
def rebuild(call: Call) -> None:
    """Repair the live graph of a domain from its log. Exits with status 1 if a difference could not be repaired."""
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

    def show(collected: BlobCollectionResult) -> None:
        for blob in collected.blobs:
            typer.echo(f"{blob.domain}/{blob.name}  {blob.bytes:,} bytes")
        typer.echo(f"{format_count(len(collected.blobs), 'blob')} {'would be removed' if dry_run else 'removed'}.")

    call.answer(lambda memory: memory.upkeep.collect_blobs(dry_run=dry_run, grace=grace), show, "Collecting")


def _show_verification(verification: Verification) -> None:
    for difference in verification.differences:
        typer.echo(_render_difference(difference))
    events, subjects = format_count(verification.events, "event"), format_count(verification.subjects, "subject")
    compared = f"{events} replayed, {subjects} compared"
    typer.echo(f"{verification.domain}: {compared}, {format_count(len(verification.differences), 'difference')}.")


def _render_difference(difference: Difference) -> str:
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

    async def use(memory: Memory, progress: Progress) -> Coverage:
        return await call.in_domain(memory).upkeep.reindex(
            anew=not missing, model=model, analyser=analyser, progress=progress
        )

    coverage = with_progress(use)
    fields = {
        "passages": coverage.open,
        "model": coverage.model,
        "analyser": coverage.analyser,
        "not_indexed": coverage.behind,
        "without_vectors": coverage.without_vectors,
        "reason": coverage.reason,
        "skipped": list(coverage.skipped) or None,
    }
    call.print_answer(
        {name: value for name, value in fields.items() if value is not None}, lambda _: _show_coverage(coverage)
    )


def _show_coverage(coverage: Coverage) -> None:
    vectors = f"vectors by {coverage.model}" if coverage.model else "no vectors"
    words = "" if coverage.analyser == ENGLISH else f", words read as {coverage.analyser}"
    typer.echo(f"{format_count(coverage.open, 'passage')}, {vectors}{words}.")
    if coverage.behind:
        typer.echo(f"{format_count(coverage.behind, 'change')} not indexed yet: run this command again.")
    for warning in coverage.warnings:
        typer.echo(warning)
    if coverage.without_vectors:
        why = f": {coverage.reason}" if coverage.reason else ""
        typer.echo(f"{format_count(coverage.without_vectors, 'passage')} without vectors{why}.")
