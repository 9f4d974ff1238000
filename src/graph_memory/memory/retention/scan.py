"""Searches all stored data for a text: every property of every node and relationship, and the blobs."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from graph_memory.memory.core import Core
from graph_memory.memory.retention.results import Finding, ScanResult
from graph_memory.model.values.arguments import check_query
from graph_memory.storage.queries import query
from graph_memory.storage.store import LONG_READ_SECONDS

MAX_FINDINGS = 1_000
"""Maximum number of findings in nodes, and of findings in relationships, that a result lists."""
_MIN_ENCODED_BYTES = 5
"""Minimum size of a text that is also searched for in base64. Shorter texts would match unrelated data."""


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A property of a node or relationship that contains the searched text."""

    labels: list[str]
    domain: str | None
    id: str | None
    property: str
    is_tombstone: bool
    subject: str | None
    title: str | None
    sha256: str | None

    def as_finding(self, place: Literal["node", "relationship"]) -> Finding:
        """Return the finding for this property. A text node has no id, so its hash is used instead."""
        return Finding(
            place=place,
            label=" ".join(self.labels),
            domain=self.domain,
            id=self.id or self.sha256,
            property=self.property,
            subject=self.subject,
            of=self.title,
        )


@dataclass(frozen=True, slots=True)
class OwnerRow:
    """A content's hash, and a node or connection that has or had this content."""

    sha256: str
    subject: str
    title: str | None


OWNERS = query("retention/content_owners", OwnerRow)
NODES = query("retention/scan_nodes", MatchRow)
RELATIONSHIPS = query("retention/scan_relationships", MatchRow)


async def scan(core: Core, text: str) -> ScanResult:
    """Search the whole database and the blobs for a string. See `History.scan`."""
    check_query(text)
    params = {"texts": sorted({text, text.casefold()}), "limit": MAX_FINDINGS + 1}
    nodes = await core.store.read_within(LONG_READ_SECONDS, NODES, **params, encoded=base64_forms(text))
    relationships = await core.store.read_within(LONG_READ_SECONDS, RELATIONSHIPS, **params)
    node_findings = [row.as_finding("node") for row in nodes if not row.is_tombstone]
    relationship_findings = [row.as_finding("relationship") for row in relationships]
    blob_findings, blob_count = await _scan_blobs(core, text)
    return ScanResult(
        findings=tuple(
            await _with_owners(
                core, [*node_findings[:MAX_FINDINGS], *relationship_findings[:MAX_FINDINGS], *blob_findings]
            )
        ),
        more=max(len(node_findings), len(relationship_findings)) > MAX_FINDINGS or None,
        tombstones=sum(row.is_tombstone for row in nodes),
        blobs=blob_count,
    )


def base64_forms(text: str) -> list[str]:
    """Return three strings. The base64 of any data that contains the text contains one of them.

    The text may begin at any of the three positions within a base64 group. Each string has only the characters that
    depend on the text alone. Returns no strings if the text is too short.
    """
    data = text.encode()
    if len(data) < _MIN_ENCODED_BYTES:
        return []
    starts = (0, 2, 3)  # how many characters also depend on the preceding 0, 1 or 2 bytes
    return [
        base64.b64encode(bytes(shift) + data).decode("ascii")[start : (shift + len(data)) * 8 // 6]
        for shift, start in enumerate(starts)
    ]


async def _scan_blobs(core: Core, text: str) -> tuple[list[Finding], int]:
    """Return the findings in all blobs, and the number of blobs. Includes blobs without references."""
    blob_store, searched_bytes, blob_count = core.contents.blobs, text.encode(), 0
    findings: list[Finding] = []
    for domain in await blob_store.domains():
        for blob in await blob_store.find_garbage(domain, frozenset(), datetime.max.replace(tzinfo=UTC)):
            blob_count += 1
            if text in blob.name or await blob_store.contains(domain, blob.name, searched_bytes):
                findings.append(Finding(place="blob", label=blob.name, domain=domain))
    return findings, blob_count


async def _with_owners(core: Core, findings: Sequence[Finding]) -> list[Finding]:
    """Add an owner to each finding in a text or blob: a node or connection that has or had this content."""
    hashes: dict[str, set[str]] = {}
    for finding in findings:
        if finding.domain is not None and (sha256 := _content_hash(finding)) is not None:
            hashes.setdefault(finding.domain, set()).add(sha256)
    owners: dict[tuple[str, str], OwnerRow] = {}
    for domain, domain_hashes in hashes.items():
        rows = await core.store.read_within(LONG_READ_SECONDS, OWNERS, domain=domain, hashes=sorted(domain_hashes))
        owners |= {(domain, row.sha256): row for row in rows}
    pairs = ((finding, owners.get((finding.domain or "", _content_hash(finding) or ""))) for finding in findings)
    return [
        finding if owner is None else finding.model_copy(update={"subject": owner.subject, "of": owner.title})
        for finding, owner in pairs
    ]


def _content_hash(finding: Finding) -> str | None:
    if finding.place == "blob":
        return finding.label
    return finding.id if finding.label == "_Content" else None
