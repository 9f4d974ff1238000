"""Activates a restored home with a single rename. If this is interrupted, the next start completes it.

The folder `restoring` in the home is incomplete, and may be removed. The folder `restored` is complete. Its parts are
moved into the home, and the old parts are moved to `replaced`, which is then removed. If the process is killed, the
folders remain, and the next start of the local Neo4j or the next restore continues.
"""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

from graph_memory.files import make_private_folder, sync_folder
from graph_memory.local.home.home import Home

RESTORING, RESTORED, REPLACED = "restoring", "restored", "replaced"
_PARTS = ("neo4j/data", "blobs")


def swap_in(home: Home) -> None:
    """Replace the home's data with the restored data. The caller must keep the server stopped."""
    folder = home.parent
    finish_restore(home)
    if hasattr(os, "sync"):
        os.sync()
    (folder / RESTORING).rename(folder / RESTORED)
    sync_folder(folder)
    finish_restore(home)


def finish_restore(home: Home) -> None:
    """Complete the activation of a restored home, if there is one."""
    folder = home.parent
    restored, replaced = folder / RESTORED, folder / REPLACED
    if restored.is_dir():
        make_private_folder(replaced)
        for part in _PARTS:
            _exchange(restored / part, folder / part, replaced)
        _adopt_password(home, restored)
        home.finish_first_start()
        sync_folder(folder)
        shutil.rmtree(restored)
    shutil.rmtree(replaced, ignore_errors=True)


def _exchange(new: Path, live: Path, replaced: Path) -> None:
    if not new.exists():
        return
    while live.exists():  # a process that writes a blob may create the folder again
        live.rename(replaced / f"{live.name}-{secrets.token_hex(4)}")
    new.rename(live)
    sync_folder(live.parent)


def _adopt_password(home: Home, restored: Path) -> None:
    """Save the password of the restored Neo4j, unless the home has it already."""
    password = Home(restored / "neo4j").password()
    if password and password != home.password():
        home.save_password(password)
