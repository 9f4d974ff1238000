"""`Sessions`: blocks, and the start and end of sessions."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from graph_memory.memory.api.facade import Facade
from graph_memory.memory.recall.results import Unseen
from graph_memory.memory.sessions import blocks
from graph_memory.memory.sessions.results import DEFAULT_TOKENS, BlockEdited, Blocks, SessionEnded, SessionStarted


class Sessions(Facade):
    """The methods of `Entities` for texts that an agent reads at the start of each session, and for sessions."""

    async def get_block(self, label: str | None = None, *, domain: str | None = None) -> Blocks:
        """Return the block with a label, or all blocks: short texts that an agent reads at the start of each session.

        `persona`, `human` and `project` always exist, with empty texts at first. Raises INVALID_ARGUMENT for an unknown
        label.
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
    ) -> BlockEdited:
        """Append a text to a block as a new line, or replace the whole block, or only its part `old`, with the text.

        A new label creates a block. A block has at most `limit` characters (default 2,000, at most 20,000). With
        `expected_version`, the edit fails with VERSION_CONFLICT if the block has changed since. The log keeps every
        version. Raises CONTENT_TOO_LARGE above the limit, INVALID_ARGUMENT, and INVALID_NODE_TYPE if a closed ontology
        lacks `MemoryBlock`.
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
    ) -> SessionStarted:
        """Return a primer for the start of a session, of at most `max_tokens`.

        It has, in this order: corrections by users that fit the project (without a project, the newest); the blocks;
        the last summary, of this session or project if any; facts about the project; the size of the memory; the last
        changes with their actors; open questions of `remember`; goals; contradictions; facts about the most used
        entities. For an empty memory, `text` is a guide. Nodes of `without_types` are omitted. Raises INVALID_ARGUMENT.
        """
        from graph_memory.memory.sessions import sessions

        request = sessions.StartRequest(session_id, project, max_tokens, frozenset(without_types))
        return await sessions.session_start(self._core, self._domain(domain), request)

    async def session_context(self, prompt: str, *, shown: Collection[str] = (), max_tokens: int = 500) -> Unseen:
        """Return the memories that fit a prompt, except the nodes in `shown`, and the ids of their nodes."""
        from graph_memory.memory.recall.recall import recall_unseen

        return await recall_unseen(self._core, self._domain(None), prompt, shown, max_tokens)

    async def write_summary(self, lines: Sequence[str]) -> str | None:
        """Return a summary of the lines by the language model, at most 2,000 characters. Stores nothing.

        Returns None if no model is set, or if it does not answer within `GRAPH_MEMORY_SUMMARY_MODEL_TIME`.
        """
        from graph_memory.memory.sessions.model_summary import write_summary

        return await write_summary(self._core, lines)

    async def session_end(
        self,
        summary: str,
        *,
        session_id: str | None = None,
        project: str | None = None,
        domain: str | None = None,
    ) -> SessionEnded:
        """Store the summary of a session for the next one. It replaces an earlier summary of this session.

        Raises INVALID_ARGUMENT, and INVALID_NODE_TYPE if a closed ontology lacks `SessionSummary`.
        """
        from graph_memory.memory.sessions import sessions

        return await sessions.session_end(self._core, self._domain(domain), summary, session_id, project)
