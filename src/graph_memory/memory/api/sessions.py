"""`Sessions`: reads and edits blocks, and starts and ends sessions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from graph_memory.memory.api.facade import Facade
from graph_memory.memory.recall.results import Unseen
from graph_memory.memory.sessions import blocks
from graph_memory.memory.sessions.results import (
    DEFAULT_TOKENS,
    BlockEditResult,
    Blocks,
    SessionEndResult,
    SessionStartResult,
)


class Sessions(Facade):
    """The methods of `Entities` for texts that an agent reads at the start of each session, and for sessions."""

    async def get_block(self, label: str | None = None, *, domain: str | None = None) -> Blocks:
        """Return the block with this label, or all blocks.

        Blocks are short texts that an agent reads at each session's start. `persona`, `human` and `project` always
        exist, and are empty at first. Raises INVALID_ARGUMENT for an unknown label.
        """
        return await blocks.get_blocks(self._core, self._domain(domain), label)

    async def edit_block(
        self,
        label: str,
        text: str,
        *,
        mode: blocks.Mode = "append",
        old: str | None = None,
        limit: int | None = None,
        expected_version: int | None = None,
        domain: str | None = None,
    ) -> BlockEditResult:
        """Append text to a block as a new line, or replace the block, or its part `old`, with the text.

        A new label creates a block. A block has at most `limit` characters (default 2,000, at most 20,000). With
        `expected_version`, the edit raises VERSION_CONFLICT if the block has changed since that version. The log keeps
        every version. Raises CONTENT_TOO_LARGE if the block would exceed its limit, INVALID_ARGUMENT if an argument is
        invalid, and INVALID_NODE_TYPE if a closed ontology lacks `MemoryBlock`.
        """
        edit = blocks.Edit(label=label, text=text, mode=mode, old=old, limit=limit, expected_version=expected_version)
        return await blocks.edit_block(self._core, self._domain(domain), edit)

    async def session_start(
        self,
        *,
        session_id: str | None = None,
        project: str | None = None,
        max_tokens: int = DEFAULT_TOKENS,
        without_types: Collection[str] = (),
        domain: str | None = None,
    ) -> SessionStartResult:
        """Return an overview of the memory for the start of a session, with at most `max_tokens` tokens.

        It contains, in this order: corrections by users that concern the project (if no project is given, the newest
        corrections); the blocks; the last summary, preferably of this session or project; facts about the project; the
        size of the memory; the last changes with their actors; open questions that `remember` asked; goals;
        contradictions; facts about the most used entities. If the memory is empty, `text` is a guide. Nodes of the
        types in `without_types` are omitted. Raises INVALID_ARGUMENT if `session_id` or `project` is blank, or
        `max_tokens` is out of range.
        """
        from graph_memory.memory.sessions import sessions

        request = sessions.StartRequest(session_id, project, max_tokens, frozenset(without_types))
        return await sessions.session_start(self._core, self._domain(domain), request)

    async def session_context(self, prompt: str, *, shown: Collection[str] = (), max_tokens: int = 500) -> Unseen:
        """Return memories that are relevant to a prompt, and the ids of their nodes. Omits the nodes in `shown`."""
        from graph_memory.memory.recall.recall import recall_unseen

        return await recall_unseen(self._core, self._domain(None), prompt, shown, max_tokens)

    async def write_summary(self, lines: Sequence[str]) -> str | None:
        """Return the language model's summary of the lines, at most 2,000 characters long. The summary is not stored.

        Returns None if no model is configured, or if it does not answer within `GRAPH_MEMORY_SUMMARY_MODEL_TIME`.
        """
        from graph_memory.memory.sessions.model_summary import write_summary

        return await write_summary(self._core, lines)

    async def session_end(
        self,
        summary: str,
        *,
        session_id: str | None = None,
        project: str | None = None,
        ended: datetime | None = None,
        domain: str | None = None,
    ) -> SessionEndResult:
        """Store the summary of a session for the next session. It replaces an earlier summary of the same session.

        `ended` is the end of an earlier session (default: now). The next session starts with the summary of the
        session that ended last.

        Raises INVALID_ARGUMENT if an argument is invalid, and INVALID_NODE_TYPE if a closed ontology lacks
        `SessionSummary`.
        """
        from graph_memory.memory.sessions import sessions

        return await sessions.session_end(self._core, self._domain(domain), summary, session_id, project, ended)
