"""Records beside the spool which nodes were shown in each session, and which events are being answered."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from graph_memory.files import make_private_folder, open_private

FOLDER = "shown"
_MOST = 2_000
"""Maximum number of nodes that are remembered for a session. The last ones are kept."""
_LARGEST = 1 << 20
_KEPT_SECONDS = 7 * 86_400.0
"""Age in seconds after which the file of a session without an end is removed."""
_ANSWERING_SECONDS = 1.0
"""Time in which a second hook for the same event, such as of a plugin beside `install`, does not answer it again."""


def claim_answer(spool: Path, session: str, event: str) -> bool:
    """Return whether this process is to answer the event, because no other process has just done so."""
    path = _path(spool, session, event).with_suffix(".answering")
    try:
        make_private_folder(path.parent)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        with suppress(OSError):
            if time.time() - path.stat().st_mtime < _ANSWERING_SECONDS:
                return False
            os.utime(path)
    except OSError:
        pass
    return True


def read_shown(spool: Path, session: str) -> Sequence[str]:
    """Return the ids of the nodes that were shown in the session."""
    with suppress(OSError, ValueError):
        values: object = json.loads(_path(spool, session).read_bytes()[:_LARGEST])
        if isinstance(values, list):
            return [value for value in cast("list[object]", values) if isinstance(value, str)]
    return ()


def add_shown(spool: Path, session: str, ids: Sequence[str]) -> None:
    """Record the ids of nodes that were shown in the session."""
    path = _path(spool, session)
    make_private_folder(path.parent)
    kept = [*read_shown(spool, session), *ids][-_MOST:]
    part = path.with_suffix(f".{time.time_ns()}.part")
    with open_private(part) as file:
        file.write(json.dumps(kept).encode())
    part.replace(path)


def forget_shown(spool: Path, session: str) -> None:
    """Delete the record of shown nodes, because the session has ended or the conversation was cleared."""
    with suppress(OSError):
        _path(spool, session).unlink(missing_ok=True)


def clean_shown(spool: Path) -> None:
    """Delete records that have not been used for a week, and marks of events that were answered."""
    with suppress(OSError):
        for path in (spool / FOLDER).iterdir():
            kept = 60 * _ANSWERING_SECONDS if path.suffix == ".answering" else _KEPT_SECONDS
            if time.time() - path.stat().st_mtime > kept:
                path.unlink(missing_ok=True)


def _path(spool: Path, *names: str) -> Path:
    digest = hashlib.sha256("\0".join(names).encode("utf-8", "replace")).hexdigest()
    return spool / FOLDER / f"{digest[:32]}.json"
