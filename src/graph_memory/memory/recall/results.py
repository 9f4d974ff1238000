"""Results of a recall."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from graph_memory.memory.search.results import SearchMode
from graph_memory.model.results import NodeBrief, ResultWithWarnings

Depth = Literal["shallow", "medium", "deep"]
Form = Literal["prose", "structured"]
CONTEXT = ("text", "types", "tags", "path", "session")
"""The valid keys of `context`."""


class RecallResult(ResultWithWarnings):
    """A recall within a token budget."""

    depth: Annotated[Depth, WithJsonSchema({"type": "string"})] = Field(description="The depth that was used")
    tokens_used: int = Field(
        description="Number of tokens in content. The whole reply has at most max_tokens, unless `over` is set"
    )
    content: Annotated[str | dict[str, Any], WithJsonSchema({"type": ["string", "object"]})] = Field(
        description="Prose with stored text in quotation marks, or an object with things and connections"
    )
    domains: tuple[str, ...] | None = Field(
        default=None, description="The domains that were searched, if there are several"
    )
    mode: SearchMode | None = Field(
        default=None, description="The search mode that was used; lexical if there are no vectors"
    )
    period: str | None = Field(default=None, description="The period that the query was understood to mean")
    shortened: int | None = Field(default=None, description="Number of results whose content is incomplete")
    left_out: int | None = Field(default=None, description="Number of results that did not fit within max_tokens")
    how_to_get: str | None = Field(default=None, description="How to get the omitted content")
    over: int | None = Field(
        default=None, description="Number of tokens by which the rest of the reply exceeds max_tokens"
    )
    not_covered: int | None = Field(
        default=None, description="Number of changes that were not searched because they are not indexed"
    )
    without_vectors: int | None = Field(
        default=None, description="Number of passages that have no vector and can only be found by their words"
    )


class QueryResult(RecallResult):
    """The answer to a question."""

    why: str = Field(description="Why this depth was chosen")
    written_by: str | None = Field(
        default=None, description="The language model that wrote content; absent if content is stored text"
    )
    citations: tuple[NodeBrief, ...] | None = Field(
        default=None, description="The nodes that the model cites in content"
    )


Unseen = tuple[RecallResult, tuple[str, ...]]
"""A recall of nodes that the reader has not seen, and their ids."""
