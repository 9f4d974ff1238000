"""What a restore made beside a home comes into its place by one rename; whatever is left to do is done at any start.

`restoring` in the home is being made, and may be thrown away. `restored` is complete: its parts go where they belong,
and what was there goes to `replaced`, which is then removed. A process that is killed on the way leaves the folders,
and the next start of the local Neo4j, or the next restore, goes on from there.
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


def put_in_place(place: Home) -> None:
    """Have what was restored replace what the home holds. The server of the place must be held stopped."""
    home = place.home
    finish_restore(place)
    if hasattr(os, "sync"):
        os.sync()
    (home / RESTORING).rename(home / RESTORED)
    sync_folder(home)
    finish_restore(place)


def finish_restore(place: Home) -> None:
    """Do what is left of a restore that was complete; nothing when there was none."""
    home = place.home
    restored, replaced = home / RESTORED, home / REPLACED
    if restored.is_dir():
        make_private_folder(replaced)
        for part in _PARTS:
            _exchange(restored / part, home / part, replaced)
        _take_password(place, restored)
        place.begun()
        sync_folder(home)
        shutil.rmtree(restored)
    shutil.rmtree(replaced, ignore_errors=True)


def _exchange(new: Path, live: Path, aside: Path) -> None:
    if not new.exists():
        return
    while live.exists():  # a process that writes a blob may make the folder anew
        live.rename(aside / f"{live.name}-{secrets.token_hex(4)}")
    new.rename(live)
    sync_folder(live.parent)


def _take_password(place: Home, restored: Path) -> None:
    """Keep the password of the restored Neo4j; it is another only where the home had none."""
    password = Home(restored / "neo4j").password()
    if password and password != place.password():
        place.keep_password(password)
