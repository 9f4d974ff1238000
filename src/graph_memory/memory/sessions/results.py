"""The results of calls about blocks and sessions."""

from __future__ import annotations

from pydantic import Field

from graph_memory.memory.entities.cleaning.results import Finding
from graph_memory.model.results import Result, ResultWithWarnings

DEFAULT_TOKENS = 1_500
"""Default token budget of the primer of a session."""


class Block(Result):
    """A text under a label, which an agent reads at the start of each session."""

    label: str = Field(description="Name of the block")
    text: str
    characters: int = Field(description="Number of characters in the text")
    limit: int = Field(description="Maximum number of characters")
    id: str | None = Field(default=None, description="Id of the node with the text; absent while the block is empty")
    version: int | None = Field(default=None, description="Current version, for expected_version")


class Blocks(ResultWithWarnings):
    """Blocks, standard blocks first."""

    blocks: tuple[Block, ...]


class BlockEditResult(Block):
    """A block after an edit."""

    changed: bool = Field(description="Whether the call changed the block")


class SessionStartResult(ResultWithWarnings):
    """The stored knowledge for the start of a session."""

    session_id: str | None = Field(
        default=None, description="Id of the session. Pass it to later calls to mark their changes in the log"
    )
    empty: bool = Field(description="Whether the memory is empty; if so, text is a guide to getting started")
    text: str = Field(description="Markdown with stored text in quotation marks")
    tokens: int = Field(description="Number of tokens in text. The whole reply has at most max_tokens")
    left_out: int | None = Field(default=None, description="Number of lines, questions and warnings that did not fit")
    questions: tuple[Finding, ...] | None = Field(default=None, description="Suggested corrections, each with its call")


class SessionEndResult(Result):
    """The stored summary of a session."""

    session_id: str | None = Field(default=None, description="Id of the session")
    summary_id: str = Field(description="Id of the node with the summary")
    changed: bool = Field(description="Whether the call changed the summary")
    open_questions: int | None = Field(
        default=None, description="Number of unanswered questions asked by remember. session_start lists them"
    )
