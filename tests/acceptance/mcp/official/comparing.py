"""Compares what a server answers to a script with what the model of the original says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from acceptance.mcp.official.original import Original, comparable
from acceptance.mcp.official.script import Step, large, script
from acceptance.mcp.official.talking import Reply, replies

SCRIPTS = {
    "tidy": script(1, 150),
    "with repeats": script(2, 150, repeats=0.3),
    "of strangers": script(3, 150, strangers=0.6),
    "tidy again": script(4, 150),
    "of both": script(5, 150, repeats=0.2, strangers=0.4),
    "of a large graph": large(1_500),
}
"""Scripts of calls for both servers, by name."""


class Deviation(NamedTuple):
    """The first step whose reply is another than it should be."""

    place: int
    step: Step
    got: Reply
    expected: Reply

    def __str__(self) -> str:
        got, expected = str(self.got), str(self.expected)
        start = max(
            0, next((at for at, pair in enumerate(zip(got, expected, strict=False)) if pair[0] != pair[1]), 0) - 200
        )
        cut = slice(start, start + 600)
        return f"step {self.place}: {str(self.step)[:800]}\ngot      …{got[cut]}\nexpected …{expected[cut]}"


def deviation(steps: Sequence[Step], got: Sequence[Reply], differences: Sequence[str]) -> Deviation | None:
    """Return the first step whose reply is unlike the original's with these differences, or None."""
    model = Original(differences)
    for place, (step, reply) in enumerate(zip(steps, got, strict=True)):
        expected = model.answer(step)
        if (got := without_notes(comparable(reply), expected)) != expected:
            return Deviation(place, step, got, expected)
    return None


def without_notes(reply: Reply, expected: Reply) -> Reply:
    """Return a reply without the texts beside the one of the original: hints and questions of ours."""
    result, texts = reply.get("result"), len((expected.get("result") or {}).get("content") or ())
    if not texts or not isinstance(result, dict) or "content" not in result:
        return reply
    return {**reply, "result": {**result, "content": result["content"][:texts]}}


async def deviates(
    command: Sequence[str], environment: Mapping[str, str], steps: Sequence[Step], differences: Sequence[str] = ()
) -> Deviation | None:
    """Return the first step at which a new server process is unlike the original with these differences, or None."""
    return deviation(steps, await replies(command, environment, steps), differences)


def apply(steps: Sequence[Step], differences: Sequence[str] = ()) -> Counter[str]:
    """Return the number of times that each difference shows in a script."""
    model = Original(differences)
    for step in steps:
        model.answer(step)
    return model.applied
