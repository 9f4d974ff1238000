"""Anthropic's memory tool with files in the graph: `MemoryTool`, and `AsyncMemoryTool` for async clients.

with open_memory_sync() as memory:
    tool = MemoryTool(memory, domain="claude")
    client.beta.messages.run_tools(model=…, messages=…, tools=[tool], max_tokens=1024)

Files are nodes of type `MemoryFile`: see `graph_memory.file_memory.layer`. Replies are the same as the SDK's for local
files, but a path must be `/memories` or begin with `/memories/`, and the size of a folder is the size of its files. The
log records the actor and the session of each change.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from typing_extensions import override

from graph_memory.file_memory.errors import FileError
from graph_memory.file_memory.layer import FileMemory
from graph_memory.file_memory.results import FileChangeResult, FileView
from graph_memory.model.errors import GraphError

if TYPE_CHECKING:
    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )

    from graph_memory.memory.api.memory import Memory
    from graph_memory.sync import SyncMemory

ACTOR = "claude"
"""Default actor of the changes in the log."""

_Result = FileView | FileChangeResult


class MemoryTool(BetaAbstractMemoryTool):
    """The memory tool for `Anthropic` clients, on a memory opened with `open_memory_sync`.

    If `domain` is not given, the files are in the default domain of the memory. Give each user a separate domain.
    """

    def __init__(
        self,
        memory: SyncMemory,
        *,
        domain: str | None = None,
        actor: str = ACTOR,
        session: str | None = None,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._memory = memory.acting_as(actor, session)
        self._domain = domain

    def _reply(self, call: Callable[[FileMemory], Awaitable[_Result]]) -> str:
        return self._memory.run(lambda memory: _reply(call(FileMemory(memory, domain=self._domain))))

    @override
    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return self._reply(lambda files: files.view(command.path, command.view_range))

    @override
    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return self._reply(lambda files: files.create(command.path, command.file_text))

    @override
    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return self._reply(lambda files: files.str_replace(command.path, command.old_str, command.new_str))

    @override
    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return self._reply(lambda files: files.insert(command.path, command.insert_line, command.insert_text))

    @override
    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return self._reply(lambda files: files.delete(command.path))

    @override
    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return self._reply(lambda files: files.rename(command.old_path, command.new_path))

    @override
    def clear_all_memory(self) -> str:
        """Delete all files of the tool, but no other nodes of the domain."""
        return self._reply(lambda files: files.clear())


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for `AsyncAnthropic` clients, on a memory opened with `open_memory`. See `MemoryTool`."""

    def __init__(
        self,
        memory: Memory,
        *,
        domain: str | None = None,
        actor: str = ACTOR,
        session: str | None = None,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._files = FileMemory(memory.acting_as(actor, session), domain=domain)

    @override
    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return await _reply(self._files.view(command.path, command.view_range))

    @override
    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return await _reply(self._files.create(command.path, command.file_text))

    @override
    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return await _reply(self._files.str_replace(command.path, command.old_str, command.new_str))

    @override
    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return await _reply(self._files.insert(command.path, command.insert_line, command.insert_text))

    @override
    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return await _reply(self._files.delete(command.path))

    @override
    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return await _reply(self._files.rename(command.old_path, command.new_path))

    @override
    async def clear_all_memory(self) -> str:
        """Delete all files of the tool, but no other nodes of the domain."""
        return await _reply(self._files.clear())


async def _reply(result: Awaitable[_Result]) -> str:
    """Return the text of a result. If its call fails, raise ToolError with the message for the model."""
    try:
        return (await result).text
    except FileError as error:
        raise ToolError(error.reply) from error
    except GraphError as error:
        raise ToolError(f"{error.message}. {error.hint or ''}".strip()) from error
