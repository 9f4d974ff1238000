"""Measurements of a run of many writers, in Markdown: latencies by act, writes per second, and fairness."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Report = dict[str, Any]


@dataclass(frozen=True)
class Fairness:
    """How the acknowledged writes are spread over writers. `jain` is 1 when all have as many, 1/n when one has all."""

    writes: dict[str, int]

    @classmethod
    def of(cls, lines: Iterable[Report], writers: Sequence[str]) -> Fairness:
        """Count the acknowledged writes of each of the writers, those with none included."""
        counted = Counter(line["writer"] for line in lines if line["version"] is not None)
        return cls({writer: counted[writer] for writer in writers})

    @property
    def mean(self) -> float:
        return sum(self.writes.values()) / len(self.writes)

    @property
    def least(self) -> int:
        return min(self.writes.values())

    @property
    def jain(self) -> float:
        squares = sum(count * count for count in self.writes.values())
        return sum(self.writes.values()) ** 2 / (len(self.writes) * squares) if squares else 0.0

    def row(self, name: str) -> str:
        most = max(self.writes.values())
        counts = f"{self.least} | {self.mean:.0f} | {most} | {self.least / most:.2f}" if most else "0 | 0 | 0 | –"
        return f"| {name} | {counts} | {self.jain:.3f} |"


def fairness_table(groups: dict[str, Fairness]) -> str:
    """Return a row for each group of writers."""
    head = "| acknowledged writes of | least | mean | most | least / most | Jain's index |\n|---|--:|--:|--:|--:|--:|"
    return "\n".join([head, *(fairness.row(name) for name, fairness in groups.items())])


def latency_table(lines: Iterable[Report]) -> str:
    """Return a row for each act: calls that were answered, those among them that were refused, milliseconds."""
    acts: defaultdict[str, list[Report]] = defaultdict(list)
    for line in lines:
        acts[line["act"]].append(line)
    head = "| act | calls | refused | p50 ms | p95 ms | p99 ms | max ms |\n|---|--:|--:|--:|--:|--:|--:|"
    return "\n".join([head, *(_latency_row(act, acts[act]) for act in sorted(acts))])


def _latency_row(act: str, lines: Sequence[Report]) -> str:
    taken = sorted(line["ms"] for line in lines)
    refused = sum(line["code"] is not None for line in lines)
    tails = " | ".join(f"{percentile(taken, share):,.0f}" for share in (0.5, 0.95, 0.99, 1.0))
    return f"| {act} | {len(lines):,} | {refused:,} | {tails} |"


def percentile(taken: Sequence[float], share: float) -> float:
    """Return the least of the sorted values that so large a share of them does not exceed."""
    return taken[max(0, math.ceil(share * len(taken)) - 1)]
