"""Events in a file of their own: compressed lines of JSON, complete and synced before anything is deleted.

The first line is a header; then each content once, before the first event that refers to it, and each event; the last
line holds how many events there were and the SHA-256 of all that came before.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from anyio import to_thread

from graph_memory.memory.core import Core
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import rfc3339
from graph_memory.storage.queries import query

PAGE = 1_000
"""Events that are read at a time."""
VERSION = 1


@dataclass(frozen=True, slots=True)
class PageRow:
    """An event and its small text."""

    event: Mapping[str, object]
    text: str | None


PAGE_OF = query("compact/page", PageRow)


async def write_archive(core: Core, domain: str, after: int, until: int, path: Path) -> None:
    """Write the events of a stretch of a log into a file, which appears when it is whole and safe on disk.

    Raises FILE_CREATION_FAILED and CONTENT_READ_FAILED.
    """
    aside = path.with_name(f"{path.name}.part")
    try:
        await to_thread.run_sync(lambda: path.parent.mkdir(parents=True, exist_ok=True, mode=0o700))
        with await to_thread.run_sync(_Lines, aside) as lines:
            lines.add({"graph-memory": "archive", "version": VERSION, "domain": domain, "after": after, "until": until})
            await _add_events(core, domain, after, until, lines)
            await to_thread.run_sync(lines.finish)
        await to_thread.run_sync(_put_in_place, aside, path)
    except OSError as error:
        raise unwritable(path, error.strerror or str(error)) from error


async def _add_events(core: Core, domain: str, after: int, until: int, lines: _Lines) -> None:
    seen: set[str] = set()
    while rows := await core.store.read(PAGE_OF, domain=domain, after=after, until=until, limit=PAGE):
        for row in rows:
            sha256 = row.event.get("_content_sha256")
            if isinstance(sha256, str) and sha256 not in seen:
                seen.add(sha256)
                lines.add({"content": await _content(core, domain, sha256, row.text)})
            lines.add({"event": {key: _plain(value) for key, value in row.event.items()}})
            lines.events += 1
        await to_thread.run_sync(lines.flush)
        [after] = [value for value in [rows[-1].event["_seq"]] if isinstance(value, int)]


async def _content(core: Core, domain: str, sha256: str, text: str | None) -> dict[str, str]:
    if text is not None:
        return {"sha256": sha256, "text": text}
    data = await core.contents.blobs.get(domain, sha256)
    return {"sha256": sha256, "base64": base64.b64encode(data).decode("ascii")}


class _Lines:
    """A file of lines that is being written; nothing of it counts until `finish`."""

    def __init__(self, path: Path) -> None:
        self._raw = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")
        self._file = gzip.GzipFile(filename="", fileobj=self._raw, mode="wb", mtime=0)
        self._digest = hashlib.sha256()
        self._waiting: list[bytes] = []
        self.events = 0

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()

    def add(self, line: Mapping[str, object]) -> None:
        """Add a line."""
        self._waiting.append(json.dumps(line, ensure_ascii=False).encode() + b"\n")

    def flush(self) -> None:
        """Write the lines that were added."""
        data = b"".join(self._waiting)
        self._waiting.clear()
        self._digest.update(data)
        self._file.write(data)

    def finish(self) -> None:
        """Write the last line, and have all of it on disk."""
        self.flush()
        self.add({"end": {"events": self.events, "sha256": self._digest.hexdigest()}})
        self.flush()
        self._file.close()
        self._raw.flush()
        os.fsync(self._raw.fileno())


def _put_in_place(aside: Path, path: Path) -> None:
    aside.replace(path)
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _plain(value: object) -> object:
    return rfc3339(value) if isinstance(value, datetime) else value


def unwritable(path: Path, cause: str) -> GraphError:
    """Return the error for an archive that cannot be written; nothing was changed."""
    hint = "Give another path, in a folder that can be written."
    message = f"Cannot write the archive {path}: {cause}"
    return GraphError(Code.FILE_CREATION_FAILED, message, {"path": str(path), "hint": hint})
