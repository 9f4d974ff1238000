"""Results of an evaluation."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Result


class Times(Result):
    """Times of calls in milliseconds."""

    p50: float = Field(description="Median")
    p95: float = Field(description="95th percentile")


class KindResult(Result):
    """The measurements for one kind of question. Shares are from 0 to 1."""

    kind: str = Field(description="The kind of question in the file, or `all`")
    questions: int = Field(description="Number of questions asked")
    labelled: int = Field(description="Number of questions with evidence that is labelled and stored")
    session_recall: float | None = Field(
        default=None, description="Mean share of the labelled sessions among the sessions of the first k hits"
    )
    session_hit: float | None = Field(
        default=None,
        description="Share of questions with at least one labelled session among the sessions of the first k hits",
    )
    turn_recall: float | None = Field(
        default=None, description="Mean share of the labelled turns among the first k hits"
    )
    evidence: float | None = Field(
        default=None, description="Mean share of the evidence texts that the recall reply contains word for word"
    )
    evidence_complete: float | None = Field(
        default=None, description="Share of questions whose recall reply contains all evidence texts word for word"
    )
    tokens_mean: float = Field(description="Mean number of tokens in the content of a recall reply")
    tokens_p95: int = Field(description="95th percentile of the number of tokens in the content of a recall reply")
    recall_ms: Times = Field(description="Duration of a recall")
    search_ms: Times = Field(
        description="Duration of the search after the recall, when the question's vector is already known"
    )


class Updates(Result):
    """How recall replies about updated facts were judged, by the texts of the facts. Shares are from 0 to 1."""

    updates: int = Field(description="Number of updates checked")
    new_stated: float = Field(description="Share of replies that contain the new fact word for word")
    old_omitted: float = Field(description="Share of replies that contain none of the old facts")
    old_marked: float = Field(description="Share of replies in which every old fact is marked as ended")
    old_stated: float = Field(description="Share of replies that state an old fact as current")
    correct: float = Field(description="Share of replies that state the new fact, and no old fact as current")
    asked_about: float = Field(description="Share of updates for which `remember` asked about every old fact")


class Evaluation(Result):
    """An evaluation, with all data needed to repeat it."""

    format: str = Field(description="Format of the question set")
    file: str = Field(description="Name of the file or folder")
    sha256: str = Field(description="Hash of the file or, for a folder, of the names and contents of its chats")
    graph_memory: str = Field(description="Version of graph-memory")
    server: str = Field(description="Version of the database")
    python: str = Field(description="Version of Python")
    embeddings: str = Field(description="Model that computed the vectors, or `none`")
    k: int = Field(description="Number of search hits that are evaluated")
    max_tokens: int = Field(description="Maximum number of tokens in a recall reply")
    limit: int | None = Field(default=None, description="Maximum number of questions; absent if all were asked")
    seed: int = Field(description="Seed for sampling the questions")
    conversations: int = Field(description="Number of conversations")
    messages: int = Field(description="Number of messages stored as events")
    facts: int = Field(description="Number of facts stored with `remember`")
    seconds_per_1000_messages: float | None = Field(
        default=None, description="Seconds to store and index 1,000 messages"
    )
    seconds_per_1000_facts: float | None = Field(default=None, description="Seconds to remember 1,000 facts")
    kinds: tuple[KindResult, ...] = Field(
        description="The measurements for each kind of question, then for all questions"
    )
    updates: Updates | None = Field(default=None, description="How replies about updated facts were judged")
    kept: tuple[str, ...] | None = Field(default=None, description="Domains that were kept")
