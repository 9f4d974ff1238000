"""Prints the results of an evaluation for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from graph_memory.cli.output.printing import escape_line, format_count, note
from graph_memory.cli.output.tables import print_table

if TYPE_CHECKING:
    from graph_memory.evaluation.results import Evaluation, KindResult, Times, Updates


def show_evaluation(done: Evaluation) -> None:
    """Print the settings, the measurements by question kind, and how updated facts were judged."""
    sample = f"at most {format_count(done.limit, 'question')}, seed {done.seed}" if done.limit else "all questions"
    typer.echo(f"{done.format}: {escape_line(done.file)}, SHA-256 {done.sha256}")
    typer.echo(
        f"graph-memory {done.graph_memory}, {done.server}, Python {done.python}, "
        f"vectors: {escape_line(done.embeddings)}; k {done.k}, recall of at most {done.max_tokens:,} tokens, {sample}"
    )
    typer.echo(_stored_line(done))
    typer.echo()
    shares = [f"{name}@{done.k}" for name in ("session recall", "session hit", "turn recall")]
    texts = ("evidence", "all evidence", "tokens", "p95", "recall ms p50/p95", "search ms p50/p95")
    columns = ("kind", "questions", "labelled", *shares, *texts)
    print_table(columns, [_row(kind) for kind in done.kinds])
    if done.updates:
        typer.echo()
        print_table(("updated facts", ""), _update_rows(done.updates))
    for name in done.kept or ():
        note(f"Kept domain {escape_line(name)}.")


def _stored_line(done: Evaluation) -> str:
    parts = [f"{format_count(done.conversations, 'conversation')}, {format_count(done.messages, 'message')}"]
    if done.seconds_per_1000_messages is not None:
        parts.append(f"{done.seconds_per_1000_messages:,.1f} s to store and index 1,000 messages")
    if done.seconds_per_1000_facts is not None:
        parts.append(f"{format_count(done.facts, 'fact')}, {done.seconds_per_1000_facts:,.1f} s to remember 1,000")
    return "; ".join(parts)


def _row(kind: KindResult) -> tuple[object, ...]:
    shares = (kind.session_recall, kind.session_hit, kind.turn_recall, kind.evidence, kind.evidence_complete)
    return (
        *(kind.kind, f"{kind.questions:,}", f"{kind.labelled:,}", *map(_percent, shares)),
        *(
            f"{kind.tokens_mean:,.0f}",
            f"{kind.tokens_p95:,}",
            _format_percentiles(kind.recall_ms),
            _format_percentiles(kind.search_ms),
        ),
    )


def _update_rows(updates: Updates) -> list[tuple[str, str]]:
    return [
        ("checked", f"{updates.updates:,}"),
        ("new stated, and no old one stated as current", _percent(updates.correct)),
        ("new stated", _percent(updates.new_stated)),
        ("old omitted", _percent(updates.old_omitted)),
        ("old marked as ended", _percent(updates.old_marked)),
        ("old stated as current", _percent(updates.old_stated)),
        ("remember asked about every old one", _percent(updates.asked_about)),
    ]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"


def _format_percentiles(times: Times) -> str:
    return f"{times.p50:,.0f}/{times.p95:,.0f}"
