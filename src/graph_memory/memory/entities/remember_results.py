"""The results of `remember` and `decide`: a receipt for each fact, and questions with the possible decisions."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from graph_memory.model.results import Result, ResultWithWarnings, Text

MAX_LENGTH = 1_000
"""Maximum number of characters of a statement in a reply. The caller already has the whole text."""


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH - 1]}…"


ShortText = Annotated[str, AfterValidator(_shorten)]

Answer = Literal["close", "keep", "same", "new"]
"""The possible answers to a question of `remember`."""


class Outcome(StrEnum):
    """The result of `remember` for one fact."""

    ADD = "ADD"
    """The fact is new and was added."""
    UPDATE = "UPDATE"
    """The fact superseded a known fact. The known fact ended, but is kept."""
    DELETE = "DELETE"
    """The known fact ended without a replacement."""
    NOOP = "NOOP"
    """The fact was already stored, so nothing was written for it."""
    REFUSED = "REFUSED"
    """The fact was not stored. The field `evidence` contains the reason and the next step."""


class Receipt(Result):
    """The outcome of one fact, and the rule that decided it."""

    decision: Outcome = Field(description="What was done with the fact")
    fact: ShortText = Field(description="The statement, or the property with its value")
    rule: str = Field(description="The rule that decided it")
    evidence: ShortText | None = Field(
        default=None,
        description=(
            "The evidence for the rule, such as a known text, an earlier value or a doubtful property; or why a "
            "relation was rejected"
        ),
    )
    score: float | None = Field(default=None, description="Probability on which the decision is based")
    id: str | None = Field(default=None, description="Id of the observation; absent in a dry run if it is new")
    replaced: tuple[str, ...] | None = Field(default=None, description="Ids of the observations that this fact ended")
    model: str | None = Field(default=None, description="The language model that decided; its reason is in evidence")


Choices = Mapping[str, str]
"""The decisions with which a question can be answered, each with its consequence."""
OBSERVATION_CHOICES: Choices = {
    "close": "the known observation ends now, and the new observation supersedes it",
    "keep": "both are true",
    "same": "both say the same thing: the new observation is deleted",
}
PROPERTY_CHOICES: Choices = {"close": "the known observation ends now", "keep": "both are true"}
RELATION_CHOICES: Choices = {
    "close": "the known relation ends now",
    "keep": "both are true",
    "same": "both mean the same thing: the new relation is deleted",
}
CANDIDATE_CHOICES: Choices = {
    "same": "this entity is merged into the known entity, and its name becomes an alias of the known entity",
    "new": "they are two entities: both stay, and the property different_from_ids records it",
}
_SEPARATOR = ":"


def question_id(new: str, known: str) -> str:
    """Return the id of the question about a new and an existing record: the ids of both records, joined."""
    return f"{new}{_SEPARATOR}{known}"


def ids_of_question(question: str) -> tuple[str, str] | None:
    """Parse a question id into the ids of the new and the existing record. Returns None if it is not a question id."""
    new, separator, known = question.partition(_SEPARATOR)
    return (new, known) if separator and new and known and _SEPARATOR not in known else None


class Question(Result):
    """The question whether a new statement or value supersedes a known statement. The answer is optional."""

    id: str | None = Field(default=None, description="Id to pass to decide; absent in a dry run")
    known_text: ShortText = Field(description="The known statement")
    new_text: ShortText = Field(description="The new statement")
    reason: str = Field(description="Why the question is asked")
    score: float = Field(description="Probability that the new statement supersedes it")
    choices: dict[str, str] = Field(description="The possible decisions, each with its consequence")


class Candidate(Result):
    """The question whether an entity is the same as a known entity with a similar name or the same alias."""

    id: str = Field(description="Id of the known entity")
    name: str = Field(description="Name of the known entity")
    likeness: float = Field(description="Probability that both are the same entity, from 0 to 1")
    reason: str = Field(description="Why they may be the same")
    question: str | None = Field(default=None, description="Id to pass to decide; absent in a dry run")
    choices: dict[str, str] = Field(
        default=dict(CANDIDATE_CHOICES), description="The possible decisions, each with its consequence"
    )


class EntityRememberResult(Result):
    """The result of `remember` for one entity."""

    entity: str = Field(description="Name of the entity")
    id: str | None = Field(default=None, description="Id of the entity; absent in a dry run if the entity is new")
    type: str = Field(description="Type of the entity")
    created: bool = Field(description="Whether the call created the entity")
    found_by: str = Field(
        description="How the entity was found: by name, id, normalised name, alias or text; new if it was created"
    )
    facts: tuple[Receipt, ...] = Field(description="The outcome of each fact")
    questions: tuple[Question, ...] | None = Field(
        default=None, description="Questions about known facts that new facts may supersede. Answer them with decide"
    )
    domain: str | None = Field(default=None, description="Domain of the entity, if it is not the call's domain")
    candidates: tuple[Candidate, ...] | None = Field(
        default=None, description="Known entities with a similar name or the same alias. Ask whether it is one of them"
    )
    since: int | None = Field(default=None, description="Log number of the first change, for memory_revert")
    until: int | None = Field(default=None, description="Log number of the last change")


class RememberResult(EntityRememberResult, ResultWithWarnings):
    """The result of `remember` for an entity, and for other entities in the text."""

    others: tuple[EntityRememberResult, ...] | None = Field(
        default=None, description="Receipts of the facts about other entities"
    )
    model: str | None = Field(default=None, description="The language model that split the text into facts")
    warnings: tuple[Text, ...] | None = Field(default=None, description="Requests that were not carried out")
    dry_run: bool | None = Field(default=None, description="Whether this was only a preview, so nothing was written")

    @property
    def about(self) -> EntityRememberResult:
        """The result for the entity, without the fields that describe the whole call."""
        return EntityRememberResult(**{name: getattr(self, name) for name in EntityRememberResult.model_fields})
