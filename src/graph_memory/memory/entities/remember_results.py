"""The results of `remember` and `decide`: a receipt for each fact, and questions with the possible decisions."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from graph_memory.model.results import Result, ResultWithWarnings, Text

MAX_LENGTH = 1_000
"""Maximum number of characters of a statement in a reply, since the caller has the whole text."""


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH - 1]}…"


ShortText = Annotated[str, AfterValidator(_shorten)]

Answer = Literal["close", "keep", "same", "new"]
"""A choice for a question of `remember`."""


class Outcome(StrEnum):
    """The result of `remember` for one fact."""

    ADD = "ADD"
    """The fact is new and was added."""
    UPDATE = "UPDATE"
    """The fact superseded a known one, which ended and is kept."""
    DELETE = "DELETE"
    """The known fact ended without a replacement."""
    NOOP = "NOOP"
    """The fact was known."""
    REFUSED = "REFUSED"
    """The fact was not stored. The evidence has the reason and the next step."""


class Receipt(Result):
    """The outcome of one fact, and the rule that decided it."""

    decision: Outcome
    fact: ShortText = Field(description="The statement, or the property with its value")
    rule: str
    evidence: ShortText | None = Field(
        default=None,
        description=(
            "The evidence for the rule, such as a known text, an earlier value or a doubtful property; or why a "
            "relation was rejected"
        ),
    )
    score: float | None = None
    id: str | None = Field(default=None, description="Id of the observation; absent in a dry run if it is new")
    replaced: tuple[str, ...] | None = Field(default=None, description="Ids of the observations that this fact ended")
    model: str | None = Field(default=None, description="The language model that decided; its reason is in evidence")


Choices = Mapping[str, str]
"""The decisions that answer a question, with their consequences."""
OBSERVATION_CHOICES: Choices = {
    "close": "the known one ends now, and the new one takes its place",
    "keep": "both hold",
    "same": "both say the same: the new one is deleted",
}
PROPERTY_CHOICES: Choices = {"close": "the known one ends now", "keep": "both hold"}
RELATION_CHOICES: Choices = {
    "close": "the known relation ends now",
    "keep": "both hold",
    "same": "both mean the same: the new relation is deleted",
}
CANDIDATE_CHOICES: Choices = {
    "same": "this entity is merged into the known one, and its name becomes an alias of that",
    "new": "they are two, and both stay",
}
_SEPARATOR = ":"


def question_id(new: str, known: str) -> str:
    """Return the id of a question, which consists of the ids of the new and the known record."""
    return f"{new}{_SEPARATOR}{known}"


def ids_of_question(question: str) -> tuple[str, str] | None:
    """Return the ids of the new and the known record, or None if the text is not the id of a question."""
    new, separator, known = question.partition(_SEPARATOR)
    return (new, known) if separator and new and known and _SEPARATOR not in known else None


class Question(Result):
    """A known statement that a new statement or value may supersede. The answer is optional."""

    id: str | None = Field(default=None, description="Id to pass to decide; absent in a dry run")
    known_text: ShortText
    new_text: ShortText
    reason: str
    score: float
    choices: dict[str, str] = Field(description="The decisions that answer it, each with its consequence")


class Candidate(Result):
    """A question whether an entity equals a known one with a similar name or the same alias."""

    id: str = Field(description="Id of the known entity")
    name: str
    likeness: float = Field(description="How likely it is that both are the same entity, 0 to 1")
    reason: str
    question: str | None = Field(default=None, description="Id to pass to decide; absent in a dry run")
    choices: dict[str, str] = Field(
        default=dict(CANDIDATE_CHOICES), description="The decisions that answer it, each with its consequence"
    )


class About(Result):
    """The result of `remember` for one entity."""

    entity: str
    id: str | None = Field(default=None, description="Id of the entity; absent in a dry run if the entity is new")
    type: str
    created: bool
    found_by: str = Field(description="How the entity was found: name, id, normalised name, alias, text, or new")
    facts: tuple[Receipt, ...]
    questions: tuple[Question, ...] | None = None
    domain: str | None = Field(default=None, description="The entity's domain, if it differs from the call's domain")
    candidates: tuple[Candidate, ...] | None = Field(
        default=None,
        description="Known entities with a similar name or the same alias: ask if it is one of them",
    )
    since: int | None = Field(default=None, description="Log number of the first event, for memory_revert")
    until: int | None = None


class Remembered(About, ResultWithWarnings):
    """The result of `remember` for an entity, and for other entities in the text."""

    others: tuple[About, ...] | None = Field(default=None, description="Receipts of the facts about other entities")
    model: str | None = Field(default=None, description="The language model that split the text into facts")
    warnings: tuple[Text, ...] | None = Field(default=None, description="Requests that were not carried out")
    dry_run: bool | None = None

    @property
    def about(self) -> About:
        """The result for the entity without the fields of the call."""
        return About(**{name: getattr(self, name) for name in About.model_fields})
