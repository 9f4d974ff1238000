"""Reviews of changes. They are stored outside the log, which contains only changes."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import cast, get_args

from graph_memory.memory.core import Core
from graph_memory.memory.history.results import ReviewList, Verdict
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.queries import NoRow, query
from graph_memory.storage.store import Transaction


@dataclass(frozen=True, slots=True)
class ReviewedRow:
    """The stored reviews as JSON, and the range of log positions that can be reviewed."""

    reviewed: str | None
    after: int
    last: int


Review = tuple[Verdict, str | None]
"""A verdict, and the actor who gave it, if known."""
REVIEWED = query("history/reviewed", ReviewedRow)
LOCK_REVIEWED = query("history/lock_reviewed", ReviewedRow)
PUT_REVIEWED = query("history/put_reviewed", NoRow)


async def read_reviews(core: Core, domain: str, changes: Collection[int] | None) -> ReviewList:
    """Return the reviews of a domain. See `History.reviewed`."""
    return _as_result(
        domain, await core.store.first_row(REVIEWED, domain=domain), None if changes is None else frozenset(changes)
    )


async def mark_reviewed(core: Core, domain: str, verdicts: Mapping[int, Verdict | None]) -> ReviewList:
    """Add or remove reviews. See `History.mark_reviewed`."""
    for verdict in verdicts.values():
        if verdict is not None and verdict not in get_args(Verdict):
            raise invalid_argument("verdicts", f"{quote(verdict)} is not a verdict", "Use accept, reject or edit.")

    async def add(transaction: Transaction) -> ReviewList:
        row = await transaction.first_row(LOCK_REVIEWED, domain=domain)
        if row is None:
            raise no_ontology_error(domain)
        if unknown_seqs := [seq for seq in verdicts if not 0 < seq <= row.last]:
            raise invalid_argument(
                "verdicts",
                f"Change {unknown_seqs[0]} does not exist in the log",
                "Use a change number from `log`.",
            )
        if other_seqs := [seq for seq in verdicts if seq <= row.after]:
            raise invalid_argument(
                "verdicts",
                f"Change {other_seqs[0]} is not in this domain's own log, which begins after {row.after}",
                "Review earlier changes of a branch in its base domain. Compacted changes cannot be reviewed.",
            )
        kept = {
            seq: review
            for seq, review in reviews_from_json(row.reviewed).items()
            if seq > row.after and seq not in verdicts
        }
        kept |= {seq: (verdict, core.origin.actor) for seq, verdict in verdicts.items() if verdict is not None}
        reviews_json = reviews_to_json(kept)
        await transaction.run(PUT_REVIEWED, domain=domain, reviewed=reviews_json)
        return _as_result(domain, replace(row, reviewed=reviews_json), verdicts)

    return await core.store.write("mark_reviewed", add)


def _as_result(domain: str, row: ReviewedRow | None, changes: Collection[int] | None) -> ReviewList:
    if row is None:
        raise no_ontology_error(domain)
    reviews, settled = reviews_from_json(row.reviewed), row.after
    while settled + 1 in reviews:
        settled += 1
    selected = {seq: review for seq, review in reviews.items() if changes is None or seq in changes}
    verdicts: dict[int, Verdict] = {seq: verdict for seq, (verdict, _) in selected.items()}
    reviewers = {seq: actor for seq, (_, actor) in selected.items() if actor is not None}
    return ReviewList(domain=domain, verdicts=verdicts, reviewers=reviewers or None, settled=settled)


def reviews_to_json(reviews: Mapping[int, Review]) -> str:
    """Return reviews as JSON. Consecutive numbers become ranges, because most changes are reviewed in order."""
    ranges: list[tuple[int, int, Verdict, str | None]] = []
    for seq, review in sorted(reviews.items()):
        if ranges and ranges[-1][1:] == (seq - 1, *review):
            ranges[-1] = (ranges[-1][0], seq, *review)
        else:
            ranges.append((seq, seq, *review))
    return json.dumps([entry if entry[-1] is not None else entry[:-1] for entry in ranges])


def reviews_from_json(text: str | None) -> dict[int, Review]:
    """Return the reviews that `reviews_to_json` wrote, keyed by log position. Older reviews have no actor."""
    ranges = cast("list[tuple[int, int, Verdict, *tuple[str | None, ...]]]", json.loads(text or "[]"))
    return {
        seq: (verdict, actor[0] if actor else None)
        for first, last, verdict, *actor in ranges
        for seq in range(first, last + 1)
    }
