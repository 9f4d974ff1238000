"""Results of a recall."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from graph_memory.memory.search.results import SearchMode
from graph_memory.model.results import NodeBrief, ResultWithWarnings

Depth = Literal["shallow", "medium", "deep"]
Form = Literal["prose", "structured"]
CONTEXT = ("text", "types", "tags", "path", "session")
"""The keys that a `context` may have."""


class RecallResult(ResultWithWarnings):
    """A recall within a token budget."""

    depth: Annotated[Depth, WithJsonSchema({"type": "string"})]
    tokens_used: int = Field(
        description="Tokens of content. The whole reply has at most max_tokens, unless `over` is set"
    )
    content: Annotated[str | dict[str, Any], WithJsonSchema({"type": ["string", "object"]})] = Field(
        description="Prose with stored text in quotation marks, or an object of things and connections"
    )
    domains: tuple[str, ...] | None = Field(default=None, description="The domains that the reply is about, if several")
    mode: SearchMode | None = Field(default=None, description="How it was searched: lexical without vectors")
    period: str | None = Field(default=None, description="The time that was understood from the query")
    shortened: int | None = Field(default=None, description="Number of things whose content is incomplete")
    left_out: int | None = Field(default=None, description="Number of things for which there was no room")
    how_to_get: str | None = Field(default=None, description="How to get the omitted things")
    over: int | None = Field(default=None, description="Tokens over max_tokens, beside content")
    not_covered: int | None = Field(
        default=None, description="Number of changes that are not indexed, and so were not searched"
    )
    without_vectors: int | None = Field(
        default=None, description="Passages that have no vectors yet, so are found by words alone"
    )


class QueryResult(RecallResult):
    """The answer to a question."""

    why: str = Field(description="Why this depth")
    written_by: str | None = Field(
        default=None, description="The language model that wrote content; absent if content is stored text"
    )
    citations: tuple[NodeBrief, ...] | None = Field(default=None, description="The ids that a model cites in content")


Unseen = tuple[RecallResult, tuple[str, ...]]
"""A recall of nodes that the reader has not seen, and their ids."""
