"""The domain of a project. With `--domain auto`, each project has a separate domain."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from contextvars import ContextVar
from pathlib import Path

from graph_memory.model.values.arguments import AUTO

WORKING_FOLDER: ContextVar[Path | None] = ContextVar("working_folder", default=None)
"""The working folder of the process that sent the command, if a server runs the command for that process."""
_INVALID_CHARACTERS = re.compile(r"[^a-z0-9._-]+")
_MAX_FOLDER_CHARACTERS = 40
"""Maximum number of characters of the folder's name in its domain's name."""


def domain_for(setting: str, folder: Path | None = None) -> str:
    """Return the domain in the setting. For `auto`, return the domain of the folder's project.

    `folder` defaults to the current folder. A project is a folder with a `.git` entry and all folders below it.
    """
    return _project_domain(project_root(folder or WORKING_FOLDER.get() or Path.cwd())) if setting == AUTO else setting


def project_root(folder: Path) -> Path:
    """Return the root of the git work tree that contains the folder. If there is none, return the folder itself."""
    path = folder.expanduser().resolve()
    return next((parent for parent in (path, *path.parents) if os.path.lexists(parent / ".git")), path)


def _project_domain(root: Path) -> str:
    """Return a project's domain name: its folder's name, and a hash of its path that makes the name unique."""
    ascii_name = unicodedata.normalize("NFKD", root.name).encode("ascii", "ignore").decode().lower()
    name = _INVALID_CHARACTERS.sub("-", ascii_name).strip("-._")[:_MAX_FOLDER_CHARACTERS].rstrip("-._")
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()
    return f"{name or 'project'}-{digest[:8]}"
