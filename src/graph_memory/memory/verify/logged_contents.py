"""Checks that the contents of a log, including contents of earlier states, can be read."""

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
"""Maximum number of small texts that one statement reads."""
EVENTS = 10_000
"""Maximum number of events whose contents one page contains."""
PROBLEM = "content of an earlier state in store differs"


@dataclass(frozen=True, slots=True)
class LoggedRow:
    """The content of an event, and a subject that has or had this content."""

    sha256: str
    encoding: Encoding
    size: int
    subject: str


@dataclass(frozen=True, slots=True)
class ContentsPage:
    """The contents of the next events, each as a `LoggedRow`, and the number of the last of these events."""

    last: int | None
    rows: Sequence[Sequence[Any]]


LOGGED_CONTENTS = query("verify/logged_contents", LoggedRow)
CONTENTS_AFTER = query("verify/contents_after", ContentsPage)


async def find_lost_contents(
    reader: Reader, contents: Contents, domain: str, checked: set[tuple[str, str]], matching_events: bytearray
) -> set[str]:
    """Return the hashes of the contents that cannot be read.

    `checked` contains the hash and encoding of each content that was already read. The contents that this call reads
    are added to it. Events whose byte in `matching_events` is not zero need no check, so pages with only these events
    are skipped.
    """
    lost_hashes: set[str] = set()
    page = ContentsPage(0, ())
    while page.last is not None:
        next_unmatched = matching_events.find(0, page.last + 1)
        after = max(page.last, (next_unmatched if next_unmatched >= 0 else len(matching_events)) - 1)
        [page] = await reader.read(CONTENTS_AFTER, domain=domain, after=after, limit=EVENTS)
        rows = [LoggedRow(*row) for row in page.rows]
        lost_hashes |= {
            difference.expected or ""
            for difference in await _find_unreadable_rows(reader, contents, domain, rows, checked)
        }
        checked |= {(row.sha256, row.encoding) for row in rows if row.sha256 not in lost_hashes}
    return lost_hashes


async def find_unreadable(
    reader: Reader, contents: Contents, domain: str, checked: Collection[tuple[str, str]], hashes: Collection[str]
) -> list[Difference]:
    """Return a difference for each content with these hashes that cannot be read. Skips contents in `checked`."""
    rows = await reader.read(LOGGED_CONTENTS, domain=domain, hashes=sorted(hashes)) if hashes else []
    return await _find_unreadable_rows(reader, contents, domain, rows, checked)


async def _find_unreadable_rows(
    reader: Reader, contents: Contents, domain: str, rows: Sequence[LoggedRow], checked: Collection[tuple[str, str]]
) -> list[Difference]:
    unchecked = [row for row in rows if (row.sha256, row.encoding) not in checked]
    differences: list[Difference] = []
    for start in range(0, len(unchecked), PAGE):
        differences += await _check_page(reader, contents, domain, unchecked[start : start + PAGE])
    return differences


async def _check_page(reader: Reader, contents: Contents, domain: str, page: Sequence[LoggedRow]) -> list[Difference]:
    hashes = sorted({row.sha256 for row in page})
    texts = {row.sha256: row.text for row in await reader.read(CONTENTS, domain=domain, hashes=hashes)}
    differences: list[Difference] = []
    for row in page:
        ref = ContentRef(format="", encoding=row.encoding, size=row.size, sha256=row.sha256)
        if reason := await _read_failure(contents, domain, ref, texts.get(row.sha256)):
            difference = Difference(
                kind="content", subject=row.subject, problem=PROBLEM, expected=row.sha256, found=reason
            )
            differences.append(difference)
    return differences


async def _read_failure(contents: Contents, domain: str, ref: ContentRef, inline: str | None) -> str | None:
    """Return the reason why content cannot be read, or None if it can be read. Streams blobs."""
    try:
        async for _ in contents.stream(domain, ref, inline):
            pass
    except GraphError as error:
        return str(error.details.get("reason", "missing"))
    return None
