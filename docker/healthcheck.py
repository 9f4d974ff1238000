"""Ends with status 0 if the server of this container is ready, or if it serves no HTTP."""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

OPTIONS = {"--host": "127.0.0.1", "--port": "8848"}
EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - it is only compared


def url_of(arguments: list[str]) -> str | None:
    """Return the URL of the readiness check of a server with these arguments, or None if it serves no HTTP."""
    if not {"serve", "http"} & set(arguments):
        return None
    host, port = (
        arguments[arguments.index(option) + 1] if option in arguments else default
        for option, default in OPTIONS.items()
    )
    host = "127.0.0.1" if host in EVERY_ADDRESS else host
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/health/ready"


def main() -> int:
    """Return the exit status."""
    arguments = Path("/proc/1/cmdline").read_bytes().decode().split("\0")
    url = url_of(arguments)
    try:
        if url is not None:
            urlopen(url, timeout=4).close()  # noqa: S310 - the scheme is ours
    except (URLError, TimeoutError):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
