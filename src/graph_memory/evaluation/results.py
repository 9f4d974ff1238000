"""Results of an evaluation."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Result


class Times(Result):
    """Times of calls in milliseconds."""

    p50: float
    p95: float


class KindResult(Result):
    """The measurements for one kind of question. Shares are from 0 to 1."""

    kind: str = Field(description="The kind of question in the file, or `all`")
    questions: int = Field(description="Questions asked")
    labelled: int = Field(description="Questions with evidence that is labelled and stored")
    session_recall: float | None = Field(
        default=None, description="Mean share of the labelled sessions among the sessions of the first k hits"
    )
    session_hit: float | None = Field(
        default=None, description="Share of questions with at least one labelled session among those"
    )
    turn_recall: float | None = Field(default=None, description="Mean share of the labelled turns among the first k")
    evidence: float | None = Field(
        default=None, description="Mean share of the texts of the evidence that the recall reply has word for word"
    )
    evidence_complete: float | None = Field(
        default=None, description="Share of questions whose recall reply has all texts of the evidence word for word"
    )
    tokens_mean: float = Field(description="Mean number of tokens of the content of a recall reply")
    tokens_p95: int = Field(description="95th percentile of these tokens")
    recall_ms: Times = Field(description="Time of a recall")
    search_ms: Times = Field(description="Time of the search that follows, for which the question's vector is known")


class Updates(Result):
    """How recall replies about updated facts were judged, by the texts of the facts. Shares are from 0 to 1."""

    updates: int = Field(description="Updates checked")
    new_stated: float = Field(description="Share of replies with the new fact word for word")
    old_omitted: float = Field(description="Share of replies without any of the old facts")
    old_marked: float = Field(description="Share of replies with old facts, each marked as ended where it occurs")
    old_stated: float = Field(description="Share of replies that state an old fact as current")
    correct: float = Field(description="Share of replies that state the new fact and no old one as current")
    asked_about: float = Field(description="Share of updates for which `remember` asked about every old fact")


class Evaluation(Result):
    """An evaluation, with all data needed to repeat it."""

    format: str
    file: str = Field(description="Name of the file or folder")
    sha256: str = Field(description="Hash of the file, or of the names and contents of the chats of a folder")
    graph_memory: str = Field(description="Version of graph-memory")
    server: str = Field(description="Version of the database")
    python: str = Field(description="Version of Python")
    embeddings: str = Field(description="Model of the vectors, or `none`")
    k: int = Field(description="Number of search hits that count")
    max_tokens: int = Field(description="Maximum number of tokens of a recall reply")
    limit: int | None = Field(default=None, description="Maximum number of questions; absent if all were asked")
    seed: int = Field(description="Seed with which the questions were sampled")
    conversations: int
    messages: int = Field(description="Messages stored as events")
    facts: int = Field(description="Facts stored with `remember`")
    seconds_per_1000_messages: float | None = Field(
        default=None, description="Seconds to store and index 1,000 messages"
    )
    seconds_per_1000_facts: float | None = Field(default=None, description="Seconds to remember 1,000 facts")
    kinds: tuple[KindResult, ...] = Field(description="The measurements by kind of question, then of all questions")
    updates: Updates | None = None
    kept: tuple[str, ...] | None = Field(default=None, description="Domains that were kept")
