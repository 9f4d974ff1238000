"""The domain of a project: with `--domain auto`, each folder that somebody works in has a memory of its own."""

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
_OTHERS = re.compile(r"[^a-z0-9._-]+")
_LONGEST = 40
"""Characters of the folder's name that are kept."""


def domain_for(setting: str, folder: Path | None = None) -> str:
    """Return the domain that a setting means: itself, or for `auto` that of the project of a folder.

    Without a folder it is the one that the process works in. A project is a folder with `.git` in it, and all below.
    """
    return _project_domain(project_root(folder or WORKING_FOLDER.get() or Path.cwd())) if setting == AUTO else setting


def project_root(folder: Path) -> Path:
    """Return the nearest folder above that is the root of a git work tree, else the folder itself."""
    here = folder.expanduser().resolve()
    return next((one for one in (here, *here.parents) if os.path.lexists(one / ".git")), here)


def _project_domain(root: Path) -> str:
    """Return a name that people can read, and with a hash of the path, so that no other folder has it."""
    plain = unicodedata.normalize("NFKD", root.name).encode("ascii", "ignore").decode().lower()
    name = _OTHERS.sub("-", plain).strip("-._")[:_LONGEST].rstrip("-._")
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()
    return f"{name or 'project'}-{digest[:8]}"
