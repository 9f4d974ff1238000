"""Reviews of changes. They are stored beside the log, which contains only changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast, get_args

from graph_memory.memory.core import Core
from graph_memory.memory.history.results import Reviewed, Verdict
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.store import Transaction


@dataclass(frozen=True, slots=True)
class ReviewedRow:
    """The stored reviews as text, and the range of log positions that can be reviewed."""

    reviewed: str | None
    after: int
    last: int


REVIEWED = query("history/reviewed", ReviewedRow)
LOCK_REVIEWED = query("history/lock_reviewed", ReviewedRow)
PUT_REVIEWED = query("history/put_reviewed", Nothing)


async def read_reviews(core: Core, domain: str) -> Reviewed:
    """Return the reviews of a domain. See `History.reviewed`."""
    return _as_result(domain, await core.store.first_row(REVIEWED, domain=domain))


async def mark_reviewed(core: Core, domain: str, verdicts: Mapping[int, Verdict]) -> Reviewed:
    """Add reviews. See `History.mark_reviewed`."""
    for verdict in verdicts.values():
        if verdict not in get_args(Verdict):
            raise invalid_argument("verdicts", f"{quote(verdict)} is not a verdict", "Use accept, reject or edit.")

    async def add(transaction: Transaction) -> Reviewed:
        row = await transaction.first_row(LOCK_REVIEWED, domain=domain)
        if row is None:
            raise no_ontology(domain)
        if beyond := [seq for seq in verdicts if not 0 < seq <= row.last]:
            raise invalid_argument(
                "verdicts", f"The log has no change {beyond[0]}", "`log` shows the numbers of changes."
            )
        all_verdicts: dict[int, Verdict] = {**verdicts_in(row.reviewed), **verdicts}
        text = text_of({seq: verdict for seq, verdict in all_verdicts.items() if seq > row.after})
        await transaction.run(PUT_REVIEWED, domain=domain, reviewed=text)
        return _as_result(domain, replace(row, reviewed=text))

    return await core.store.write("mark_reviewed", add)


def _as_result(domain: str, row: ReviewedRow | None) -> Reviewed:
    if row is None:
        raise no_ontology(domain)
    verdicts, settled = verdicts_in(row.reviewed), row.after
    while settled + 1 in verdicts:
        settled += 1
    return Reviewed(domain=domain, verdicts=verdicts, settled=settled)


def text_of(verdicts: Mapping[int, Verdict]) -> str:
    """Return verdicts as text. Consecutive numbers become ranges, because most changes are reviewed in order."""
    ranges: list[tuple[int, int, Verdict]] = []
    for seq, verdict in sorted(verdicts.items()):
        if ranges and ranges[-1][1:] == (seq - 1, verdict):
            ranges[-1] = (ranges[-1][0], seq, verdict)
        else:
            ranges.append((seq, seq, verdict))
    return json.dumps(ranges)


def verdicts_in(text: str | None) -> dict[int, Verdict]:
    """Return the verdicts that `text_of` wrote, by log position."""
    ranges = cast("list[tuple[int, int, Verdict]]", json.loads(text or "[]"))
    return {seq: verdict for first, last, verdict in ranges for seq in range(first, last + 1)}
