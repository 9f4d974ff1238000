"""Determines a client's project from its first root. The roots are requested once if the domain setting is `auto`."""

from __future__ import annotations

import logging
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from mcp import MCPError, types
from pydantic import ValidationError

from graph_memory.mcp_server.callers import McpContext, asks_within_calls
from graph_memory.model.values.arguments import AUTO
from graph_memory.project import domain_for

_ROOTS_REQUEST = "roots"
_TIMEOUT_SECONDS = 5.0
"""Maximum time in seconds for a client to return its roots."""
_log = logging.getLogger(__name__)


class Project:
    """The client's project. It determines the domain if the domain setting is `auto`."""

    def __init__(self, setting: str) -> None:
        self._is_unknown = setting == AUTO
        self.domain: str | None = None
        """The domain of the project, if the client has reported a root. None means the domain in the settings."""

    async def find(self, ctx: McpContext, params: types.CallToolRequestParams) -> types.InputRequiredResult | None:
        """Determine the domain from the client's first root, if it is not yet known.

        Returns a request that the client must answer before the call can continue, or None if no answer is needed.
        """
        if not self._is_unknown:
            return None
        roots: list[types.Root] = []
        capabilities = ctx.session.client_capabilities
        if capabilities is not None and capabilities.roots is not None:
            if not asks_within_calls(ctx):
                roots = await _request_roots(ctx)
            elif params.input_responses is None:
                return types.InputRequiredResult(input_requests={_ROOTS_REQUEST: types.ListRootsRequest()})
            elif isinstance(response := params.input_responses.get(_ROOTS_REQUEST), types.ListRootsResult):
                roots = response.roots
        self._is_unknown = False
        if roots:
            path = url2pathname(urlsplit(str(roots[0].uri)).path)
            self.domain = domain_for(AUTO, Path(path))
        return None


async def _request_roots(ctx: McpContext) -> list[types.Root]:
    """Request the client's roots. If it does not answer, return an empty list."""
    try:
        answer = await ctx.session.send_request(types.ListRootsRequest(), types.ListRootsResult, _TIMEOUT_SECONDS)
    except (MCPError, ValidationError) as error:
        _log.warning("The client did not name its roots: %s", type(error).__name__)
        return []
    return answer.roots
