"""The contents that a log refers to, of earlier states too: read as an export would read them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from graph_memory.memory.contents import Contents
from graph_memory.model.errors import GraphError
from graph_memory.model.results import Difference
from graph_memory.model.values.content import ContentRef, Encoding
from graph_memory.storage.log.reads import CONTENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

PAGE = 500
"""Small texts that are read at once."""
EVENTS = 10_000
"""Events whose contents are gone through at a time."""
PROBLEM = "content of an earlier state in store differs"


@dataclass(frozen=True, slots=True)
class LoggedRow:
    """A content, and a subject that has it or had it."""

    sha256: str
    encoding: Encoding
    size: int
    subject: str


@dataclass(frozen=True, slots=True)
class ContentsPage:
    """The contents of the next events, each as what a `LoggedRow` has."""

    last: int | None
    found: Sequence[Sequence[Any]]


LOGGED_CONTENTS = query("verify/logged_contents", LoggedRow)
CONTENTS_AFTER = query("verify/contents_after", ContentsPage)


async def lost_contents(
    reader: Reader, contents: Contents, domain: str, known: set[tuple[str, str]], seen: bytearray
) -> set[str]:
    """Return the hashes of the contents that cannot be read, but for those that are known.

    `known` are pairs of hash and encoding that somebody looked at already, those of the events whose numbers are not
    zero in `seen` among them: nothing is read where there are only such events. What is found to be there is added.
    """
    lost: set[str] = set()
    page = ContentsPage(0, ())
    while page.last is not None:
        unseen = seen.find(0, page.last + 1)
        after = max(page.last, (unseen if unseen >= 0 else len(seen)) - 1)
        [page] = await reader.read(CONTENTS_AFTER, domain=domain, after=after, limit=EVENTS)
        rows = [LoggedRow(*one) for one in page.found]
        lost |= {difference.expected or "" for difference in await _those_unread(reader, contents, domain, rows, known)}
        known |= {(row.sha256, row.encoding) for row in rows if row.sha256 not in lost}
    return lost


async def unreadable(
    reader: Reader, contents: Contents, domain: str, known: Collection[tuple[str, str]], hashes: Collection[str]
) -> list[Difference]:
    """Name the contents of these hashes that cannot be read, but for those that are known."""
    rows = await reader.read(LOGGED_CONTENTS, domain=domain, hashes=sorted(hashes)) if hashes else []
    return await _those_unread(reader, contents, domain, rows, known)


async def _those_unread(
    reader: Reader, contents: Contents, domain: str, rows: Sequence[LoggedRow], known: Collection[tuple[str, str]]
) -> list[Difference]:
    left = [row for row in rows if (row.sha256, row.encoding) not in known]
    differences: list[Difference] = []
    for start in range(0, len(left), PAGE):
        differences += await _unreadable(reader, contents, domain, left[start : start + PAGE])
    return differences


async def _unreadable(reader: Reader, contents: Contents, domain: str, page: Sequence[LoggedRow]) -> list[Difference]:
    hashes = sorted({row.sha256 for row in page})
    texts = {row.sha256: row.text for row in await reader.read(CONTENTS, domain=domain, hashes=hashes)}
    differences: list[Difference] = []
    for row in page:
        ref = ContentRef(format="", encoding=row.encoding, size=row.size, sha256=row.sha256)
        if reason := await _why_unread(contents, domain, ref, texts.get(row.sha256)):
            difference = Difference(
                kind="content", subject=row.subject, problem=PROBLEM, expected=row.sha256, found=reason
            )
            differences.append(difference)
    return differences


async def _why_unread(contents: Contents, domain: str, ref: ContentRef, inline: str | None) -> str | None:
    """Return why a content cannot be read, None when it can; blobs of any size are gone through and not kept."""
    try:
        async for _ in contents.stream(domain, ref, inline):
            pass
    except GraphError as error:
        return str(error.details.get("reason", "missing"))
    return None
