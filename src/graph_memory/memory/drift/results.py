"""Results of reconciliation: changes made directly in Neo4j and their outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pydantic import Field

from graph_memory.model.results import Difference, Result
from graph_memory.model.subjects.subjects import user_properties
from graph_memory.model.text.wording import printable, quote

HandWork = Literal["made", "changed", "deleted"]
Settled = Literal["adopted", "restored", "refused"]
Which = Sequence[str] | Literal["all"]
"""The changes to adopt or restore: their ids, or `all`."""

_DERIVED = {
    "key ": "rows of indexed properties",
    "window ": "search rows",
    "type of window ": "search rows",
    "grams of window ": "search rows",
}


class HandChange(Result):
    """A subject that differs between the live graph and the log."""

    id: str = Field(description="Id of the subject, or the server's element id if it has none")
    kind: str
    type: str | None = None
    title: str | None = None
    what: HandWork = Field(description="Whether the subject was made, changed or deleted outside graph-memory")
    differences: tuple[str, ...] = Field(
        description="The differences as text, in the form: value in the log → value in the graph"
    )
    adoptable: bool = Field(description="Whether the change can be adopted, which adds it to the log")
    beside: bool = Field(
        default=False,
        description="Whether it has no domain or no id. If so, verify ignores it, and only its id restores it",
    )
    reason: str | None = Field(default=None, description="Why it cannot be adopted or was not adopted, and what to do")
    settled: Settled | None = Field(
        default=None, description="Whether this call adopted or restored the subject; absent if it did neither"
    )


class Reconciliation(Result):
    """The changes in a domain's live graph made outside graph-memory, and their outcomes."""

    domain: str
    changes: tuple[HandChange, ...] = Field(description="The changes made outside graph-memory")
    batch: str | None = Field(default=None, description="Id of the batch of adopted changes; absent if there are none")

    @property
    def clean(self) -> bool:
        """Whether all changes are adopted or restored."""
        return all(change.settled in ("adopted", "restored") for change in self.changes)


def describe_differences(
    differences: Sequence[Difference], before: Mapping[str, object], after: Mapping[str, object]
) -> tuple[str, ...]:
    """Describe the differences of a subject as text. `before` has its logged properties, `after` its live properties.

    Differences of derived rows are listed only once per kind of row.
    """
    return tuple(dict.fromkeys(_describe_difference(difference, before, after) for difference in differences))


def _describe_difference(difference: Difference, before: Mapping[str, object], after: Mapping[str, object]) -> str:
    name = difference.problem.removesuffix(" differs")
    if name.startswith(("content", "property _content_")) and name != "property _content_summary":
        return "content"
    if derived := next((label for beginning, label in _DERIVED.items() if name.startswith(beginning)), None):
        return derived
    if name == difference.problem:
        return name
    if key := name.removeprefix("property ") if name.startswith("property ") else None:
        return f"{printable(key)}: {_render_value(before.get(key))} → {_render_value(after.get(key))}"
    return f"{printable(name)}: {_render_value(difference.expected)} → {_render_value(difference.found)}"


def _render_value(value: object) -> str:
    return "none" if value is None else quote(value)


def describe_properties(stored: Mapping[str, object]) -> Iterable[str]:
    """Yield each user property of a new element as text, such as `name: value`, in alphabetical order."""
    for name, value in sorted(user_properties(stored).items()):
        yield f"{printable(name)}: {_render_value(value)}"
