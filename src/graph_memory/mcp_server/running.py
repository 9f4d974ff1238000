"""Runs calls of operations for every client. Checks limits, rights and arguments, and adapts the results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graph_memory.mcp_server.access import Access
from graph_memory.mcp_server.advice import Advice, with_complete_id, with_selection_hint
from graph_memory.mcp_server.callers import (
    SESSION_ID,
    Context,
    connection_session,
    is_bound,
    is_over_http,
    new_session,
    session_argument_of,
    session_of,
)
from graph_memory.mcp_server.control import CallControl
from graph_memory.mcp_server.errors import mask_internal_errors
from graph_memory.mcp_server.limits import check_arguments, check_result_content, check_result_size
from graph_memory.mcp_server.prompts import START_TOOL
from graph_memory.mcp_server.selection import Selection
from graph_memory.mcp_server.spans import describe_call, describe_outcome, describe_result
from graph_memory.mcp_server.startup import Report
from graph_memory.mcp_server.tools import AnyTool
from graph_memory.model.domain_results import DomainSelectionResult
from graph_memory.model.errors import GraphError, Hint
from graph_memory.model.values.arguments import AUTO, invalid_argument
from graph_memory.settings import Settings

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


_PREVIEWS = ("dry_run", "preview")
"""Arguments that make a writing operation report its effects without writing."""


@dataclass(frozen=True, slots=True)
class Client:
    """The client of a call: how the log records it, and how it learns that it must wait."""

    actor: str | None
    """The client's name in the log. A client with a key has the key's name instead."""
    report_wait: Report
    """Reports the waiting time to the client."""
    domain: str | None = None
    """The domain of the client's project. None means the default domain."""
    source: str | None = None
    """The source of the client's changes in the log. None means the server's source."""


class CallRunner:
    """Runs the calls of one server's tools, after checking their limits, rights and arguments."""

    def __init__(
        self,
        tools: Mapping[str, AnyTool],
        settings: Settings,
        advice: Advice | None = None,
        access: Access | None = None,
        control: CallControl | None = None,
    ) -> None:
        self.tools = tools
        self.access = access or Access(None)
        self.control = control or CallControl()
        self.advice = advice or Advice(tools, settings.toolsets)
        self._content_limit = settings.mcp_content_bytes
        self._result_limit = settings.mcp_result_bytes
        self._has_session = settings.session is not None
        self._default_domain = None if settings.domain == AUTO else settings.domain
        self._selection = Selection()

    async def run(
        self, tool: AnyTool, arguments: Mapping[str, object], ctx: Context, client: Client
    ) -> Mapping[str, object]:
        """Return the result of a call.

        If the call fails, raise GraphError with a hint that mentions only served tools.
        """
        try:
            with (
                self.control.observe_call(tool.name, ctx),
                mask_internal_errors(),
                self.access.run_as_caller(ctx, tool.operation) as caller,
            ):
                result = await self._call(tool, arguments, ctx, client)
        except GraphError as error:
            describe_outcome(error.code)
            raise self.advice.error(error) from error
        if tool.operation.is_writing:
            await self.control.report_change(ctx, () if caller is None else caller.written)
        if caller is not None and caller.omitted:
            return {**result, "unreadable_domains": len(caller.omitted)}
        return result

    async def _call(
        self, tool: AnyTool, arguments: Mapping[str, object], ctx: Context, client: Client
    ) -> Mapping[str, object]:
        session = self._session_argument(tool, arguments)
        domain = self._domain(ctx, client, session) or self._default_domain
        describe_call(tool.name, ctx, arguments, session, domain)
        if not tool.operation.takes(SESSION_ID) and START_TOOL in self.tools:
            arguments = {name: value for name, value in arguments.items() if name != SESSION_ID}
        call = tool.operation.bind(arguments)
        check_arguments(arguments, self._content_limit)
        if session is None and tool.name == START_TOOL and is_over_http(ctx) and session_of(ctx) is None:
            session = new_session()
        memory = await self.memory(ctx, client, session)
        async with self.control.wait_for_turn(ctx, self.access.principal_of(ctx)):
            try:
                if tool.operation.in_session and not is_bound(ctx) and memory.upkeep.has_other_servers:
                    raise _unbound_session_error(tool.name)
                raw_result = await call(memory)
            except GraphError as error:
                error_with_id = await with_complete_id(memory, error)
                raise with_selection_hint(error_with_id, self._selection.selected_domain(ctx, session)) from error
        if isinstance(raw_result, DomainSelectionResult):
            self._selection.select(ctx, raw_result.domain, session)
        result = self.advice.answer(raw_result, has_calls=tool.operation.returns_calls)
        self.control.count_result(ctx, result)
        check_result_content(result, self._content_limit)
        if not tool.operation.is_writing or any(arguments.get(name) is True for name in _PREVIEWS):
            check_result_size(result, self._result_limit)  # the caller of a write must learn what was written
        describe_result(result)
        return result

    def _session_argument(self, tool: AnyTool, arguments: Mapping[str, object]) -> str | None:
        """Return the call's session argument, or None.

        In `memory_revert_session`, the argument is the session to revert, not the caller's. The result is then None.
        """
        if START_TOOL not in self.tools or tool.name == "memory_revert_session":
            return None
        return session_argument_of(arguments)

    def _domain(self, ctx: Context, client: Client, session: str | None) -> str | None:
        """Return the domain that the caller selected, or else that of its project. None means the default domain."""
        return self._selection.selected_domain(ctx, session) or client.domain

    async def memory(self, ctx: Context, client: Client, session: str | None = None) -> Memory:
        """Wait until the memory is open. Return it with the domain, session and actor of the caller."""
        caller_session = session_of(ctx)
        memory = await ctx.lifespan_context.memory(client.report_wait)
        if (domain := self._domain(ctx, client, session)) is not None:
            memory = memory.in_domain(domain)
        if session is not None and not self._has_session:
            memory = memory.in_session(session)
        principal = self.access.principal_of(ctx)
        actor = client.actor if principal is None else principal.name
        log_session = caller_session or connection_session(ctx)
        return memory.acting_as(actor, log_session, is_proven=principal is not None, source=client.source)


def _unbound_session_error(tool: str) -> GraphError:
    """Return the error for a tool that needs session state when another server may receive the next call."""
    hint = Hint(
        "Pass the domain in each call",
        ", and store notes with {remember}",
        ". Or use a client whose protocol has sessions, which stay with one server.",
    )
    message = f"{tool} does not work here: several servers share this memory, and each knows only its own sessions"
    return invalid_argument("session_id", message, hint)
