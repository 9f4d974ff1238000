"""The results of calls about blocks and sessions."""

from __future__ import annotations

from pydantic import Field

from graph_memory.memory.entities.cleaning.results import Finding
from graph_memory.model.results import Result, ResultWithWarnings

DEFAULT_TOKENS = 1_500
"""Default token budget of the primer of a session."""


class Block(Result):
    """A text under a label, which an agent reads at the start of each session."""

    label: str
    text: str
    characters: int
    limit: int = Field(description="Maximum number of characters")
    id: str | None = Field(default=None, description="Node with the text; absent while the block is empty")
    version: int | None = Field(default=None, description="For expected_version")


class Blocks(ResultWithWarnings):
    """Blocks, standard blocks first."""

    blocks: tuple[Block, ...]


class BlockEditResult(Block):
    """A block after an edit."""

    changed: bool


class SessionStartResult(ResultWithWarnings):
    """The stored knowledge for the start of a session."""

    session_id: str | None = Field(
        default=None, description="Pass it with later calls, to mark their changes in the log"
    )
    empty: bool = Field(description="Whether the memory is empty; text is then a guide")
    text: str = Field(description="Markdown with stored text in quotation marks")
    tokens: int = Field(description="Tokens of text; the whole reply has at most max_tokens")
    left_out: int | None = Field(default=None, description="Lines, questions and warnings that did not fit")
    questions: tuple[Finding, ...] | None = Field(default=None, description="Suggested corrections, each with its call")


class SessionEndResult(Result):
    """The stored summary of a session."""

    session_id: str | None = None
    summary_id: str = Field(description="Node with the summary")
    changed: bool
    open_questions: int | None = Field(default=None, description="Questions of remember; session_start lists them")
