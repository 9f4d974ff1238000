"""The contents that a log refers to, of earlier states too: read as an export would read them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from graph_memory.memory.contents import Contents
from graph_memory.model.content import ContentRef, Encoding
from graph_memory.model.errors import GraphError
from graph_memory.model.results import Difference
from graph_memory.storage.log.reads import CONTENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

PAGE = 500
"""Small texts that are read at once."""
PROBLEM = "content of an earlier state in store differs"


@dataclass(frozen=True, slots=True)
class LoggedRow:
    """A content, and a subject that has it or had it."""

    sha256: str
    encoding: Encoding
    size: int
    subject: str


LOGGED_CONTENTS = query("verify/logged_contents", LoggedRow)


async def unreadable(
    reader: Reader,
    contents: Contents,
    domain: str,
    *,
    known: Collection[tuple[str, str]] = (),
    hashes: Collection[str] | None = None,
) -> list[Difference]:
    """Name the contents that cannot be read: of those of the hashes, if given, and but for those that are known.

    `known` are pairs of hash and encoding that somebody looked at already.
    """
    given = None if hashes is None else sorted(hashes)
    rows = await reader.read(LOGGED_CONTENTS, domain=domain, hashes=given) if given is None or given else []
    left = [row for row in rows if (row.sha256, row.encoding) not in known]
    found: list[Difference] = []
    for start in range(0, len(left), PAGE):
        page = left[start : start + PAGE]
        found += await _unreadable(reader, contents, domain, page)
    return found


async def _unreadable(reader: Reader, contents: Contents, domain: str, page: Sequence[LoggedRow]) -> list[Difference]:
    hashes = sorted({row.sha256 for row in page})
    texts = {row.sha256: row.text for row in await reader.read(CONTENTS, domain=domain, hashes=hashes)}
    found: list[Difference] = []
    for row in page:
        ref = ContentRef(format="", encoding=row.encoding, size=row.size, sha256=row.sha256)
        if reason := await _why_unread(contents, domain, ref, texts.get(row.sha256)):
            one = Difference(kind="content", subject=row.subject, problem=PROBLEM, expected=row.sha256, found=reason)
            found.append(one)
    return found


async def _why_unread(contents: Contents, domain: str, ref: ContentRef, inline: str | None) -> str | None:
    """Return why a content cannot be read, None when it can; blobs of any size are gone through and not kept."""
    try:
        async for _ in contents.stream(domain, ref, inline):
            pass
    except GraphError as error:
        return str(error.details.get("reason", "missing"))
    return None
