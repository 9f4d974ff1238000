"""Serves the viewer's files, which `make web` builds into the package."""

from __future__ import annotations

from pathlib import Path

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from graph_memory.mcp_server.viewer.statuses import SAFE_HEADERS

FOLDER = Path(__file__).parents[2] / "viewer"
"""The folder with the viewer's built files."""
ASSETS = "assets"
"""The subfolder of `FOLDER` whose file names contain a hash of the file's content."""
SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; object-src 'none'; base-uri 'none'; "
    "frame-ancestors 'none'; form-action 'self'"
)
HEADERS = {**SAFE_HEADERS, "Content-Security-Policy": SECURITY_POLICY}
_NOT_BUILT = "The viewer is not built. In a checkout of graph-memory, run `make web`, and load this page again.\n"


async def serve_file(request: Request) -> Response:
    """Answer with a file of the viewer. Paths without a file get the viewer's page."""
    path = await anyio.to_thread.run_sync(_find, request.path_params["path"])
    if path is None:
        is_asset = request.path_params["path"].startswith(f"{ASSETS}/")
        return PlainTextResponse("Not found\n" if is_asset else _NOT_BUILT, 404, HEADERS)
    is_hashed = path.parent.name == ASSETS
    cache = "public, max-age=31536000, immutable" if is_hashed else "no-cache"
    return FileResponse(path, headers={**HEADERS, "Cache-Control": cache})


def _find(name: str) -> Path | None:
    """Return the file with this name, or else the viewer's page. Returns None if the page does not exist."""
    folder = FOLDER.resolve()
    if "\0" not in name and (path := (folder / name).resolve()).is_relative_to(folder) and path.is_file():
        return path
    page = folder / "index.html"
    return page if page.is_file() and not name.startswith(f"{ASSETS}/") else None
