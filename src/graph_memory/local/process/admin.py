"""Runs Neo4j's admin commands, which require a stopped server."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from graph_memory.local.home.config import admin_command, admin_environment
from graph_memory.local.home.home import HomeFolder

_NO_REASON = re.compile(r"WARNING: |-+$|Files: |Command Failed$|Run with '--verbose'|Load failed for|Dump failed for")


class AdminError(Exception):
    """Raised if an admin command fails. The message is the reason, on one line."""


def run_admin(home: HomeFolder, java: Path, *arguments: str, heap: str = "128m", timeout: float | None = None) -> None:
    """Run an admin command. Raises AdminError if it fails, or takes longer than `timeout` seconds, if given."""
    try:
        subprocess.run(
            admin_command(home, java, *arguments, heap=heap),
            env={**os.environ, **admin_environment(home)},
            cwd=home.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise AdminError(_reason_of(str(error.output))) from error
    except subprocess.TimeoutExpired as error:
        raise AdminError(f"it took longer than {timeout:.0f} s") from error
    except OSError as error:
        raise AdminError(error.strerror or type(error).__name__) from error


def _reason_of(text: str) -> str:
    """Return the last line of a failed command's output that states a reason."""
    lines = [line.strip() for line in text.splitlines()]
    return next((line for line in reversed(lines) if line and not _NO_REASON.match(line)), "it gave no reason")
