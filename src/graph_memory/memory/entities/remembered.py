"""What `remember` and `decide` return: a receipt for each fact, and questions with their answers as ready calls."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from graph_memory.model.results import Answered, Result

LONGEST = 1_000
"""Characters of a statement that a reply repeats: whoever said it has it."""


def _told(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


Told = Annotated[str, AfterValidator(_told)]


class Decision(StrEnum):
    """What became of a fact."""

    ADD = "ADD"
    """It is new, and was added."""
    UPDATE = "UPDATE"
    """It took the place of what was known, which is kept with the time at which it ended."""
    DELETE = "DELETE"
    """What was known is over, and nothing took its place."""
    NOOP = "NOOP"
    """It was known."""


class Receipt(Result):
    """What became of one fact, and by which rule."""

    decision: Decision
    fact: Told = Field(description="The statement, or the property with its value")
    rule: str
    evidence: Told | None = Field(
        default=None,
        description="What the rule saw: a known text, an earlier value, since when it was over, a doubtful property",
    )
    score: float | None = None
    id: str | None = Field(default=None, description="The observation that says it now; absent in a dry run if new")
    replaced: tuple[str, ...] | None = Field(default=None, description="Observations that ended with it")
    model: str | None = Field(default=None, description="The language model that decided; evidence has its reason")


class Arguments(Result):
    """Arguments of `decide`."""

    new: str = Field(description="The new observation, or the entity of whose property the new value is")
    known: str
    decision: Literal["close", "keep", "same"]


class Call(Result):
    """A call that answers a question; the other answers differ in `decision` alone."""

    tool: Literal["decide"] = "decide"
    arguments: Arguments


class Question(Result):
    """A known statement that a new one, or a new value, may make out of date. Nothing waits for the answer."""

    known: str = Field(description="Id of the known observation")
    known_text: Told
    new_text: Told
    reason: str
    score: float
    call: Call | None = Field(default=None, description="close: the known one is over; else keep, or same: both say it")


class Candidate(Result):
    """A question: whether a new entity is the same as this one, whose name is only alike."""

    id: str
    name: str
    likeness: float = Field(description="Of the names, 0 to 1")
    choices: tuple[Literal["same"], Literal["new"]] = Field(
        default=("same", "new"),
        description="same: merge_entities with the new entity in names, into this id; new: no action needed",
    )


class About(Result):
    """What was remembered of one entity."""

    entity: str
    id: str | None = Field(default=None, description="Absent in a dry run if the entity is new")
    type: str
    created: bool
    found_by: str = Field(description="name, id, normalised name, alias, text, or new")
    facts: tuple[Receipt, ...]
    questions: tuple[Question, ...] | None = None
    candidates: tuple[Candidate, ...] | None = Field(
        default=None,
        description="Only for a new entity: existing entities with a similar name. Ask whether it is one of them.",
    )


class Remembered(About, Answered):
    """What was remembered of one entity, and where a language model splits the text, of others that it speaks of."""

    others: tuple[About, ...] | None = Field(default=None, description="What the text says of other entities")
    model: str | None = Field(default=None, description="The language model that split the text into facts")
    warnings: tuple[str, ...] | None = Field(default=None, description="What was asked for and was not done")
    since: int | None = Field(default=None, description="First event: memory_revert with since and until undoes all")
    until: int | None = None
    dry_run: bool | None = None

    @property
    def about(self) -> About:
        """The same without what is told of the call."""
        return About(**{name: getattr(self, name) for name in About.model_fields})


class Settled(Result):
    """What was decided about two observations."""

    decision: str
    new: str
    known: str
    changed: bool = Field(description="False where it was so already")
    ended: datetime | None = Field(default=None, description="When the known one ended, if it holds no more")


class AllSettled(Result):
    """What was decided about each pair of a list of decisions."""

    decisions: tuple[Settled, ...]
