"""The domain of a project: with `--domain auto`, each project has a domain of its own."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from contextvars import ContextVar
from pathlib import Path

from graph_memory.model.values.arguments import AUTO

WORKING_FOLDER: ContextVar[Path | None] = ContextVar("working_folder", default=None)
"""The folder of the process for which a command runs, if that is another process."""
_INVALID_CHARACTERS = re.compile(r"[^a-z0-9._-]+")
_LONGEST = 40
"""Maximum number of characters of the folder's name in the domain."""


def domain_for(setting: str, folder: Path | None = None) -> str:
    """Return the domain of a setting: the setting itself, or for `auto` the domain of a folder's project.

    `folder` defaults to the current folder. A project is a folder with a `.git` entry and all folders below it.
    """
    return _project_domain(project_root(folder or WORKING_FOLDER.get() or Path.cwd())) if setting == AUTO else setting


def project_root(folder: Path) -> Path:
    """Return the root of the git work tree that has the folder, or else the folder itself."""
    path = folder.expanduser().resolve()
    return next((parent for parent in (path, *path.parents) if os.path.lexists(parent / ".git")), path)


def _project_domain(root: Path) -> str:
    """Return a readable name. A hash of the path makes it unique."""
    plain = unicodedata.normalize("NFKD", root.name).encode("ascii", "ignore").decode().lower()
    name = _INVALID_CHARACTERS.sub("-", plain).strip("-._")[:_LONGEST].rstrip("-._")
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()
    return f"{name or 'project'}-{digest[:8]}"
