"""A person's visit of the viewer in Chromium."""

from __future__ import annotations

import subprocess
from urllib.parse import urlsplit

import anyio.to_thread
from playwright.async_api import BrowserContext, Page, expect

from acceptance.agents import COMMAND

LONG = 30_000
"""The time that a busy machine may need to show a result, in milliseconds."""


class Visit:
    """A person's page, and what it complained of or asked of other machines."""

    def __init__(self, page: Page, server: str, domain: str) -> None:
        self.page, self._server, self._domain = page, server, domain
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: message.type == "error" and self.complaints.append(message.text))
        page.on("request", lambda request: self._check(request.url))

    def _check(self, address: str) -> None:
        url = urlsplit(address)
        if url.scheme not in ("data", "blob") and url.hostname != "127.0.0.1":
            self.complaints.append(f"asked {address}")

    async def open(self, page: str, **parameters: str) -> None:
        """Go to a page of the viewer, in the test's domain."""
        query = "&".join(f"{name}={value}" for name, value in {"domain": self._domain, **parameters}.items())
        await self.page.goto("about:blank")
        await self.page.goto(f"{self._server}#/{page}?{query}")
        await expect(self.page.get_by_role("heading").first).to_be_visible(timeout=LONG)


async def log_in(context: BrowserContext, own_home: dict[str, str], server: str, domain: str, *options: str) -> Visit:
    """Open the address that the command prints, as a person does."""
    command = [COMMAND, "view", "--no-open", *options]
    done = await anyio.to_thread.run_sync(lambda: subprocess.check_output(command, env=own_home, text=True))
    visit = Visit(await context.new_page(), server, domain)
    await visit.page.goto(done.strip())
    await expect(visit.page.get_by_role("heading", level=1)).to_be_visible(timeout=LONG)
    assert "token" not in visit.page.url
    return visit
