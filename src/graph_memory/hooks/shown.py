"""Records the nodes shown to each session, the briefed sessions, and the answered events, in files near the spool."""

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
_MAX_SHOWN = 2_000
"""Maximum number of recorded nodes per session. Above it, the oldest records are dropped."""
_MAX_FILE_BYTES = 1 << 20
_KEPT_SECONDS = 7 * 86_400.0
"""Age in seconds after which a session's file is removed, in case the session never ended."""
_ANSWERING_SECONDS = 1.0
"""Time in seconds within which an event is answered only once, even if two hooks are installed for it."""


def claim_answer(spool: Path, session: str, event: str) -> bool:
    """Return whether this process should answer the event: no other process has answered it within the last second."""
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
    """Return the ids of the nodes shown in the session. If there is no valid record, return none."""
    with suppress(OSError, ValueError):
        values: object = json.loads(_path(spool, session).read_bytes()[:_MAX_FILE_BYTES])
        if isinstance(values, list):
            return [value for value in cast("list[object]", values) if isinstance(value, str)]
    return ()


def add_shown(spool: Path, session: str, ids: Sequence[str]) -> None:
    """Record the ids of nodes shown in the session."""
    path = _path(spool, session)
    make_private_folder(path.parent)
    newest_ids = [*read_shown(spool, session), *ids][-_MAX_SHOWN:]
    temporary_path = path.with_suffix(f".{time.time_ns()}.part")
    with open_private(temporary_path) as file:
        file.write(json.dumps(newest_ids).encode())
    temporary_path.replace(path)


def is_briefed(spool: Path, session: str) -> bool:
    """Return whether a server has returned a briefing for the session, even an empty one."""
    return _path(spool, session).with_suffix(".briefed").exists()


def note_briefed(spool: Path, session: str) -> None:
    """Record that a server has returned a briefing for the session."""
    path = _path(spool, session).with_suffix(".briefed")
    make_private_folder(path.parent)
    path.touch(mode=0o600)


def take_turn(spool: Path, session: str) -> bool:
    """Return whether a late briefing comes before the memories for a prompt. Calls alternate between False and True."""
    path = _path(spool, session).with_suffix(".turn")
    try:
        path.unlink()
    except OSError:
        with suppress(OSError):
            make_private_folder(path.parent)
            path.touch(mode=0o600)
        return False
    return True


def forget_shown(spool: Path, session: str) -> None:
    """Delete a session's records, because it starts, has ended, or its conversation was cleared."""
    with suppress(OSError):
        for suffix in (".json", ".briefed", ".turn"):
            _path(spool, session).with_suffix(suffix).unlink(missing_ok=True)


def clean_shown(spool: Path) -> None:
    """Delete records that have not been used for a week, and the marks of answered events."""
    with suppress(OSError):
        for path in (spool / FOLDER).iterdir():
            max_age = 60 * _ANSWERING_SECONDS if path.suffix == ".answering" else _KEPT_SECONDS
            if time.time() - path.stat().st_mtime > max_age:
                path.unlink(missing_ok=True)


def _path(spool: Path, *names: str) -> Path:
    digest = hashlib.sha256("\0".join(names).encode("utf-8", "replace")).hexdigest()
    return spool / FOLDER / f"{digest[:32]}.json"
