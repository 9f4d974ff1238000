"""Determines the project of a client from its first root, which is requested once if the domain setting is `auto`."""

from __future__ import annotations

import logging
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from mcp import MCPError, types
from pydantic import ValidationError

from graph_memory.mcp_server.callers import Context, asks_within_calls
from graph_memory.model.values.arguments import AUTO
from graph_memory.project import domain_for

_KEY = "roots"
_PATIENCE = 5.0
"""Seconds that a client may take to name its roots."""
_log = logging.getLogger(__name__)


class Project:
    """The domain of the process's client, if the domain setting is `auto`."""

    def __init__(self, setting: str) -> None:
        self._is_unknown = setting == AUTO
        self.domain: str | None = None
        """The domain, once the client has named its roots. None means the domain of the settings."""

    async def find(self, ctx: Context, params: types.CallToolRequestParams) -> types.InputRequiredResult | None:
        """Find the domain if it is not known yet. Returns a request that the client must answer first, or None."""
        if not self._is_unknown:
            return None
        roots: list[types.Root] = []
        if _has_roots(ctx):
            if not asks_within_calls(ctx):
                roots = await _request_roots(ctx)
            elif params.input_responses is None:
                return types.InputRequiredResult(input_requests={_KEY: types.ListRootsRequest()})
            elif isinstance(response := params.input_responses.get(_KEY), types.ListRootsResult):
                roots = response.roots
        self._is_unknown = False
        if roots:
            path = url2pathname(urlsplit(str(roots[0].uri)).path)
            self.domain = domain_for(AUTO, Path(path))
        return None


def _has_roots(ctx: Context) -> bool:
    capabilities = ctx.session.client_capabilities
    return capabilities is not None and capabilities.roots is not None


async def _request_roots(ctx: Context) -> list[types.Root]:
    """Request the client's roots. If it does not answer, return an empty list."""
    try:
        answer = await ctx.session.send_request(types.ListRootsRequest(), types.ListRootsResult, _PATIENCE)
    except (MCPError, ValidationError) as error:
        _log.warning("The client does not name its roots: %s", type(error).__name__)
        return []
    return answer.roots
