"""Installs a restored home folder. One rename, of `restoring` to `restored`, commits the restore.

The folder `restoring` in the home folder contains an incomplete restore, and may be removed. The folder `restored`
contains a complete restore. The installation moves the old parts of the home folder to `replaced`, moves the restored
parts into the home folder, and then removes `replaced`. If the process is killed, the next start of the local Neo4j or
the next restore completes the installation.
"""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

from graph_memory.files import make_private_folder, sync_folder
from graph_memory.local.home.home import HomeFolder

RESTORING, RESTORED, REPLACED = "restoring", "restored", "replaced"
_PARTS = ("neo4j/data", "blobs")


def swap_in(home: HomeFolder) -> None:
    """Replace the data in the home folder with the restored data. The caller must ensure that the server is stopped."""
    folder = home.parent
    finish_restore(home)
    if hasattr(os, "sync"):
        os.sync()
    (folder / RESTORING).rename(folder / RESTORED)
    sync_folder(folder)
    finish_restore(home)


def finish_restore(home: HomeFolder) -> None:
    """Complete the installation of a restored home folder, if there is one in the folder `restored`."""
    folder = home.parent
    restored, replaced = folder / RESTORED, folder / REPLACED
    if restored.is_dir():
        make_private_folder(replaced)
        for part in _PARTS:
            _exchange(restored / part, folder / part, replaced)
        password = HomeFolder(restored / "neo4j").password()
        if password and password != home.password():
            home.save_password(password)
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
